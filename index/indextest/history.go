package indextest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"filings/index"
)

// History is an index.History in memory: it compares the filings of two generations one by one. It may be changed while it is
// read.
type History struct {
	mu         sync.RWMutex
	changesets []index.Changeset // the oldest first
	changes    map[string][]kept // of each changeset, by id
}

type kept struct {
	index.Change
	groups index.FieldGroups
}

var _ index.History = (*History)(nil)

// Promote adds the changeset from a generation to the one that was promoted in its place.
func (h *History) Promote(parent string, before []*index.Filing, generation string, after []*index.Filing) {
	type pair struct{ before, after index.Version }
	pairs := map[int64]pair{}
	for _, f := range before {
		pairs[f.ID] = pair{before: VersionOf(f)}
	}
	for _, f := range after {
		pairs[f.ID] = pair{pairs[f.ID].before, VersionOf(f)}
	}
	changeset := index.Changeset{Generation: generation, Parent: parent}
	var changes []index.Change
	for id, p := range pairs {
		switch {
		case FieldGroupsOf(p.before, p.after) == 0:
			continue
		case p.before.Record == nil:
			changeset.Added++
		case p.after.Record == nil:
			changeset.Removed++
		default:
			changeset.Changed++
		}
		changes = append(changes, index.Change{Generation: generation, ID: id, Earlier: p.before, Later: p.after})
	}
	slices.SortFunc(changes, func(a, b index.Change) int { return cmp.Compare(a.ID, b.ID) })
	h.Add(changeset, changes)
}

// Add adds a changeset with its changes, which are sorted by id.
func (h *History) Add(changeset index.Changeset, changes []index.Change) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.changes == nil {
		h.changes = map[string][]kept{}
	}
	all := make([]kept, len(changes))
	for i, c := range changes {
		all[i] = kept{c, FieldGroupsOf(c.Earlier, c.Later)}
	}
	h.changesets, h.changes[changeset.Generation] = append(h.changesets, changeset), all
}

// FieldGroupsOf returns the field groups in which two versions of a filing differ: all of them where one of them is none.
func FieldGroupsOf(a, b index.Version) index.FieldGroups {
	switch {
	case a.Record == nil && b.Record == nil:
		return 0
	case a.Record == nil || b.Record == nil:
		return index.AllFieldGroups
	}
	return index.DigestsOf(a).DifferIn(index.DigestsOf(b))
}

// VersionOf returns the version that f is.
func VersionOf(f *index.Filing) index.Version {
	d := index.Derive(f)
	return index.Version{Record: index.AppendRecord(nil, f), City: d.WrittenCity, ZIP: d.ZIP}
}

// FingerprintOf returns the fingerprint of f.
func FingerprintOf(f *index.Filing) index.Fingerprint {
	d := index.Derive(f)
	return index.FingerprintOf(f, &d, index.AppendRecord(nil, f))
}

// Keep drops all changesets but the newest.
func (h *History) Keep(newest int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for len(h.changesets) > newest {
		delete(h.changes, h.changesets[0].Generation)
		h.changesets = h.changesets[1:]
	}
}

// Changesets implements index.History.
func (h *History) Changesets(context.Context) ([]index.Changeset, error) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	changesets := slices.Clone(h.changesets)
	slices.Reverse(changesets)
	return changesets, nil
}

// Changes implements index.History.
func (h *History) Changes(_ context.Context, q index.ChangeQuery) (page index.ChangePage, _ error) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	var all []index.Change
	for _, generation := range q.Generations {
		changes, ok := h.changes[generation]
		if !ok {
			return page, fmt.Errorf("changes of %s: %w", generation, index.ErrGone)
		}
		for _, c := range changes {
			if c.ID > q.LastID && c.groups&q.FieldGroups != 0 {
				all = append(all, c.Change)
			}
		}
	}
	slices.SortFunc(all, func(a, b index.Change) int { return cmp.Compare(a.ID, b.ID) })
	end := min(q.Limit, len(all))
	for page.More = end < len(all); end > 0 && end < len(all) && all[end].ID == all[end-1].ID; {
		end-- // to the end of the id before
	}
	page.Changes = all[:end]
	return page, nil
}
