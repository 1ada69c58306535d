package apitest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"filings/index"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
)

// reads is a reader that counts pages, and the reads of each filing.
type reads struct {
	index.Reader
	pages atomic.Int64
	mu    sync.Mutex
	one   map[int64]int
	begun chan struct{} // gets one for each read, if there is room
}

func (r *reads) notes() {
	select {
	case r.begun <- struct{}{}:
	default:
	}
}

func (r *reads) Rows(ctx context.Context, q index.Query) (index.Page, error) {
	r.pages.Add(1)
	r.notes()
	return r.Reader.Rows(ctx, q)
}

func (r *reads) Filings(ctx context.Context, ids []int64) ([]index.Record, error) {
	r.mu.Lock()
	for _, id := range ids {
		r.one[id]++
	}
	r.mu.Unlock()
	r.notes()
	return r.Reader.Filings(ctx, ids)
}

// total returns how many reads there were.
func (r *reads) total() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.pages.Load()
	for _, reads := range r.one {
		n += int64(reads)
	}
	return n
}

// admitting is a key store that waits before each admission, and may fail.
type admitting struct {
	access.Store
	before func() error // nil: nothing
}

func (a *admitting) Admit(ctx context.Context, c access.Credential, n int64) (access.Admission, error) {
	if a.before != nil {
		if err := a.before(); err != nil {
			return access.Admission{}, err
		}
	}
	return a.Store.Admit(ctx, c, n)
}

// newAhead starts a service with a cache over an engine that counts, and a key store that waits.
func newAhead(t *testing.T, filings []*index.Filing, l access.Limits) (*site, *reads, *admitting) {
	t.Helper()
	engine := &reads{Reader: oracle(filings).(servicetest.Still).Reader, one: map[int64]int{}, begun: make(chan struct{}, 1)}
	var store *admitting
	s := newSiteWith(t, caching{servicetest.Still{Reader: engine}}, l, func(c *service.Config) {
		store = &admitting{Store: c.Access}
		c.Access, c.Log = store, nil
	})
	return s, engine, store
}

// beside has the next admission wait until a read of the engine has begun.
func (a *admitting) beside(r *reads, then error) {
	a.before = func() error {
		select {
		case <-r.begun:
			return then
		case <-time.After(10 * time.Second):
			return errors.New("nothing was read beside the admission")
		}
	}
}

// TestX60_Ahead: the engine's read of a page and of a filing begins beside the admission of a key
// that was admitted before. It is made once and counted once.
func TestX60_Ahead(t *testing.T) {
	t.Parallel()
	s, engine, store := newAhead(t, fixture(t), servicetest.Limits())
	s.get(t, access.Pro, "/v1/filings?county=orange&limit=1") // what counties there are is known after it
	for i, target := range []string{
		"/v1/filings/3", "/v1/filings", "/v1/filings?county=orange&limit=2", "/v1/filings/search?q=maple",
		"/v1/filings/search?q=trust&sort_by=filing_amount", "/v1/filings?offset=1", "/v1/liens?limit=3",
	} {
		<-engine.begun
		before := engine.total()
		store.beside(engine, nil)
		got := s.get(t, access.Pro, target)
		if n := engine.total() - before; got.status != http.StatusOK || n != 1 {
			t.Errorf("%s: %d after %d reads", target, got.status, n)
		}
		store.before = nil
		engine.notes() // for the next one
		if used := s.used(t, "user-pro"); used != int64(i+2) {
			t.Errorf("%s: %d requests count", target, used)
		}
		if again := s.get(t, access.Enterprise, target); again.status != http.StatusOK || engine.total()-before != 1 {
			t.Errorf("%s: it was not cached", target)
		}
	}
	<-engine.begun
	store.beside(engine, nil)
	if got := s.get(t, access.Pro, "/v1/filings/99"); got.status != http.StatusNotFound || engine.one[99] != 1 {
		t.Errorf("%d after %d reads of a filing that there is not", got.status, engine.one[99])
	}
}

// TestX60_AheadRefused: what was read for a request that is refused is neither sent nor cached nor
// counted, and nothing is read for its key again.
func TestX60_AheadRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		refuse func(s *site) error
		fail   error
		status int
		used   int64
	}{
		"revoked":   {refuse: func(s *site) error { return s.Store.Revoke(t.Context(), "user-pro") }, status: http.StatusUnauthorized, used: 1},
		"replaced":  {refuse: func(s *site) error { _, err := s.Store.Rotate(t.Context(), "user-pro", 0); return err }, status: http.StatusUnauthorized, used: 1},
		"quota":     {refuse: func(s *site) error { return s.Store.SetTier(t.Context(), "user-pro", access.Starter) }, status: http.StatusTooManyRequests, used: 1},
		"burst":     {status: http.StatusTooManyRequests, used: 1},
		"no answer": {fail: fmt.Errorf("admit: %w", access.ErrUnavailable), status: http.StatusInternalServerError, used: 1},
		"a bug":     {fail: errors.New("admit: a bug"), status: http.StatusInternalServerError, used: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := servicetest.Limits()
			l[access.Starter] = access.Limit{Quota: 1, Burst: 1000}
			if name == "burst" {
				l[access.Pro] = access.Limit{Quota: 1000, Burst: 1}
			}
			s, engine, store := newAhead(t, fixture(t), l)
			s.get(t, access.Pro, "/v1/filings/1")
			if tt.refuse != nil {
				if err := tt.refuse(s); err != nil {
					t.Fatal(err)
				}
			}
			<-engine.begun
			store.beside(engine, tt.fail)
			got := s.get(t, access.Pro, "/v1/filings/2")
			if got.status != tt.status || strings.Contains(got.body, "ESTATE") || got.header.Get("X-Generation") != "" ||
				got.header.Get("ETag") != "" || engine.one[2] != 1 {
				t.Errorf("%d %v %s after %d reads", got.status, got.header, got.body, engine.one[2])
			}
			store.before = func() error { return tt.fail }
			for i := range 100 {
				target := "/v1/filings/" + strconv.Itoa(i+3)
				if got := s.get(t, access.Pro, target); got.status != tt.status {
					t.Errorf("%s: %d", target, got.status)
				}
			}
			if n := engine.total(); n != 2 {
				t.Errorf("%d reads", n)
			}
			store.before = nil
			if used := s.used(t, "user-pro"); used != tt.used {
				t.Errorf("%d requests count", used)
			}
			if got := s.get(t, access.Enterprise, "/v1/filings/2"); got.status != http.StatusOK || engine.one[2] != 2 {
				t.Errorf("of another account: %d after %d reads: it was cached", got.status, engine.one[2])
			}
		})
	}
}

// TestX60_NotAhead: nothing is read beside the admission of a stranger, nor of a request with a
// token, one for anything but a page or a filing, or one whose response its client may have.
func TestX60_NotAhead(t *testing.T) {
	t.Parallel()
	s, engine, store := newAhead(t, fixture(t), servicetest.Limits())
	made := s.get(t, access.Pro, "/v1/tokens?county=Orange,%20FL&endpoints=list").document(t)
	token := strings.Split(strings.Split(string(made.Data), `"token":"`)[1], `"`)[0]
	s.get(t, access.Pro, "/v1/filings?token="+token)
	s.get(t, access.Pro, "/v1/filings/1")
	before := engine.total()
	store.before = func() error { return access.ErrUnavailable }
	for target, headers := range map[string][]string{
		"/v1/filings?limit=3":                 {"X-API-Key", s.Keys[access.Starter]}, // never admitted
		"/v1/filings?limit=4":                 {"X-API-Key", "ak_live_" + strings.Repeat("0", 32)},
		"/v1/filings?limit=5":                 {},
		"/v1/filings?limit=6&token=" + token:  {},
		"/v1/filings?limit=7":                 {"If-None-Match", `W/"x"`, "X-API-Key", s.Keys[access.Pro]},
		"/v1/filings?limit=8":                 {"Prefer", "handling=strict", "X-API-Key", s.Keys[access.Pro]},
		"/v1/filings/export?format=csv":       {"X-API-Key", s.Keys[access.Pro]},
		"/v1/filings/groups?by=county":        {"X-API-Key", s.Keys[access.Pro]},
		"/v1/stats":                           {"X-API-Key", s.Keys[access.Pro]},
		"/v1/filings?limit=x":                 {"X-API-Key", s.Keys[access.Pro]},
		"/v1/filings/x":                       {"X-API-Key", s.Keys[access.Pro]},
		"/v1/filings/1/2":                     {"X-API-Key", s.Keys[access.Pro]},
		"/v1/filings?added_within=1h&limit=9": {"X-API-Key", s.Keys[access.Pro]},
	} {
		if got := send(t, s.App, http.MethodGet, target, headers...); got.status < 400 {
			t.Errorf("%s: %d", target, got.status)
		}
		s.clock.Advance(2 * time.Minute) // after the refusal, and so that the key is known again
		store.before = nil
		s.get(t, access.Pro, "/v1/filings/1")
		store.before = func() error { return access.ErrUnavailable }
	}
	if n := engine.total() - before; n != 0 {
		t.Errorf("%d reads", n)
	}
}

// TestX60_AheadOfMany: of any number of requests of revoked, exhausted and too busy keys beside
// live ones, none is answered that is refused, each that is answered counts once, and for those that
// are refused the engine reads once a key at the most. `make faults` sends a million.
func TestX60_AheadOfMany(t *testing.T) {
	t.Parallel()
	const keys, rounds, clients = 6, 10, 8 // of a kind
	many := 8_000
	if n, err := strconv.Atoi(os.Getenv("TEST_AHEAD_REQUESTS")); err == nil {
		many = n
	}
	filings := make([]*index.Filing, 3000)
	for i := range filings {
		filings[i] = made(t, int64(i+1), "2026-03-01T00:00:00Z", values{index.County: "Orange, FL", index.FilingDate: "2026-03-01"})
	}
	l := servicetest.Limits()
	l[access.Pro] = access.Limit{Quota: 1 << 40, Burst: 1_000_000}
	l[access.Starter] = access.Limit{Quota: 2, Burst: 1_000_000}
	s, engine, _ := newAhead(t, filings, l)
	handle := s.App.Handler()
	get := func(key string, id int64) (int, string) {
		var c fasthttp.RequestCtx
		var request fasthttp.Request
		text := fmt.Sprintf("GET /v1/filings/%d HTTP/1.1\r\nHost: h\r\nX-API-Key: %s\r\n\r\n", id, key)
		if err := request.Read(bufio.NewReader(strings.NewReader(text))); err != nil {
			t.Error(err)
		}
		c.Init(&request, nil, nil)
		handle(&c)
		return c.Response.StatusCode(), string(c.Response.Body())
	}
	for round := range rounds {
		type caller struct {
			user, key string
			status    int // of its requests
			answered  atomic.Int64
		}
		var callers []*caller
		for i := range 3 * keys {
			c := &caller{user: fmt.Sprintf("user-%d-%d", round, i), status: []int{http.StatusOK, http.StatusUnauthorized, http.StatusTooManyRequests}[i%3]}
			tier := access.Pro
			if c.status == http.StatusTooManyRequests {
				tier = access.Starter
			}
			var err error
			if c.key, err = s.Store.Create(t.Context(), c.user, tier, "test"); err != nil {
				t.Fatal(err)
			}
			for range 2 { // it is known, and if its quota is 2 exhausted
				if status, body := get(c.key, 1); status != http.StatusOK {
					t.Fatalf("%d %s", status, body)
				}
				c.answered.Add(1)
			}
			if c.status == http.StatusUnauthorized {
				if err := s.Store.Revoke(t.Context(), c.user); err != nil {
					t.Fatal(err)
				}
			}
			callers = append(callers, c)
		}
		clear(engine.one)
		var all sync.WaitGroup
		for n := range clients {
			all.Go(func() {
				for i := n; i < many/rounds; i += clients {
					c := callers[i*7919%len(callers)]
					id := int64(2 + i%1000) // of live keys
					if c.status != http.StatusOK {
						id = int64(2001 + i*7919%len(callers)) // of this key alone
					}
					status, body := get(c.key, id)
					if status != c.status || status == http.StatusOK != strings.Contains(body, fmt.Sprintf(`"data":{"id":%d,`, id)) {
						t.Errorf("%s: %d %s, want %d", c.user, status, body, c.status)
					}
					if status == http.StatusOK {
						c.answered.Add(1)
					}
				}
			})
		}
		all.Wait()
		early := 0
		for i, c := range callers {
			if used := s.used(t, c.user); used != c.answered.Load() {
				t.Errorf("%s: %d requests count of %d that were answered", c.user, used, c.answered.Load())
			}
			engine.mu.Lock()
			if n := engine.one[int64(2001+i)]; n > 1 {
				t.Errorf("%s: %d reads for a key that is refused", c.user, n)
			} else {
				early += n
			}
			engine.mu.Unlock()
		}
		t.Logf("%d reads for refused requests", early)
	}
}
