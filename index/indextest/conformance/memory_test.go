package conformance

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"filings/index"
	"filings/index/generation"
	"filings/index/indextest"
	"filings/index/indextest/edges"
)

// memory is an index.Store over oracles: it shows that a right engine passes the suite. Its readers can be made wrong
// (spoil), to show that a wrong one does not.
type memory struct {
	now   func() time.Time
	spoil func(*indextest.Oracle) index.Reader

	mu          sync.Mutex
	generations []*stored // the oldest first
	live        string
	holder      *memoryLock
	last        *generation.Run // as last published
	history     indextest.History
}

type stored struct {
	generation.Info
	changeset *memoryChangeset // nil: none, or it is in the history
	filings   map[int64]*index.Filing
}

func newMemory(now func() time.Time) *memory {
	return &memory{now: now, spoil: func(o *indextest.Oracle) index.Reader { return newSelecting(o) }}
}

func (m *memory) find(name string) (*stored, bool) {
	i := slices.IndexFunc(m.generations, func(g *stored) bool { return g.Name == name })
	if i < 0 {
		return nil, false
	}
	return m.generations[i], true
}

func (m *memory) Live(ctx context.Context) (index.Reader, error) {
	m.mu.Lock()
	name := m.live
	m.mu.Unlock()
	if name == "" {
		return index.Empty{}, nil
	}
	return m.Open(ctx, name)
}

func (m *memory) Open(_ context.Context, name string) (index.Reader, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	g, ok := m.find(name)
	if !ok || !g.Sealed {
		return nil, fmt.Errorf("open %s: %w", name, index.ErrNotFound)
	}
	return m.spoil(indextest.NewOracle(name, slices.Collect(maps.Values(g.filings)))), nil
}

func (m *memory) Generations(context.Context) (all []generation.Info, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, g := range slices.Backward(m.generations) {
		described := g.Info
		described.Live = g.Name == m.live
		all = append(all, described)
	}
	return all, nil
}

func (m *memory) Kept(ctx context.Context) (kept []index.Generation, _ error) {
	all, err := m.Generations(ctx)
	for _, g := range all {
		if g.Sealed {
			kept = append(kept, index.Generation{Name: g.Name, CreatedAt: g.CreatedAt, Filings: g.Filings, Live: g.Live})
		}
	}
	return kept, err
}

func (m *memory) Swap(_ context.Context, from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.swap(from, to)
}

func (m *memory) swap(from, to string) error {
	if m.live != from {
		return generation.ErrConflict
	}
	g, ok := m.find(to)
	if !ok || !g.Sealed {
		return index.ErrNotFound
	}
	if m.live = to; g.changeset != nil {
		m.history.Add(g.changeset.Changeset, g.changeset.changes)
		g.changeset = nil
	}
	return nil
}

func (m *memory) Running(context.Context) (*generation.Run, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.holder == nil {
		return nil, nil
	}
	run := m.holder.run
	return &run, nil
}

func (m *memory) LastRun(context.Context) (*generation.Run, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.last, nil
}

func (m *memory) Lock(_ context.Context, run generation.Run) (generation.Lock, error) {
	now := m.now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.holder != nil && now.Sub(m.holder.renewed) < generation.LockTTL {
		return nil, &generation.LockedError{Run: m.holder.run}
	}
	m.holder, m.last = &memoryLock{memory: m, run: run, renewed: now}, &run
	return m.holder, nil
}

type memoryLock struct {
	memory  *memory
	run     generation.Run
	renewed time.Time
}

// holding calls f if the lock is still held.
func (l *memoryLock) holding(f func() error) error {
	l.memory.mu.Lock()
	defer l.memory.mu.Unlock()
	if l.memory.holder != l {
		return generation.ErrLockLost
	}
	return f()
}

func (l *memoryLock) Renew(_ context.Context, run generation.Run) error {
	now := l.memory.now()
	return l.holding(func() error {
		l.run, l.renewed, l.memory.last = run, now, &run
		return nil
	})
}

func (l *memoryLock) Begin(_ context.Context, from string) (b generation.Build, err error) {
	now := l.memory.now()
	err = l.holding(func() error {
		for _, g := range l.memory.generations { // the clock may stand still
			if !now.After(g.CreatedAt) {
				now = g.CreatedAt.Add(time.Microsecond)
			}
		}
		made := &stored{
			Info:    generation.Info{Name: generation.Name("memory", now, 1), CreatedAt: now},
			filings: map[int64]*index.Filing{},
		}
		var source *stored
		if from != "" {
			var ok bool
			source, ok = l.memory.find(from)
			if !ok || !source.Sealed {
				return index.ErrNotFound
			}
			made.filings = maps.Clone(source.filings)
		}
		l.memory.generations = append(l.memory.generations, made)
		b = &memoryBuild{memory: l.memory, stored: made, from: source}
		return nil
	})
	return b, err
}

func (l *memoryLock) Promote(_ context.Context, from, to string) error {
	return l.holding(func() error { return l.memory.swap(from, to) })
}

func (l *memoryLock) Delete(_ context.Context, name string) error {
	return l.holding(func() error {
		if name == l.memory.live {
			return generation.ErrConflict
		}
		l.memory.drop(name)
		return nil
	})
}

func (l *memoryLock) Release(context.Context) error {
	return l.holding(func() error {
		l.memory.holder = nil
		return nil
	})
}

func (m *memory) drop(name string) {
	m.generations = slices.DeleteFunc(m.generations, func(g *stored) bool { return g.Name == name })
}

type memoryBuild struct {
	memory *memory
	stored *stored
	from   *stored // nil: none
}

func (b *memoryBuild) Generation() string { return b.stored.Name }

func (b *memoryBuild) Put(_ context.Context, f *index.Filing) error {
	b.stored.filings[f.ID] = edges.Clone(f)
	return nil
}

func (b *memoryBuild) Remove(_ context.Context, id int64) error {
	delete(b.stored.filings, id)
	return nil
}

func (b *memoryBuild) Seal(ctx context.Context, check generation.Check) (generation.Checksum, error) {
	checksum := generation.NewChecksum()
	for _, f := range b.stored.filings {
		checksum.Add(f)
	}
	if check != nil { // without mu: a check may read the store
		r := b.memory.spoil(indextest.NewOracle(b.stored.Name, slices.Collect(maps.Values(b.stored.filings))))
		if err := check(ctx, r, checksum); err != nil {
			return generation.Checksum{}, err
		}
	}
	b.memory.mu.Lock()
	defer b.memory.mu.Unlock()
	b.stored.Filings, b.stored.Bytes, b.stored.Sealed = checksum.Filings, 1+checksum.Filings, true
	return checksum, nil
}

func (b *memoryBuild) Abort(context.Context) error {
	b.memory.mu.Lock()
	defer b.memory.mu.Unlock()
	b.memory.drop(b.stored.Name)
	return nil
}

func (*memoryBuild) Keep([]byte) {}
