package elastic

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/elastictest"
	"filings/index/generation"
	"filings/index/indextest"
)

func TestLock_SaysWhoHoldsIt(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	other := s.again(t, nil)
	if run, err := indextest.Running(t.Context(), other); run != nil || err != nil {
		t.Fatalf("before any load: %v, %v", run, err)
	}
	began := s.clock.Now()
	want := generation.Run{Holder: "host/1", Started: began, Renewed: began, Phase: "loading"}
	l, err := s.Lock(t.Context(), want)
	if err != nil {
		t.Fatal(err)
	}
	check := func(when string) {
		t.Helper()
		run, err := indextest.Running(t.Context(), other)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&want, run); diff != "" {
			t.Errorf("%s: running (-want +got):\n%s", when, diff)
		}
		var locked *generation.LockedError
		if _, err := other.Lock(t.Context(), generation.Run{}); !errors.As(err, &locked) || !errors.Is(err, generation.ErrLocked) {
			t.Fatalf("%s: a second lock: %v", when, err)
		}
		if diff := cmp.Diff(want, locked.Run); diff != "" {
			t.Errorf("%s: locked by (-want +got):\n%s", when, diff)
		}
	}
	check("taken")

	// Renewed again and again, a lock outlasts its time.
	for range 3 {
		s.clock.Advance(generation.LockTTL - time.Second)
		want.Phase, want.Generation, want.Read, want.Indexed, want.Rejected = "sealing", "g", 3, 2, 1
		if err := l.Renew(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		want.Renewed = s.clock.Now()
		check("renewed")
	}

	if err := l.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if run, err := indextest.Running(t.Context(), other); run != nil || err != nil {
		t.Errorf("after the release: %v, %v", run, err)
	}
	if _, err := other.Lock(t.Context(), generation.Run{Holder: "host/2"}); err != nil {
		t.Errorf("after the release: %v", err)
	}
}

func TestLock_OneOfManyGetsIt(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	for _, round := range []string{"without a catalog", "with a free lock", "with an expired lock"} {
		var got atomic.Pointer[generation.Lock]
		var holders atomic.Int64
		var taking errgroup.Group
		for range 6 {
			taking.Go(func() error {
				l, err := s.again(t, nil).Lock(t.Context(), generation.Run{Holder: "one of many"})
				if err == nil {
					got.Store(&l)
					holders.Add(1)
				} else if !errors.Is(err, generation.ErrLocked) {
					return err
				}
				return nil
			})
		}
		if err := taking.Wait(); err != nil {
			t.Fatalf("%s: %v", round, err)
		}
		if n := holders.Load(); n != 1 {
			t.Fatalf("%s: %d holders", round, n)
		}
		if round == "without a catalog" {
			if err := (*got.Load()).Release(t.Context()); err != nil {
				t.Fatal(err)
			}
		} else {
			s.clock.Advance(generation.LockTTL)
		}
	}
}

// lost is a store with a lock that expired, taken over a network that is sound until then, and with
// a live and another sealed generation.
func lost(t *testing.T, net *elastictest.Faults) (s testStore, old generation.Lock, live, idle string) {
	t.Helper()
	s = newTestStore(t)
	live, idle = s.bare(t, 1), s.bare(t, 2)
	swap(t, s.Store, "", live)
	old = s.through(t, net).lock(t)
	s.clock.Advance(generation.LockTTL)
	return s, old, live, idle
}

func TestLock_WithoutItNothingCanBeChanged(t *testing.T) {
	t.Parallel()
	s, old, live, idle := lost(t, nil)
	if run, err := indextest.Running(t.Context(), s); run != nil || err != nil {
		t.Errorf("an expired lock counts as running: %v, %v", run, err)
	}
	heir, err := s.again(t, nil).Lock(t.Context(), generation.Run{Holder: "heir"})
	if err != nil {
		t.Fatal(err)
	}
	check := func(when string) {
		t.Helper()
		for name, try := range map[string]func() error{
			"renew":   func() error { return old.Renew(t.Context(), generation.Run{Holder: "old"}) },
			"begin":   func() error { _, err := old.Begin(t.Context(), ""); return err },
			"copy":    func() error { _, err := old.Begin(t.Context(), live); return err },
			"promote": func() error { return old.Promote(t.Context(), live, idle) },
			"delete":  func() error { return old.Delete(t.Context(), idle) },
			"release": func() error { return old.Release(t.Context()) },
		} {
			if err := try(); !errors.Is(err, generation.ErrLockLost) {
				t.Errorf("%s, %s: got %v, want %v", when, name, err, generation.ErrLockLost)
			}
		}
		s.wantLive(t, live, when)
		if all, err := s.Generations(t.Context()); err != nil || len(all) != 2 {
			t.Errorf("%s: generations %v, %v", when, all, err)
		}
	}
	check("while the heir holds it")
	run, err := indextest.Running(t.Context(), s)
	if err != nil || run == nil || run.Holder != "heir" {
		t.Errorf("running: %v, %v", run, err)
	}
	if err := heir.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	check("after the heir released it")
}

// A load that was suspended between its last look at the lock and the change itself finds the lock taken when its
// request arrives.
func TestLock_LateRequestsAreRefused(t *testing.T) {
	t.Parallel()
	for name, try := range map[string]func(ctx context.Context, l generation.Lock, live, idle string) error{
		"promote": func(ctx context.Context, l generation.Lock, live, idle string) error {
			return l.Promote(ctx, live, idle)
		},
		"delete":  func(ctx context.Context, l generation.Lock, _, idle string) error { return l.Delete(ctx, idle) },
		"release": func(ctx context.Context, l generation.Lock, _, _ string) error { return l.Release(ctx) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			net := &elastictest.Faults{}
			s, old, live, idle := lost(t, net)
			var heir generation.Lock
			net.On("/"+s.catalogAlias()+"/_doc/", elastictest.First(func() {
				var err error
				if heir, err = s.Lock(t.Context(), generation.Run{Holder: "heir"}); err != nil {
					t.Error(err)
				}
			}))
			if err := try(t.Context(), old, live, idle); !errors.Is(err, generation.ErrLockLost) {
				t.Errorf("got %v, want %v", err, generation.ErrLockLost)
			}
			s.wantLive(t, live, "after the late request")
			if _, err := s.Open(t.Context(), idle); err != nil {
				t.Errorf("the idle generation: %v", err)
			}
			if err := heir.Renew(t.Context(), generation.Run{Holder: "heir"}); err != nil {
				t.Errorf("the heir: %v", err)
			}
		})
	}
}

func TestLock_RollbackToWhatIsBeingDeleted(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	live, idle := s.bare(t, 1), s.bare(t, 2)
	swap(t, s.Store, "", live)
	net := &elastictest.Faults{}
	l := s.through(t, net).lock(t)
	net.On("/"+s.catalogAlias()+"/_doc/", elastictest.First(func() { swap(t, s.Store, live, idle) }))
	if err := l.Delete(t.Context(), idle); !errors.Is(err, generation.ErrConflict) {
		t.Errorf("got %v, want %v", err, generation.ErrConflict)
	}
	s.wantLive(t, idle, "after the rollback")
	if err := l.Delete(t.Context(), idle); err == nil {
		t.Error("the live generation was deleted")
	}
	s.wantLive(t, idle, "after deleting it")
	for _, name := range []string{"", s.alias, s.catalogIndex(), live + "," + idle, s.alias + "-*"} {
		if err := l.Delete(t.Context(), name); !errors.Is(err, index.ErrNotFound) {
			t.Errorf("deleting %q: got %v, want %v", name, err, index.ErrNotFound)
		}
	}
}

func TestLock_CatalogThatWasTamperedWith(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	l := s.lock(t)
	s.rewrite(t, func(c *generation.Catalog) { c.Form = 99 })
	if _, err := s.Lock(t.Context(), generation.Run{}); err == nil || errors.Is(err, generation.ErrLocked) || !strings.Contains(err.Error(), "form 99") {
		t.Errorf("a catalog of another program: %v", err)
	}
	must(t, s.c, http.MethodDelete, "/"+s.catalogIndex(), nil, nil)
	if err := l.Renew(t.Context(), generation.Run{}); !errors.Is(err, generation.ErrLockLost) {
		t.Errorf("renewing without a catalog: %v, want %v", err, generation.ErrLockLost)
	}
	s.lock(t) // makes a new one
}

// Whatever was carried out although its response was lost is done once, and is a success.
func TestLock_LostResponses(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]elastictest.Fault{
		"before it was carried out": elastictest.CutBefore,
		"after it was carried out":  elastictest.CutAfter,
		"no master":                 elastictest.Respond(http.StatusServiceUnavailable, `{"error":{"type":"x"},"status":503}`),
		"a proxy's page":            elastictest.Respond(http.StatusBadGateway, `<html>`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTestStore(t)
			net := &elastictest.Faults{}
			broken := s.again(t, net)
			a, b := s.bare(t, 1), s.bare(t, 2)
			step := func(what string, do func() error) {
				t.Helper()
				net.On("/"+s.catalogAlias()+"/_doc/", cut)
				if err := do(); err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				if n := net.Left(); n != 0 {
					t.Fatalf("%s: %d faults did not happen", what, n)
				}
			}
			s.lock(t) // to be taken over
			s.clock.Advance(generation.LockTTL)
			var l generation.Lock
			step("lock", func() (err error) {
				l, err = broken.Lock(t.Context(), generation.Run{Holder: "broken"})
				return err
			})
			step("swap", func() error { return broken.Swap(t.Context(), "", a) })
			step("promote", func() error { return l.Promote(t.Context(), a, b) })
			s.wantLive(t, b, "after the promotion")
			net.On("/_aliases", cut)
			if err := broken.Swap(t.Context(), b, a); err != nil || net.Left() > 0 {
				t.Fatalf("the alias: %v, %d faults did not happen", err, net.Left())
			}
			s.wantLive(t, a, "after a rollback")
			swap(t, s.Store, a, b)
			step("delete", func() error { return l.Delete(t.Context(), a) })
			net.On("/"+s.catalogAlias()+"/_doc/", cut)
			if err := l.Renew(t.Context(), generation.Run{Holder: "renewed"}); !errors.Is(err, index.ErrUnavailable) {
				t.Fatalf("renewing: got %v, want %v: its caller decides when to try again", err, index.ErrUnavailable)
			}
			if err := l.Renew(t.Context(), generation.Run{Holder: "renewed"}); err != nil {
				t.Fatalf("renewing again: %v", err)
			}
			step("release", func() error { return l.Release(t.Context()) })
			if run, err := indextest.Running(t.Context(), s); run != nil || err != nil {
				t.Errorf("after the release: %v, %v", run, err)
			}
			all, err := s.Generations(t.Context())
			if err != nil || len(all) != 1 || all[0].Name != b || !all[0].Live {
				t.Errorf("generations %v, %v, want only %s", all, err, b)
			}
		})
	}
}

// A refusal that keeps a load from its lock ends it, after few requests.
func TestLock_RefusedInFewRequests(t *testing.T) {
	t.Parallel()
	const most = 25
	refuse := func(status int, kind, reason string) elastictest.Fault {
		return func(req *http.Request, _ func() (*http.Response, error)) (*http.Response, error) {
			body := fmt.Sprintf(`{"error":{"type":%q,"reason":%q},"status":%d}`, kind, reason, status)
			return elastictest.Response(req, status, []byte(body)), nil
		}
	}
	for _, test := range []struct {
		name, part string
		fault      elastictest.Fault
		want       string
	}{
		{"no privilege", "-catalog", refuse(403, "security_exception", "action [indices:admin/create] is unauthorized"), "unauthorized"},
		{"no privilege to read", "-catalog/_doc/", refuse(403, "security_exception", "action [indices:data/read/get] is unauthorized"), "unauthorized"},
		{"read-only cluster", "-catalog", onPut(refuse(403, "cluster_block_exception", "blocked by: [FORBIDDEN/6/cluster read-only (api)]")), "cluster read-only"},
		{"limit of shards", "-catalog", onPut(refuse(400, "validation_exception", "this action would add [2] shards")), "which holds the lock: elasticsearch responded 400 validation_exception: this action would add"},
		{"foreign template", "-catalog", onPut(refuse(400, "illegal_argument_exception", "matches with template [x] that creates data streams only")), "data streams only"},
		{"a catalog that always changes", "-catalog-write/_", refuse(409, "version_conflict_engine_exception", "version conflict"), "tried 5 times"},
		{"a read-only catalog", "-catalog-write/_", refuse(403, "cluster_block_exception", "index [x] blocked by: [FORBIDDEN/5/index read-only (api)]"), "index read-only"},
		{"a mapping of a foreign template", "-catalog-write/_", refuse(400, "document_parsing_exception", "failed to parse field [run]"), "failed to parse"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, net := newTestStore(t), &elastictest.Faults{}
			requests := 0
			net.Always(test.part, test.fault)
			store := s.with(t, client.Config{Wrap: func(next http.RoundTripper) http.RoundTripper {
				next = net.Wrap(next)
				return elastictest.RoundTrip(func(r *http.Request) (*http.Response, error) {
					requests++
					return next.RoundTrip(r)
				})
			}})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, err := store.Lock(ctx, generation.Run{})
			if err == nil || ctx.Err() != nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line with %q", err, test.want)
			}
			if requests == 0 || requests > most {
				t.Errorf("%d requests were sent, want %d at most", requests, most)
			}
		})
	}
}

// onPut is a fault of PUT alone.
func onPut(fault elastictest.Fault) elastictest.Fault {
	return func(req *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
		if req.Method == http.MethodPut {
			return fault(req, send)
		}
		return send()
	}
}
