package changes_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"filings/index"
	"filings/index/changes"
	"filings/index/indextest"
	"filings/index/indextest/edges"
)

// name returns the name of the nth generation.
func name(n int) string {
	t := time.Date(2026, 11, 22, 5, 14, 22, 0, time.UTC).Add(time.Duration(n) * time.Hour)
	return "filings-" + t.Format(index.GenerationLayout) + "-v4"
}

func id(n int) string { return index.GenerationID(name(n)) }

// world is a life of generations: all that there ever were, and the steps between them.
type world struct {
	*rand.Rand
	indextest.History
	contents [][]*index.Filing // of generations, by number
	promoted []int             // in this order
	live     int
	pool     []*index.Filing
}

// happen lets one thing happen: a load of all filings, an update, or a rollback.
func (w *world) happen() {
	if w.IntN(4) == 0 && w.live >= 0 {
		w.live = w.promoted[w.IntN(len(w.promoted))] // a rollback
		return
	}
	var before, after []*index.Filing
	if w.live >= 0 {
		before = w.contents[w.live]
	}
	switch w.IntN(3) {
	case 0: // a load of some filings, those that stay as they were
		for _, f := range w.pool {
			if w.IntN(3) > 0 {
				after = append(after, f)
			}
		}
	default: // an update of a few
		after = slices.Clone(before)
		for range 1 + w.IntN(6) {
			after = w.update(after)
		}
	}
	w.contents = append(w.contents, after)
	made := len(w.contents) - 1
	if w.live >= 0 {
		w.Promote(name(w.live), before, name(made), after)
	}
	w.live = made
	w.promoted = append(w.promoted, made)
}

// update adds, removes or changes one filing.
func (w *world) update(filings []*index.Filing) []*index.Filing {
	if len(filings) == 0 || w.IntN(4) == 0 {
		f := w.pool[w.IntN(len(w.pool))]
		at := slices.IndexFunc(filings, func(g *index.Filing) bool { return g.ID == f.ID })
		if at >= 0 {
			return slices.Delete(filings, at, at+1)
		}
		return append(filings, f)
	}
	i := w.IntN(len(filings))
	f := edges.Clone(filings[i])
	if w.IntN(3) == 0 { // one field, so that a change may be in one part alone
		field := []index.Field{index.Owner, index.AISummary, index.OwnerEmailPrimary, index.City}[w.IntN(4)]
		f.SetText(field, fmt.Sprintf("%d", w.IntN(3)))
	} else { // all of them
		other := edges.Clone(w.pool[w.IntN(len(w.pool))])
		other.ID, f = f.ID, other
	}
	filings[i] = f
	return filings
}

// TestX18_Complete: a client that only ever fetched changes has what a fresh export gives, through random loads, updates,
// rollbacks and prunings, for each tier and for filters. It exports anew only when it is told that its generation is too old.
func TestX18_Complete(t *testing.T) {
	t.Parallel()
	filters := []index.Filter{{}, {}, edges.AnyOf(index.City, "1", "Sample"), edges.Contains("e"),
		edges.Between(index.FilingAmount, edges.At(5000), nil), index.Where(index.InCounty("Orange"))}
	pro := index.Where(index.Present{Field: index.PropertyData})
	anew, followed := 0, 0
	for seed := range uint64(10) {
		w := &world{Rand: rand.New(rand.NewPCG(seed, 18)), live: -1, pool: edges.Fuzzed(25, seed)}
		var clients []*indextest.Copy
		for tier := range index.Hidden {
			for _, where := range filters {
				clients = append(clients, &indextest.Copy{Where: where, Tier: tier})
			}
		}
		clients = append(clients, &indextest.Copy{Where: pro, Tier: index.Pro})
		for range 25 {
			w.happen()
			w.Keep(8)
			for _, c := range clients {
				if w.IntN(3) == 0 { // which misses what happens in between
					continue
				}
				err := c.Follow(t.Context(), w, id(w.live), 1+w.IntN(12))
				if errors.Is(err, index.ErrGone) {
					anew++
					c.Export(id(w.live), w.contents[w.live])
				} else if followed++; err != nil {
					t.Fatalf("seed %d, %v, %v: %v", seed, c.Tier, c.Where, err)
				}
				if diff := c.Diff(w.contents[w.live]); diff != "" {
					t.Fatalf("seed %d, %v, %v: %s", seed, c.Tier, c.Where, diff)
				}
			}
		}
	}
	if followed < 3*anew || anew == 0 {
		t.Errorf("%d times the client exported anew, %d times it followed: it tries too little", anew, followed)
	}
}

// reads counts what is read of a history.
type reads struct {
	index.History
	changes, pages int
	most           int // in one call
}

func (r *reads) Changes(ctx context.Context, q index.ChangeQuery) (index.ChangePage, error) {
	page, err := r.History.Changes(ctx, q)
	r.pages++
	r.changes += len(page.Changes)
	r.most = max(r.most, q.Limit)
	return page, err
}

// TestX17_NotRead: what a tier does not show is not even read, so that neither a page's length nor its time tells of it.
func TestX17_NotRead(t *testing.T) {
	t.Parallel()
	before := edges.Fuzzed(500, 3)
	after := make([]*index.Filing, len(before))
	for i, f := range before {
		after[i] = edges.Clone(f)
		after[i].SetText(index.OwnerPhonePrimary, "407-555-0100")
		if i%100 == 0 {
			after[i].SetText(index.AISummary, "It changed.")
		}
	}
	var h indextest.History
	h.Promote(name(1), before, name(2), after)
	path := changes.Path{{Generation: name(2)}}
	for tier, want := range map[index.Tier]int{index.Free: 0, index.Pro: 5, index.Enterprise: 500} {
		counted := &reads{History: &h}
		page, err := changes.Read(t.Context(), counted, path, changes.Query{Tier: tier, Limit: 1000})
		if err != nil || len(page.Changes) != want || counted.changes != want || counted.pages != 1 || page.End != 0 {
			t.Errorf("%v: %d changes of %d read in %d pages, end %d, %v; want %d", tier, len(page.Changes), counted.changes, counted.pages,
				page.End, err, want)
		}
	}
}

// TestX16_Bounded: a page of a filter that selects few ends after a number of changes that were read, whatever it has.
func TestX16_Bounded(t *testing.T) {
	t.Parallel()
	var after []*index.Filing
	for i := range 25_000 {
		f := &index.Filing{ID: int64(i + 1)}
		f.SetText(index.County, "Orange, FL")
		if i == 24_000 {
			f.SetText(index.County, "Lake, FL")
		}
		after = append(after, f)
	}
	var h indextest.History
	h.Promote(name(1), nil, name(2), after)
	counted := &reads{History: &h}
	q := changes.Query{Where: index.Where(index.InCounty("Lake, FL")), Limit: 10}
	var ends, found []int64
	for {
		page, err := changes.Read(t.Context(), counted, changes.Path{{Generation: name(2)}}, q)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page.Changes {
			found = append(found, c.ID)
		}
		if page.End == 0 {
			break
		}
		ends, q.LastID = append(ends, page.End), page.End
	}
	if !slices.Equal(found, []int64{24_001}) || len(ends) != 2 || counted.changes != 25_000 || counted.most > 1000 {
		t.Errorf("found %v, pages end at %v, %d read, at most %d at once", found, ends, counted.changes, counted.most)
	}
}

// short is a History whose pages end early.
type short struct {
	*indextest.History
	limit int
}

func (s short) Changes(ctx context.Context, q index.ChangeQuery) (index.ChangePage, error) {
	q.Limit = min(q.Limit, s.limit)
	return s.History.Changes(ctx, q)
}

// TestX17_LongRecords: a page ends behind 4 MiB of the records that the caller sees. What is hidden of them, by which an engine
// ends its own pages, makes no difference.
func TestX17_LongRecords(t *testing.T) {
	t.Parallel()
	var before, after []*index.Filing
	for i := range 100 {
		f := &index.Filing{ID: int64(i + 1)}
		f.SetText(index.County, "Orange, FL")
		f.SetText(index.AISummary, strings.Repeat("long ", 20_000)) // of the tier pro
		before = append(before, f)
		f = edges.Clone(f)
		f.SetText(index.Owner, "Changed")
		after = append(after, f)
	}
	var h indextest.History
	h.Promote(name(1), before, name(2), after)
	for tier, want := range map[index.Tier][]int{index.Free: {100}, index.Pro: {42, 42, 16}} {
		for _, limit := range []int{1, 7, 41, 1000} {
			var sizes []int
			q := changes.Query{Tier: tier, Limit: 1000}
			for more := true; more; more = q.LastID != 0 {
				page, err := changes.Read(t.Context(), short{&h, limit}, changes.Path{{Generation: name(2)}}, q)
				if err != nil {
					t.Fatal(err)
				}
				sizes, q.LastID = append(sizes, len(page.Changes)), page.End
			}
			if !slices.Equal(sizes, want) {
				t.Errorf("%v, in pages of %d from the engine: pages of %d, want %d", tier, limit, sizes, want)
			}
		}
	}
}

// TestX16_Undone: a change that was undone is no more behind a full page, and the next page begins with a change.
func TestX16_Undone(t *testing.T) {
	t.Parallel()
	owners := func(changed ...int) (filings []*index.Filing) {
		for i := range 40 {
			f := &index.Filing{ID: int64(i + 1)}
			f.SetText(index.County, []string{"Orange, FL", "Lake, FL"}[i%2])
			f.SetText(index.Owner, "First")
			if slices.Contains(changed, i+1) {
				f.SetText(index.Owner, "Second")
			}
			filings = append(filings, f)
		}
		return filings
	}
	var h indextest.History
	h.Promote(name(1), owners(), name(2), owners(2, 30))
	h.Promote(name(2), owners(2, 30), name(3), owners(2, 9, 11, 13, 30))
	h.Promote(name(3), owners(2, 9, 11, 13, 30), name(4), owners(2, 30, 39))
	h.Promote(name(4), owners(2, 30, 39), name(5), owners(2, 30))
	steps := changes.Path{{Generation: name(2)}, {Generation: name(3)}, {Generation: name(4)}, {Generation: name(5)}}
	orange := index.Where(index.InCounty("Orange, FL"))
	for _, tt := range []struct {
		path  changes.Path
		where index.Filter
		want  []int64
	}{
		{steps, index.Filter{}, []int64{2, 30}},
		{steps[1:], index.Filter{}, nil},
		{steps[1:2], index.Filter{}, []int64{9, 11, 13}},
		{steps[:1], index.Where(index.IDs{IDs: []int64{2, 3}}), []int64{2}}, // 30 is not selected
		{steps[:2], orange, []int64{9, 11, 13}},
		{changes.Path{{Generation: name(2), Back: true}, {Generation: name(3)}}, index.Filter{}, []int64{2, 9, 11, 13, 30}},
	} {
		for _, limit := range []int{1, 2, 3} {
			for _, engine := range []int{1000, 4} {
				var found []int64
				pages, q := 0, changes.Query{Where: tt.where, Limit: limit}
				for more := true; more; more = q.LastID != 0 {
					page, err := changes.Read(t.Context(), short{&h, engine}, tt.path, q)
					if err != nil {
						t.Fatal(err)
					}
					for _, c := range page.Changes {
						found = append(found, c.ID)
					}
					pages, q.LastID = pages+1, page.End
				}
				if want := max(1, (len(tt.want)+limit-1)/limit); !slices.Equal(found, tt.want) || pages != want {
					t.Errorf("%v, %v, by %d: %v in %d pages, want %v in %d", tt.path, tt.where, limit, found, pages, tt.want, want)
				}
			}
		}
	}
}

// TestX16_LookAhead: to know that a page is not the last one costs it one change more, where the next one is to be told.
func TestX16_LookAhead(t *testing.T) {
	t.Parallel()
	before := edges.Fuzzed(3000, 3)
	var after, then []*index.Filing
	for _, f := range before {
		one, two := edges.Clone(f), edges.Clone(f)
		one.SetText(index.Owner, "Second")
		two.SetText(index.Owner, "Third")
		after, then = append(after, one), append(then, two)
	}
	var h indextest.History
	h.Promote(name(1), before, name(2), after)
	h.Promote(name(2), after, name(3), then)
	for path, most := range map[*changes.Path]int{
		{{Generation: name(2)}}:                        1000,
		{{Generation: name(2)}, {Generation: name(3)}}: 2001,
	} {
		counted := &reads{History: &h}
		page, err := changes.Read(t.Context(), counted, *path, changes.Query{Limit: 1000})
		if err != nil || len(page.Changes) != 1000 || page.End == 0 || counted.changes > most+1 {
			t.Errorf("%v: %d changes, end %d, of %d read in %d calls, %v", path, len(page.Changes), page.End, counted.changes, counted.pages, err)
		}
	}
}
