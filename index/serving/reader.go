package serving

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"filings/index"
	"filings/index/cache"
)

// Page returns a page, and how many filings its filter selects in all. A total that is cached
// serves all pages and sorts of the filter. One that is not comes with the page, if the filter
// selects few filings. If it selects many, it is counted apart: after the page, or at the same time
// if the last filter of this shape selected many too.
func (r *Reader) Page(ctx context.Context, q index.Query) (page index.Page, total int64, err error) {
	text := unlessClocked(q.Where, countText(q.Where))
	if total, ok := peek[int64](r, text); ok {
		page, err = r.Rows(ctx, q)
		return page, total, err
	}
	many := &r.engine.many[shapeOf(q)]
	g, joint := errgroup.WithContext(ctx)
	rows := func() (err error) {
		defer index.Recovered(&err)
		page, err = r.Rows(joint, q)
		return err
	}
	if q.Count = !many.Load(); q.Count {
		err = rows()
	} else {
		g.Go(rows)
	}
	if err == nil && !(q.Count && page.Counted) {
		g.Go(func() (err error) {
			defer index.Recovered(&err)
			total, err = r.Count(joint, q.Where)
			return err
		})
	}
	if err = cmp.Or(err, g.Wait()); err != nil {
		return index.Page{}, 0, err
	}
	if page.Counted {
		total = page.Total
		if r.caches && text != "" {
			cache.Set(r.engine.cache, r.key(text), total, countBytes)
		}
	}
	if !page.Counted || total <= index.MostCounted { // otherwise the engine counts even many with their page
		many.Store(total > index.MostCounted)
	}
	return page, total, nil
}

// Generation implements index.Reader.
func (r *Reader) Generation() string { return r.inner.Generation() }

// Rows implements index.Reader. A page of ids is taken from the whole page where that is cached.
func (r *Reader) Rows(ctx context.Context, q index.Query) (index.Page, error) {
	if whole := q; q.IDsOnly {
		whole.IDsOnly = false
		if page, ok := peek[*index.Page](r, rowsCall+whole.String()); ok {
			return *page, nil
		}
	}
	text := unlessClocked(q.Where, rowsCall+q.String())
	page, err := do(ctx, r, request[*index.Page]{call: "rows", text: text,
		run: func(ctx context.Context) (*index.Page, error) {
			page, err := r.inner.Rows(ctx, q)
			if err != nil || !r.caches {
				return &page, err
			}
			page.Records = compact(page.Records)
			if q.IDsOnly { // of the id alone there is nothing to be cut
				return &page, nil
			}
			err = page.Check() // once, since it is cached (rule X23)
			if err == nil && text != "" && !q.Keys {
				r.engine.rows.keep(r.Generation(), &page)
			}
			return &page, err
		}})
	if err != nil {
		return index.Page{}, err
	}
	return *page, nil
}

// exportsAccount is whose turns the calls of exports wait for: all exports are one account, whose
// name no user can have.
const exportsAccount = "\x00exports"

// Export is Rows for a part of an export. Nothing of it is cached, and one such call is in progress
// at a time: requests for pages come first (rule X8).
func (r *Reader) Export(ctx context.Context, q index.Query) (page index.Page, err error) {
	e := r.engine
	select {
	case e.exports <- struct{}{}:
		defer func() { <-e.exports }()
	case <-ctx.Done():
		return page, fmt.Errorf("waiting for another export's rows: %w: %w", index.ErrUnavailable, ctx.Err())
	}
	// r's client is asked no more: its request was answered, and its memory is another one's.
	alone := &Reader{inner: r.inner, engine: e, Account: exportsAccount}
	return called(ctx, alone, request[index.Page]{call: "export", run: func(ctx context.Context) (index.Page, error) {
		return r.inner.Rows(ctx, q)
	}})
}

// Count implements index.Reader.
func (r *Reader) Count(ctx context.Context, w index.Filter) (int64, error) {
	text := unlessClocked(w, countText(w))
	return do(ctx, r, request[int64]{call: "count", text: text,
		run: func(ctx context.Context) (int64, error) { return r.inner.Count(ctx, w) }})
}

const (
	rowsCall   = "rows "
	countBytes = 8 // a count takes
)

func countText(w index.Filter) string { return "count " + w.String() }

// Filings implements index.Reader. One alone comes from a cached page that has it; otherwise it is
// checked and cached.
func (r *Reader) Filings(ctx context.Context, ids []int64) ([]index.Record, error) {
	if len(ids) != 1 {
		return do(ctx, r, request[[]index.Record]{call: "filings", run: func(ctx context.Context) ([]index.Record, error) {
			return r.inner.Filings(ctx, ids)
		}})
	}
	if r.caches {
		if record := r.engine.rows.find(r.Generation(), ids[0]); record != nil {
			r.hit()
			return []index.Record{record}, nil
		}
	}
	record, err := do(ctx, r, request[index.Record]{call: "filing", text: "filing " + strconv.FormatInt(ids[0], 10),
		run: func(ctx context.Context) (index.Record, error) {
			v, err := index.OneFiling(ctx, r.inner, ids[0])
			if err == nil {
				err = v.Check()
			}
			return slices.Clone(v), err
		}})
	if errors.Is(err, index.ErrNotFound) {
		err = nil
	}
	return []index.Record{record}, err
}

// Stats implements index.Reader.
func (r *Reader) Stats(ctx context.Context) (index.Stats, error) {
	return do(ctx, r, request[index.Stats]{call: "stats", text: "stats", run: r.inner.Stats})
}

// Counties implements index.Reader.
func (r *Reader) Counties(ctx context.Context) ([]index.CountyStats, error) {
	return do(ctx, r, request[[]index.CountyStats]{call: "counties", text: "counties", run: r.inner.Counties})
}

// Groups implements index.Reader.
func (r *Reader) Groups(ctx context.Context, w index.Filter, q index.GroupQuery) (index.Groups, error) {
	return do(ctx, r, request[index.Groups]{call: "groups", kind: q.Kind(), text: unlessClocked(w, q.Text(w)),
		run: func(ctx context.Context) (index.Groups, error) { return r.inner.Groups(ctx, w, q) }})
}

// Cells implements index.Reader.
func (r *Reader) Cells(ctx context.Context, w index.Filter, g index.Grid) ([]index.Cell, error) {
	return do(ctx, r, request[[]index.Cell]{call: "cells", text: unlessClocked(w, g.Text(w)),
		run: func(ctx context.Context) ([]index.Cell, error) { return r.inner.Cells(ctx, w, g) }})
}

// Owners implements index.Reader.
func (r *Reader) Owners(ctx context.Context, q index.OwnerQuery) (index.Owners, error) {
	return do(ctx, r, request[index.Owners]{call: "owners", text: q.Text(),
		run: func(ctx context.Context) (index.Owners, error) { return r.inner.Owners(ctx, q) }})
}

// Nearest implements index.Reader.
func (r *Reader) Nearest(ctx context.Context, words []string) ([][]string, error) {
	return do(ctx, r, request[[][]string]{call: "nearest", text: fmt.Sprintf("nearest %q", words),
		run: func(ctx context.Context) ([][]string, error) { return r.inner.Nearest(ctx, words) }})
}

// unlessClocked returns the text of a request with the filter w, or "" where it depends on the
// clock: it is another one at each request, and would only evict responses that are requested
// again.
func unlessClocked(w index.Filter, text string) string {
	if w.ByClock() {
		return ""
	}
	return text
}

// compact copies rows into one buffer of their own.
func compact(rows []index.Record) []index.Record {
	total := 0
	for _, r := range rows {
		total += len(r)
	}
	buffer, copies := make([]byte, 0, total), make([]index.Record, len(rows))
	for i, r := range rows {
		start := len(buffer)
		buffer = append(buffer, r...)
		copies[i] = buffer[start:len(buffer):len(buffer)]
	}
	return copies
}
