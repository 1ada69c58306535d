package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/sync/errgroup"
)

const (
	floods, floodConnections = 8, 12 // free accounts, and connections of each
	aloneTime                = 20 * time.Second
	floodTime                = 5 * time.Minute // at the most, until the accounts are used up
)

// measureFair measures the responses to an enterprise account beside free ones that send the most
// expensive groups as fast as they are answered, each time with another filter, until their quotas
// are used up: none of its requests may fail.
func (b *bench) measureFair(ctx context.Context) error {
	fmt.Print("\n| an account beside a flood | alone: ms, median, p99 and longest | beside 8 free accounts | p99 | failed | responses to these accounts by status | used up after, s |\n|---|---|---|---|---|---|---|\n")
	for _, engine := range []struct {
		name        string
		environment []string
	}{
		{"embedded", []string{"FILINGS_DATA_DIR=" + b.dir + "/fair-embedded"}},
		{"elasticsearch", b.onElasticsearch(b.elasticsearch)},
	} {
		environment := append(engine.environment, "FILINGS_REQUEST_TIMEOUT=5s")
		if err := b.onOne(ctx, "fair-"+engine.name, environment, func(s *served) error { return s.measureFairOf(ctx, engine.name) }); err != nil {
			return err
		}
	}
	return b.deleteIndices(ctx)
}

func (s *served) measureFairOf(ctx context.Context, engine string) error {
	keys := make([]string, floods)
	for i := range keys {
		var err error
		if keys[i], err = s.createKey(ctx, "free", fmt.Sprintf("flood-%d-%d", i, time.Now().UnixNano())); err != nil {
			return err
		}
	}
	if _, _, err := s.honest(ctx, time.After(aloneTime/10)); err != nil { // the reading of any first request
		return err
	}
	alone, failed, err := s.honest(ctx, time.After(aloneTime))
	if err != nil || failed > 0 {
		return fmt.Errorf("%d requests failed without a flood: %w", failed, err)
	}
	ctx, cancel := context.WithTimeout(ctx, floodTime)
	defer cancel()
	began, ended := time.Now(), make(chan time.Time)
	f := flood{s: s, statuses: map[int]int{}}
	var group errgroup.Group
	for _, key := range keys {
		for range floodConnections {
			group.Go(func() error { return f.send(ctx, key) })
		}
	}
	var flooded error
	go func() { flooded = group.Wait(); close(ended) }()
	beside, failed, err := s.honest(ctx, ended)
	if err = firstError(err, flooded); err != nil {
		return err
	}
	statuses, _ := json.Marshal(f.statuses)
	times := func(took []time.Duration) string {
		return fmt.Sprintf("%s, %s, %s", ms(quantile(took, .5)), ms(quantile(took, .99)), ms(quantile(took, 1)))
	}
	fmt.Printf("| %s | %s | %s | x %.1f | %d of %d | %s | %.0f |\n", engine, times(alone), times(beside),
		quantile(beside, .99).Seconds()/quantile(alone, .99).Seconds(), failed, len(beside), statuses, time.Since(began).Seconds())
	return nil
}

// honest sends a mix of requests over one connection, each with a filter that none had before, until the end; it returns how long the
// responses took, and how many were none.
func (s *served) honest(ctx context.Context, end <-chan time.Time) (took []time.Duration, failed int, err error) {
	paths := []string{
		"/v1/filings?limit=20&min_amount=-%d", "/v1/filings/search?q=smith&limit=20&min_amount=-%d", "/v1/filings?limit=100&offset=20000&min_amount=-%d",
		"/v1/filings/search?q=an&sort_by=property_owner&limit=20&min_amount=-%d", "/v1/filings/groups?by=filing_type&min_amount=-%d",
	}
	for i := range int64(1 << 40) {
		path := fmt.Sprintf(paths[i%int64(len(paths))], s.filters.Add(1))
		began := time.Now()
		if _, err := s.get(ctx, path); err != nil {
			failed++
		}
		took = append(took, time.Since(began))
		select {
		case <-end:
			return took, failed, nil
		case <-ctx.Done():
			return took, failed, ctx.Err()
		default:
		}
	}
	return took, failed, nil
}

// flood is requests of accounts that are used up by them.
type flood struct {
	s        *served
	next     atomic.Int64
	mu       sync.Mutex
	statuses map[int]int
}

// send sends groups over one connection until the account has no more requests.
func (f *flood) send(ctx context.Context, key string) error {
	t := f.s.requests(0, 1, func(req *fasthttp.Request, _ int) {
		req.Header.Set("X-API-Key", key)
		req.SetRequestURI(fmt.Sprintf("%s/v1/filings/groups?by=owner,city&limit=10000&min_amount=-%d", f.s.url, f.next.Add(1)))
	})
	for ctx.Err() == nil {
		req, res := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
		t.prepare(req, 0)
		err := t.client.Do(req, res)
		status, again := res.StatusCode(), len(res.Header.Peek("Retry-After")) > 0
		fasthttp.ReleaseRequest(req)
		fasthttp.ReleaseResponse(res)
		if err != nil {
			return err
		}
		f.mu.Lock()
		f.statuses[status]++
		f.mu.Unlock()
		switch {
		case status != http.StatusTooManyRequests:
		case !again:
			return nil
		default:
			<-time.After(time.Second)
		}
	}
	return ctx.Err()
}
