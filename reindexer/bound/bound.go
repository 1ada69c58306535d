// Package bound ends programs in jq that exceed their limits: a mapping of a record, or the path of a document (rules X20 and
// X21). It refuses to know what they are for; the caller says so in its error.
//
// gojq asks its context before each step of its machine whether it has ended. A Limit is such a context, which counts the steps
// and looks at the clock and at memory now and then; a context with a deadline would cost a timer for each record. A single
// step is not interrupted.
package bound

import (
	"context"
	"fmt"
	"runtime"

	"runtime/metrics"
	"time"
)

const (
	// mostSteps is how many steps a program may take for one record: the mappings of docs/operate/load.md take some 200. It is
	// what ends a program that never ends, at the same place on every machine, and what bounds the memory of one that collects
	// without end: a step adds an item to a list at most.
	mostSteps = 1_000_000
	// longest is how long a program may take, where its single steps are slow.
	longest = time.Second
	// between is how many steps pass between two looks at the clock. A text is doubled, and doubled again, in as many.
	between = 16
	// mostMemory is how much more memory may be in use, in bytes, than when it was looked at first: more than the rest of a load
	// uses. It ends a program that doubles a text again and again, which takes few steps.
	mostMemory = 256 << 20
	// soon is how long a program runs before memory is looked at, which costs as much as a tenth of a record's mapping.
	soon = 2 * time.Millisecond
)

// What a program may take beyond that for its input, which may be a whole document: stepsOf and memoryOf for each byte of it, in
// steps and bytes, and another longest for each MiB. A record of a document has some hundred bytes, and takes five steps to be
// found; a copy of what a document holds, but for its texts, takes some three times its length.
const (
	stepsOf  = 8
	memoryOf = 4
)

// Exceeded is why a program was ended. Its text goes on from what names the program.
type Exceeded struct{ text string }

func (e *Exceeded) Error() string { return e.text }

func exceeded(format string, most any) error { return &Exceeded{fmt.Sprintf(format, most)} }

// Limit ends the runs of a program, one after the other.
type Limit struct {
	context.Context // which ends them too

	steps     int
	mostSteps int
	begun     time.Time
	longest   time.Duration
	memory    [1]metrics.Sample
	first     uint64 // of it; 0: not looked at yet
	most      uint64 // more than first
	ended     chan struct{}
	err       error
}

// New returns the limit of a program whose input was so many bytes of JSON; 0 for a record.
func New(ctx context.Context, size int64) *Limit {
	l := &Limit{
		Context: ctx, mostSteps: mostSteps + stepsOf*int(size), longest: longest * time.Duration(1+size>>20), most: mostMemory + memoryOf*uint64(size),
		ended: make(chan struct{}),
	}
	close(l.ended)
	l.memory[0].Name = "/memory/classes/heap/objects:bytes"
	return l
}

// Begin begins a run, for the next record.
func (l *Limit) Begin() {
	l.steps, l.err = 0, nil
	l.Resume()
}

// Resume goes on with a run, for its next result: what was taken between the two is not the program's. The steps of all results
// count together.
func (l *Limit) Resume() { l.begun, l.first = time.Now(), 0 }

// Done counts a step. What it returns is closed where the program has to end, else nil.
func (l *Limit) Done() <-chan struct{} {
	l.steps++
	switch {
	case l.err != nil:
	case l.steps > l.mostSteps:
		l.err = exceeded("does not end within %d steps", l.mostSteps)
	case l.steps%between == 0:
		l.err = l.look()
	}
	if l.err == nil {
		return nil
	}
	return l.ended
}

// Err returns why the program had to end: an Exceeded, or the end of the context.
func (l *Limit) Err() error { return l.err }

// look looks at the context and the clock, and from soon on at memory.
func (l *Limit) look() error {
	if err := l.Context.Err(); err != nil {
		return err
	}
	switch took := time.Since(l.begun); {
	case took > l.longest:
		return exceeded("does not end within %v", l.longest)
	case took < soon:
		return nil
	}
	now := l.inUse()
	if l.first == 0 {
		l.first = now
	}
	if now <= l.first+l.most {
		return nil
	}
	runtime.GC() // what nobody uses any more counts until then
	if l.inUse() <= l.first+l.most {
		return nil
	}
	return exceeded("takes more than %d MiB of memory", l.most>>20)
}

func (l *Limit) inUse() uint64 {
	metrics.Read(l.memory[:])
	return l.memory[0].Value.Uint64()
}
