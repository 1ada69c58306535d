// Package servicetest is for tests from a client's side: a service over any engine, with an account
// of each tier (New), on a TLS listener of the loopback interface (ListenTLS). It refuses to know
// filings and responses, which are the tests' own, and the time: a test that moves it passes the
// Now of an indextest.Clock.
package servicetest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"

	"filings/index"
	"filings/index/cache"
	"filings/index/indextest"
	"filings/index/serving"
	"filings/service"
	"filings/service/access"
	"filings/service/tokens"
)

// Site is a service under test.
type Site struct {
	Service  *service.Service
	App      *fiber.App // its API
	Store    access.Store
	Keys     map[access.Tier]string // of the users user-free, user-starter, ...
	Registry *prometheus.Registry
	Log      *Log
}

// Options are how a Site differs from others.
type Options struct {
	Limits     access.Limits           // nil: Limits()
	Now        func() time.Time        // nil: time.Now
	CacheBytes int64                   // of the cache in front of the engine; 0: none
	Configure  []func(*service.Config) // change the configuration, in order
	// RequestTimeout is that of the service, and the measure of its engine. 0: 10 seconds, and any
	// time of the engine counts against it.
	RequestTimeout time.Duration
}

// Limits returns limits so generous that no test meets one by accident.
func Limits() access.Limits {
	l := access.Limits{}
	for _, t := range access.Tiers {
		l[t] = access.Limit{Quota: 100_000, Burst: 100_000, Tokens: 100_000}
	}
	return l
}

// TokenSecrets returns the secrets that sign the tokens of a Site.
func TokenSecrets() tokens.Secrets {
	return tokens.Secrets{"a secret of tests, of 32 characters", "and the one that was before that one"}
}

// New starts a service over engine, with an embedded key store. Both are closed with the test.
func New(t testing.TB, engine index.Engine, o Options) *Site {
	t.Helper()
	if o.Limits == nil {
		o.Limits = Limits()
	}
	s := &Site{Keys: map[access.Tier]string{}, Registry: prometheus.NewRegistry(), Log: &Log{}}
	log := slog.New(slog.NewJSONHandler(s.Log, nil))
	var err error
	if s.Store, err = access.OpenEmbedded(filepath.Join(t.TempDir(), "access.db"), o.Limits, o.Now); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Store.Close() })
	for _, tier := range access.Tiers {
		if s.Keys[tier], err = s.Store.Create(t.Context(), "user-"+string(tier), tier, "test"); err != nil {
			t.Fatal(err)
		}
	}
	var responses *cache.Cache
	if o.CacheBytes > 0 {
		responses = cache.New(o.CacheBytes)
	}
	served, err := serving.New(engine, serving.Config{
		Cache: responses, RequestTime: o.RequestTimeout, Registry: s.Registry, Log: log, Now: o.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	config := service.Config{Engine: served, TokenSecrets: TokenSecrets(), Access: s.Store,
		RequestTimeout: cmp.Or(o.RequestTimeout, 10*time.Second), Registry: s.Registry, Log: log, Now: o.Now}
	for _, configure := range o.Configure {
		configure(&config)
	}
	if s.Service, err = service.New(config); err != nil {
		t.Fatal(err)
	}
	s.App = s.Service.API()
	return s
}

// Still is an engine whose live generation is one Reader.
type Still struct {
	index.Reader
	Past index.History // nil: there never was another generation
}

// Live implements index.Engine.
func (e Still) Live(context.Context) (index.Reader, error) { return e.Reader, nil }

// Withdrawn implements index.Engine.
func (e Still) Withdrawn(context.Context, string) (bool, error) { return false, nil }

// Kept implements index.Engine.
func (e Still) Kept(ctx context.Context, _ string) ([]index.Generation, error) {
	if e.Generation() == "" {
		return nil, nil
	}
	n, err := e.Count(ctx, index.Filter{})
	created, _ := time.Parse(index.GenerationLayout, index.GenerationID(e.Generation())) // else it is never
	return []index.Generation{{Name: e.Generation(), CreatedAt: created, Filings: n, Live: true,
		Values: valuesOf(e.Reader)}}, err
}

// valuesOf returns the values as a load counts them; nil where r is no oracle.
func valuesOf(r index.Reader) *index.Values {
	oracle, ok := r.(*indextest.Oracle)
	if !ok {
		return nil
	}
	values := new(index.Values)
	for _, e := range oracle.Entries() {
		values.Count(index.ValuesOf(e.Filing), 1)
	}
	return values
}

// Pin implements index.Engine.
func (e Still) Pin(_ context.Context, id string) (index.Reader, error) {
	if id != index.GenerationID(e.Generation()) {
		return nil, fmt.Errorf("generation %s: %w", id, index.ErrGone)
	}
	return e.Reader, nil
}

// Changesets implements index.Engine.
func (e Still) Changesets(ctx context.Context) ([]index.Changeset, error) {
	if e.Past == nil {
		return nil, nil
	}
	return e.Past.Changesets(ctx)
}

// Changes implements index.Engine.
func (e Still) Changes(ctx context.Context, q index.ChangeQuery) (index.ChangePage, error) {
	return e.Past.Changes(ctx, q)
}

// Log keeps the records of a service.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns all of the log.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
