package elastic

import (
	"errors"
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
	s.wantLost(t, "without its alias", true, running, s.Store)
	swap(t, s.Store, "", a)
	s.wantLost(t, "after a rollback", false, running)
	if got := liveOf(t, running); got != a {
		t.Errorf("live is %q, want %q", got, a)
	}
	s.remove(t, a)
	s.wantLost(t, "without its index", true, running)
	s.remove(t, b)
	s.wantLost(t, "without any generation", true, running)
	again := sealedWith(t, l, "C", 1)
	if err := l.Promote(t.Context(), "", again); err != nil {
		t.Fatal(err)
	}
	s.wantLost(t, "after the next load", false, running)

	s.remove(t, again, s.stateIndex())
	s.wantLost(t, "everything was removed", false)
	if got := liveOf(t, s.again(t, nil)); got != "" {
		t.Errorf("live is %q where nothing is", got)
	}
}

// Data that a former version promoted have no mark.
func TestL7_LostDataOfAFormerVersion(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	a := s.bare(t, 1)
	s.wantLost(t, "a generation, and no state index", true)
	l := s.lock(t)
	s.wantLost(t, "a generation, and a new state index", true)
	unmark := func() {
		must(t, s.c, http.MethodDelete, "/"+s.stateIndex()+"/_alias/"+s.marksMark()+","+s.promotedMark(), nil, nil)
	}
	unmark()
	s.wantLost(t, "a generation, and an old state index", true)
	s.remove(t, a)
	s.wantLost(t, "no generation, and no load that promoted", false)
	if err := l.Renew(t.Context(), generation.Run{Outcome: generation.OutcomePromoted}); err != nil {
		t.Fatal(err)
	}
	s.wantLost(t, "no generation, and a load that promoted", true)
	if err := l.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	l = s.lock(t)
	if err := l.Renew(t.Context(), generation.Run{Outcome: generation.OutcomeFailed}); err != nil {
		t.Fatal(err)
	}
	s.wantLost(t, "after a load of this version that failed", true)
}

// The look at the marks comes after that at the alias: a promotion between the two is no loss.
func TestL7_FirstPromotionIsNoLoss(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	l := s.lock(t)
	a := sealedWith(t, l, "A", 1)
	net := &elastictest.Faults{}
	net.On("/"+s.stateIndex(), elastictest.First(func() {
		if err := l.Promote(t.Context(), "", a); err != nil {
			t.Error(err)
		}
	}))
	if got := liveOf(t, s.again(t, net)); got != a {
		t.Errorf("live is %q, want %q", got, a)
	}
}

// While data are lost one request a second looks whether they still are.
func TestLive_LostIsKeptForASecond(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	s.bare(t, 1)
	net := &elastictest.Faults{}
	store := s.again(t, net)
	for range 100 {
		if _, err := store.Live(t.Context()); !errors.Is(err, index.ErrLost) {
			t.Fatal(err)
		}
	}
	if n := net.Requests("_alias"); n > 2 {
		t.Errorf("%d looks at the alias", n)
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
