package service_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"

	"filings/index"
	"filings/index/indextest"
	"filings/index/serving"
	"filings/service"
	"filings/service/access"
)

// site is a service under test with an account of each tier, at the time now.
type site struct {
	app      *fiber.App
	service  *service.Service
	store    access.Store
	keys     map[access.Tier]string
	registry *prometheus.Registry
	log      *logBook
	clock    *clock
}

// limits are so generous that no test meets one by accident.
func limits() access.Limits {
	l := access.Limits{}
	for _, t := range access.Tiers {
		l[t] = access.Limit{Quota: 100_000, Burst: 100_000}
	}
	return l
}

// newSite starts a service over engine. Options change its configuration first.
func newSite(t testing.TB, engine index.Engine, options ...func(*service.Config)) *site {
	t.Helper()
	return newSiteWith(t, engine, limits(), options...)
}

func newSiteWith(t testing.TB, engine index.Engine, l access.Limits, options ...func(*service.Config)) *site {
	t.Helper()
	s := &site{keys: map[access.Tier]string{}, registry: prometheus.NewRegistry(), log: &logBook{}, clock: &clock{now: now}}
	store, err := access.OpenEmbedded(filepath.Join(t.TempDir(), "access.db"), l, s.clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	s.store = store
	for _, tier := range access.Tiers {
		if s.keys[tier], err = store.Create(t.Context(), "user-"+string(tier), tier, "test"); err != nil {
			t.Fatal(err)
		}
	}
	config := service.Config{
		Engine: s.serve(t, engine), Access: store, RequestTimeout: 10 * time.Second, Registry: s.registry,
		Log: slog.New(slog.NewJSONHandler(s.log, nil)), Now: s.clock.Now,
	}
	for _, option := range options {
		option(&config)
	}
	if s.service, err = service.New(config); err != nil {
		t.Fatal(err)
	}
	s.app = s.service.API()
	return s
}

// caching is an engine that a site puts a cache in front of, as in production.
type caching struct{ index.Engine }

func (s *site) serve(t testing.TB, engine index.Engine) *serving.Engine {
	t.Helper()
	c := serving.Config{Registry: s.registry, Log: slog.New(slog.NewJSONHandler(s.log, nil)), Now: s.clock.Now}
	if _, ok := engine.(caching); ok {
		c.CacheBytes = cacheBytes
	}
	served, err := serving.New(engine, c)
	if err != nil {
		t.Fatal(err)
	}
	return served
}

// used returns how many requests count for user, once everything that is to be given back was.
func (s *site) used(t testing.TB, user string) int64 {
	t.Helper()
	if err := s.service.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	account, err := s.store.Show(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	return account.Used
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

// get asks for target as an account of tier; "" for no key. More headers follow as name, value.
func (s *site) get(t testing.TB, tier access.Tier, target string, headers ...string) answer {
	t.Helper()
	return s.do(t, http.MethodGet, tier, target, headers...)
}

func (s *site) do(t testing.TB, method string, tier access.Tier, target string, headers ...string) answer {
	t.Helper()
	if tier != "" {
		headers = append(headers, "X-API-Key", s.keys[tier])
	}
	return send(t, s.app, method, target, headers...)
}

func send(t testing.TB, app *fiber.App, method, target string, headers ...string) answer {
	t.Helper()
	req := httptest.NewRequest(method, "/", http.NoBody)
	req.RequestURI = target // as it is: a URL would not hold what does not decode
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	res, err := app.Test(req, -1)
	if err != nil {
		t.Fatalf("%s %s: %v", method, target, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, target, err)
	}
	return answer{res.StatusCode, res.Header, string(body)}
}

// document is the envelope as a client reads it.
type document struct {
	Success    *bool
	Data       json.RawMessage
	Pagination *struct {
		Total, Limit, Offset int64
		HasMore              bool `json:"has_more"`
	}
	Meta *struct {
		RequestID string `json:"request_id"`
		Tier      string
		Remaining *int64 `json:"rate_limit_remaining"`
	}
	Error *struct{ Code, Message string }
}

func (a answer) document(t testing.TB) document {
	t.Helper()
	var d document
	if err := json.Unmarshal([]byte(a.body), &d); err != nil {
		t.Fatalf("%d %q: %v", a.status, a.body, err)
	}
	return d
}

// ids returns the ids of an answer's filings, in order.
func (a answer) ids(t testing.TB) []int64 {
	t.Helper()
	if a.status != http.StatusOK {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	var filings []struct{ ID int64 }
	if err := json.Unmarshal(a.document(t).Data, &filings); err != nil {
		t.Fatalf("%s: %v", a.body, err)
	}
	ids := []int64{}
	for _, f := range filings {
		ids = append(ids, f.ID)
	}
	return ids
}

// still is an Engine whose live generation is one Reader.
type still struct{ index.Reader }

func (e still) Live(context.Context) (index.Reader, error) { return e.Reader, nil }

// oracle returns an engine that answers from filings by plain loops.
func oracle(filings []*index.Filing) index.Engine {
	return still{indextest.NewOracle("filings-20260315-000000.000000-v1", filings)}
}

// clock is a clock that stands still until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// logBook keeps what a service logs.
type logBook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBook) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBook) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
