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
	"filings/index/elastic/elastictest"
	"filings/index/generation"
	"filings/index/indextest"
)

func TestL7_LiveBeforeTheFirstLoad(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	if got := liveOf(t, s.Store); got != "" {
		t.Errorf("live is %q before the first load", got)
	}
}

func liveOf(t testing.TB, s *Store) string {
	t.Helper()
	r, err := s.Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r.Generation()
}

func TestL8_LiveFollowsSwaps(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	other := s.again(t, nil)
	a, b := s.bare(t, 1), s.bare(t, 2)
	swap(t, s.Store, "", a)
	if got := liveOf(t, s.Store); got != a {
		t.Fatalf("live is %q after our own swap, want %q", got, a)
	}
	if got := liveOf(t, other); got != a {
		t.Fatalf("live is %q, want %q", got, a)
	}
	before, err := other.Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(liveFor)
	again, err := other.Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if before != again {
		t.Error("the same generation got a new Reader, which has forgotten what the old one knew")
	}
	swap(t, s.Store, a, b)
	s.clock.Advance(liveFor)
	if got := liveOf(t, other); got != b {
		t.Errorf("live is %q a second after a swap, want %q", got, b)
	}
}

func TestL8_LiveLooksAtOnceWhenAGenerationIsGone(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	other := s.again(t, nil)
	a, b := s.bare(t, 1), s.bare(t, 2)
	swap(t, s.Store, "", a)
	r, err := other.Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	swap(t, s.Store, a, b)
	if err := s.lock(t).Delete(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if got := liveOf(t, other); got != a {
		t.Fatalf("live is %q within the second, want %q: this test tests nothing", got, a)
	}
	if _, err := r.Count(t.Context(), index.Filter{}); !errors.Is(err, index.ErrGone) {
		t.Fatalf("counting in a deleted generation: %v, want %v", err, index.ErrGone)
	}
	if got := liveOf(t, other); got != b {
		t.Errorf("live is %q after index.ErrGone, want %q", got, b)
	}
}

// No index behind the alias is live by that; a generation of another mapping is refused, and
// so is, before a load, an index of the alias's name.
func TestLive_ByTheCatalogAlone(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	a, b := s.bare(t, 1), s.bare(t, 2)
	swap(t, s.Store, "", a)
	s.point(t, b)
	if got := liveOf(t, s.again(t, nil)); got != a {
		t.Errorf("live is %q, want %q", got, a)
	}
	newer := s.alias + "-20260101-000000.000001-v999"
	s.rewrite(t, func(c *generation.Catalog) {
		c.Generations = append(c.Generations, generation.Entry{Name: newer, State: generation.Sealed})
		c.Live = newer
	})
	if _, err := s.again(t, nil).Live(t.Context()); err == nil || !strings.Contains(err.Error(), newer) {
		t.Errorf("live is one of another mapping: %v", err)
	}
	other := newTestStore(t)
	must(t, other.c, http.MethodPut, "/"+other.alias, nil, []byte("{}"))
	if _, err := other.Lock(t.Context(), generation.Run{}); err == nil || !strings.Contains(err.Error(), other.alias+" is an index") {
		t.Errorf("an index of the alias's name: %v", err)
	}
	if run, err := indextest.Running(t.Context(), other); run != nil || err != nil {
		t.Errorf("the refused load runs: %v, %v", run, err)
	}
}

func TestLive_OneRequestForAllWhoWait(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	net := &elastictest.Faults{}
	looking := s.again(t, net)
	arrived, release := make(chan struct{}), make(chan struct{})
	net.On("/_doc/", elastictest.First(func() { close(arrived); <-release }))

	gone, leave := context.WithCancel(t.Context())
	var callers errgroup.Group
	callers.Go(func() error {
		if _, err := looking.Live(gone); !errors.Is(err, context.Canceled) {
			return fmt.Errorf("the caller who went away got %v", err)
		}
		close(release) // only now: the first caller's end must not end the request
		return nil
	})
	<-arrived
	for range 20 {
		callers.Go(func() error { _, err := looking.Live(t.Context()); return err })
	}
	leave()
	if err := callers.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := net.Requests(generation.CatalogDocument); n != 1 {
		t.Errorf("%d requests were sent within a second", n)
	}
}

// Under traffic no caller waits to learn which generation is live: the request is sent before its response is needed.
func TestLive_LooksAhead(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	net := &elastictest.Faults{}
	looking := s.again(t, net)
	a, b := s.bare(t, 1), s.bare(t, 2)
	swap(t, s.Store, "", a)
	if got := liveOf(t, looking); got != a {
		t.Fatalf("live is %q, want %q", got, a)
	}
	swap(t, s.Store, a, b)
	s.clock.Advance(liveFor * 3 / 4)
	arrived, release := make(chan struct{}), make(chan struct{})
	net.On("/_doc/", elastictest.First(func() { close(arrived); <-release }))
	if got := liveOf(t, looking); got != a {
		t.Fatalf("live is %q while the request is on its way, want %q", got, a)
	}
	<-arrived
	close(release)
	s.clock.Advance(liveFor - liveFor*3/4)
	if got := liveOf(t, looking); got != b {
		t.Errorf("live is %q a second after a swap, want %q", got, b)
	}
	if n := net.Requests(generation.CatalogDocument); n != 2 {
		t.Errorf("%d requests were sent, want 2", n)
	}
}

// A request that was sent more than a second before a caller came does not show swaps meanwhile.
func TestL8_LiveDoesNotJoinAnOldRequest(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	net := &elastictest.Faults{}
	looking := s.again(t, net)
	a := s.bare(t, 1)
	arrived, release := make(chan struct{}), make(chan struct{})
	net.On("/_doc/", func(_ *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
		res, err := send() // the response is old when it comes
		close(arrived)
		<-release
		return res, err
	})
	var callers errgroup.Group
	callers.Go(func() error { _, err := looking.Live(t.Context()); return err })
	<-arrived
	swap(t, s.Store, "", a)
	s.clock.Advance(liveFor)
	var got string
	callers.Go(func() error {
		r, err := looking.Live(t.Context())
		if err == nil {
			got = r.Generation()
		}
		return err
	})
	close(release)
	if err := callers.Wait(); err != nil {
		t.Fatal(err)
	}
	if got != a {
		t.Errorf("live is %q, a second after the swap to %q", got, a)
	}
}

func TestL8_SwapsUnderConstantSearches(t *testing.T) {
	t.Parallel()
	const swaps, searchers = 20, 4
	s := newTestStore(t)
	l := s.lock(t)
	generations := [2]string{sealedWith(t, l, "EVEN", 30), sealedWith(t, l, "ODD", 50)}
	want := map[string]map[int64]string{
		generations[0]: sameOwner("EVEN", 30), generations[1]: sameOwner("ODD", 50),
	}
	swap(t, s.Store, "", generations[0])

	var stop atomic.Bool
	var searching errgroup.Group
	var responses [2]atomic.Int64
	for range searchers {
		searching.Go(func() error {
			for !stop.Load() {
				r, err := s.Live(t.Context())
				if err != nil {
					return err
				}
				n, err := r.Count(t.Context(), index.Filter{})
				if err != nil {
					return err
				}
				if diff := cmp.Diff(want[r.Generation()], ownersOf(t, r)); diff != "" || int(n) != len(want[r.Generation()]) {
					return fmt.Errorf("%d filings in %s, mixed (-want +got): %s", n, r.Generation(), diff)
				}
				for i, name := range generations {
					if name == r.Generation() {
						responses[i].Add(1)
					}
				}
			}
			return nil
		})
	}
	other := s.again(t, nil)
	for i := range swaps {
		from, to := generations[i%2], generations[(i+1)%2]
		seen := responses[(i+1)%2].Load()
		swap(t, other, from, to)
		s.clock.Advance(liveFor)
		for deadline := time.Now().Add(time.Minute); responses[(i+1)%2].Load() < seen+searchers; {
			if time.Now().After(deadline) {
				stop.Store(true)
				t.Fatalf("no search sees generation %s after swap %d: %v", to, i, searching.Wait())
			}
			if _, err := other.Live(t.Context()); err != nil { // lets the searchers work meanwhile
				t.Fatal(err)
			}
		}
	}
	stop.Store(true)
	if err := searching.Wait(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d and %d responses during %d swaps", responses[0].Load(), responses[1].Load(), swaps)
}
