package conformance

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"filings/index"
	"filings/index/indextest"
	"filings/index/indextest/edges"
)

// life is what happens to the generations of a store, at random.
type life struct {
	*rand.Rand
	h        Harness
	pool     []*index.Filing
	contents map[string]map[int64]*index.Filing // of generations that a rollback can go to
	promoted []string
	live     string
}

// happen lets one thing happen: a load of all filings, an update, or a rollback; then it prunes.
func (l *life) happen(t *testing.T) {
	t.Helper()
	switch n := l.IntN(6); {
	case n == 0 && len(l.promoted) > 1:
		l.live = l.promoted[l.IntN(len(l.promoted))]
		if l.live != mustLive(t, l.h.Store) {
			mustSwap(t, l.h, l.live)
		}
		return
	case n <= 2 || l.live == "":
		l.promote(mustLoad(t, l.h, l.some()))
	default:
		l.update(t)
	}
	l.prune(t)
}

// some returns filings for a load of all; promote takes them from where it left them.
func (l *life) some() (filings []*index.Filing) {
	l.contents["next"] = map[int64]*index.Filing{}
	for _, f := range l.pool {
		if l.IntN(4) > 0 {
			filings = append(filings, f)
			l.contents["next"][f.ID] = f
		}
	}
	return filings
}

func (l *life) promote(name string) {
	l.contents[name] = l.contents["next"]
	delete(l.contents, "next")
	l.live, l.promoted = name, append(l.promoted, name)
}

func (l *life) update(t *testing.T) {
	next := maps.Clone(l.contents[l.live])
	changed, removed := map[int64]*index.Filing{}, map[int64]bool{}
	for range 1 + l.IntN(15) {
		f := edges.Clone(l.pool[l.IntN(len(l.pool))])
		if _, ok := next[f.ID]; ok && l.IntN(3) == 0 {
			delete(next, f.ID)
			delete(changed, f.ID)
			removed[f.ID] = true
			continue
		}
		field := []index.Field{index.Owner, index.AISummary, index.OwnerEmailPrimary, index.City, index.County}[l.IntN(5)]
		f.SetText(field, fmt.Sprintf("%d, FL", l.IntN(3)))
		delete(removed, f.ID)
		next[f.ID], changed[f.ID] = f, f
	}
	l.contents["next"] = next
	l.promote(mustUpdate(t, l.h, slices.Collect(maps.Values(changed)), slices.Collect(maps.Keys(removed))...))
}

// prune keeps three generations and eight steps.
func (l *life) prune(t *testing.T) {
	lock := mustLock(t, l.h.Store)
	for len(l.promoted) > 3 {
		if err := lock.Delete(t.Context(), l.promoted[0]); err != nil {
			t.Fatal(err)
		}
		delete(l.contents, l.promoted[0])
		l.promoted = l.promoted[1:]
	}
	if err := lock.Forget(t.Context(), 8); err != nil {
		t.Fatal(err)
	}
	release(t, lock)
}

// testCopy keeps copies, of each tier and of filters, by changes alone through what happens to the generations of a store.
func testCopy(t *testing.T, h Harness) {
	const things = 16
	l := &life{Rand: rand.New(rand.NewPCG(18, 18)), h: h, pool: edges.Fuzzed(60, 18), contents: map[string]map[int64]*index.Filing{}}
	var copies []*indextest.Copy
	a := newGenerator(18, l.pool)
	for tier := range index.Hidden {
		copies = append(copies, &indextest.Copy{Tier: tier})
		for range 6 {
			w, _ := a.query()
			w = index.Where(slices.DeleteFunc(w.Predicates(), clockedOrAbove(tier))...)
			copies = append(copies, &indextest.Copy{Tier: tier, Where: w})
		}
	}
	followed, anew := 0, 0
	for range things {
		l.happen(t)
		filings := slices.Collect(maps.Values(l.contents[l.live]))
		for _, c := range copies {
			if l.IntN(3) == 0 { // which misses this
				continue
			}
			err := c.Follow(t.Context(), h.Store, index.GenerationID(l.live), 1+l.IntN(20))
			if errors.Is(err, index.ErrGone) {
				anew++
				c.Export(index.GenerationID(l.live), filings)
			} else if followed++; err != nil {
				t.Fatalf("%v, %v: %v", c.Tier, c.Where, err)
			}
			if diff := c.Diff(filings); diff != "" {
				t.Fatalf("%v, %v: %s", c.Tier, c.Where, diff)
			}
		}
	}
	if followed < 5*anew {
		t.Errorf("copies followed %d times and were exported %d times: they try too little", followed, anew)
	}
}

// clockedOrAbove returns what tells which predicates a client of a tier cannot have: those by when filings were added, and
// those by fields that the tier does not show.
func clockedOrAbove(tier index.Tier) func(index.Predicate) bool {
	return func(p index.Predicate) bool {
		switch p := p.(type) {
		case index.Times, index.Rest:
			return true
		case index.AnyOf:
			return slices.ContainsFunc(p.Fields, func(f index.Field) bool { return f.Reveals() > tier })
		case index.Between:
			return p.Field.Reveals() > tier
		case index.Present:
			return p.Field.Reveals() > tier
		}
		return false
	}
}
