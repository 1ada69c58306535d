package serving

import (
	"context"
	"time"

	"filings/index"
	"filings/index/cache"
)

// Most of what a page of 100 rows costs an engine is the call. So the pages behind a place, as a crawl requests them one after
// the other, are read several at a time: the first one is returned, the others are put into the cache, each under its own
// text, where the requests for them find it. How many are read doubles from call to call, so a client that looks at three
// pages costs one page more. When a quarter of many is requested, the next ones are read beside that, so that the client and
// the engine wait for each other no more: what is there has to last as long as the next ones take. Where a page is not there
// any more, or another process read it, it is read alone.

// Bounds of what is read at a time.
const (
	aheadPages = 16
	aheadRows  = 1000
	aheadBytes = 1 << 20
)

// crawled is what was read up to a place, put into the cache for the page behind it.
type crawled struct {
	pages int // at a time
	bytes int // of the last one
}

// next returns how many pages of a limit are read from there.
func (c crawled) next(limit int) int {
	if c.pages == 0 {
		return 1
	}
	return max(1, min(2*c.pages, aheadPages, aheadRows/max(1, limit), aheadBytes/max(1, c.bytes)))
}

const (
	// fewestBeside is how many pages are read at a time before the next ones are read beside them.
	fewestBeside = 8
	// besideTime is what that may take, the wait for its account's turn included.
	besideTime = 10 * time.Second
)

// crawledPart is the Part of a key under which there is no page, but what was read up to it, which takes crawledBytes.
const (
	crawledPart  = 1
	crawledBytes = 16
)

// nextPart is that under which the page is named behind which the next ones are to be read.
const nextPart = 2

// partKey is the key of what belongs to a page.
func (r *Reader) partKey(q index.Query, part int) cache.Key {
	key := r.key(rowsText(q))
	key.Part = part
	return key
}

// readOn reads the pages behind those that were read ahead, if q asks for the one a quarter of the way into them. It does not
// wait for them: a request that comes for the first of them meanwhile does.
func (r *Reader) readOn(ctx context.Context, q index.Query) {
	after, ok := cache.Take[string](r.engine.cache, r.partKey(q, nextPart))
	if !ok {
		return
	}
	q.After = after
	go func() {
		var err error // the request for the page shows it
		defer recovered(&err)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), besideTime)
		defer cancel()
		_, err = r.Rows(ctx, q)
	}()
}

// readAhead reads the page behind q.After, and puts those that follow it into the cache.
func (r *Reader) readAhead(ctx context.Context, q index.Query) (first index.Page, err error) {
	before, _ := cache.Take[crawled](r.engine.cache, r.partKey(q, crawledPart))
	n := before.next(q.Limit)
	read, err := r.inner.Rows(ctx, several(q, n))
	if rows := len(read.Records); err == nil && n > 1 && 0 < rows && rows < q.Limit {
		n = 1 // the last page, or rows that became so large
		read, err = r.inner.Rows(ctx, several(q, n))
	}
	if err != nil {
		return index.Page{}, err
	}
	for i, end := range read.Ends {
		rows := read.Records[i*q.Limit : min((i+1)*q.Limit, len(read.Records))]
		page := index.Page{Records: compact(rows), End: end}
		size := sizeOfPage(page)
		if i == 0 {
			first = page
		} else if len(rows) == q.Limit { // else there may be more of it
			cache.Put(r.engine.cache, r.key(rowsText(q)), page, size)
		}
		if n >= fewestBeside && i == n/4 && len(read.Records) == n*q.Limit {
			cache.Put(r.engine.cache, r.partKey(q, nextPart), read.End, len(read.End))
		}
		if q.After = end; len(rows) == q.Limit && i == len(read.Ends)-1 {
			cache.Put(r.engine.cache, r.partKey(q, crawledPart), crawled{n, size}, crawledBytes)
		}
	}
	return first, nil
}

// several returns the query for n pages of q that follow one another. A page alone is read whole, however large it is.
func several(q index.Query, n int) index.Query {
	q.Stride = q.Limit
	if n > 1 {
		q.Limit *= n
		q.Bytes = 2 * aheadBytes // some pages are larger than the one before
	}
	return q
}
