package apitest

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
)

// openRedis returns a key store of its own on the real Redis. What is in it is deleted when the test ends.
func openRedis(t *testing.T, l access.Limits) *access.Redis {
	t.Helper()
	url, prefix := servers.Redis(t), "service-"+strconv.FormatUint(rand.Uint64(), 36)+":"
	store, err := access.OpenRedis(access.RedisConfig{URL: url, Prefix: prefix, Limits: l})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = store.Close()
		deleteKeys(t, url, prefix+"*")
	})
	return store
}

func deleteKeys(t *testing.T, url, pattern string) {
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second) // the test's own has ended
	defer cancel()
	for keys := client.Scan(ctx, 0, pattern, 1000).Iterator(); keys.Next(ctx); {
		client.Del(ctx, keys.Val())
	}
}

// TestK8_OnRedis walks through a customer's day on the real Redis: a quota of three requests, of which one fails by our
// fault and costs nothing, then its end, then a key that is rotated and revoked.
func TestK8_OnRedis(t *testing.T) {
	t.Parallel()
	l := servicetest.Limits()
	l[access.Pro] = access.Limit{Quota: 3, Burst: 100}
	store, engine := openRedis(t, l), newFaulty(oracle(fixture(t)), nil)
	s := newSite(t, engine, func(c *service.Config) { c.Access = store })
	key, err := store.Create(t.Context(), "customer", access.Pro, "test")
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		path      string
		fail      error
		status    int
		remaining string
	}{
		{"/v1/me", nil, 200, "2"},
		{"/v1/filings", index.ErrUnavailable, 500, "2"},
		{"/v1/filings?limit=0", nil, 400, "2"},
		{"/v1/nothing", nil, 404, "2"},
		{"/v1/filings", nil, 200, "1"},
		{"/v1/filings", nil, 200, "0"},
		{"/v1/me", nil, 429, "0"},
	} {
		engine.failWith(step.fail)
		a := send(t, s.App, http.MethodGet, step.path, "X-API-Key", key)
		if got := a.header.Get("X-RateLimit-Remaining"); a.status != step.status || got != step.remaining {
			t.Fatalf("%s: %d with %s remaining, want %d with %s: %s", step.path, a.status, got, step.status, step.remaining, a.body)
		}
		if step.status == http.StatusTooManyRequests {
			after, err := strconv.Atoi(a.header.Get("Retry-After"))
			if err != nil || after < 1 || after > 24*60*60 {
				t.Errorf("Retry-After %q", a.header.Get("Retry-After"))
			}
		}
	}
	rotated, err := store.Rotate(t.Context(), "customer", 0)
	if err != nil {
		t.Fatal(err)
	}
	expect := func(key string, status int) {
		t.Helper()
		if a := send(t, s.App, http.MethodGet, "/v1/me", "X-API-Key", key); a.status != status {
			t.Errorf("%d, want %d: %s", a.status, status, a.body)
		}
	}
	expect(key, http.StatusUnauthorized)
	expect(rotated, http.StatusTooManyRequests) // rotating resets nothing
	if err := store.Revoke(t.Context(), "customer"); err != nil {
		t.Fatal(err)
	}
	expect(rotated, http.StatusUnauthorized)
}
