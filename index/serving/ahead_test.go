package serving

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/indextest"
)

// reading is an engine that notes how many rows each call for a page reads.
type reading struct {
	index.Engine
	index.Reader
	mu   sync.Mutex
	read []int
}

func (e *reading) Live(context.Context) (index.Reader, error) { return e, nil }

func (e *reading) Rows(ctx context.Context, q index.Query) (index.Page, error) {
	page, err := e.Reader.Rows(ctx, q)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.read = append(e.read, len(page.Records))
	return page, err
}

func (e *reading) rows() (n int) {
	for _, rows := range e.read {
		n += rows
	}
	return n
}

// crawl reads what q selects page by page, each from the reader that the number of the page chooses, and fails the test
// unless it is what the oracle has. It returns the number of pages. What is read beside a page is read before the next one.
func crawl(t *testing.T, o index.Reader, q index.Query, of func(page int) *Reader) (pages int) {
	t.Helper()
	for ; ; pages++ {
		want, err1 := o.Rows(t.Context(), q)
		got, err2 := of(pages).Rows(t.Context(), q)
		synctest.Wait()
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if diff := cmp.Diff(texts(want), texts(got)); diff != "" || want.End != got.End {
			t.Fatalf("%s: the end is %q, want %q; (-want +got)\n%s", q, got.End, want.End, diff)
		}
		if q.After = got.End; len(got.Records) < q.Limit {
			return pages + 1
		}
	}
}

func texts(page index.Page) (all []string) {
	for _, r := range page.Records {
		all = append(all, string(r))
	}
	return all
}

// TestX4_ReadAhead: a crawl calls the engine for several pages at a time, more and more of them; a client that reads two pages
// costs these two, and one that reads three costs four.
func TestX4_ReadAhead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, readAhead)
}

func readAhead(t *testing.T) {
	for _, tt := range []struct {
		limit int
		want  []int
	}{
		{100, []int{100, 100, 200, 400, 800, 1000, 400, 0}},
		{60, []int{60, 60, 120, 240, 480, 960, 960, 120, 0}},
		{400, []int{400, 400, 800, 800, 600, 200}},
		{2000, []int{2000, 1000}},
	} {
		o := indextest.NewOracle("g1", filings(3000))
		e := &reading{Reader: o}
		r := live(t, mustNew(e, 16<<20))
		crawl(t, o, index.Query{Sort: index.DefaultSort, Limit: tt.limit}, func(int) *Reader { return r })
		if diff := cmp.Diff(tt.want, e.read); diff != "" {
			t.Errorf("rows of each call, in pages of %d: (-want +got)\n%s", tt.limit, diff)
		}
	}
}

// TestX4_ReadAheadAgain: a page that is requested again, with another limit, of its ids, or of another generation is right.
func TestX4_ReadAheadAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, readAheadAgain)
}

func readAheadAgain(t *testing.T) {
	o := indextest.NewOracle("g1", filings(1000))
	e := &reading{Reader: o}
	engine := mustNew(e, 16<<20)
	r, q := live(t, engine), index.Query{Sort: index.DefaultSort, Limit: 10}
	for n := range 60 {
		page, err := r.Rows(t.Context(), q)
		synctest.Wait()
		if err != nil {
			t.Fatal(err)
		}
		calls := len(e.read)
		again, err := r.Rows(t.Context(), q)
		if diff := cmp.Diff(page, again); diff != "" || err != nil || len(e.read) != calls {
			t.Errorf("page %d again: %v, %d calls; (-want +got)\n%s", n, err, len(e.read)-calls, diff)
		}
		other := q
		other.Limit, other.IDsOnly = 7+n%5, n%2 == 0
		want, _ := o.Rows(t.Context(), other)
		if got, err := r.Rows(t.Context(), other); err != nil || cmp.Diff(texts(want), texts(got)) != "" {
			t.Errorf("page %d by %d: %v, %v; want %v", n, other.Limit, got, err, want)
		}
		q.After = page.End
	}
	crawl(t, o, index.Query{Sort: index.DefaultSort, Limit: 10}, func(int) *Reader { return r })
	next := indextest.NewOracle("g2", filings(700))
	e.Reader = next
	r = live(t, engine)
	crawl(t, next, index.Query{Sort: index.DefaultSort, Limit: 10}, func(int) *Reader { return r })
}

// TestX4_ReadAheadElsewhere: where pages come from processes in turn, or the cache is too small, each is read alone, and right.
func TestX4_ReadAheadElsewhere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, readAheadElsewhere)
}

func readAheadElsewhere(t *testing.T) {
	o := indextest.NewOracle("g1", filings(1005))
	for name, sizes := range map[string][]int64{"in turn": {16 << 20, 16 << 20, 16 << 20}, "no room": {2000}, "no cache": {0}} {
		e, readers := &reading{Reader: o}, []*Reader(nil)
		for _, size := range sizes {
			readers = append(readers, live(t, mustNew(e, size)))
		}
		pages := crawl(t, o, index.Query{Sort: index.DefaultSort, Limit: 10}, func(n int) *Reader { return readers[n%len(readers)] })
		if n := e.rows(); pages != 101 || n > 2*1005 || len(e.read) > pages+1 || name != "no room" && n != 1005 {
			t.Errorf("%s: %d pages were read by %d calls, with %d rows", name, pages, len(e.read), n)
		}
	}
}

// TestX4_ReadAheadFails: a page that could not be read with those behind it is read alone when it is requested again.
func TestX4_ReadAheadFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, readAheadFails)
}

func readAheadFails(t *testing.T) {
	inner := &counting{reader: indextest.NewOracle("g1", filings(200))}
	r, q := live(t, mustNew(inner, 1<<20)), index.Query{Sort: index.DefaultSort, Limit: 10}
	for n := range 20 {
		inner.fail = fmt.Errorf("too many clauses")
		if _, err := r.Rows(t.Context(), q); err == nil && inner.calls.Load() == int64(n) {
			t.Errorf("page %d: no failure", n)
		}
		inner.fail = nil
		page, err := r.Rows(t.Context(), q)
		synctest.Wait()
		if err != nil || len(page.Records) != 10 {
			t.Fatalf("page %d: %d rows, %v", n, len(page.Records), err)
		}
		q.After = page.End
	}
}

// TestX4_ReadAheadOfMany: three hundred crawls at once, for which the cache has no room, cost no more calls than pages, and not
// twice the rows; what others need often stays.
func TestX4_ReadAheadOfMany(t *testing.T) {
	t.Parallel()
	synctest.Test(t, readAheadOfMany)
}

func readAheadOfMany(t *testing.T) {
	const crawls, pages, limit = 300, 40, 5
	o := indextest.NewOracle("g1", filings(pages*limit))
	e := &reading{Reader: o}
	engine := mustNew(e, 4<<20)
	r := live(t, engine)
	often := index.Query{Sort: index.Sort{By: index.Owner}, Limit: 20}
	for range 20 {
		if _, err := r.Rows(t.Context(), often); err != nil {
			t.Fatal(err)
		}
	}
	e.read = nil
	var queries [crawls]index.Query
	for page := range pages {
		for i := range queries {
			q := &queries[i]
			if page == 0 { // each selects the same filings by another filter
				least := -float64(i)
				*q = index.Query{Sort: index.DefaultSort, Limit: limit, Where: index.Where(index.Between{Field: index.FilingAmount, Min: &least})}
			}
			got, err := r.Rows(t.Context(), *q)
			synctest.Wait()
			if err != nil || len(got.Records) != limit {
				t.Fatalf("crawl %d, page %d: %d rows, %v", i, page, len(got.Records), err)
			}
			q.After = got.End
		}
		if _, err := r.Rows(t.Context(), often); err != nil {
			t.Fatal(err)
		}
	}
	if n := e.rows(); len(e.read) > crawls*pages*3/4 || n > 2*crawls*pages*limit {
		t.Errorf("%d calls and %d rows for %d pages of %d rows", len(e.read), n, crawls*pages, crawls*pages*limit)
	}
	calls := len(e.read)
	if _, err := r.Rows(t.Context(), often); err != nil || len(e.read) != calls {
		t.Errorf("what others need often has gone: %v", err)
	}
	if _, _, bytes := engine.counters(); bytes > 4<<20 {
		t.Errorf("%d bytes", bytes)
	}
}

// TestX4_ReadAheadOfLargeRows: of rows of 20,000 characters few are read at a time, and a page of them is whole although they
// begin in the middle.
func TestX4_ReadAheadOfLargeRows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, readAheadOfLargeRows)
}

func readAheadOfLargeRows(t *testing.T) {
	all := filings(600)
	for _, f := range all[:300] { // the last ones in the order
		f.SetText(index.FilingDate, "2001-01-01")
		f.SetText(index.Owner, strings.Repeat("x", 20_000))
	}
	o := indextest.NewOracle("g1", all)
	for _, limit := range []int{5, 20, 90} {
		e := &reading{Reader: o}
		r := live(t, mustNew(e, 64<<20))
		pages := crawl(t, o, index.Query{Sort: index.DefaultSort, Limit: limit}, func(int) *Reader { return r })
		for i, rows := range e.read {
			if rows > max(limit, 60) && i > len(e.read)/2 {
				t.Errorf("call %d in pages of %d reads %d rows", i, limit, rows)
			}
		}
		if len(e.read) > pages+2 {
			t.Errorf("%d calls for %d pages of %d rows", len(e.read), pages, limit)
		}
	}
}
