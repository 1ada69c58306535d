package elastic

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"filings/index"
)

const (
	// patience outlasts the election of a new master and the restart of a node.
	patience = 2 * time.Minute
	// requestTime is what a request may take. Elasticsearch itself gives up on most after 30 seconds, and stalls for 10
	// while it elects a master.
	requestTime = time.Minute
	// bulkTime is what a bulk request may take. On a machine with too much to do it takes minutes, and giving up makes
	// that worse: Elasticsearch goes on with a request that nobody waits for. A broken connection is noticed sooner.
	bulkTime = 5 * time.Minute
	// mergeTime is what merging a generation may take.
	mergeTime = 6 * time.Hour

	firstPause   = 50 * time.Millisecond
	longestPause = 10 * time.Second
)

// persist calls try, which must bear being repeated, each time for at most limit, until it returns something else than
// a temporary error. It gives up when ctx ends, or when the store's patience does, counted from the first failure.
func (s *Store) persist(ctx context.Context, limit time.Duration, try func(context.Context) error) error {
	var giveUp time.Time
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := attempt(ctx, limit, try)
		if !isTemporary(err) {
			return err
		}
		now := time.Now()
		if giveUp.IsZero() {
			giveUp = now.Add(s.patience)
		}
		if now.Add(pause).After(giveUp) {
			return err
		}
		s.log.WarnContext(ctx, "elasticsearch will be asked again", "error", err, "pause", pause)
		if wait(ctx, pause) != nil {
			return err
		}
	}
}

func attempt(ctx context.Context, limit time.Duration, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return try(ctx)
}

// send is client.do, repeated. It is for requests that do the same when they are carried out twice.
func (s *Store) send(ctx context.Context, limit time.Duration, method, path string, query url.Values, body []byte) error {
	return s.persist(ctx, limit, func(ctx context.Context) error {
		_, err := s.c.do(ctx, method, path, query, body)
		return err
	})
}

// isTemporary reports whether a request may do better a little later: there was no answer, or one of a cluster that has
// no master, no room in a queue, or no shard at this moment.
func isTemporary(err error) bool {
	var answer *answerError
	if !errors.As(err, &answer) {
		return errors.Is(err, index.ErrUnavailable)
	}
	if answer.page {
		return true
	}
	switch answer.status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout, partial:
		return true
	}
	return false
}

// wait pauses for about d, or until ctx ends. Those who were refused together must not come back together.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d/2 + rand.N(d))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
