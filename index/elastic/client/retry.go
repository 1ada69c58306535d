package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"filings/index"
)

const (
	// retryFor outlasts the election of a new master and the restart of a node.
	retryFor = 2 * time.Minute
	// RequestTime is the longest time of a request. Elasticsearch itself gives up on most after 30
	// seconds, and stalls for 10 while it elects a master.
	RequestTime = time.Minute
	// BulkTime is the longest time of a bulk request. On a machine with too much to do it takes
	// minutes, and giving up makes that worse: Elasticsearch goes on with a request that no client
	// waits for. A broken connection is noticed sooner.
	BulkTime = 5 * time.Minute
	// MergeTime is the longest time of merging a generation.
	MergeTime = 6 * time.Hour

	// FirstPause is how long Retry waits after a first failure, about.
	FirstPause   = 50 * time.Millisecond
	longestPause = 10 * time.Second
)

// Retry calls try, which must bear being repeated, each time for at most limit, until it returns something else than
// a temporary error. It gives up when ctx ends, or when Config.RetryFor is over, counted from the first failure.
func (c *Client) Retry(ctx context.Context, limit time.Duration, try func(context.Context) error) error {
	var giveUp time.Time
	for pause := FirstPause; ; pause = min(2*pause, longestPause) {
		err := attempt(ctx, limit, try)
		if !IsTemporary(err) {
			return err
		}
		now := time.Now()
		if giveUp.IsZero() {
			giveUp = now.Add(c.retryFor)
		}
		if now.Add(pause).After(giveUp) {
			return err
		}
		c.log.WarnContext(ctx, "a request to elasticsearch will be sent again", "error", err, "pause", pause)
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

// IsTemporary reports whether a request may do better a little later: there was no response, or one
// of a cluster that has no master, no room in a queue, or no shard at this moment.
func IsTemporary(err error) bool {
	var failed *Error
	if !errors.As(err, &failed) {
		return errors.Is(err, index.ErrUnavailable)
	}
	if failed.foreign {
		return true
	}
	switch failed.Status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout, partial:
		return true
	}
	return false
}

// wait pauses for about d, or until ctx ends. Requests that were refused together must not come back together.
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
