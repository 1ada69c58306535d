package serving

import (
	"runtime"
	"testing"
	"time"

	"filings/index"
	"filings/index/indextest"
)

// newest is the first page of all.
var newest = index.Query{Sort: index.DefaultSort, Limit: 5}

// paged returns a Reader over n filings whose first page was read by q, its page, and the engine.
func paged(t *testing.T, n int, q index.Query) (*Reader, index.Page, *counting) {
	t.Helper()
	inner := &counting{reader: indextest.NewOracle("g1", filings(n))}
	r := live(t, mustNew(inner, 1<<20))
	page, err := r.Rows(t.Context(), q)
	if err != nil || len(page.Records) != q.Limit {
		t.Fatalf("%d rows, %v", len(page.Records), err)
	}
	return r, page, inner
}

// read reads one filing, and returns how many calls of the engine that took.
func read(t *testing.T, r *Reader, inner *counting, id int64) (record index.Record, calls int64) {
	t.Helper()
	before := inner.calls.Load()
	record, err := index.OneFiling(t.Context(), r, id)
	if err != nil {
		t.Fatal(err)
	}
	want, err := index.OneFiling(t.Context(), inner.reader, id)
	if err != nil || string(record) != string(want) {
		t.Errorf("filing %d is %s, %v; want %s", id, record, err, want)
	}
	return record, inner.calls.Load() - before
}

func filingOf(t *testing.T, record index.Record) int64 {
	t.Helper()
	id, err := record.ID()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// TestFiling_OfCachedPage: each filing of a cached page is the bytes that the page has. It takes no
// call and no more of the cache.
func TestFiling_OfCachedPage(t *testing.T) {
	t.Parallel()
	r, page, inner := paged(t, 24, newest)
	_, _, bytes := r.engine.counters()
	for _, row := range page.Records {
		record, calls := read(t, r, inner, filingOf(t, row))
		if &record[0] != &row[0] || calls != 0 {
			t.Errorf("%d calls, and other bytes than the page has: %v", calls, &record[0] != &row[0])
		}
	}
	hits, misses, after := r.engine.counters()
	if hits != 5 || misses != 1 || after != bytes {
		t.Errorf("%d hits, %d misses, %d bytes more", hits, misses, after-bytes)
	}
	if _, n, _ := r.Took(); n != 5 {
		t.Errorf("the reader had %d hits", n)
	}
}

// TestFiling_OfNoCachedPage: what is on no cached page of its generation, or not whole there, is
// read.
func TestFiling_OfNoCachedPage(t *testing.T) {
	t.Parallel()
	for name, q := range map[string]index.Query{
		"by the clock": {Where: index.Where(index.Times{Last: time.Unix(99, 0), Clocked: true}), Sort: newest.Sort, Limit: 5},
		"ids only":     {Sort: newest.Sort, Limit: 5, IDsOnly: true},
		"with keys":    {Sort: newest.Sort, Limit: 5, Keys: true},
		"other rows":   {Sort: newest.Sort, Limit: 5, Offset: 5},
	} {
		r, page, inner := paged(t, 24, q)
		id := filingOf(t, page.Records[0])
		if name == "other rows" {
			first, err := inner.reader.Rows(t.Context(), newest)
			if err != nil {
				t.Fatal(err)
			}
			id = filingOf(t, first.Records[0])
		}
		if _, calls := read(t, r, inner, id); calls != 1 {
			t.Errorf("%s: %d calls", name, calls)
		}
	}

	r, page, inner := paged(t, 24, newest)
	inner.reader = indextest.NewOracle("g2", filings(24))
	if _, calls := read(t, live(t, r.engine), inner, filingOf(t, page.Records[0])); calls != 1 {
		t.Errorf("of another generation: %d calls", calls)
	}

	uncached := &counting{reader: indextest.NewOracle("g1", filings(24))}
	r = live(t, mustNew(uncached, 0))
	if _, err := r.Rows(t.Context(), newest); err != nil {
		t.Fatal(err)
	}
	if _, calls := read(t, r, uncached, filingOf(t, page.Records[0])); calls != 1 {
		t.Errorf("without a cache: %d calls", calls)
	}
}

// TestFiling_OfEvictedPage: its rows hold no memory, and are not found once the page is gone; nor
// after a loss, at once.
func TestFiling_OfEvictedPage(t *testing.T) {
	t.Parallel()
	for name, forget := range map[string]func(*Engine){
		"evicted": func(e *Engine) { e.cache.Clear(); runtime.GC() },
		"lost":    func(e *Engine) { e.clear() },
	} {
		r, page, inner := paged(t, 24, newest)
		id := filingOf(t, page.Records[0])
		if name == "evicted" {
			page = index.Page{} // nobody has it
		}
		forget(r.engine)
		if _, calls := read(t, r, inner, id); calls != 1 {
			t.Errorf("%s: %d calls", name, calls)
		}
		runtime.KeepAlive(page)
	}
}

// TestFiling_SameSlot: of two filings with one slot each is itself.
func TestFiling_SameSlot(t *testing.T) {
	t.Parallel()
	all := filings(2)
	all[1].ID = all[0].ID + keptRows
	inner := &counting{reader: indextest.NewOracle("g1", all)}
	r := live(t, mustNew(inner, 1<<20))
	if _, err := r.Rows(t.Context(), newest); err != nil {
		t.Fatal(err)
	}
	var calls int64
	for _, f := range all {
		_, n := read(t, r, inner, f.ID)
		calls += n
	}
	if calls != 1 {
		t.Errorf("%d calls", calls)
	}
}
