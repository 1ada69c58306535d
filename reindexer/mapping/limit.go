package mapping

import (
	"context"
	"fmt"
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
	// between is how many steps pass between two looks at the clock.
	between = 64
)

var (
	errSteps = fmt.Errorf("the mapping does not end within %d steps", mostSteps)
	errTime  = fmt.Errorf("the mapping does not end within %v", longest)
)

// limit ends the run of a program. gojq asks its context before each step whether it has ended, which counts them; a
// context with a deadline would cost a timer for each record.
type limit struct {
	context.Context
	steps int
	begun time.Time
	ended chan struct{} // closed: what Done returns at the end
	err   error
}

func newLimit() *limit {
	l := &limit{Context: context.Background(), ended: make(chan struct{})}
	close(l.ended)
	return l
}

// begin begins the run for the next record.
func (l *limit) begin() { l.steps, l.begun, l.err = 0, time.Now(), nil }

func (l *limit) Done() <-chan struct{} {
	l.steps++
	switch {
	case l.err != nil:
	case l.steps > mostSteps:
		l.err = errSteps
	case l.steps%between == 0 && time.Since(l.begun) > longest:
		l.err = errTime
	default:
		return nil
	}
	return l.ended
}

func (l *limit) Err() error { return l.err }
