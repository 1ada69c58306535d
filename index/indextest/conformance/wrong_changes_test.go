package conformance

import (
	"context"
	"errors"
	"iter"
	"math"
	"slices"

	"filings/index"
	"filings/index/generation"
)

// Stores with one error each in what they keep of how generations came from each other.

func wrongChanges() []wrong {
	page := func(name, caught string, spoil func(q *index.ChangeQuery) func(*index.ChangePage)) wrong {
		return wrong{name, caught, func(m *memory) generation.Store { return paging{m, spoil} }}
	}
	return []wrong{
		page("changes in all parts", "Changes/X16_pages_of_a_changeset", func(q *index.ChangeQuery) func(*index.ChangePage) {
			q.FieldGroups = index.AllFieldGroups
			return nil
		}),
		page("changes of the filing before, too", "Changes/X16_pages_of_a_changeset", func(q *index.ChangeQuery) func(*index.ChangePage) {
			q.LastID = max(q.LastID-1, 0)
			return nil
		}),
		page("before and after exchanged", "Changes/X16_pages_of_a_changeset", func(*index.ChangeQuery) func(*index.ChangePage) {
			return func(p *index.ChangePage) {
				p.Changes = slices.Clone(p.Changes)
				for i, c := range p.Changes {
					p.Changes[i].Earlier, p.Changes[i].Later = c.Later, c.Earlier
				}
			}
		}),
		page("changes without the city", "Changes/X16_pages_of_a_changeset", func(*index.ChangeQuery) func(*index.ChangePage) {
			return func(p *index.ChangePage) {
				p.Changes = slices.Clone(p.Changes)
				for i := range p.Changes {
					p.Changes[i].Later.City = ""
				}
			}
		}),
		page("what is not read is not there", "Changes/X16_pages_of_a_changeset", func(q *index.ChangeQuery) func(*index.ChangePage) {
			return func(p *index.ChangePage) {
				p.Changes = slices.Clone(p.Changes)
				for i := range p.Changes {
					if q.LaterOnly {
						p.Changes[i].Earlier = index.Version{}
					}
				}
			}
		}),
		page("the last page is the first", "Changes/X18_a_copy", func(*index.ChangeQuery) func(*index.ChangePage) {
			return func(p *index.ChangePage) { p.More = false }
		}),
		page("changes of an id are parted", "Changes/X16_several_changesets", func(*index.ChangeQuery) func(*index.ChangePage) {
			return func(p *index.ChangePage) {
				if n := len(p.Changes); n > 1 && p.Changes[n-1].ID == p.Changes[n-2].ID {
					p.Changes, p.More = p.Changes[:n-1], true
				}
			}
		}),
		page("one changeset of several", "Changes/X16_several_changesets", func(q *index.ChangeQuery) func(*index.ChangePage) {
			q.Generations = q.Generations[:1]
			return nil
		}),
		{"changesets of what was not promoted", "Changes/X19_only_what_was_promoted", func(m *memory) generation.Store { return early{m} }},
		{"changesets go with their generations", "Changes/X19_kept_longer_than_generations", func(m *memory) generation.Store {
			return alteredStore{m, func(_ *memory, l alteredLock) generation.Lock { return leaving{l} }}
		}},
		{"nothing is forgotten", "Changes/X19_kept_longer_than_generations", func(m *memory) generation.Store {
			return alteredStore{m, func(_ *memory, l alteredLock) generation.Lock { return hoarding{l} }}
		}},
		{"an update differs in everything", "Changes/X19_differences_of_an_update", func(m *memory) generation.Store {
			return alteredStore{m, func(_ *memory, l alteredLock) generation.Lock {
				l.allDiffer = true
				return l
			}}
		}},
		{"fingerprints of another generation", "Changes/X19_fingerprints", func(m *memory) generation.Store { return fingerprinting{m} }},
	}
}

// paging reads a query that spoil may change, and returns a page that what it returns may change.
type paging struct {
	*memory
	spoil func(*index.ChangeQuery) func(*index.ChangePage)
}

func (s paging) Changes(ctx context.Context, q index.ChangeQuery) (index.ChangePage, error) {
	change := s.spoil(&q)
	page, err := s.memory.Changes(ctx, q)
	if change != nil {
		change(&page)
	}
	return page, err
}

// early lists changesets as soon as they were written.
type early struct{ *memory }

func (s early) Changesets(ctx context.Context) ([]index.Changeset, error) {
	changesets, err := s.memory.Changesets(ctx)
	for name, kinds := range s.Memory.Parts {
		of := func(c index.Changeset) bool { return c.Generation == name }
		if kinds[generation.ChangesPart] != nil && !slices.ContainsFunc(changesets, of) {
			changesets = slices.Insert(changesets, 0, index.Changeset{Generation: name})
		}
	}
	return changesets, err
}

// leaving forgets a changeset with its generation.
type leaving struct{ alteredLock }

func (l leaving) Delete(ctx context.Context, name string) error {
	_, err := l.Prune(ctx, "", math.MaxInt, 1)
	return errors.Join(l.alteredLock.Delete(ctx, name), err)
}

type hoarding struct{ alteredLock }

func (hoarding) Prune(context.Context, string, int, int) ([]string, error) { return nil, nil }

// fingerprinting has the fingerprints of the oldest generation for all.
type fingerprinting struct{ *memory }

func (s fingerprinting) Fingerprints(ctx context.Context, _ string) iter.Seq2[index.Fingerprint, error] {
	all, _ := s.Generations(ctx) // never fails
	return s.memory.Fingerprints(ctx, all[len(all)-1].Name)
}
