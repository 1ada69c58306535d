package elastic

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"filings/index"
	"filings/index/elastic/elastictest"
	"filings/index/generation"
)

// wantLost checks what a service learns: a running one, and one that starts now.
func (s testStore) wantLost(t *testing.T, when string, want bool, running ...*Store) {
	t.Helper()
	s.clock.Advance(liveFor)
	for _, store := range append(running, s.again(t, nil)) {
		r, err := store.Live(t.Context())
		switch {
		case want && (!errors.Is(err, index.ErrLost) || errors.Is(err, index.ErrUnavailable) || !strings.Contains(err.Error(), "filings rollback")):
			t.Errorf("%s: %v, %v, want an error that says what to do", when, r, err)
		case !want && err != nil:
			t.Errorf("%s: %v", when, err)
		}
	}
}

func (s testStore) remove(t *testing.T, names ...string) {
	t.Helper()
	must(t, s.c, http.MethodDelete, "/"+strings.Join(names, ","), nil, nil)
}

// A generation that was live and is gone is no index that never had one.
func TestL7_LostDataAreNotNoData(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	running := s.again(t, nil)
	s.wantLost(t, "before the first load", false, running)
	l := s.lock(t)
	s.wantLost(t, "when the first load has begun", false, running)
	a, b := sealedWith(t, l, "A", 1), sealedWith(t, l, "B", 1)
	s.wantLost(t, "before the first promotion", false, running)
	if err := l.Promote(t.Context(), "", a); err != nil {
		t.Fatal(err)
	}
	s.wantLost(t, "promoted", false, running)

	must(t, s.c, http.MethodDelete, "/"+a+"/_alias/"+s.alias, nil, nil)
	s.wantLost(t, "without its alias", false, running, s.Store)
	s.remove(t, s.catalogIndex())
	s.wantLost(t, "without its catalog", true, running, s.Store)
	swap(t, s.Store, "", a)
	s.wantLost(t, "after a rollback", false, running)
	if got := liveOf(t, running); got != a {
		t.Errorf("live is %q, want %q", got, a)
	}
	s.wantLive(t, a, "after a rollback")
	l = s.lock(t) // the one before was lost with the catalog
	s.remove(t, a)
	s.wantLost(t, "without its index", true, running)
	s.remove(t, b)
	s.wantLost(t, "without any generation", true, running)
	again := sealedWith(t, l, "C", 1)
	if err := l.Promote(t.Context(), "", again); err != nil {
		t.Fatal(err)
	}
	s.wantLost(t, "after the next load", false, running)

	s.remove(t, again, s.catalogIndex())
	s.wantLost(t, "everything was removed", false)
	if got := liveOf(t, s.again(t, nil)); got != "" {
		t.Errorf("live is %q where nothing is", got)
	}
}

// A look for the catalog before the first load, and then at the stored parts, finds a
// generation that was promoted in between: that is no loss.
func TestL7_FirstPromotionIsNoLoss(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	a := s.bare(t, 1)
	swap(t, s.Store, "", a)
	d, err := s.Load(t.Context(), generation.CatalogDocument)
	if err != nil {
		t.Fatal(err)
	}
	document := "/" + s.catalogIndex() + "/_doc/" + generation.CatalogDocument
	must(t, s.c, http.MethodDelete, document, nil, nil)
	net := &elastictest.Faults{}
	net.On("/"+s.alias+"-*", elastictest.First(func() { must(t, s.c, http.MethodPut, document, nil, d.Body) }))
	if got := liveOf(t, s.again(t, net)); got != a {
		t.Errorf("live is %q, want %q", got, a)
	}
}

// A lost alias is put back by whoever takes the lock next, or swaps; services never miss it.
func TestL7_LostAliasIsRepaired(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	a, b := s.bare(t, 1), s.bare(t, 2)
	lose := func() { must(t, s.c, http.MethodDelete, "/_all/_alias/"+s.alias, nil, nil) }
	swap(t, s.Store, "", a)
	lose()
	l := s.lock(t)
	s.wantLive(t, a, "after the lock was taken")
	lose()
	if err := l.Promote(t.Context(), a, b); err != nil {
		t.Fatal(err)
	}
	s.wantLive(t, b, "promoted")
	must(t, s.c, http.MethodPost, "/_aliases", nil, fmt.Appendf(nil,
		`{"actions":[{"remove":{"index":%q,"alias":%q}},{"add":{"index":%q,"alias":%q,"is_write_index":true}}]}`, b, s.alias, a, s.alias))
	if got := liveOf(t, s.again(t, nil)); got != b {
		t.Errorf("live is %q, want %q", got, b)
	}
	swap(t, s.Store, b, a)
	swap(t, s.Store, a, b)
	s.wantLive(t, b, "after an alias that was moved by hand")
}

// A promotion that cannot move the alias is one all the same.
func TestL7_AliasThatCannotBeMoved(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	a, b := s.bare(t, 1), s.bare(t, 2)
	swap(t, s.Store, "", a)
	net := &elastictest.Faults{}
	l := s.through(t, net).lock(t)
	net.Always("/_aliases", elastictest.Respond(http.StatusForbidden, `{"error":{"type":"security_exception"},"status":403}`))
	if err := l.Promote(t.Context(), a, b); err != nil {
		t.Fatal(err)
	}
	if got := s.committed(t); got != b {
		t.Errorf("live is %q, want %q", got, b)
	}
	if err := l.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.again(t, net).Lock(t.Context(), generation.Run{}); err == nil || !strings.Contains(err.Error(), "security_exception") {
		t.Errorf("a load that cannot repair it: %v", err)
	}
	s.lock(t) // which the load before does not hold
	s.wantLive(t, b, "after the next lock")
}

// While data are lost one request a second looks whether they still are.
func TestLive_LostIsKeptForASecond(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	a := s.bare(t, 1)
	swap(t, s.Store, "", a)
	s.remove(t, a)
	net := &elastictest.Faults{}
	store := s.again(t, net)
	for range 100 {
		if _, err := store.Live(t.Context()); !errors.Is(err, index.ErrLost) {
			t.Fatal(err)
		}
	}
	if n := net.Requests(generation.CatalogDocument); n > 2 {
		t.Errorf("%d looks at the catalog", n)
	}
}

// A closed generation is there, and cannot be searched.
func TestL7_ClosedIsUnavailable(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	l := s.lock(t)
	a, b := sealedWith(t, l, "A", 1), sealedWith(t, l, "B", 1)
	swap(t, s.Store, "", a)
	r, err := s.Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	must(t, s.c, http.MethodPost, "/"+a+"/_close", nil, nil)
	if err := index.Probe(t.Context(), r); !errors.Is(err, index.ErrUnavailable) {
		t.Errorf("a search: %v, want %v", err, index.ErrUnavailable)
	}
	all, err := s.Generations(t.Context())
	if err != nil || len(all) != 2 || !all[1].Live || all[1].Filings != 1 {
		t.Errorf("generations %+v, %v: the live one is closed", all, err)
	}
	swap(t, s.Store, a, b)
	if err := l.Delete(t.Context(), a); err != nil {
		t.Errorf("deleting the closed one: %v", err)
	}
}
