package elastic

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"
	"golang.org/x/sync/singleflight"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/reader"
	"filings/index/generation"
)

const (
	// liveFor is how long the live generation is taken for granted. index.Engine promises a second.
	liveFor = time.Second
	// refreshAfter is when a caller looks anew without waiting for the response, so that under traffic no request waits.
	refreshAfter = liveFor * 3 / 4
	// lookTime is what a look may take. All callers that come meanwhile wait for the same response: one that is lost must
	// not keep them from a server that has returned.
	lookTime = 3 * time.Second
)

// live is which generation is live, as seen last.
type live struct {
	seen   atomic.Pointer[seen]
	flight singleflight.Group
}

// seen is the result of a look. reader is nil before the first one.
type seen struct {
	reader index.Reader // if lost is set, the one of the generation that was live before, if any
	lost   error        // index.ErrLost
	at     time.Time    // when the request was sent

	sealed   generation.Identity // of the reader's generation
	compared time.Time           // when it was, last
}

// result is what a caller gets of k.
func (k *seen) result() (index.Reader, error) {
	if k.lost != nil {
		return nil, k.lost
	}
	return k.reader, nil
}

// isFresh reports whether k will do for a caller who came at t. A reader whose index was seen to be gone never does.
func (k *seen) isFresh(t time.Time) bool {
	if k == nil || k.lost == nil && (k.reader == nil || isGone(k.reader)) {
		return false
	}
	age := t.Sub(k.at)
	return age >= -liveFor && age < liveFor // before -liveFor the clock was set back
}

func isGone(r index.Reader) bool {
	pinned, ok := r.(*reader.Reader)
	return ok && pinned.Gone()
}

// Live returns a Reader of the live generation. While the generation stays the same it is the same Reader, so that what the
// Reader has cached lasts. It is an error if the alias points at two indices, or if an index has its name; and index.ErrLost
// if it points at none, although a generation was live before.
func (s *Store) Live(ctx context.Context) (index.Reader, error) {
	came := s.now()
	for {
		k := s.live.seen.Load()
		fresh := k.isFresh(came)
		if fresh && came.Sub(k.at) < refreshAfter {
			return k.result()
		}
		// The first caller's end must not fail those who wait with it.
		response := s.live.flight.DoChan("", func() (any, error) { return s.look(context.WithoutCancel(ctx)) })
		if fresh {
			return k.result()
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("looking which generation is live: %w", context.Cause(ctx))
		case result := <-response:
			if result.Err != nil {
				return nil, result.Err
			}
			// The request may have been on its way for long when this caller joined it.
			if k := result.Val.(*seen); k.isFresh(came) {
				return k.result()
			}
		}
	}
}

// look finds out which generation is live, and keeps that unless there was a swap meanwhile.
func (s *Store) look(ctx context.Context) (*seen, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	before := s.live.seen.Load()
	k := &seen{}
	if before != nil {
		*k = *before
	}
	k.at = s.now()
	name, err := s.liveName(ctx)
	if err == nil && name == "" {
		name, err = s.missing(ctx)
	}
	switch {
	case errors.Is(err, index.ErrLost):
		k.lost, k.compared = err, time.Time{}
	case err != nil:
		return nil, fmt.Errorf("looking which generation is live: %w", err)
	case name == "":
		*k = seen{reader: index.Empty{}, at: k.at}
	case k.reader != nil && k.reader.Generation() == name && !isGone(k.reader):
		s.compare(ctx, k, name)
	default:
		// What is not sealed is behind the alias by a foreign template. What is gone, the first search finds out.
		meta, err := s.sealed(ctx, name)
		if err != nil && !errors.Is(err, index.ErrNotFound) {
			return nil, fmt.Errorf("looking at the live generation %s: %w", name, err)
		}
		*k = seen{reader: reader.New(s.c, name, s.cache), at: k.at, sealed: meta.Identity}
		s.compare(ctx, k, name)
	}
	s.live.seen.CompareAndSwap(before, k)
	return k, nil
}

// compare compares the live generation with what was sealed, if the last time was compareAfter ago.
func (s *Store) compare(ctx context.Context, k *seen, name string) {
	if age := k.at.Sub(k.compared); 0 <= age && age < compareAfter {
		return
	}
	k.compared, k.lost = k.at, nil
	if err := s.changed(ctx, name, k.sealed); err != nil {
		k.lost = fmt.Errorf("%w: %w: %s", index.ErrLost, err, generation.Repair)
	}
}

// forget makes the next Live look. The reader is kept, for the case that its generation still is the live one.
func (s *Store) forget() {
	stale := &seen{}
	if k := s.live.seen.Load(); k != nil {
		*stale = *k
		stale.at = time.Time{}
	}
	s.live.seen.Store(stale)
	s.live.flight.Forget("")
}

// liveName returns the index that the alias points at, "" for none.
func (s *Store) liveName(ctx context.Context) (string, error) {
	// The aliases of the alias also show when it is no alias but an index.
	var indices map[string]described
	err := s.c.ReadInto(ctx, &indices, esapi.IndicesGetAliasRequest{Index: []string{s.alias}})
	if errors.Is(err, index.ErrGone) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if _, isIndex := indices[s.alias]; isIndex {
		return "", fmt.Errorf("%s is an index, where an alias is needed: choose another name or delete it", s.alias)
	}
	names := s.promoted(indices)
	if len(names) == 0 {
		return "", client.ErrResponse // without the alias it is a 404
	}
	if len(names) > 1 {
		return "", fmt.Errorf("the alias %s points at %s: remove all but one", s.alias, strings.Join(names, " and "))
	}
	if _, ok := generation.ParseName(s.alias, names[0]); !ok {
		return "", fmt.Errorf("the alias %s points at %s, which is no generation", s.alias, names[0])
	}
	return names[0], nil
}
