package conformance

import (
	"context"
	"errors"

	"filings/index"
	"filings/index/generation"
	"filings/index/indextest"
)

// Stores with one error each in how they manage generations and the lock.

func wrongStores() []wrong {
	locking := func(name, caught string, alter func(*memory, alteredLock) generation.Lock) wrong {
		return wrong{name, caught, func(m *memory) generation.Store { return alteredStore{m, alter} }}
	}
	return []wrong{
		{"swap without a look", "Generations/L7_swap_and_rollback", func(m *memory) generation.Store { return swapping{m} }},
		{"readers follow the live one", "Generations/L7_swap_and_rollback", func(m *memory) generation.Store {
			m.spoil = func(o *indextest.Oracle) index.Reader { return following{m, o} }
			return m
		}},
		{"unsealed ones are opened", "Generations/L7_built,_sealed,_promoted", func(m *memory) generation.Store { return opening{m} }},
		locking("sealed before the check", "Generations/L8_a_failed_check", func(_ *memory, l alteredLock) generation.Lock {
			l.sealsFirst = true
			return l
		}),
		{"every load gets the lock", "Locks/one_load_at_a_time", func(m *memory) generation.Store { return unlocked{m} }},
		locking("copies are the original", "Generations/L7_L8_update", func(m *memory, l alteredLock) generation.Lock {
			l.begun = func(from string, b *memoryBuild) {
				if g, ok := m.find(from); ok {
					b.stored.filings = g.filings
				}
			}
			return l
		}),
		locking("copies are empty", "Generations/L7_L8_update", func(_ *memory, l alteredLock) generation.Lock {
			l.begun = func(_ string, b *memoryBuild) { clear(b.stored.filings) }
			return l
		}),
		locking("the first action wins", "Generations/L8_last_action_wins", func(_ *memory, l alteredLock) generation.Lock {
			l.firstWins = true
			return l
		}),
		locking("a filing is not copied", "Generations/L7_built,_sealed,_promoted", func(_ *memory, l alteredLock) generation.Lock {
			l.keeps = true
			return l
		}),
		locking("the live one is deleted", "Generations/deleted_and_aborted", func(m *memory, l alteredLock) generation.Lock {
			l.deleted = func(name string) { m.drop(name) }
			return l
		}),
		locking("a lost lock promotes", "Locks/not_renewed_in_time", func(m *memory, l alteredLock) generation.Lock {
			l.promote = m.Swap
			return l
		}),
		locking("renewing does nothing", "Locks/one_load_at_a_time", func(_ *memory, l alteredLock) generation.Lock {
			l.stale = true
			return l
		}),
	}
}

type swapping struct{ *memory }

func (s swapping) Swap(_ context.Context, _, to string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.swap(s.live, to)
}

// following always reads the generation that is live.
type following struct {
	memory *memory
	*indextest.Oracle
}

func (r following) Rows(ctx context.Context, q index.Query) (index.Page, error) {
	return r.current().Rows(ctx, q)
}

func (r following) Count(ctx context.Context, w index.Filter) (int64, error) {
	return r.current().Count(ctx, w)
}

func (r following) current() *indextest.Oracle {
	r.memory.mu.Lock()
	defer r.memory.mu.Unlock()
	g, ok := r.memory.find(r.memory.live)
	if !ok {
		return r.Oracle
	}
	var all []*index.Filing
	for _, f := range g.filings {
		all = append(all, f)
	}
	return indextest.NewOracle(g.Name, all)
}

type opening struct{ *memory }

func (s opening) Open(ctx context.Context, name string) (index.Reader, error) {
	r, err := s.memory.Open(ctx, name)
	if _, ok := s.find(name); ok && err != nil {
		return indextest.NewOracle(name, nil), nil
	}
	return r, err
}

type unlocked struct{ *memory }

func (s unlocked) Lock(ctx context.Context, run generation.Run) (generation.Lock, error) {
	s.mu.Lock()
	s.holder = nil
	s.mu.Unlock()
	return s.memory.Lock(ctx, run)
}

// alteredStore hands out altered locks.
type alteredStore struct {
	*memory
	alter func(*memory, alteredLock) generation.Lock
}

func (s alteredStore) Lock(ctx context.Context, run generation.Run) (generation.Lock, error) {
	lock, err := s.memory.Lock(ctx, run)
	if err != nil {
		return nil, err
	}
	return s.alter(s.memory, alteredLock{Lock: lock}), nil
}

type alteredLock struct {
	generation.Lock
	begun            func(from string, b *memoryBuild)
	deleted          func(name string)
	promote          func(ctx context.Context, from, to string) error
	stale            bool
	firstWins, keeps bool
	sealsFirst       bool
}

func (l alteredLock) Begin(ctx context.Context, from string) (generation.Build, error) {
	b, err := l.Lock.Begin(ctx, from)
	if err != nil {
		return nil, err
	}
	if l.begun != nil {
		l.begun(from, b.(*memoryBuild))
	}
	return alteredBuild{b.(*memoryBuild), l.firstWins, l.keeps, l.sealsFirst}, nil
}

func (l alteredLock) Delete(ctx context.Context, name string) error {
	err := l.Lock.Delete(ctx, name)
	if l.deleted != nil && errors.Is(err, generation.ErrConflict) {
		l.deleted(name)
		return nil
	}
	return err
}

func (l alteredLock) Promote(ctx context.Context, from, to string) error {
	if l.promote != nil {
		return l.promote(ctx, from, to)
	}
	return l.Lock.Promote(ctx, from, to)
}

func (l alteredLock) Renew(ctx context.Context, run generation.Run) error {
	if l.stale {
		return nil
	}
	return l.Lock.Renew(ctx, run)
}

type alteredBuild struct {
	*memoryBuild
	firstWins, keeps bool
	sealsFirst       bool
}

func (b alteredBuild) Seal(ctx context.Context, check generation.Check) (generation.Checksum, error) {
	if b.sealsFirst {
		if _, err := b.memoryBuild.Seal(ctx, nil); err != nil {
			return generation.Checksum{}, err
		}
	}
	return b.memoryBuild.Seal(ctx, check)
}

func (b alteredBuild) Put(ctx context.Context, f *index.Filing) error {
	if _, ok := b.stored.filings[f.ID]; ok && b.firstWins {
		return nil
	}
	if b.keeps {
		b.stored.filings[f.ID] = f
		return nil
	}
	return b.memoryBuild.Put(ctx, f)
}
