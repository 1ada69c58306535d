package serving

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"filings/index"
	"filings/index/cache"
	"filings/index/limit"
)

// Reader reads one generation, from the cache where it can.
type Reader struct {
	// Account is whose calls these are: they wait for its turns. "": the service's own.
	Account string

	inner  index.Reader
	engine *Engine
	caches bool // there is a cache, and a generation to cache by
}

var _ index.Reader = (*Reader)(nil)

// request is one call of a Reader's method.
type request[T any] struct {
	call string // the method, as metrics name it
	text string // canonical: requests of the same text have the same response; "": it is not cached
	size func(T) int
	run  func(context.Context) (T, error)
}

// do returns the response to q: a cached one, that of an equal request in progress, or the engine's.
func do[T any](ctx context.Context, r *Reader, q request[T]) (T, error) {
	e := r.engine
	if !r.caches || q.text == "" {
		turn := e.limit.Join(r.Account, "")
		defer turn.Leave(r.Account)
		return called(ctx, e, r.inner, turn, q)
	}
	key := r.key(q.text)
	if v, ok := cache.Peek[T](e.cache, key); ok {
		e.hits.Add(1)
		return v, nil
	}
	turn := e.limit.Join(r.Account, key.Space+" "+key.Text)
	defer turn.Leave(r.Account)
	v, hit, err := cache.Get(ctx, e.cache, key, func(ctx context.Context) (T, int, error) {
		v, err := called(ctx, e, r.inner, turn, q)
		if err != nil {
			return v, 0, err
		}
		return v, q.size(v), nil
	})
	if hit {
		e.hits.Add(1)
	} else {
		e.misses.Add(1)
	}
	return v, err
}

// called calls the engine, of which r is a Reader or nil, when it is turn's turn, behind the breaker.
func called[T any](ctx context.Context, e *Engine, r index.Reader, turn *limit.Call, q request[T]) (v T, err error) {
	if err := e.breaker.Refuses(); err != nil {
		return v, err
	}
	if err := e.acquire(ctx, turn); err != nil {
		return v, err
	}
	defer turn.Release()
	var failed error
	err = e.breaker.Do(ctx, func(ctx context.Context) error {
		v, failed = timed(ctx, e, q.call, q.run)
		return outage(failed)
	})
	e.noteDamage(r, failed)
	return v, cmp.Or(err, failed)
}

// acquire waits for the turn of a call. That it does not come in time is no failure of the engine.
func (e *Engine) acquire(ctx context.Context, turn *limit.Call) error {
	share, err := turn.Acquire(ctx)
	if err == nil {
		return nil
	}
	reason, text := "all", "all calls at once are in use"
	if share {
		reason, text = "share", "its account's share of calls at once is in use"
	}
	e.refused.WithLabelValues(reason).Inc()
	return fmt.Errorf("waiting for the engine: %s: %w: %w", text, index.ErrUnavailable, err)
}

func (r *Reader) key(text string) cache.Key {
	return cache.Key{Space: r.inner.Generation(), Text: text}
}

// Generation implements index.Reader.
func (r *Reader) Generation() string { return r.inner.Generation() }

// Page returns a page, and how many filings its filter selects in all. A total that is cached serves all pages and sorts of
// the filter. One that is not comes with the page, where the filter selects few filings. It is counted apart where it selects
// many: behind the page, or beside it if the last filter of this kind selected many too.
func (r *Reader) Page(ctx context.Context, q index.Query) (page index.Page, total int64, err error) {
	keeps := r.caches && !q.Where.ByTime()
	if keeps {
		if n, ok := cache.Peek[int64](r.engine.cache, r.key(countText(q.Where))); ok {
			r.engine.hits.Add(1)
			page, err = r.Rows(ctx, q)
			return page, n, err
		}
	}
	many := &r.engine.many[kindOf(q)]
	if many.Load() {
		page, total, err = r.besideCount(ctx, q)
	} else {
		q.Count = true
		if page, err = r.Rows(ctx, q); err == nil && !page.Counted {
			total, err = r.Count(ctx, q.Where)
		}
	}
	if err != nil {
		return index.Page{}, 0, err
	}
	if page.Counted {
		total = page.Total
		if keeps {
			cache.Set(r.engine.cache, r.key(countText(q.Where)), total, countBytes)
		}
	}
	if !page.Counted || total <= index.MostCounted { // else the engine counts even many with their page
		many.Store(total > index.MostCounted)
	}
	return page, total, nil
}

// kinds is how many values kindOf has.
const kinds = 1 << 11

// kindOf tells filters with different types of predicates apart, and pages in the default order from others.
func kindOf(q index.Query) (kind int) {
	if q.Sort != index.DefaultSort {
		kind = 1 << 10
	}
	for _, p := range q.Where.Predicates() {
		switch p.(type) {
		case index.AnyOf:
			kind |= 1 << 0
		case index.NoneOf:
			kind |= 1 << 1
		case index.IDs:
			kind |= 1 << 2
		case index.Between:
			kind |= 1 << 3
		case index.Days:
			kind |= 1 << 4
		case index.Times:
			kind |= 1 << 5
		case index.Present:
			kind |= 1 << 6
		case index.Box:
			kind |= 1 << 7
		case index.Contains:
			kind |= 1 << 8
		default:
			kind |= 1 << 9
		}
	}
	return kind
}

// besideCount returns a page, and counts beside it.
func (r *Reader) besideCount(ctx context.Context, q index.Query) (page index.Page, total int64, err error) {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() (err error) {
		defer recovered(&err)
		total, err = r.Count(ctx, q.Where)
		return err
	})
	if page, err = r.Rows(ctx, q); err != nil {
		g.Go(func() error { return err }) // ends the other
	}
	return page, total, g.Wait()
}

// recovered makes a panic on a goroutine of our own an error: the recovery of a request does not reach there.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
	}
}

// Rows implements index.Reader. A page of ids is taken from the whole page where that is cached.
func (r *Reader) Rows(ctx context.Context, q index.Query) (index.Page, error) {
	if whole := q; r.caches && q.IDsOnly {
		whole.IDsOnly = false
		if page, ok := cache.Peek[index.Page](r.engine.cache, r.key(rowsText(whole))); ok {
			r.engine.hits.Add(1)
			return page, nil
		}
	}
	return do(ctx, r, request[index.Page]{"rows", unlessClocked(q.Where, rowsCall, q), sizeOfPage,
		func(ctx context.Context) (index.Page, error) {
			page, err := r.inner.Rows(ctx, q)
			if err == nil && r.caches {
				page.Records = compact(page.Records)
				err = checked(&page, q)
			}
			return page, err
		}})
}

// checked looks once at the records of a page that is cached (rule X23). Records of the id alone have nothing to be cut.
func checked(page *index.Page, q index.Query) error {
	if q.IDsOnly {
		return nil
	}
	return page.Check()
}

// exportsAccount is whose turns the calls of exports wait for: all exports are one account, whose name no user can have.
const exportsAccount = "\x00exports"

// Export is Rows for a part of an export. Nothing of it is cached, and one such call is in progress at a time: requests for
// pages come first (rule X8).
func (r *Reader) Export(ctx context.Context, q index.Query) (page index.Page, err error) {
	e := r.engine
	select {
	case e.exports <- struct{}{}:
		defer func() { <-e.exports }()
	case <-ctx.Done():
		return page, fmt.Errorf("waiting for another export's rows: %w: %w", index.ErrUnavailable, ctx.Err())
	}
	turn := e.limit.Join(exportsAccount, "")
	defer turn.Leave(exportsAccount)
	return called(ctx, e, r.inner, turn, request[index.Page]{call: "export", run: func(ctx context.Context) (index.Page, error) {
		return r.inner.Rows(ctx, q)
	}})
}

// Count implements index.Reader.
func (r *Reader) Count(ctx context.Context, w index.Filter) (int64, error) {
	return do(ctx, r, request[int64]{"count", unlessClocked(w, "count ", w), func(int64) int { return countBytes },
		func(ctx context.Context) (int64, error) { return r.inner.Count(ctx, w) }})
}

const (
	rowsCall   = "rows "
	countBytes = 8 // a count takes
)

func rowsText(q index.Query) string { return rowsCall + q.String() }

func countText(w index.Filter) string { return "count " + w.String() }

// Filing implements index.Reader.
func (r *Reader) Filing(ctx context.Context, id int64) (index.Record, error) {
	return do(ctx, r, request[index.Record]{"filing", "filing " + strconv.FormatInt(id, 10), func(v index.Record) int { return cap(v) },
		func(ctx context.Context) (index.Record, error) {
			v, err := r.inner.Filing(ctx, id)
			if err == nil {
				err = v.Check()
			}
			return slices.Clone(v), err
		}})
}

// Filings implements index.Reader.
func (r *Reader) Filings(ctx context.Context, ids []int64) ([]index.Record, error) {
	return do(ctx, r, request[[]index.Record]{call: "filings", run: func(ctx context.Context) ([]index.Record, error) {
		return r.inner.Filings(ctx, ids)
	}})
}

// Stats implements index.Reader.
func (r *Reader) Stats(ctx context.Context) (index.Stats, error) {
	return do(ctx, r, request[index.Stats]{"stats", "stats", func(index.Stats) int { return 72 }, r.inner.Stats})
}

// Counties implements index.Reader.
func (r *Reader) Counties(ctx context.Context) ([]index.CountyStats, error) {
	return do(ctx, r, request[[]index.CountyStats]{"counties", "counties", sizeOfCounties, r.inner.Counties})
}

// Distinct implements index.Reader.
func (r *Reader) Distinct(ctx context.Context, w index.Filter, f index.Field) ([]string, error) {
	return do(ctx, r, request[[]string]{"distinct", unlessClocked(w, "distinct "+f.String()+" ", w), sizeOfTexts,
		func(ctx context.Context) ([]string, error) { return r.inner.Distinct(ctx, w, f) }})
}

// Groups implements index.Reader.
func (r *Reader) Groups(ctx context.Context, w index.Filter, by []index.Dimension) (index.Groups, error) {
	text := ""
	if !w.ByTime() {
		text = index.GroupsText(w, by)
	}
	return do(ctx, r, request[index.Groups]{"groups", text, sizeOfGroups,
		func(ctx context.Context) (index.Groups, error) { return r.inner.Groups(ctx, w, by) }})
}

// Cells implements index.Reader.
func (r *Reader) Cells(ctx context.Context, w index.Filter, g index.Grid) ([]index.Cell, error) {
	text := ""
	if !w.ByTime() {
		text = g.Text(w)
	}
	return do(ctx, r, request[[]index.Cell]{"cells", text, sizeOfCells,
		func(ctx context.Context) ([]index.Cell, error) { return r.inner.Cells(ctx, w, g) }})
}

// unlessClocked returns the canonical text of a request with the filter w, or "" where it depends on the clock: it is another
// one at each request, and would only evict what is requested again.
func unlessClocked(w index.Filter, call string, rest fmt.Stringer) string {
	if w.ByTime() {
		return ""
	}
	return call + rest.String()
}

// compact copies rows into one buffer of their own.
func compact(rows []index.Record) []index.Record {
	total := 0
	for _, r := range rows {
		total += len(r)
	}
	buffer, own := make([]byte, 0, total), make([]index.Record, len(rows))
	for i, r := range rows {
		start := len(buffer)
		buffer = append(buffer, r...)
		own[i] = buffer[start:len(buffer):len(buffer)]
	}
	return own
}

const sliceBytes, textBytes, timeBytes = 24, 16, 24 // headers of a slice and of a string; a time.Time

const cutBytes = 3 * 8 // where a record is cut for each tier

func sizeOfPage(page index.Page) int {
	n := sliceBytes + textBytes + len(page.End) + 16
	for _, r := range page.Records {
		n += len(r) + sliceBytes + cutBytes
	}
	return n
}

func sizeOfTexts(texts []string) int {
	n := 0
	for _, s := range texts {
		n += len(s) + textBytes
	}
	return n
}

func sizeOfCounties(counties []index.CountyStats) int {
	n := 0
	for _, c := range counties {
		n += len(c.County) + len(c.FirstFilingDate) + len(c.LastFilingDate) + 3*textBytes + 6*8 + timeBytes
	}
	return n
}

func sizeOfGroups(groups index.Groups) int {
	n := 8 + sliceBytes
	for _, g := range groups.List {
		n += len(g.Keys[0]) + len(g.Keys[1]) + 2*textBytes + 5*8
	}
	return n
}

func sizeOfCells(cells []index.Cell) int { return cap(cells) * 10 * 8 }
