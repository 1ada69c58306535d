package mapping

import (
	"context"
	"fmt"
	"runtime/metrics"
	"time"
)

const (
	// mostSteps is how many steps of its machine gojq may take for one record: the mappings of docs/operate/load.md take some
	// 200. It is what ends a program that never ends, at the same place on every machine, and what bounds the memory
	// of one that collects without end: a step adds an item to a list at most.
	mostSteps = 1_000_000
	// longest is how long a program may take for one record, where its single steps are slow. One step that takes longer is
	// not interrupted.
	longest = time.Second
	// between is how many steps pass between two looks at the clock. A text is doubled, and doubled again, in as many.
	between = 16
	// mostMemory is how much more memory may be in use for one record, in bytes, than when it was looked at first: more than
	// the rest of a load uses. It ends a program that doubles a text again and again, which takes few steps. One step that
	// makes as much is not interrupted.
	mostMemory = 256 << 20
	// soon is how long a program runs before memory is looked at, which costs as much as a tenth of a record's mapping.
	soon = 2 * time.Millisecond
)

var (
	errSteps = fmt.Errorf("the mapping does not end within %d steps", mostSteps)
	errTime  = fmt.Errorf("the mapping does not end within %v", longest)
	errSpace = fmt.Errorf("the mapping takes more than %d MiB of memory", mostMemory>>20)
)

// limit ends the run of a program. gojq asks its context before each step whether it has ended, which counts them; a
// context with a deadline would cost a timer for each record.
type limit struct {
	context.Context
	steps  int
	begun  time.Time
	memory [1]metrics.Sample
	first  uint64        // of it; 0: not looked at yet
	most   uint64        // more than first: mostMemory, or less in tests
	ended  chan struct{} // closed: what Done returns at the end
	err    error
}

func newLimit() *limit {
	l := &limit{Context: context.Background(), ended: make(chan struct{}), most: mostMemory}
	close(l.ended)
	l.memory[0].Name = "/memory/classes/heap/objects:bytes"
	return l
}

// begin begins the run for the next record.
func (l *limit) begin() { l.steps, l.first, l.begun, l.err = 0, 0, time.Now(), nil }

func (l *limit) Done() <-chan struct{} {
	l.steps++
	switch {
	case l.err != nil:
	case l.steps > mostSteps:
		l.err = errSteps
	case l.steps%between == 0:
		l.err = l.look()
	}
	if l.err == nil {
		return nil
	}
	return l.ended
}

// look looks at the clock, and from soon on at memory.
func (l *limit) look() error {
	switch took := time.Since(l.begun); {
	case took > longest:
		return errTime
	case took < soon:
		return nil
	}
	metrics.Read(l.memory[:])
	now := l.memory[0].Value.Uint64()
	if l.first == 0 {
		l.first = now
	}
	if now > l.first+l.most {
		return errSpace
	}
	return nil
}

func (l *limit) Err() error { return l.err }
