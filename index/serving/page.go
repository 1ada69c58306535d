package serving

import (
	"context"

	"golang.org/x/sync/errgroup"

	"filings/index"
	"filings/index/cache"
)

// Page returns a page, and how many filings its filter selects in all. A total that is cached
// serves all pages and sorts of the filter. One that is not comes with the page, where the filter
// selects few filings. It is counted apart where it selects many: after the page, or at the same
// time if the last filter of this shape selected many too.
func (r *Reader) Page(ctx context.Context, q index.Query) (page index.Page, total int64, err error) {
	keeps := r.caches && !q.Where.ByClock()
	if keeps {
		if n, ok := cache.Peek[int64](r.engine.cache, r.key(countText(q.Where))); ok {
			r.hit()
			page, err = r.Rows(ctx, q)
			return page, n, err
		}
	}
	many := &r.engine.many[shapeOf(q)]
	if many.Load() {
		page, total, err = r.countMeanwhile(ctx, q)
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

// countMeanwhile returns a page, and counts at the same time.
func (r *Reader) countMeanwhile(ctx context.Context, q index.Query) (page index.Page, total int64, err error) {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() (err error) {
		defer index.Recovered(&err)
		total, err = r.Count(ctx, q.Where)
		return err
	})
	if page, err = r.Rows(ctx, q); err != nil {
		g.Go(func() error { return err }) // ends the other
	}
	return page, total, g.Wait()
}
