package access_test

import (
	"context"
	"crypto/rand"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/redis/go-redis/v9"

	"filings/cmd/testservers/servers"
	"filings/index/indextest"
	"filings/service/access"
)

// place is where stores keep what they know: every store that is opened on it is another instance on the same data.
type place struct {
	Kind string // redis or embedded
	At   string // URL, or path of the file
	Key  string // prefix of all names in Redis
}

// open opens one more instance, which is closed with the test. Now may be nil.
func (p place) open(t testing.TB, limits access.Limits, now func() time.Time) access.Store {
	t.Helper()
	store, err := p.connect(limits, now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return store
}

func (p place) connect(limits access.Limits, now func() time.Time) (access.Store, error) {
	if p.Kind == "redis" {
		return access.OpenRedis(access.RedisConfig{URL: p.At, Limits: limits, Prefix: p.Key, Now: now})
	}
	return access.OpenEmbedded(p.At, limits, now)
}

// onEach runs test on an empty place of each kind.
func onEach(t *testing.T, test func(*testing.T, place)) {
	t.Run("redis", func(t *testing.T) {
		t.Parallel()
		test(t, redisPlace(t))
	})
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		test(t, embeddedPlace(t))
	})
}

// redisPlace is a prefix of its own in the real Redis. What is left under it is deleted after the test.
func redisPlace(t testing.TB) place {
	t.Helper()
	p := place{Kind: "redis", At: servers.Redis(t), Key: "access-test-" + rand.Text() + ":"}
	options, err := redis.ParseURL(p.At)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client := redis.NewClient(options)
		defer client.Close()
		names := client.Scan(context.Background(), 0, p.Key+"*", 1000).Iterator()
		for names.Next(context.Background()) {
			if err := client.Del(context.Background(), names.Val()).Err(); err != nil {
				t.Errorf("clean up: %v", err)
			}
		}
		if err := names.Err(); err != nil {
			t.Errorf("clean up: %v", err)
		}
	})
	return p
}

func embeddedPlace(t testing.TB) place {
	t.Helper()
	return place{Kind: "embedded", At: filepath.Join(t.TempDir(), "access.db")}
}

// morning is any day, far enough away that no test meets the real date.
func morning() *indextest.Clock {
	return indextest.NewClock(time.Date(2031, 5, 14, 9, 30, 0, 0, time.UTC))
}

// smallQuotas are used up by a few requests; no test meets a burst by accident, as with servicetest.Limits.
func smallQuotas() access.Limits {
	const never = 1_000_000
	return access.Limits{
		access.Free:       {Quota: 3, Burst: never},
		access.Starter:    {Quota: 5, Burst: never},
		access.Pro:        {Quota: 8, Burst: never},
		access.Enterprise: {Quota: 1000, Burst: never},
	}
}

func create(t testing.TB, s access.Store, user string, tier access.Tier) (key string) {
	t.Helper()
	key, err := s.Create(t.Context(), user, tier, "name of "+user)
	if err != nil {
		t.Fatalf("create %q: %v", user, err)
	}
	return key
}

func admit(t testing.TB, s access.Store, key string) access.Admission {
	t.Helper()
	a, err := s.Admit(t.Context(), access.Key(key), 1)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// admitAll admits n requests and counts the verdicts.
func admitAll(t testing.TB, s access.Store, key string, n int) map[access.Verdict]int {
	t.Helper()
	got := map[access.Verdict]int{}
	for range n {
		got[admit(t, s, key).Verdict]++
	}
	return got
}

func show(t testing.TB, s access.Store, user string) access.Account {
	t.Helper()
	account, err := s.Show(t.Context(), user)
	if err != nil {
		t.Fatalf("show %q: %v", user, err)
	}
	return account
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantError wants an error whose text holds want, or none if want is empty.
func wantError(t testing.TB, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("unexpected error: %v", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("error %v, want one with %q", err, want)
	}
}

// same compares; unexported fields of an Admission are the store's own business.
func same[T any](t reporter, what string, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(access.Admission{})); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// reporter is what a test of testing and one of rapid have in common here.
type reporter interface {
	Helper()
	Errorf(format string, values ...any)
}
