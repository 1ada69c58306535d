package sidecar

import (
	"context"
	"math"

	"golang.org/x/sync/errgroup"

	"filings/index"
	"filings/index/cache"
)

// Changesets are those that an engine keeps, and the filings of generations.
type Changesets interface {
	// Sidecar returns the Source of a kind of chunks beside a finished generation; of Changeset, it
	// returns index.ErrGone where that is not kept.
	Sidecar(generation, kind string) Source
	// Filings is of a generation that a changeset which has no copies leads from or to.
	Filings(ctx context.Context, generation string, ids []int64) ([]index.Version, error)
}

const (
	// chunksAtOnce are read of a changeset that is read alone: those of a page of 1,000 with copies.
	chunksAtOnce = 3
	// concurrency is how many requests a page has in progress.
	concurrency = 4
	// pageBytes is how many bytes the versions on a page may have together: it ends after the
	// filing with which they have more.
	pageBytes = 4 << 20
	// readFirst is of how many changes filings are read before it is known how large they are, and
	// readGrowth how many times as many are read next at the most.
	readFirst, readGrowth = 128, 8
)

// stream is the changes of one changeset on their way into a page.
type stream struct {
	index.Changeset
	pending []entry
	read    int64 // all changes up to this id were read
	ended   bool
}

// Page returns the page that q selects. The contents of a changeset stay in the cache.
func Page(ctx context.Context, source Changesets, kept *cache.Cache, q index.ChangeQuery) (index.ChangePage, error) {
	p := &page{source: source, cache: kept, q: q}
	for _, name := range q.Generations {
		p.streams = append(p.streams, &stream{Changeset: index.Changeset{Generation: name}, read: q.LastID})
	}
	for {
		if err := p.advance(ctx); err != nil {
			return index.ChangePage{}, err
		}
		if p.take() {
			break
		}
	}
	changes, err := p.changes(ctx)
	return index.ChangePage{Changes: changes, More: p.more}, err
}

// page is being put together.
type page struct {
	source  Changesets
	cache   *cache.Cache
	q       index.ChangeQuery
	streams []*stream
	taken   []taken
	copied  int // bytes of the copies among them
	more    bool
}

// taken is a change that is on the page.
type taken struct {
	entry
	stream *stream
}

// advance reads on in the changesets of which nothing is pending.
func (p *page) advance(ctx context.Context) error {
	n := max(1, chunksAtOnce/max(1, len(p.streams)))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrency)
	for _, s := range p.streams {
		if s.ended || len(s.pending) > 0 {
			continue
		}
		group.Go(func() error {
			chunks, err := p.chunks(ctx, s, n)
			for _, data := range chunks {
				if full, err := s.take(data, p.q); full || err != nil {
					return err // the rest of the chunks is of other pages
				}
			}
			s.ended = len(chunks) < n
			return err
		})
	}
	return group.Wait()
}

// take makes changes of a chunk that q selects pending. full: they are one more than a page has,
// which says that there are more.
func (s *stream) take(data []byte, q index.ChangeQuery) (full bool, err error) {
	c, err := openChanges(data)
	if err != nil {
		return false, err
	}
	s.Changeset = c.Changeset
	for len(s.pending) <= q.Limit {
		e, more := c.next()
		if !more {
			return false, c.damage()
		}
		if e.ID > s.read {
			if s.read = e.ID; e.FieldGroups&q.FieldGroups != 0 {
				s.pending = append(s.pending, e)
			}
		}
	}
	return true, nil
}

// chunks returns the next n chunks of a changeset that have changes to tell, or all that are left.
func (p *page) chunks(ctx context.Context, s *stream, n int) ([][]byte, error) {
	sidecar := p.source.Sidecar(s.Generation, Changeset)
	key := cache.Key{Space: "changes of " + s.Generation, Text: sectionContents}
	contents, _, err := cache.Get(ctx, p.cache, key, func(ctx context.Context) ([]contained, int, error) {
		contents, err := readContents(ctx, sidecar)
		return contents, 16 * len(contents), err
	})
	var next []int
	for i, c := range contents {
		if c.last > s.read && c.groups&p.q.FieldGroups != 0 && len(next) < n {
			next = append(next, i)
		}
	}
	if err != nil || len(next) == 0 {
		return nil, err
	}
	return sidecar(ctx, sectionChanges, next)
}

// take moves pending changes onto the page, an id at a time, as far as every changeset was read. It
// reports whether the page is done.
func (p *page) take() bool {
	for {
		id, end := int64(math.MaxInt64), true
		bound := int64(math.MaxInt64)
		for _, s := range p.streams {
			if len(s.pending) > 0 {
				id, end = min(id, s.pending[0].ID), false
			}
			if !s.ended {
				bound = min(bound, s.read)
			}
		}
		if end || id > bound {
			return end && bound == math.MaxInt64
		}
		var changes []taken
		for _, s := range p.streams {
			if len(s.pending) > 0 && s.pending[0].ID == id {
				changes = append(changes, taken{s.pending[0], s})
			}
		}
		if p.more = len(p.taken) > 0 && (len(p.taken)+len(changes) > p.q.Limit || p.copied > pageBytes); p.more {
			return true
		}
		p.taken = append(p.taken, changes...)
		for _, t := range changes {
			t.stream.pending = t.stream.pending[1:]
			p.copied += t.size()
		}
	}
}

// changes reads the filings of changes without copies, and ends the page where it has its bytes.
func (p *page) changes(ctx context.Context) ([]index.Change, error) {
	size, n := 0, readFirst
	for filled := 0; filled < len(p.taken); {
		end := p.endOfFiling(min(filled+n, len(p.taken)))
		if err := p.fill(ctx, p.taken[filled:end]); err != nil {
			return nil, err
		}
		for n = readGrowth * (end - filled); filled < end && size <= pageBytes; filled++ {
			size += p.taken[filled].size()
		}
		if filled = p.endOfFiling(filled); size > pageBytes {
			p.more = p.more || filled < len(p.taken)
			p.taken = p.taken[:filled]
		}
		n = max(1, min(n, (pageBytes-size)*filled/max(1, size)))
	}
	changes := make([]index.Change, len(p.taken))
	for i, t := range p.taken {
		changes[i] = index.Change{Generation: t.stream.Generation, ID: t.ID, Earlier: t.earlier, Later: t.later}
	}
	return changes, nil
}

// endOfFiling returns where the filing ends of which the last of the first i changes is.
func (p *page) endOfFiling(i int) int {
	for 0 < i && i < len(p.taken) && p.taken[i].ID == p.taken[i-1].ID {
		i++
	}
	return i
}

// fill reads the filings of some of the changes, those of several changesets at once.
func (p *page) fill(ctx context.Context, changes []taken) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrency / 2) // of each changeset two generations are read
	for _, s := range p.streams {
		var entries []*entry
		for i := range changes { // the entries of other changesets may be written meanwhile
			if t := &changes[i]; t.stream == s && t.size() == 0 {
				entries = append(entries, &t.entry)
			}
		}
		group.Go(func() error { return fill(ctx, s.Changeset, entries, p.q.LaterOnly, p.source.Filings) })
	}
	return group.Wait()
}
