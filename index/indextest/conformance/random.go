package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"filings/index"
	"filings/index/indextest"
	"filings/index/indextest/edges"
)

// The size of the random part. Each query is a count and four pages.
const (
	randomFilings = 3_000
	randomQueries = 400
	filterQueries = 20 // of each filter that has a part of its own
)

func testRandom(t *testing.T, open func(t *testing.T) Harness) {
	filings := edges.Fuzzed(randomFilings, 1)
	r, o := opened(t, open(t).Store, filings), indextest.NewOracle("", filings)
	t.Run("pages and totals", func(t *testing.T) { checkQueries(t, r, o, newGenerator(2, filings), randomQueries) })
	for name, kind := range filters {
		t.Run("X54 "+name, func(t *testing.T) { checkFilter(t, r, o, newGenerator(54, filings), kind) })
	}
	t.Run("X55 keys", func(t *testing.T) { checkKeys(t, r, o, newGenerator(55, filings)) })
	t.Run("stats", func(t *testing.T) { sameStats(t, r, o) })
	t.Run("regions", func(t *testing.T) { checkRegions(t, r, newGenerator(34, filings)) })
}

// checkKeys compares pages of records with keys, by offset and after a position.
func checkKeys(t *testing.T, r index.Reader, o *indextest.Oracle, g *generator) {
	t.Helper()
	for range filterQueries {
		w, s := g.query()
		q := index.Query{Where: w, Sort: s, Offset: g.IntN(50), Limit: 1 + g.IntN(100), Keys: true}
		for range 2 {
			want, err1 := o.Rows(t.Context(), q)
			q.Bytes = g.IntN(2) * 1_000_000
			got, err2 := r.Rows(t.Context(), q)
			same := func(a, b index.Record) bool { return bytes.Equal(a, b) }
			if err1 != nil || err2 != nil || !slices.EqualFunc(want.Records, got.Records, same) {
				t.Fatalf("%v: %v, %v: %d records, want %d", q, err1, err2, len(got.Records), len(want.Records))
			}
			if q.Offset, q.Start = 0, got.End; got.End == "" {
				break
			}
			if id, err := want.Records[len(want.Records)-1].ID(); err == nil {
				q.Start = index.PositionAfter(id)
			}
		}
	}
}

// checkFilter sends queries by predicates of one kind, half of them turned round.
func checkFilter(t *testing.T, r index.Reader, o *indextest.Oracle, g *generator, kind int) {
	t.Helper()
	for range filterQueries {
		p := g.ofKind(kind, indextest.NewEntry(g.any()))
		if g.IntN(2) == 0 {
			p = index.Not{Predicate: p}
		}
		s := index.Sort{Field: index.SortFields[g.IntN(len(index.SortFields))], Ascending: g.IntN(2) == 0}
		if err := compare(t.Context(), o, r, index.Where(p), s, g.pages); err != nil {
			t.Fatal(err)
		}
	}
}

// checkQueries sends random queries to r and compares its responses with the oracle's. It stops after a few differences.
func checkQueries(t *testing.T, r index.Reader, o *indextest.Oracle, a *generator, queries int) {
	t.Helper()
	differences, some := 0, 0
	for range queries {
		w, s := a.query()
		pages := func(total int) []page {
			if total > 0 {
				some++
			}
			return a.pages(total)
		}
		if err := compare(t.Context(), o, r, w, s, pages); err != nil {
			t.Error(err)
			if differences++; differences == 5 {
				t.Fatal("5 differences are enough")
			}
		}
	}
	if !t.Failed() && some < queries/2 {
		t.Errorf("only %d of %d queries selected anything: they try too little", some, queries)
	}
}

// FilingsVariable is the environment variable that names a file of filings for Real. Reading the file takes package
// reindexer, which this package may not know.
const FilingsVariable = "TEST_FILINGS"

// Real loads filings, which may be many and may be one Filing that is reused, and sends as many random queries, made of
// their values. It compares responses with the oracle's, which keeps all filings in memory: some 1.5 kB each. Failures
// show values of the filings.
func Real(t *testing.T, h Harness, filings iter.Seq[*index.Filing], queries int) {
	var all []*index.Filing
	for f := range filings {
		all = append(all, edges.Clone(f))
	}
	if len(all) == 0 {
		t.Fatal("there are no filings to compare")
	}
	name, err := indextest.Load(t.Context(), h.Store, slices.Values(all))
	if err != nil {
		t.Fatal(err)
	}
	r, o := mustOpen(t, h.Store, name), indextest.NewOracle(name, all)
	t.Run("pages and totals", func(t *testing.T) { checkQueries(t, r, o, newGenerator(10, all), queries) })
	t.Run("stats", func(t *testing.T) { sameStats(t, r, o) })
	t.Run("groups", func(t *testing.T) {
		for _, d := range index.Dimensions() {
			sameGroups(t, r, o, index.Filter{}, []index.Dimension{d})
		}
		checkGroups(t, r, o, newGenerator(11, all), queries)
	})
	t.Run("regions", func(t *testing.T) { checkRegions(t, r, newGenerator(34, all)) })
	for _, w := range []index.Filter{index.Filter{}, index.Where(index.InCounty(biggest(o)))} {
		deepPages(t, r, o, w)
	}
}

// biggest returns the county with the most filings.
func biggest(o *indextest.Oracle) (name string) {
	var most int64
	filings := map[string]int64{}
	for _, e := range o.Entries() {
		county := e.Text(index.County)
		if filings[county]++; filings[county] > most {
			most, name = filings[county], county
		}
	}
	return name
}

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
		field := []index.Field{index.Owner, index.AISummary, index.OwnerEmailPrimary, index.City, index.County, index.ZIP}[l.IntN(6)]
		f.SetText(field, fmt.Sprintf("%d, FL", 10_000+l.IntN(3)))
		delete(removed, f.ID)
		next[f.ID], changed[f.ID] = f, f
	}
	l.contents["next"] = next
	l.promote(mustUpdate(t, l.h, slices.Collect(maps.Values(changed)), slices.Collect(maps.Keys(removed))...))
}

// prune keeps three generations and eight changesets.
func (l *life) prune(t *testing.T) {
	lock := mustLock(t, l.h.Store)
	for len(l.promoted) > 3 {
		if err := lock.Delete(t.Context(), l.promoted[0]); err != nil {
			t.Fatal(err)
		}
		delete(l.contents, l.promoted[0])
		l.promoted = l.promoted[1:]
	}
	if _, err := lock.Prune(t.Context(), "", math.MaxInt, 8); err != nil {
		t.Fatal(err)
	}
	release(t, lock)
}

// testCopy keeps copies, of each tier and of filters, by changes alone through what happens to the generations of a store.
func testCopy(t *testing.T, h Harness) {
	const things = 12
	l := &life{Rand: rand.New(rand.NewPCG(18, 18)), h: h, pool: edges.Fuzzed(60, 18), contents: map[string]map[int64]*index.Filing{}}
	var copies []*indextest.Copy
	a := newGenerator(18, l.pool)
	for tier := range index.Hidden {
		copies = append(copies, &indextest.Copy{Tier: tier})
		for range 3 {
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
			err := c.Follow(t.Context(), h.Store, index.GenerationID(l.live), 5+l.IntN(40))
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
		case index.Range:
			return p.Field.Reveals() > tier
		case index.Present:
			return p.Field.Reveals() > tier
		case index.Not:
			return clockedOrAbove(tier)(p.Predicate)
		}
		return false
	}
}
