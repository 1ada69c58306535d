// Package bound ends programs in jq that exceed their limits: a mapping of a record, or the path of
// a document (rules X20 and X21). It doesn't know their use; the caller names it in its error.
//
// gojq asks its context before each step of its machine whether it has ended. A Limit is such a
// context, which counts the steps, and reads the clock and the memory in use now and then; a
// context with a deadline would cost a timer for each record. A single step is not interrupted.
package bound

import (
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
	"time"
)

const (
	// stepLimit is how many steps a program may take for one record: the mappings of
	// docs/operate/mappings.md take some 200. It ends a program that never ends, at the same place on
	// every machine, and bounds the memory of one that collects: a step adds one item to a list.
	stepLimit = 1_000_000
	// timeLimit is how long a program may take, where its single steps are slow. Between two checks
	// at most half of it counts: the machine may have stood still, suspended or busy.
	timeLimit = time.Second
	// memoryLimit is how much more memory may be in use, in bytes, than when it was read first:
	// more than the rest of a load uses. It ends a program that doubles a text again and again,
	// which takes few steps.
	memoryLimit = 256 << 20

	// stepsPerCheck is how many steps pass between two checks. A text is doubled twice in as many.
	stepsPerCheck = 16
	// memoryCheckAfter is how long a program runs before memory is read, which costs as much as a
	// tenth of a record's mapping.
	memoryCheckAfter = 2 * time.Millisecond

	// The input may be a whole document: for each byte of it a program may take so much more, in
	// steps and bytes, and for each MiB another timeLimit. A record of a document has some hundred
	// bytes, and takes five steps to be found; a copy of a document takes three times its length.
	stepsPerByte  = 8
	memoryPerByte = 4
)

// Exceeded is why a program was ended. Its text follows a name of the program.
type Exceeded struct{ text string }

func (e *Exceeded) Error() string { return e.text }

func exceeded(format string, limit any) error { return &Exceeded{fmt.Sprintf(format, limit)} }

// Limit ends the runs of a program, one after the other.
type Limit struct {
	context.Context // which ends them too

	steps, stepLimit          int
	checked                   time.Time // last
	took, timeLimit           time.Duration
	memory                    [1]metrics.Sample
	memoryAtStart, memoryMore uint64 // memoryAtStart is 0 until it is read
	ended                     chan struct{}
	err                       error
}

// New returns the limit of a program whose input was so many bytes of JSON; 0 for a record.
func New(ctx context.Context, size int64) *Limit {
	l := &Limit{
		Context: ctx, ended: make(chan struct{}),
		stepLimit: stepLimit + stepsPerByte*int(size), timeLimit: timeLimit * time.Duration(1+size>>20),
		memoryMore: memoryLimit + memoryPerByte*uint64(size),
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

// Resume continues a run, for its next result: time and memory between the two are not the
// program's. The steps of all results count together.
func (l *Limit) Resume() { l.checked, l.took, l.memoryAtStart = time.Now(), 0, 0 }

// Done counts a step. It returns a closed channel where the program has to end, else nil.
func (l *Limit) Done() <-chan struct{} {
	l.steps++
	switch {
	case l.err != nil:
	case l.steps > l.stepLimit:
		l.err = exceeded("does not end within %d steps", l.stepLimit)
	case l.steps%stepsPerCheck == 0:
		l.err = l.check()
	}
	if l.err == nil {
		return nil
	}
	return l.ended
}

// Err returns why the program had to end: an Exceeded, or the end of the context.
func (l *Limit) Err() error { return l.err }

// check compares the context, the clock and, after memoryCheckAfter, memory with their limits.
func (l *Limit) check() error {
	if err := l.Context.Err(); err != nil {
		return err
	}
	last := l.checked
	l.checked = time.Now()
	l.took += min(l.checked.Sub(last), l.timeLimit/2)
	switch {
	case l.took > l.timeLimit:
		return exceeded("does not end within %v", l.timeLimit)
	case l.took < memoryCheckAfter:
		return nil
	}
	now := l.inUse()
	if l.memoryAtStart == 0 {
		l.memoryAtStart = now
	}
	if now <= l.memoryAtStart+l.memoryMore {
		return nil
	}
	runtime.GC() // until then, garbage counts
	if l.inUse() <= l.memoryAtStart+l.memoryMore {
		return nil
	}
	return exceeded("takes more than %d MiB of memory", l.memoryMore>>20)
}

func (l *Limit) inUse() uint64 {
	metrics.Read(l.memory[:])
	return l.memory[0].Value.Uint64()
}
