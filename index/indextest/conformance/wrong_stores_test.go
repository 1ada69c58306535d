package conformance

import (
	"context"
	"errors"
	"slices"

	"filings/index"
	"filings/index/generation"
	"filings/index/indextest"
	"filings/index/sidecar"
)

// Stores with one error each in how they manage generations and the lock.

// memory is what they are made of.
type memory = indextest.MemoryStore

// filingsOf returns what is stored of a generation, sealed or not; nil for nothing.
func filingsOf(m *memory, name string) map[int64]*index.Filing {
	if p := m.Memory.Parts[name][generation.FilingsPart]; p != nil {
		return p.Filings
	}
	return nil
}

func wrongStores() []wrong {
	locking := func(name, caught string, alter func(*memory, alteredLock) generation.Lock) wrong {
		return wrong{name, caught, func(m *memory) generation.Store { return alteredStore{m, alter} }}
	}
	return []wrong{
		{"swap without a look", "Generations/L7_swap_and_rollback", func(m *memory) generation.Store { return swapping{m} }},
		{"readers follow the live one", "Generations/L7_swap_and_rollback", func(m *memory) generation.Store {
			m.Memory.Read = func(o *indextest.Oracle) index.Reader { return following{m, o} }
			return m
		}},
		{"unsealed ones are opened", "Generations/L7_built,_sealed,_promoted", func(m *memory) generation.Store { return opening{m} }},
		{"unsealed ones are kept", "Generations/X1_kept", func(m *memory) generation.Store {
			return keeping{m, func(m *memory, _ []index.Generation) (kept []index.Generation) {
				all, _ := m.Generations(context.Background()) // never fails
				for _, g := range all {
					kept = append(kept, index.Generation{Name: g.Name, CreatedAt: g.CreatedAt, Filings: g.Filings, Live: g.Live})
				}
				return kept
			}}
		}},
		{"the newest one is said to be live", "Generations/X1_kept", func(m *memory) generation.Store {
			return keeping{m, func(_ *memory, right []index.Generation) []index.Generation {
				for i := range right {
					right[i].Live = i == 0
				}
				return right
			}}
		}},
		{"the oldest one comes first", "Generations/X1_kept", func(m *memory) generation.Store {
			return keeping{m, func(_ *memory, right []index.Generation) []index.Generation {
				slices.Reverse(right)
				return right
			}}
		}},
		locking("sealed before the check", "Generations/L8_a_failed_check", func(_ *memory, l alteredLock) generation.Lock {
			l.sealsFirst = true
			return l
		}),
		{"every load gets the lock", "Locks/one_load_at_a_time", func(m *memory) generation.Store { return unlocked{m, new(generation.Lock)} }},
		locking("copies are the original", "Generations/L7_L8_update", func(m *memory, l alteredLock) generation.Lock {
			l.begun = func(from, begun string) {
				if from != "" {
					m.Memory.Parts[begun][generation.FilingsPart].Filings = filingsOf(m, from)
				}
			}
			return l
		}),
		locking("copies are empty", "Generations/L7_L8_update", func(m *memory, l alteredLock) generation.Lock {
			l.begun = func(_, begun string) { clear(filingsOf(m, begun)) }
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
			l.deleted = func(name string) { delete(m.Memory.Parts, name) }
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

// keeping lists what is kept in a wrong way; change gets what is right.
type keeping struct {
	*memory
	change func(m *memory, right []index.Generation) []index.Generation
}

func (s keeping) Kept(ctx context.Context, id string) ([]index.Generation, error) {
	right, err := s.memory.Kept(ctx, id)
	return s.change(s.memory, right), err
}

type swapping struct{ *memory }

func (s swapping) Swap(ctx context.Context, _, to string) error {
	live, err := indextest.LiveName(ctx, s)
	if err != nil {
		return err
	}
	return s.memory.Swap(ctx, live, to)
}

// following always reads the generation that is live.
type following struct {
	memory *memory
	*indextest.Oracle
}

func (r following) Rows(ctx context.Context, q index.Query) (index.Page, error) {
	return r.current(ctx).Rows(ctx, q)
}

func (r following) Count(ctx context.Context, w index.Filter) (int64, error) {
	return r.current(ctx).Count(ctx, w)
}

func (r following) current(ctx context.Context) *indextest.Oracle {
	live, _ := r.memory.Live(ctx) // never fails
	if other, ok := live.(following); ok {
		return other.Oracle
	}
	return r.Oracle
}

type opening struct{ *memory }

func (s opening) Open(ctx context.Context, name string) (index.Reader, error) {
	r, err := s.memory.Open(ctx, name)
	if filingsOf(s.memory, name) != nil && err != nil {
		return indextest.NewOracle(name, nil), nil
	}
	return r, err
}

// unlocked releases the lock of the load before.
type unlocked struct {
	*memory
	last *generation.Lock
}

func (s unlocked) Lock(ctx context.Context, run generation.Run) (generation.Lock, error) {
	if *s.last != nil {
		_ = (*s.last).Release(ctx) // it may have been released
	}
	lock, err := s.memory.Lock(ctx, run)
	*s.last = lock
	return lock, err
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
	return s.alter(s.memory, alteredLock{Lock: lock, memory: s.memory}), nil
}

type alteredLock struct {
	generation.Lock
	memory  *memory
	begun   func(from, begun string)
	deleted func(name string)
	promote func(ctx context.Context, from, to string) error
	stale   bool
	altered
}

// altered is what is wrong with builds.
type altered struct {
	firstWins, keeps      bool
	sealsFirst, allDiffer bool
}

func (l alteredLock) Begin(ctx context.Context, from string) (generation.Build, error) {
	b, err := l.Lock.Begin(ctx, from)
	if err != nil {
		return nil, err
	}
	if l.begun != nil {
		l.begun(from, b.Generation())
	}
	return alteredBuild{b, l.memory, l.altered}, nil
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
	generation.Build
	memory *memory
	altered
}

func (b alteredBuild) Seal(ctx context.Context, check generation.Check) (index.Counts, error) {
	if b.sealsFirst {
		if _, err := b.Build.Seal(ctx, nil); err != nil {
			return index.Counts{}, err
		}
	}
	return b.Build.Seal(ctx, check)
}

func (b alteredBuild) Put(ctx context.Context, f *index.Filing) error {
	filings := filingsOf(b.memory, b.Generation())
	if _, ok := filings[f.ID]; ok && b.firstWins {
		return nil
	}
	if b.keeps {
		filings[f.ID] = f
		return nil
	}
	return b.Build.Put(ctx, f)
}

func (b alteredBuild) Differences(ctx context.Context) (*sidecar.Differences, error) {
	if !b.allDiffer {
		return b.Build.Differences(ctx)
	}
	all := new(sidecar.Differences)
	for s, err := range b.Fingerprints(ctx) {
		if err != nil {
			return nil, err
		}
		all.Note(index.Fingerprint{}, s)
	}
	return all, nil
}
