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

// changeset is what a build wrote, until its generation is promoted.
type memoryChangeset struct {
	index.Changeset
	changes []index.Change
}

// Changesets implements index.History.
func (m *memory) Changesets(ctx context.Context) ([]index.Changeset, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.history.Changesets(ctx)
}

// Changes implements index.History.
func (m *memory) Changes(ctx context.Context, q index.ChangeQuery) (index.ChangePage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.history.Changes(ctx, q)
}

// WriteChangeset implements generation.Build.
func (b *memoryBuild) WriteChangeset(_ context.Context, s index.Changeset, differences iter.Seq2[generation.Difference, error]) error {
	b.memory.mu.Lock()
	defer b.memory.mu.Unlock()
	parent, ok := b.memory.find(s.Parent)
	if !ok {
		return index.ErrNotFound
	}
	changeset := &memoryChangeset{Changeset: s}
	for d, err := range differences {
		if err != nil {
			return err
		}
		changeset.changes = append(changeset.changes, index.Change{
			Generation: s.Generation, ID: d.ID, Before: versionIn(parent, d.ID), After: versionIn(b.stored, d.ID),
		})
	}
	b.stored.changeset = changeset
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

// Fingerprints implements generation.Store.
func (m *memory) Fingerprints(_ context.Context, name string) iter.Seq2[index.Fingerprint, error] {
	m.mu.Lock()
	defer m.mu.Unlock()
	g, ok := m.find(name)
	if !ok {
		return func(yield func(index.Fingerprint, error) bool) { yield(index.Fingerprint{}, index.ErrNotFound) }
	}
	return g.fingerprints()
}

// Fingerprints implements generation.Build.
func (b *memoryBuild) Fingerprints(context.Context) iter.Seq2[index.Fingerprint, error] {
	return b.stored.fingerprints()
}

// Differences implements generation.Build.
func (b *memoryBuild) Differences(context.Context) (*generation.Differences, error) {
	before, after, ids := map[int64]index.Fingerprint{}, map[int64]index.Fingerprint{}, []int64(nil)
	for s := range b.from.fingerprints() {
		before[s.ID], ids = s, append(ids, s.ID)
	}
	for s := range b.stored.fingerprints() {
		after[s.ID], ids = s, append(ids, s.ID)
	}
	slices.Sort(ids)
	d := new(generation.Differences)
	for _, id := range slices.Compact(ids) {
		d.Note(before[id], after[id])
	}
	return d, nil
}

func (g *stored) fingerprints() iter.Seq2[index.Fingerprint, error] {
	var all []index.Fingerprint
	for _, f := range maps.Clone(g.filings) {
		all = append(all, fingerprintOf(f))
	}
	slices.SortFunc(all, func(a, b index.Fingerprint) int { return cmp.Compare(a.ID, b.ID) })
	return func(yield func(index.Fingerprint, error) bool) {
		for _, s := range all {
			if !yield(s, nil) {
				return
			}
		}
	}
}
