package serving

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"pgregory.net/rapid"

	"filings/index"
	"filings/index/cache"
	"filings/index/indextest"
)

// counting is an engine that counts its calls, and fails with fail if that is set.
type counting struct {
	index.Engine
	reader index.Reader
	calls  atomic.Int64
	looks  atomic.Int64 // whether filings were withheld
	fail   error
	most   int64 // up to how many filings pages have their total; 0: as many as the reader says
}

func (e *counting) Live(context.Context) (index.Reader, error) {
	return &countingReader{e.reader, e}, nil
}

func (e *counting) Withdrawn(context.Context, string) (bool, error) {
	e.looks.Add(1)
	return false, nil
}

type countingReader struct {
	index.Reader
	engine *counting
}

func (r *countingReader) count() error {
	r.engine.calls.Add(1)
	return r.engine.fail
}

func (r *countingReader) Rows(ctx context.Context, q index.Query) (index.Page, error) {
	if err := r.count(); err != nil {
		return index.Page{}, err
	}
	page, err := r.Reader.Rows(ctx, q)
	if r.engine.most > 0 && page.Total > r.engine.most {
		page.Total, page.Counted = 0, false
	}
	return page, err
}

func (r *countingReader) Count(ctx context.Context, w index.Filter) (int64, error) {
	if err := r.count(); err != nil {
		return 0, err
	}
	return r.Reader.Count(ctx, w)
}

func (r *countingReader) Filings(ctx context.Context, ids []int64) ([]index.Record, error) {
	if err := r.count(); err != nil {
		return nil, err
	}
	return r.Reader.Filings(ctx, ids)
}

func (r *countingReader) Stats(ctx context.Context) (index.Stats, error) {
	if err := r.count(); err != nil {
		return index.Stats{}, err
	}
	return r.Reader.Stats(ctx)
}

func (r *countingReader) Counties(ctx context.Context) ([]index.CountyStats, error) {
	if err := r.count(); err != nil {
		return nil, err
	}
	return r.Reader.Counties(ctx)
}

func (r *countingReader) Cells(ctx context.Context, w index.Filter, g index.Grid) ([]index.Cell, error) {
	if err := r.count(); err != nil {
		return nil, err
	}
	return r.Reader.Cells(ctx, w, g)
}

func (r *countingReader) Groups(ctx context.Context, w index.Filter, q index.GroupQuery) (index.Groups, error) {
	if err := r.count(); err != nil {
		return index.Groups{}, err
	}
	return r.Reader.Groups(ctx, w, q)
}

func filings(n int) []*index.Filing {
	all := make([]*index.Filing, n)
	for i := range all {
		f := &index.Filing{ID: int64(i + 1), CreatedAt: time.Unix(int64(i), 0)}
		f.SetText(index.County, []string{"Orange, FL", "Bibb, GA"}[i%2])
		f.SetText(index.FilingDate, fmt.Sprintf("2026-%02d-01", i%12+1))
		f.SetText(index.DateRange, fmt.Sprintf("2026-%02d-01 to 2026-12-31", i%12+1))
		f.SetNumber(index.FilingAmount, float64(i))
		f.SetNumber(index.Latitude, float64(i%80))
		f.SetNumber(index.Longitude, float64(i%170))
		all[i] = f
	}
	return all
}

// rowsChecked reads a page and checks it, as a cached one was.
func rowsChecked(ctx context.Context, r index.Reader, q index.Query) (page index.Page, err error) {
	if page, err = r.Rows(ctx, q); err == nil {
		err = page.Check()
	}
	return page, err
}

// requests are all that can be requested of a reader.
func requests() map[string]func(ctx context.Context, r index.Reader) (any, error) {
	orange := index.Where(index.InCounty("orange"))
	return map[string]func(ctx context.Context, r index.Reader) (any, error){
		"rows": func(ctx context.Context, r index.Reader) (any, error) {
			return rowsChecked(ctx, r, index.Query{Where: orange, Sort: index.DefaultSort, Limit: 5})
		},
		"rows, next page": func(ctx context.Context, r index.Reader) (any, error) {
			return rowsChecked(ctx, r, index.Query{Where: orange, Sort: index.DefaultSort, Offset: 5, Limit: 5})
		},
		"rows past the end": func(ctx context.Context, r index.Reader) (any, error) {
			return rowsChecked(ctx, r, index.Query{Sort: index.DefaultSort, Offset: 500, Limit: 5})
		},
		"count":     func(ctx context.Context, r index.Reader) (any, error) { return r.Count(ctx, orange) },
		"count all": func(ctx context.Context, r index.Reader) (any, error) { return r.Count(ctx, index.Filter{}) },
		"filing":    func(ctx context.Context, r index.Reader) (any, error) { return index.OneFiling(ctx, r, 2) }, // on no page
		"stats":     func(ctx context.Context, r index.Reader) (any, error) { return r.Stats(ctx) },
		"counties":  func(ctx context.Context, r index.Reader) (any, error) { return r.Counties(ctx) },
		"months": func(ctx context.Context, r index.Reader) (any, error) {
			return r.Groups(ctx, orange, index.GroupQuery{Dimensions: []index.Dimension{index.ByMonth}})
		},
		"date ranges": func(ctx context.Context, r index.Reader) (any, error) {
			return r.Groups(ctx, orange, index.GroupQuery{Dimensions: []index.Dimension{index.ByDateRange}, AsWritten: true})
		},
		"cells": func(ctx context.Context, r index.Reader) (any, error) { return r.Cells(ctx, orange, quarters()) },
		"groups": func(ctx context.Context, r index.Reader) (any, error) {
			return r.Groups(ctx, orange, index.GroupQuery{Dimensions: []index.Dimension{index.ByCounty, index.ByMonth}})
		},
		"groups, the other way round": func(ctx context.Context, r index.Reader) (any, error) {
			return r.Groups(ctx, orange, index.GroupQuery{Dimensions: []index.Dimension{index.ByMonth, index.ByCounty}})
		},
		"cells, finer": func(ctx context.Context, r index.Reader) (any, error) {
			return r.Cells(ctx, orange, index.NewGrid(quarters().Box, 7))
		},
	}
}

// quarters is the world in four tiles.
func quarters() index.Grid {
	return index.NewGrid(index.Box{North: 90, South: -90, East: 180, West: -180}, 1)
}

// mustNew serves inner with a cache of so many bytes.
func mustNew(inner index.Engine, bytes int64) *Engine {
	c := Config{}
	if bytes > 0 {
		c.Cache = cache.New(bytes)
	}
	e, err := New(inner, c)
	if err != nil {
		panic(err) // without a registry nothing can fail
	}
	return e
}

// counters returns the cache's hits and misses, and the bytes in it.
func (e *Engine) counters() (hits, misses, bytes uint64) {
	if e.cache != nil {
		bytes = e.cache.Bytes()
	}
	return e.hits.Load(), e.misses.Load(), bytes
}

func live(t testing.TB, e *Engine) *Reader {
	t.Helper()
	r, err := e.Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCallsOnce(t *testing.T) {
	t.Parallel()
	oracle := indextest.NewOracle("g1", filings(24))
	inner := &counting{reader: oracle}
	e := mustNew(inner, 1<<20)
	for range 3 {
		for name, send := range requests() {
			want, _ := send(t.Context(), oracle)
			got, err := send(t.Context(), live(t, e))
			if err != nil {
				t.Fatal(err)
			}
			// A page without rows may be nil or empty: both have no rows.
			if diff := cmp.Diff(fmt.Sprint(want), fmt.Sprint(got)); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", name, diff)
			}
		}
	}
	n := len(requests())
	if got := int(inner.calls.Load()); got != n {
		t.Errorf("the engine was called %d times for %d different requests", got, n)
	}
	hits, misses, bytes := e.counters()
	if hits != uint64(2*n) || misses != uint64(n) || bytes == 0 {
		t.Errorf("%d hits, %d misses, %d bytes", hits, misses, bytes)
	}
}

func TestEqualRequestsAreOne(t *testing.T) {
	t.Parallel()
	inner := &counting{reader: indextest.NewOracle("g1", filings(24))}
	r := live(t, mustNew(inner, 1<<20))
	a, b := index.InCounty("orange"), index.Days{First: "2026-02-01"}
	for _, w := range []index.Filter{index.Where(a, b), index.Where(b, a), index.Where(b, a, b)} {
		if _, err := r.Count(t.Context(), w); err != nil {
			t.Fatal(err)
		}
	}
	if got := inner.calls.Load(); got != 1 {
		t.Errorf("called %d times", got)
	}
	g := quarters()
	for _, w := range []index.Filter{index.Where(a, b), index.Where(b, a), index.Where(b, g.Box, a)} {
		if _, err := r.Cells(t.Context(), w, g); err != nil {
			t.Fatal(err)
		}
	}
	if got := inner.calls.Load(); got != 2 {
		t.Errorf("called %d times for equal requests of cells", got)
	}
}

// TestPage: a page that was never requested is one call, its total included, which then serves all
// pages and sorts of the filter; where it depends on the clock, it comes anew.
func TestPage(t *testing.T) {
	t.Parallel()
	inner := &counting{reader: indextest.NewOracle("g1", filings(24))}
	r := live(t, mustNew(inner, 1<<20))
	orange := index.Where(index.InCounty("orange"))
	clocked := index.Where(index.Times{First: time.Unix(3, 0), Last: time.Unix(5, 0), Clocked: true})
	for _, tt := range []struct {
		q     index.Query
		rows  int
		total int64
		calls int64
	}{
		{index.Query{Where: orange, Sort: index.DefaultSort, Limit: 5}, 5, 12, 1},
		{index.Query{Where: orange, Sort: index.DefaultSort, Limit: 5}, 5, 12, 0},
		{index.Query{Where: orange, Sort: index.DefaultSort, Offset: 10, Limit: 5}, 2, 12, 1},
		{index.Query{Where: orange, Sort: index.Sort{Field: index.Owner}, Limit: 5}, 5, 12, 1},
		{index.Query{Where: clocked, Sort: index.DefaultSort, Limit: 2}, 2, 3, 1},
		{index.Query{Where: clocked, Sort: index.DefaultSort, Limit: 2}, 2, 3, 1},
	} {
		before := inner.calls.Load()
		page, total, err := r.Page(t.Context(), tt.q)
		rows := page.Records
		if len(rows) != tt.rows || total != tt.total || err != nil {
			t.Errorf("%s: %d rows of %d, %v; want %d of %d", tt.q, len(rows), total, err, tt.rows, tt.total)
		}
		if calls := inner.calls.Load() - before; calls != tt.calls {
			t.Errorf("%s: %d calls, want %d", tt.q, calls, tt.calls)
		}
	}
	inner.fail = fmt.Errorf("search: %w", index.ErrUnavailable)
	if _, _, err := r.Page(t.Context(), index.Query{Sort: index.DefaultSort, Limit: 1}); !errors.Is(err, index.ErrUnavailable) {
		t.Errorf("of an engine that fails: %v", err)
	}
}

// A total that the engine does not give with the page is counted once, and then serves all pages of the filter.
func TestPage_TotalApart(t *testing.T) {
	t.Parallel()
	inner := &counting{reader: indextest.NewOracle("g1", filings(24)), most: 5}
	r := live(t, mustNew(inner, 1<<20))
	q := index.Query{Where: index.Where(index.InCounty("orange")), Sort: index.DefaultSort, Limit: 5}
	for i, calls := range []int64{2, 0, 1} {
		if i == 2 {
			q.Offset = 5
		}
		before := inner.calls.Load()
		page, total, err := r.Page(t.Context(), q)
		if len(page.Records) != 5 || total != 12 || err != nil {
			t.Errorf("%s: %d rows of %d, %v", q, len(page.Records), total, err)
		}
		if n := inner.calls.Load() - before; n != calls {
			t.Errorf("%s: %d calls, want %d", q, n, calls)
		}
	}
}

// slow is a reader whose counts are large, and end when a page was requested beside them.
type slow struct {
	index.Reader
	index.History // of which no test reads
	total         int64
	paged         chan struct{} // gets one for each page
	pages         atomic.Int64  // that asked for their total
	waiting       bool          // a count waits for a page
	counts        bool          // pages have their total, however large it is
	counted       atomic.Int64  // calls that only counted
}

func (e *slow) Live(context.Context) (index.Reader, error) { return e, nil }

func (e *slow) Withdrawn(context.Context, string) (bool, error) { return false, nil }

func (e *slow) Kept(context.Context, string) ([]index.Generation, error) { return nil, nil }

func (e *slow) Pin(context.Context, string) (index.Reader, error) { return nil, index.ErrGone }

func (e *slow) Rows(ctx context.Context, q index.Query) (index.Page, error) {
	if q.Count {
		e.pages.Add(1)
	}
	e.paged <- struct{}{}
	page, err := e.Reader.Rows(ctx, q)
	page.Total, page.Counted = 0, false
	if e.counts {
		page.Total, page.Counted = e.total, true
	}
	return page, err
}

func (e *slow) Count(ctx context.Context, _ index.Filter) (int64, error) {
	e.counted.Add(1)
	if e.waiting {
		select {
		case <-e.paged:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	return e.total, nil
}

// Where the last filter of a kind selected many filings, the next one's are counted beside the
// page, without counting with it; until one selects few.
func TestPage_ManyBeside(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := &slow{Reader: indextest.NewOracle("g1", filings(24)), total: index.MostCounted + 1, paged: make(chan struct{}, 8)}
		r := live(t, mustNew(inner, 1<<20))
		page := func(w index.Filter) {
			t.Helper()
			if page, total, err := r.Page(t.Context(), index.Query{Where: w, Sort: index.DefaultSort, Limit: 5}); len(page.Records) == 0 || total != inner.total || err != nil {
				t.Errorf("%v: %d rows of %d, %v", w, len(page.Records), total, err)
			}
		}
		asked := func(want int64) {
			t.Helper()
			if n := inner.pages.Swap(0); n != want {
				t.Errorf("%d pages asked for their total, want %d", n, want)
			}
		}
		page(index.Where(index.InCounty("orange")))
		asked(1)
		<-inner.paged
		inner.waiting = true // for a page beside the count, or for ever
		page(index.Where(index.InCounty("bibb")))
		asked(0)
		inner.total = 7
		page(index.Where(index.InCounty("orange, fl")))
		asked(0)
		inner.waiting = false
		page(index.Where(index.InCounty("bibb, ga")))
		asked(1)
	})
}

// Where an engine counts many filings with their page, it is not asked to count them again; and where it does so in one
// order, what it does in another changes nothing.
func TestPage_ManyWithPage(t *testing.T) {
	t.Parallel()
	inner := &slow{Reader: indextest.NewOracle("g1", filings(24)), total: index.MostCounted + 1, paged: make(chan struct{}, 8)}
	r := live(t, mustNew(inner, 1<<20))
	page := func(county string, by index.Sort, counts bool, pages, calls int64) {
		t.Helper()
		inner.counts = counts
		_, total, err := r.Page(t.Context(), index.Query{Where: index.Where(index.InCounty(county)), Sort: by, Limit: 5})
		if err != nil || total != inner.total {
			t.Errorf("%s: a total of %d, %v", county, total, err)
		}
		if asked, counted := inner.pages.Swap(0), inner.counted.Swap(0); asked != pages || counted != calls {
			t.Errorf("%s: %d pages asked for their total, and %d calls counted, want %d and %d", county, asked, counted, pages, calls)
		}
	}
	byAmount := index.Sort{Field: index.FilingAmount}
	page("orange", index.DefaultSort, true, 1, 0)
	page("bibb", index.DefaultSort, true, 1, 0)
	page("orange, fl", byAmount, false, 1, 1)
	page("bibb, ga", byAmount, false, 0, 1)
	page("lake", index.DefaultSort, true, 1, 0)
}

// failing is a reader whose page or count fails. The other one of them waits until its call ends, if there is one.
type failing struct {
	*slow
	call string // that fails
	with func() error
	both bool // are called at the same time
}

func (e *failing) Live(context.Context) (index.Reader, error) { return e, nil }

func (e *failing) Rows(ctx context.Context, q index.Query) (index.Page, error) {
	if e.call == "rows" {
		return index.Page{}, e.with()
	}
	if e.both {
		<-ctx.Done()
		return index.Page{}, ctx.Err()
	}
	return e.slow.Rows(ctx, q)
}

func (e *failing) Count(ctx context.Context, _ index.Filter) (int64, error) {
	if e.call == "count" {
		return 0, e.with()
	}
	<-ctx.Done()
	return 0, ctx.Err()
}

// TestPage_Fails: if one of a page and its count fails, the other one ends, and that failure is the page's. So is a
// panic, which without a cache no other function turns into an error.
func TestPage_Fails(t *testing.T) {
	t.Parallel()
	for _, bytes := range []int64{0, 1 << 20} {
		for _, call := range []string{"rows", "count"} {
			for _, both := range []bool{false, true} {
				for want, with := range map[string]func() error{
					"a broken disk":  func() error { return errors.New("a broken disk") },
					"a broken table": func() error { panic("a broken table") },
				} {
					synctest.Test(t, func(t *testing.T) {
						inner := &slow{Reader: indextest.NewOracle("g1", filings(24)), paged: make(chan struct{}, 1)}
						q := index.Query{Sort: index.DefaultSort, Limit: 5}
						e := mustNew(&failing{inner, call, with, both}, bytes)
						e.many[shapeOf(q)].Store(both)
						page, total, err := live(t, e).Page(t.Context(), q)
						if page.Records != nil || total != 0 || err == nil || !strings.Contains(err.Error(), want) {
							t.Errorf("%d bytes, %s, both %t: %d rows of %d, %v; want %s",
								bytes, call, both, len(page.Records), total, err, want)
						}
					})
				}
			}
		}
	}
}

// A page of ids is cached for itself, and taken from the whole page where that is cached.
func TestX9_IDsOnly(t *testing.T) {
	t.Parallel()
	inner := &counting{reader: indextest.NewOracle("g1", filings(24))}
	r := live(t, mustNew(inner, 1<<20))
	for _, tt := range []struct {
		idsOnly bool
		offset  int
		calls   int64
	}{
		{true, 0, 1}, {true, 0, 0}, {false, 0, 1}, {true, 0, 0}, // the ids first
		{false, 5, 1}, {true, 5, 0}, {false, 5, 0}, // the whole page first
	} {
		before := inner.calls.Load()
		rows, err := r.Rows(t.Context(), index.Query{Sort: index.DefaultSort, Offset: tt.offset, Limit: 5, IDsOnly: tt.idsOnly})
		if calls := inner.calls.Load() - before; len(rows.Records) != 5 || err != nil || calls != tt.calls {
			t.Errorf("%+v: %d rows, %v, %d calls", tt, len(rows.Records), err, calls)
		}
	}
}

// TestGenerations: what is cached of one generation is not a response of another.
func TestGenerations(t *testing.T) {
	t.Parallel()
	inner := &counting{reader: indextest.NewOracle("g1", filings(24))}
	e := mustNew(inner, 1<<20)
	old := live(t, e)
	for want, r := range map[int64]index.Reader{24: indextest.NewOracle("g1", filings(24)), 7: indextest.NewOracle("g2", filings(7))} {
		inner.reader = r
		for range 2 {
			if got, err := live(t, e).Count(t.Context(), index.Filter{}); got != want || err != nil {
				t.Errorf("%s: %d, %v, want %d", r.Generation(), got, err, want)
			}
		}
	}
	if got, err := old.Count(t.Context(), index.Filter{}); got != 24 || err != nil {
		t.Errorf("a reader of the old generation says %d, %v", got, err)
	}
}

func TestErrorsAreNotKept(t *testing.T) {
	t.Parallel()
	failure := errors.New("too many clauses") // no outage, which would open the breaker
	inner := &counting{reader: indextest.NewOracle("g1", filings(24)), fail: failure}
	e := mustNew(inner, 1<<20)
	for name, send := range requests() {
		if _, err := send(t.Context(), live(t, e)); !errors.Is(err, failure) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := inner.looks.Load(); n != 0 { // which would wait for an engine that does not respond, again
		t.Errorf("failed calls looked %d times whether filings were withheld", n)
	}
	inner.fail = nil
	for name, send := range requests() {
		if _, err := send(t.Context(), live(t, e)); err != nil {
			t.Errorf("%s, after the failure: %v", name, err)
		}
	}
	if _, err := index.OneFiling(t.Context(), live(t, e), 77); !errors.Is(err, index.ErrNotFound) {
		t.Errorf("a filing that is not there: %v", err)
	}
}

// TestClockDoesNotPollute: requests that depend on the clock reach the engine, and leave nothing behind.
func TestClockDoesNotPollute(t *testing.T) {
	t.Parallel()
	inner := &counting{reader: indextest.NewOracle("g1", filings(24))}
	e := mustNew(inner, 1<<20)
	w := index.Where(index.Times{First: time.Unix(3, 0), Last: time.Unix(5, 0), Clocked: true})
	for range 2 {
		r := live(t, e)
		n, err := r.Count(t.Context(), w)
		rows, err2 := r.Rows(t.Context(), index.Query{Where: w, Sort: index.DefaultSort, Limit: 9})
		months, err3 := r.Groups(t.Context(), w, index.GroupQuery{Dimensions: []index.Dimension{index.ByMonth}})
		cells, err4 := r.Cells(t.Context(), w, quarters())
		if err := errors.Join(err, err2, err3, err4); err != nil || n != 3 || len(rows.Records) != 3 || len(months.List) != 3 || len(cells) != 1 {
			t.Errorf("%d, %d rows, %d months, %d cells, %v", n, len(rows.Records), len(months.List), len(cells), err)
		}
	}
	if hits, misses, bytes := e.counters(); inner.calls.Load() != 8 || hits+misses+bytes != 0 {
		t.Errorf("called %d times; %d hits, %d misses, %d bytes", inner.calls.Load(), hits, misses, bytes)
	}
}

func TestNoCache(t *testing.T) {
	t.Parallel()
	inner := &counting{reader: indextest.NewOracle("g1", filings(24))}
	for _, size := range []int64{0, -1} {
		before := inner.calls.Load()
		e := mustNew(inner, size)
		for range 2 {
			if _, err := live(t, e).Count(t.Context(), index.Filter{}); err != nil {
				t.Fatal(err)
			}
		}
		if hits, misses, bytes := e.counters(); inner.calls.Load() != before+2 || hits+misses+bytes != 0 {
			t.Errorf("size %d: called %d times; %d hits, %d misses, %d bytes", size, inner.calls.Load()-before, hits, misses, bytes)
		}
	}
}

func TestNothingIsLive(t *testing.T) {
	t.Parallel()
	if r := live(t, mustNew(&counting{reader: index.Empty{}}, 1<<20)); r.Generation() != "" {
		t.Errorf("generation %q", r.Generation())
	}
}

// TestBounded requests far more than fits: what is held stays below the bound, and responses stay right.
func TestBounded(t *testing.T) {
	t.Parallel()
	oracle := indextest.NewOracle("g1", filings(500))
	e := mustNew(&counting{reader: oracle}, 64<<10)
	r := live(t, e)
	for offset := range 500 {
		q := index.Query{Sort: index.DefaultSort, Offset: offset, Limit: 10}
		want, _ := oracle.Rows(t.Context(), q)
		got, err := r.Rows(t.Context(), q)
		if err != nil || !slices.EqualFunc(want.Records, got.Records, func(a, b index.Record) bool { return string(a) == string(b) }) {
			t.Fatalf("offset %d: %v", offset, err)
		}
	}
	if _, _, bytes := e.counters(); bytes == 0 || bytes > 64<<10 {
		t.Errorf("%d bytes are held, %d are allowed", bytes, 64<<10)
	}
}

// TestCompact: what is kept does not hold on to the buffer that it came in.
func TestCompact(t *testing.T) {
	t.Parallel()
	buffer := []byte(strings.Repeat("x", 1000) + `{"id":1}{"id":2}` + strings.Repeat("x", 1000))
	rows := compact([]index.Record{buffer[1000:1008], buffer[1008:1016]})
	clear(buffer)
	if string(rows[0]) != `{"id":1}` || string(rows[1]) != `{"id":2}` || cap(rows[0]) != 8 || cap(rows[1]) != 8 {
		t.Errorf("%q", rows)
	}
}

// TestRandom sends queries at random, over two generations that take turns, in a cache that is always too small.
func TestRandom(t *testing.T) {
	t.Parallel()
	generations := []*indextest.Oracle{indextest.NewOracle("g1", filings(24)), indextest.NewOracle("g2", filings(13))}
	inner := &counting{reader: generations[0]}
	e := mustNew(inner, 2<<10)
	all := requests()
	names := []string{}
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	rapid.Check(t, func(r *rapid.T) {
		oracle := rapid.SampledFrom(generations).Draw(r, "generation")
		inner.reader = oracle
		name := rapid.SampledFrom(names).Draw(r, "request")
		want, _ := all[name](context.Background(), oracle)
		got, err := all[name](context.Background(), live(t, e))
		if diff := cmp.Diff(fmt.Sprint(want), fmt.Sprint(got)); err != nil || diff != "" {
			r.Fatalf("%s: %v (-want +got)\n%s", name, err, diff)
		}
	})
}

// waiting is an engine whose counts wait until the test lets them go on, or their time is over.
type waiting struct {
	index.Reader
	index.History // of which no test reads
	calls         atomic.Int64
	release       chan struct{}
}

func (e *waiting) Live(context.Context) (index.Reader, error)      { return e, nil }
func (e *waiting) Withdrawn(context.Context, string) (bool, error) { return false, nil }

func (e *waiting) Kept(context.Context, string) ([]index.Generation, error) { return nil, nil }
func (e *waiting) Pin(context.Context, string) (index.Reader, error)        { return nil, index.ErrGone }

func (e *waiting) Count(ctx context.Context, _ index.Filter) (int64, error) {
	e.calls.Add(1)
	select {
	case <-e.release:
		return 7, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// TestSharedAcrossAccounts: what a flooding account waits for in its own queue, another account has
// in its own turn, with one call for both: the cache has the response by the flood's turn.
func TestSharedAcrossAccounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := &waiting{Reader: indextest.NewOracle("g1", filings(24)), release: make(chan struct{})}
		e := mustNew(inner, 1<<20)
		counts := make(chan int64, 30)
		count := func(account string, day int) {
			r := live(t, e)
			r.Account = account
			go func() {
				n, err := r.Count(t.Context(), index.Where(index.Days{First: fmt.Sprintf("2026-01-%02d", day)}))
				if err != nil {
					t.Error(err)
				}
				counts <- n
			}()
			synctest.Wait()
		}
		count("honest", 31)
		for day := range 20 {
			count("flood", day+1)
		}
		if got := inner.calls.Load(); got != 3 {
			t.Errorf("%d calls, want one of honest and two of flood", got)
		}
		count("honest", 20) // for which flood waits, behind 17 others
		if got := inner.calls.Load(); got != 4 || e.limit.Waiting() != 18 {
			t.Errorf("%d calls and %d waiting, want 4 and 18", got, e.limit.Waiting())
		}
		for range 4 { // these calls, in their order: that of honest ends before the turn of flood's equal one
			inner.release <- struct{}{}
			synctest.Wait()
		}
		close(inner.release)
		for range 22 {
			if n := <-counts; n != 7 {
				t.Errorf("counted %d", n)
			}
		}
		if got := inner.calls.Load(); got != 21 {
			t.Errorf("%d calls for 21 different counts", got)
		}
	})
}

// looking is a client who looks into the cache when it is asked: at the turn of its call.
type looking struct {
	reader *Reader
	text   string
	found  chan bool
}

func (c looking) Left() bool {
	_, ok := cache.Peek[int64](c.reader.engine.cache, c.reader.key(c.text))
	c.found <- ok
	return false
}

// TestCachedBeforeTheTurn: a response is cached before the slot of its call is another account's,
// whose equal call then calls nothing.
func TestCachedBeforeTheTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := &waiting{Reader: indextest.NewOracle("g1", filings(24)), release: make(chan struct{})}
		e, err := New(inner, Config{Cache: cache.New(1 << 20), Calls: 1})
		if err != nil {
			t.Fatal(err)
		}
		day := index.Where(index.Days{First: "2026-01-31"})
		found, counts := make(chan bool, 1), make(chan int64, 2)
		for _, account := range []string{"first", "second"} {
			r := live(t, e)
			if r.Account = account; account == "second" {
				r.Client = looking{r, countText(day), found}
			}
			go func() {
				n, err := r.Count(t.Context(), day)
				if err != nil {
					t.Error(err)
				}
				counts <- n
			}()
			synctest.Wait()
		}
		close(inner.release)
		if !<-found {
			t.Error("the cache has no response at the turn of an equal call")
		}
		if a, b := <-counts, <-counts; a != 7 || b != 7 || inner.calls.Load() != 1 {
			t.Errorf("counted %d and %d with %d calls", a, b, inner.calls.Load())
		}
	})
}

// TestCachedMeanwhile: a call that gets no slot in time returns the response that another account's
// call has cached while it waited, and frees no slot that it never had.
func TestCachedMeanwhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := &waiting{Reader: indextest.NewOracle("g1", filings(24)), release: make(chan struct{})}
		e := mustNew(inner, 1<<20)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		day := func(n int) index.Filter { return index.Where(index.Days{First: fmt.Sprintf("2026-01-%02d", n)}) }
		for n := range 2 * calls {
			r := live(t, e)
			r.Account = fmt.Sprint("flood ", n)
			go r.Count(t.Context(), day(n+1))
		}
		synctest.Wait()
		taken := e.limit.InProgress()
		r, results := live(t, e), make(chan error, 2)
		r.Account = "honest"
		for _, n := range []int{30, 31} {
			go func() {
				_, err := r.Count(ctx, day(n))
				results <- err
			}()
			synctest.Wait()
		}
		cache.Set(e.cache, r.key(countText(day(31))), int64(7), countBytes)
		<-time.After(30 * time.Second)
		var failed int
		for range 2 {
			if err := <-results; errors.Is(err, index.ErrUnavailable) {
				failed++
			} else if err != nil {
				t.Error(err)
			}
		}
		if failed != 1 || e.limit.InProgress() != taken {
			t.Errorf("%d of two calls failed; %d slots are taken, were %d", failed, e.limit.InProgress(), taken)
		}
		close(inner.release)
	})
}

// breadth is an engine whose server says how many calls it can work on at once.
type breadth struct {
	waiting
	slots int // -1: it does not respond
}

func (e *breadth) Live(context.Context) (index.Reader, error) { return &e.waiting, nil }

func (e *breadth) Slots(context.Context) (int, error) {
	if e.slots < 0 {
		return 0, index.ErrUnavailable
	}
	return e.slots, nil
}

// TestFit: as many calls are made at once as the engine's server can work on, eight at least; or as Config says. An
// account has a quarter of them while others make calls, and all but a quarter alone.
func TestFit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		slots, calls  int
		alone, beside int64
	}{{0, 0, 6, 2}, {26, 0, 20, 6}, {-1, 0, 6, 2}, {3, 0, 6, 2}, {0, 4, 3, 1}, {0, 16, 12, 4}} {
		synctest.Test(t, func(t *testing.T) {
			inner := &breadth{waiting: waiting{Reader: indextest.NewOracle("g1", filings(24)), release: make(chan struct{})}, slots: tt.slots}
			e, err := New(inner, Config{Calls: tt.calls})
			if err != nil {
				t.Fatal(err)
			}
			if tt.calls == 0 { // as a service starts
				if err := e.Fit(t.Context()); (err != nil) != (tt.slots < 0) {
					t.Errorf("%+v: %v", tt, err)
				}
			}
			calls := func(account string) int64 {
				ctx, cancel := context.WithCancel(t.Context())
				defer synctest.Wait()
				defer cancel()
				before := inner.calls.Load()
				for day := range 31 {
					r := live(t, e)
					r.Account = account
					go r.Count(ctx, index.Where(index.Days{First: fmt.Sprintf("2026-01-%02d", day+1)}))
				}
				synctest.Wait()
				return inner.calls.Load() - before
			}
			alone, beside := calls("a"), calls("b")
			if alone != tt.alone || beside != tt.beside {
				t.Errorf("%+v: %d calls alone and %d beside others", tt, alone, beside)
			}
		})
	}
}

// TestOutcomes: a call without a response is a timeout if the engine had half of a request's time, and else was ended.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := prometheus.NewRegistry()
		e, err := New(&waiting{Reader: indextest.NewOracle("g1", filings(24))}, Config{Registry: registry, RequestTime: 2 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		for _, had := range []time.Duration{999 * time.Millisecond, time.Second} {
			ctx, cancel := context.WithTimeout(t.Context(), had)
			if _, err := live(t, e).Count(ctx, index.Filter{}); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
			cancel()
		}
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]uint64{}
		for _, f := range families {
			for _, m := range f.Metric {
				if f.GetName() == "filings_engine_call_duration_seconds" && m.Label[0].GetValue() == "count" {
					got[m.Label[1].GetValue()] = m.GetHistogram().GetSampleCount()
				}
			}
		}
		want := map[string]uint64{"ended": 1, "timeout": 1, "unavailable": 0, "error": 0}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}

func BenchmarkHit(b *testing.B) {
	e := mustNew(&counting{reader: indextest.NewOracle("g1", filings(24))}, 1<<20)
	q := index.Query{Where: index.Where(index.InCounty("orange")), Sort: index.DefaultSort, Limit: 20}
	b.ReportAllocs()
	for b.Loop() {
		r, _ := e.Live(b.Context())
		if _, err := r.Rows(b.Context(), q); err != nil {
			b.Fatal(err)
		}
	}
}

// client is one that may hang up, and counts how often it was asked.
type client struct{ gone, asked atomic.Int64 }

func (c *client) Left() bool { c.asked.Add(1); return c.gone.Load() > 0 }

// TestLeft: nothing is computed for a client that has hung up, and its call says so. A result that
// others need too is computed, and so is one that comes after another that was. A client that does not
// wait is not asked.
func TestLeft(t *testing.T) {
	t.Parallel()
	for name, release := range map[string]bool{"their turns come": true, "their time is over": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { testLeft(t, release) })
		})
	}
}

func testLeft(t *testing.T, release bool) {
	inner := &waiting{Reader: indextest.NewOracle("g1", filings(24)), release: make(chan struct{})}
	e := mustNew(inner, 1<<20)
	ctx, over := context.WithTimeout(t.Context(), time.Hour)
	defer over()
	type result struct {
		of   string
		left bool // is wanted
		n    int64
		err  error
	}
	results := make(chan result, 20)
	count := func(of string, r *Reader, left bool, w index.Predicate) {
		go func() {
			n, err := r.Count(ctx, index.Where(w))
			results <- result{of, left, n, err}
		}()
		synctest.Wait()
	}
	var clients []*client
	reader := func(account string, gone int64) *Reader {
		r, c := live(t, e), new(client)
		r.Account, r.Client = account, c
		if gone > 0 {
			clients = append(clients, c)
		}
		return r
	}
	day := func(n int) index.Predicate { return index.Days{First: fmt.Sprintf("2026-01-%02d", n)} }
	computes := reader("a", 1)
	count("at once", computes, false, day(1))
	for n := range 5 {
		count("at once", reader("a", 1), false, day(n+2))
	}
	count("first of two", reader("a", 1), true, day(10))
	count("second of two", reader("a", 0), false, day(10))
	count("behind one at once", reader("a", 1), true, day(1))
	count("alone", reader("a", 1), true, day(11))
	count("not cached", reader("a", 1), true, index.Times{First: time.Unix(3, 0)})
	count("after another call", computes, false, day(12))
	for _, c := range clients {
		if c.gone.Store(1); c.asked.Load() != 0 {
			t.Error("a client was asked before its turn")
		}
	}
	want := int64(6)
	if release {
		close(inner.release)
		want = 8 // the second of two, and after another call
	}
	for range 12 {
		if got := <-results; errors.Is(got.err, index.ErrClientGone) != got.left || release && !got.left && (got.n != 7 || got.err != nil) {
			t.Errorf("%s: %d, %v", got.of, got.n, got.err)
		}
	}
	if clients[0].asked.Load() != 0 || inner.calls.Load() != want {
		t.Errorf("%d calls, want %d; who began at once was asked %d times", inner.calls.Load(), want, clients[0].asked.Load())
	}
}

// goingOn is an engine whose server goes on with counts after their time, as Elasticsearch does with aggregations.
type goingOn struct{ waiting }

func (e *goingOn) Live(context.Context) (index.Reader, error) { return e, nil }

func (e *goingOn) Count(ctx context.Context, w index.Filter) (int64, error) {
	if !index.IsDetached(ctx) {
		return 0, errors.New("who waits for the call waits for the server")
	}
	return e.waiting.Count(context.WithoutCancel(ctx), w)
}

// TestX60_GoingOn: whoever waits for a call with which the server goes on is answered when the time
// is over, and counts; the call has its slot until the server has ended it, so that the server
// never has more calls than there are slots. The same request makes another call.
func TestX60_GoingOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := &goingOn{waiting{Reader: indextest.NewOracle("g1", filings(24)), release: make(chan struct{})}}
		e := mustNew(inner, 1<<20)
		count := func(account string) {
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
			defer cancel()
			r, began := live(t, e), time.Now()
			r.Account = account
			_, err := r.Count(ctx, index.Where(index.Days{First: "2026-01-01"}))
			if !errors.Is(err, index.ErrSpent) || !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, index.ErrUnavailable) {
				t.Errorf("%s: %v", account, err)
			}
			if took := time.Since(began); took > 4*time.Second {
				t.Errorf("%s: answered after %v", account, took)
			}
		}
		for range calls - calls/4 { // what an account has alone, of long calls as well
			count("a")
		}
		if n := inner.calls.Load(); n != calls-calls/4 || e.limit.InProgress() != calls-calls/4 {
			t.Fatalf("%d calls of the server, %d slots taken", n, e.limit.InProgress())
		}
		count("a")
		if n := inner.calls.Load(); n != calls-calls/4 {
			t.Errorf("%d calls of the server beside those that it goes on with", n)
		}
		close(inner.release)
		synctest.Wait()
		if n := e.limit.InProgress(); n != 0 {
			t.Errorf("%d slots are taken after the server ended the calls", n)
		}
	})
}

// TestKinds: how long groups by some dimensions last says nothing of groups by others.
func TestKinds(t *testing.T) {
	t.Parallel()
	by := func(all ...index.Dimension) string { return index.GroupQuery{Dimensions: all}.Kind() }
	if a, b, c := by(index.ByCity), by(index.ByOwner, index.ByCity), by(index.ByCity, index.ByOwner); a == b || b == c {
		t.Errorf("%q, %q, %q", a, b, c)
	}
}
