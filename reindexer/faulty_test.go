package reindexer

import (
	"context"
	"iter"
	"sync"

	"filings/index"
	"filings/index/generation"
	"filings/index/sidecar"
)

// faulty is a real store that goes wrong where a test wants it to. Its functions get the name of each call that
// manages generations and, for Put, the filing.
type faulty struct {
	generation.Store
	// before is called before a call. An error is the call's, which then is not made.
	before func(call string, f *index.Filing) error
	// after is called after a call that went well. An error is the call's, which nevertheless was made.
	after func(call string) error
	// read, if set, replaces readers.
	read func(index.Reader) index.Reader

	mu   sync.Mutex
	held []generation.Lock
}

// do makes a call with its faults.
func (s *faulty) do(call string, f *index.Filing, really func() error) error {
	if s.before != nil {
		if err := s.before(call, f); err != nil {
			return err
		}
	}
	if err := really(); err != nil || s.after == nil {
		return err
	}
	return s.after(call)
}

// releaseAll releases all locks, as the end of the process would.
func (s *faulty) releaseAll(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, lock := range s.held {
		_ = lock.Release(ctx) // most of them were released
	}
}

func (s *faulty) Open(ctx context.Context, generation string) (r index.Reader, err error) {
	err = s.do("Open", nil, func() error {
		r, err = s.Store.Open(ctx, generation)
		return err
	})
	return r, err
}

func (s *faulty) Generations(ctx context.Context) (all []generation.Info, err error) {
	err = s.do("Generations", nil, func() error {
		all, err = s.Store.Generations(ctx)
		return err
	})
	return all, err
}

func (s *faulty) Fingerprints(ctx context.Context, name string) iter.Seq2[index.Fingerprint, error] {
	return s.fingerprints(s.Store.Fingerprints(ctx, name))
}

// fingerprints has the faults of reading fingerprints.
func (s *faulty) fingerprints(all iter.Seq2[index.Fingerprint, error]) iter.Seq2[index.Fingerprint, error] {
	return func(yield func(index.Fingerprint, error) bool) {
		if err := s.do("Fingerprints", nil, func() error { return nil }); err != nil {
			yield(index.Fingerprint{}, err)
			return
		}
		all(yield)
	}
}

func (s *faulty) Lock(ctx context.Context, run generation.Run) (lock generation.Lock, err error) {
	err = s.do("Lock", nil, func() error {
		if lock, err = s.Store.Lock(ctx, run); err == nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.held = append(s.held, lock)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &faultyLock{lock, s}, nil
}

type faultyLock struct {
	generation.Lock
	s *faulty
}

func (l *faultyLock) Renew(ctx context.Context, run generation.Run) error {
	return l.s.do("Renew", nil, func() error { return l.Lock.Renew(ctx, run) })
}

func (l *faultyLock) Begin(ctx context.Context, from string) (build generation.Build, err error) {
	err = l.s.do("Begin", nil, func() error {
		build, err = l.Lock.Begin(ctx, from)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &faultyBuild{build, l.s}, nil
}

func (l *faultyLock) Promote(ctx context.Context, from, to string) error {
	return l.s.do("Promote", nil, func() error { return l.Lock.Promote(ctx, from, to) })
}

func (l *faultyLock) Clear(ctx context.Context) (cleared []string, err error) {
	err = l.s.do("Clear", nil, func() error {
		cleared, err = l.Lock.Clear(ctx)
		return err
	})
	return cleared, err
}

func (l *faultyLock) Prune(ctx context.Context, previous string, keep, changesets int) (pruned []string, err error) {
	err = l.s.do("Prune", nil, func() error {
		pruned, err = l.Lock.Prune(ctx, previous, keep, changesets)
		return err
	})
	return pruned, err
}

func (l *faultyLock) Release(ctx context.Context) error {
	return l.s.do("Release", nil, func() error { return l.Lock.Release(ctx) })
}

type faultyBuild struct {
	generation.Build
	s *faulty
}

func (b *faultyBuild) Put(ctx context.Context, f *index.Filing) error {
	return b.s.do("Put", f, func() error { return b.Build.Put(ctx, f) })
}

func (b *faultyBuild) Remove(ctx context.Context, id int64) error {
	return b.s.do("Remove", nil, func() error { return b.Build.Remove(ctx, id) })
}

func (b *faultyBuild) Seal(ctx context.Context, check generation.Check) (checksum index.Counts, err error) {
	err = b.s.do("Seal", nil, func() error {
		checksum, err = b.Build.Seal(ctx, func(ctx context.Context, r index.Reader, holds index.Counts) error {
			if b.s.read != nil {
				r = b.s.read(r)
			}
			return check(ctx, r, holds)
		})
		return err
	})
	return checksum, err
}

func (b *faultyBuild) Fingerprints(ctx context.Context) iter.Seq2[index.Fingerprint, error] {
	return b.s.fingerprints(b.Build.Fingerprints(ctx))
}

func (b *faultyBuild) WriteChangeset(ctx context.Context, step index.Changeset, differences []sidecar.Difference) error {
	return b.s.do("WriteChangeset", nil, func() error { return b.Build.WriteChangeset(ctx, step, differences) })
}

func (b *faultyBuild) Abort(ctx context.Context) error {
	return b.s.do("Abort", nil, func() error { return b.Build.Abort(ctx) })
}
