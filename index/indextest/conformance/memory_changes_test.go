package conformance

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"

	"filings/index"
	"filings/index/generation"
	"filings/index/indextest"
)

// step is what a build wrote, until its generation is promoted.
type memoryStep struct {
	index.Step
	changes []index.Change
}

// Steps implements index.History.
func (m *memory) Steps(ctx context.Context) ([]index.Step, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.history.Steps(ctx)
}

// Changes implements index.History.
func (m *memory) Changes(ctx context.Context, q index.ChangeQuery) (index.ChangePage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.history.Changes(ctx, q)
}

// Step implements generation.Build.
func (b *memoryBuild) Step(_ context.Context, s index.Step, differences iter.Seq2[generation.Difference, error]) error {
	b.memory.mu.Lock()
	defer b.memory.mu.Unlock()
	parent, ok := b.memory.find(s.Parent)
	if !ok {
		return index.ErrNotFound
	}
	step := &memoryStep{Step: s}
	for d, err := range differences {
		if err != nil {
			return err
		}
		step.changes = append(step.changes, index.Change{
			Generation: s.Generation, ID: d.ID, Before: versionIn(parent, d.ID), After: versionIn(b.stored, d.ID),
		})
	}
	b.stored.step = step
	return nil
}

func versionIn(g *stored, id int64) index.Version {
	f, ok := g.filings[id]
	if !ok {
		return index.Version{}
	}
	return indextest.VersionOf(f)
}

// Forget implements generation.Lock.
func (l *memoryLock) Forget(_ context.Context, keep int) error {
	return l.holding(func() error {
		l.memory.history.Keep(keep)
		return nil
	})
}

// Stamps implements generation.Store.
func (m *memory) Stamps(_ context.Context, name string) iter.Seq2[index.Stamp, error] {
	m.mu.Lock()
	defer m.mu.Unlock()
	g, ok := m.find(name)
	if !ok {
		return func(yield func(index.Stamp, error) bool) { yield(index.Stamp{}, index.ErrNotFound) }
	}
	return g.stamps()
}

// Stamps implements generation.Build.
func (b *memoryBuild) Stamps(context.Context) iter.Seq2[index.Stamp, error] { return b.stored.stamps() }

// Differences implements generation.Build.
func (b *memoryBuild) Differences(context.Context) (*generation.Differences, error) {
	before, after, ids := map[int64]index.Stamp{}, map[int64]index.Stamp{}, []int64(nil)
	for s := range b.from.stamps() {
		before[s.ID], ids = s, append(ids, s.ID)
	}
	for s := range b.stored.stamps() {
		after[s.ID], ids = s, append(ids, s.ID)
	}
	slices.Sort(ids)
	d := new(generation.Differences)
	for _, id := range slices.Compact(ids) {
		d.Note(before[id], after[id])
	}
	return d, nil
}

func (g *stored) stamps() iter.Seq2[index.Stamp, error] {
	var all []index.Stamp
	for _, f := range maps.Clone(g.filings) {
		all = append(all, stampOf(f))
	}
	slices.SortFunc(all, func(a, b index.Stamp) int { return cmp.Compare(a.ID, b.ID) })
	return func(yield func(index.Stamp, error) bool) {
		for _, s := range all {
			if !yield(s, nil) {
				return
			}
		}
	}
}
