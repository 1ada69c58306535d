package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"filings/index"
	"filings/index/indextest"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
)

// soakPaths are what the traffic requests. Nothing in them moves with the clock.
var soakPaths = []string{
	"/v1/filings", "/v1/filings?limit=100", "/v1/filings?limit=100&offset=1300", "/v1/filings?min_amount=10000&categories=residential,land",
	"/v1/filings?has_property_data=true&limit=50", "/v1/filings?foreclosure_filter=active", "/v1/filings?month=2026-01",
	"/v1/filings?bounds_north=29&bounds_south=28&bounds_east=-81&bounds_west=-82", "/v1/filings?min_acres=1&max_acres=5",
	"/v1/filings/search?q=trust&sort_by=filing_amount", "/v1/filings/search?q=a&sort_by=property_owner&sort_order=asc&limit=100",
	"/v1/filings/search?q=oak&limit=5", "/v1/filings/1", "/v1/filings/1500", "/v1/filings/1501", "/v1/liens/77",
	"/v1/stats/counties", "/v1/stats/counties?state=FL", "/v1/counties",
}

// traffic sends requests, checks the responses and counts them.
type traffic struct {
	limited  string               // key of an account that soon is over its quota
	expected map[string][2]string // by path: the response from each of the two data sets

	responses, failed, swaps atomic.Int64
	rotations                atomic.Int64 // odd while a key is being rotated
	away                     atomic.Bool  // Elasticsearch is away, or was when requests in flight were sent

	mu    sync.Mutex
	wrong []string
	took  map[string][]time.Duration // by outcome
}

// newTraffic computes the expected responses, by the service itself on the plain loops of the oracle.
func newTraffic(t *testing.T, files []string, limited string) *traffic {
	t.Helper()
	c := &traffic{limited: limited, expected: map[string][2]string{}, took: map[string][]time.Duration{}}
	for i, file := range files {
		expected := oracleService(t, file)
		for _, path := range soakPaths {
			both := c.expected[path]
			both[i] = expected(path)
			c.expected[path] = both
		}
	}
	return c
}

// oracleService returns how the service responds to an enterprise account from the filings of a file.
func oracleService(t *testing.T, file string) func(path string) string {
	t.Helper()
	var filings []*index.Filing
	for f := range filingsOf(t, file) {
		kept := *f
		kept.Categories = slices.Clone(f.Categories)
		filings = append(filings, &kept)
	}
	site := servicetest.New(t, servicetest.Still{Reader: indextest.NewOracle("oracle", filings)}, servicetest.Options{
		Configure: []func(*service.Config){func(c *service.Config) { c.RequestTimeout = time.Minute }},
	})
	return func(path string) string {
		req := httptest.NewRequest(http.MethodGet, path, http.NoBody)
		req.Header.Set("X-API-Key", site.Keys[access.Enterprise])
		res, err := site.App.Test(req, -1)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return withoutMeta(res.StatusCode, res.Body)
	}
}

// withoutMeta returns a response without what differs from request to request.
func withoutMeta(status int, body io.Reader) string {
	var response map[string]json.RawMessage
	if err := json.NewDecoder(body).Decode(&response); err != nil {
		return fmt.Sprintf("%d, unreadable: %v", status, err)
	}
	delete(response, "meta")
	text, err := json.Marshal(response)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d %s", status, text)
}

// run sends requests from all connections until ctx ends.
func (c *traffic) run(ctx context.Context, t *testing.T, f *fleet) {
	var group sync.WaitGroup
	for i := range soakConnections {
		group.Go(func() {
			dice := rand.New(rand.NewPCG(1, uint64(i)))
			for ctx.Err() == nil {
				c.send(ctx, f, f.processes[i%len(f.processes)], soakPaths[dice.IntN(len(soakPaths))], dice.IntN(20) == 0)
			}
		})
	}
	group.Wait()
}

// send sends one request and judges the response.
func (c *traffic) send(ctx context.Context, f *fleet, p *process, path string, limited bool) {
	rotations, key, away := c.rotations.Load(), f.key.Load().(string), c.away.Load()
	if limited {
		key = c.limited
		path = "/v1/me"
	}
	req, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodGet, p.api+path, nil)
	if err != nil {
		c.judge("wrong", err.Error(), 0)
		return
	}
	req.Header.Set("X-API-Key", key)
	began := time.Now()
	res, err := f.client.Do(req)
	if err != nil {
		c.judge("wrong", err.Error(), 0)
		return
	}
	defer res.Body.Close()
	response, took := withoutMeta(res.StatusCode, res.Body), time.Since(began)
	c.responses.Add(1)
	outage := away || c.away.Load()
	switch both := c.expected[path]; {
	case limited && (res.StatusCode == http.StatusOK || res.StatusCode == http.StatusTooManyRequests):
		c.judge(fmt.Sprintf("%d of the limited account", res.StatusCode), "", took)
	case !limited && (response == both[0] || response == both[1]):
		c.judge(strings.SplitN(path, "?", 2)[0], "", took)
	case res.StatusCode == http.StatusInternalServerError && outage && strings.Contains(response, `"service_unavailable"`):
		c.failed.Add(1)
		c.judge("500 in the outage", "", took)
	case res.StatusCode == http.StatusUnauthorized && !limited && (rotations%2 == 1 || rotations != c.rotations.Load()):
		c.judge("401 of a key that is being rotated", "", took)
	default:
		c.judge("wrong", fmt.Sprintf("%s: %.300s", path, response), took)
	}
}

func (c *traffic) judge(kind, problem string, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.took[kind] = append(c.took[kind], took)
	if problem != "" {
		c.wrong = append(c.wrong, problem)
	}
}

// table shows how long responses took.
func (c *traffic) table() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "%-40s %9s %9s %9s %9s %9s  ms\n", "response", "count", "p50", "p90", "p99", "max")
	kinds := make([]string, 0, len(c.took))
	for kind := range c.took {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	for _, kind := range kinds {
		all := slices.Sorted(slices.Values(c.took[kind]))
		fmt.Fprintf(&b, "%-40s %9d", kind, len(all))
		for _, q := range []float64{0.5, 0.9, 0.99, 1} {
			fmt.Fprintf(&b, " %9.1f", all[min(len(all)-1, int(q*float64(len(all))))].Seconds()*1000)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// check fails the test for wrong responses, and for a run that saw nothing.
func (c *traffic) check(t *testing.T) {
	t.Helper()
	for _, problem := range c.wrong[:min(20, len(c.wrong))] {
		t.Error(problem)
	}
	if len(c.wrong) > 0 {
		t.Errorf("%d of %d responses were wrong", len(c.wrong), c.responses.Load())
	}
	if c.swaps.Load() < 3 || c.failed.Load() == 0 {
		t.Errorf("%d swaps, %d requests failed in the outage: this run was too short to see anything", c.swaps.Load(), c.failed.Load())
	}
	differ := 0
	for _, both := range c.expected {
		if both[0] != both[1] {
			differ++
		}
	}
	if differ < len(c.expected)/2 {
		t.Error("the responses from the two data sets are alike")
	}
}
