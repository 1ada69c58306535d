package reindexer

import (
	"sync"
	"sync/atomic"
	"time"

	"filings/index/generation"
)

// state is what a run knows about itself. It is written where things happen and read by whoever shows it, so all of it
// is safe for concurrent use.
type state struct {
	holder  string
	now     func() time.Time
	started time.Time
	total   int64 // bytes of the sources, 0 if not known
	reading *reading

	indexed, updated, deleted, missing, rejected atomic.Int64

	mu                sync.Mutex
	phase, generation string
	outcome           string
	changed           chan struct{} // gets something when a phase begins
}

func newState(cfg Config, started time.Time, reading *reading) *state {
	return &state{
		holder: cfg.Holder, now: cfg.Now, started: started, reading: reading, total: totalBytes(reading.inputs),
		changed: make(chan struct{}, 1),
	}
}

// enter begins a phase.
func (s *state) enter(phase string) {
	s.mu.Lock()
	s.phase = phase
	s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default: // a change that nobody has looked at yet tells as much
	}
}

func (s *state) builds(generation string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.generation = generation
}

func (s *state) place() (phase, generation string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.phase, s.generation
}

// end takes note of how the run ended.
func (s *state) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outcome = generation.OutcomePromoted
	if err != nil {
		s.outcome = generation.OutcomeFailed
	}
}

// status is what Progress shows.
func (s *state) status() Status {
	phase, name := s.place()
	return Status{
		Phase: phase, Generation: name, Elapsed: s.now().Sub(s.started),
		Read: s.reading.read.Load(), Indexed: s.indexed.Load(), Updated: s.updated.Load(), Deleted: s.deleted.Load(),
		Missing: s.missing.Load(), Rejected: s.rejected.Load(),
		Bytes: s.reading.bytes.Load(), TotalBytes: s.total,
	}
}

// run is what the lock tells other processes.
func (s *state) run() generation.Run {
	phase, name := s.place()
	s.mu.Lock()
	outcome := s.outcome
	s.mu.Unlock()
	return generation.Run{
		Outcome: outcome,
		Holder:  s.holder, Started: s.started, Renewed: s.now(), Phase: phase, Generation: name,
		Read: s.reading.read.Load(), Indexed: s.indexed.Load() + s.updated.Load(), Rejected: s.rejected.Load(),
	}
}
