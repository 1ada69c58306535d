package generation_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/generation"
	"filings/index/indextest"
)

// atEvery runs a test with the first call of a load to its storage as the moment, then with the second, and so on until the
// load has no more; before and after it. begun has three loads, so that each one also deletes and forgets.
func atEvery(t *testing.T, test func(t *testing.T, s *shared, names []string, at func(call string, moment func()) (before, after func(string) error)) string) {
	for _, when := range []string{"before", "after"} {
		for n, met := 1, true; met; n++ {
			s := newShared()
			var names []string
			for _, owner := range []string{"one", "two", "three"} {
				names = append(names, mustLoad(t, s, owner))
				s.clock.Advance(time.Second)
			}
			met = false
			what := test(t, s, names, func(_ string, moment func()) (before, after func(string) error) {
				calls := 0
				hook := func(call string) error {
					if calls++; calls == n {
						met = true
						moment()
					}
					return nil
				}
				if when == "before" {
					return hook, nil
				}
				return nil, hook
			})
			if t.Failed() {
				t.Fatalf("%s call %d: %s", when, n, what)
			}
			if met && n > 200 {
				t.Fatal("a load has no end")
			}
		}
	}
}

// TestL8_StoppedLoadThatWakesUp: a load stops at any moment, for longer than its lease, and another one runs meanwhile. Nothing
// that the first one does when it goes on shows, and nothing of it is left in the end.
func TestL8_StoppedLoadThatWakesUp(t *testing.T) {
	t.Parallel()
	atEvery(t, func(t *testing.T, s *shared, names []string, at func(string, func()) (before, after func(string) error)) string {
		heir, live := "", ""
		before, after := at("", func() {
			s.clock.Advance(generation.LockTTL)
			live = s.live(t)
			heir = mustLoad(t, s, "heir")
			s.want(t, "before it wakes up", heir, "heir", heir, live)
		})
		woken, err := load(t.Context(), s.open(before, after), "stopped")
		if heir == "" {
			return "the end"
		}
		what := fmt.Sprintf("the load ended with %q, %v; live was %s", woken, err, live)
		// It was stopped before it took the lock, or after it gave it up: then it is a load like any other.
		if err == nil && woken > heir {
			s.want(t, "two loads", woken, "stopped", woken, heir)
			return what
		}
		s.want(t, "afterwards", heir, "heir", heir, live)
		if released := err == nil && live == woken; !released && !errors.Is(err, generation.ErrLockLost) {
			t.Errorf("got %v, want %v", err, generation.ErrLockLost)
		}
		s.clock.Advance(time.Second)
		last := mustLoad(t, s, "last")
		s.want(t, "in the end", last, "last", last, heir)
		s.wantClean(t, last, heir, live)
		return what
	})
}

// TestL8_LostLockChangesNothing: another load only takes the lock while this one is stopped. What is live, what is sealed and
// what is stored of it stay as they were at that moment, but for what the stopped load stores of its own.
func TestL8_LostLockChangesNothing(t *testing.T) {
	t.Parallel()
	atEvery(t, func(t *testing.T, s *shared, names []string, at func(string, func()) (before, after func(string) error)) string {
		var heir generation.Lock
		var catalog []generation.Info
		look := func() (sealed []generation.Info) {
			all, err := s.open(nil, nil).Generations(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return slices.DeleteFunc(all, func(g generation.Info) bool { return !g.Sealed })
		}
		before, after := at("", func() {
			s.clock.Advance(generation.LockTTL)
			var err error
			if heir, err = s.open(nil, nil).Lock(t.Context(), generation.Run{Holder: "heir"}); err != nil {
				t.Fatal(err)
			}
			catalog = look()
		})
		_, err := load(t.Context(), s.open(before, after), "stopped")
		if heir == nil {
			return "the end"
		}
		if diff := cmp.Diff(catalog, look()); diff != "" {
			t.Errorf("generations (-at the moment, +afterwards):\n%s", diff)
		}
		if err := heir.Renew(t.Context(), generation.Run{Holder: "heir"}); err != nil {
			t.Errorf("the heir: %v", err)
		}
		if err := heir.Release(t.Context()); err != nil {
			t.Error(err)
		}
		return fmt.Sprint(err)
	})
}

// TestX53_Stopped: what a load stores that was stopped until another one had deleted its generation does not stay.
func TestX53_Stopped(t *testing.T) {
	t.Parallel()
	atEvery(t, func(t *testing.T, s *shared, names []string, at func(string, func()) (before, after func(string) error)) string {
		heir := ""
		before, after := at("", func() {
			s.clock.Advance(generation.LockTTL)
			heir = mustLoad(t, s, "heir")
		})
		_, err := load(t.Context(), s.open(before, after), "stopped")
		if heir == "" {
			return "the end"
		}
		all, err2 := s.open(nil, nil).Generations(t.Context())
		if err2 != nil {
			t.Fatal(err2)
		}
		for _, g := range all {
			if !g.Sealed {
				t.Errorf("%s is stored, and nobody will use it", g.Name)
			}
		}
		return fmt.Sprint(err)
	})
}

// TestL8_RollbackWhileALoadIsStopped: the same with a rollback, which asks for no lock. It holds, or the load had promoted.
func TestL8_RollbackWhileALoadIsStopped(t *testing.T) {
	t.Parallel()
	atEvery(t, func(t *testing.T, s *shared, names []string, at func(string, func()) (before, after func(string) error)) string {
		back := ""
		before, after := at("", func() {
			live := s.live(t)
			back = names[1]
			if live != names[2] {
				back = names[2]
			}
			if err := s.open(nil, nil).Swap(t.Context(), live, back); err != nil && !errors.Is(err, index.ErrNotFound) {
				t.Error(err)
			} else if err != nil {
				back = live // it was pruned
			}
		})
		woken, err := load(t.Context(), s.open(before, after), "stopped")
		if back == "" {
			return "the end"
		}
		if live := s.live(t); live != back && live != woken {
			t.Errorf("live is %s, want %s or %s", live, back, woken)
		}
		if err != nil && !errors.Is(err, generation.ErrConflict) {
			t.Errorf("the load: %v", err)
		}
		s.clock.Advance(time.Second)
		live := s.live(t)
		last := mustLoad(t, s, "last")
		s.want(t, "in the end", last, "last", last, live)
		s.wantClean(t, last, live)
		return fmt.Sprintf("rolled back to %s; the load: %s, %v", back, woken, err)
	})
}

// TestL7_LoadThatDies: a load ends at any moment. What is live is whole, and the next load leaves nothing of it.
func TestL7_LoadThatDies(t *testing.T) {
	t.Parallel()
	atEvery(t, func(t *testing.T, s *shared, names []string, at func(string, func()) (before, after func(string) error)) string {
		died := errors.New("it died")
		dead := false
		before, after := at("", func() { dead = true })
		fails := func(hook func(string) error) func(string) error {
			return func(call string) error {
				if hook != nil {
					_ = hook(call)
				}
				if dead {
					return died
				}
				return nil
			}
		}
		name, err := load(t.Context(), s.open(fails(before), fails(after)), "dead")
		if !dead {
			return "the end"
		}
		live := s.live(t)
		owner := map[bool]string{true: "three", false: "dead"}[live == names[2]]
		s.want(t, "after its end", live, owner)
		s.clock.Advance(generation.LockTTL)
		last := mustLoad(t, s, "last")
		s.want(t, "in the end", last, "last", last, live)
		s.wantClean(t, last, live)
		return fmt.Sprintf("%s, %v", name, err)
	})
}

// TestL8_LostResponses: of any call that was carried out the response may be lost. The load succeeds, and does everything once.
func TestL8_LostResponses(t *testing.T) {
	t.Parallel()
	for _, twice := range []bool{false, true} {
		for n, met := 1, true; met; n++ {
			s := newShared()
			first := mustLoad(t, s, "first")
			s.clock.Advance(time.Second)
			met = false
			calls, at := 0, ""
			lose := func(call string) error {
				if calls++; calls == n || twice && calls == n+1 {
					met, at = true, call
					return index.ErrUnavailable
				}
				return nil
			}
			// The storage of an engine sends what only reads again by itself.
			reads := []string{"Load", "Parts", "Reader"}
			name, err := load(t.Context(), s.open(nil, func(call string) error {
				if slices.Contains(reads, call) {
					return nil
				}
				return lose(call)
			}), "second")
			if err != nil {
				t.Fatalf("call %d, %s, twice %v: %v", n, at, twice, err)
			}
			s.want(t, at, name, "second", name, first)
			s.wantClean(t, name, first)
		}
	}
}

// TestL7_OfConcurrentSwapsOneWins: whoever swaps between another's look and its change makes that one's a conflict.
func TestL7_OfConcurrentSwapsOneWins(t *testing.T) {
	t.Parallel()
	s := newShared()
	first := mustLoad(t, s, "first")
	s.clock.Advance(time.Second)
	second := mustLoad(t, s, "second")
	once := false
	late := s.open(func(call string) error {
		if call == "Replace" && !once {
			once = true
			return s.open(nil, nil).Swap(t.Context(), second, first)
		}
		return nil
	}, nil)
	if err := late.Swap(t.Context(), second, first); !errors.Is(err, generation.ErrConflict) {
		t.Errorf("got %v, want %v", err, generation.ErrConflict)
	}
	s.want(t, "after both", first, "first", second, first)
}

// TestL7_CatalogThatIsLost: without its document the catalog is what is stored: nothing is live, nothing is empty, and a
// rollback or a load repairs it.
func TestL7_CatalogThatIsLost(t *testing.T) {
	t.Parallel()
	s := newShared()
	running := s.open(nil, nil)
	first := mustLoad(t, s, "first")
	if _, err := running.Live(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(time.Second)
	second := mustLoad(t, s, "second")
	s.Document = generation.Document{}
	for _, l := range []*indextest.MemoryStore{running, s.open(nil, nil)} {
		if r, err := l.Live(t.Context()); !errors.Is(err, index.ErrLost) {
			t.Errorf("live is %v, %v, want %v", r, err, index.ErrLost)
		}
	}
	if all, err := running.Generations(t.Context()); err != nil || len(all) != 2 || !all[0].Sealed || all[0].Live {
		t.Errorf("generations %+v, %v", all, err)
	}
	if err := running.Swap(t.Context(), "", first); err != nil {
		t.Fatal(err)
	}
	s.want(t, "after a rollback", first, "first", second, first)
	s.Document = generation.Document{}
	s.clock.Advance(time.Second)
	third := mustLoad(t, s, "third")
	s.want(t, "after a load", third, "third", third)
	s.wantClean(t, third)
	s.Document = generation.Document{}
	clear(s.Parts)
	if r, err := s.open(nil, nil).Live(t.Context()); err != nil || r.Generation() != "" {
		t.Errorf("where everything was removed: %v, %v", r, err)
	}
	if r, err := running.Live(t.Context()); !errors.Is(err, index.ErrLost) {
		t.Errorf("of a process that saw it: %v, %v, want %v", r, err, index.ErrLost)
	}
}

// TestL7_CatalogThatIsDamaged: what is no catalog is an outage, whose error says that it is to be deleted; one of a newer program is not.
func TestL7_CatalogThatIsDamaged(t *testing.T) {
	t.Parallel()
	s := newShared()
	first := mustLoad(t, s, "first")
	whole := s.Document
	for body, want := range map[string]string{
		`{"hello":1}`:                       "delete it",
		`[]`:                                "delete it",
		string(whole.Body[:100]):            "delete it",
		`{"form":2,"live":{"filings":"x"}}`: "use the program that wrote it",
	} {
		s.Document = generation.Document{Body: []byte(body), Revision: whole.Revision}
		l := s.open(nil, nil)
		_, err := l.Live(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, index.ErrLost) != (want == "delete it") {
			t.Errorf("%s: live is %v, want one that says %q", body, err, want)
		}
		if err := l.Swap(t.Context(), "", first); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: a rollback is %v, want one that says %q", body, err, want)
		}
	}
	s.Document = generation.Document{}
	if err := s.open(nil, nil).Swap(t.Context(), "", first); err != nil {
		t.Fatal(err)
	}
	s.want(t, "after a rollback", first, "first", first)
}

// TestCatalog_OfAnotherVersion: what a program of another version of the data has stored is neither read nor replaced by the way.
func TestCatalog_OfAnotherVersion(t *testing.T) {
	t.Parallel()
	s := newShared()
	first := mustLoad(t, s, "first")
	l := s.open(nil, nil)
	l.Version++
	for _, when := range []string{"with its catalog", "without"} {
		if r, err := l.Live(t.Context()); !errors.Is(err, generation.ErrVersion) || errors.Is(err, index.ErrLost) {
			t.Errorf("%s: live is %v, %v", when, r, err)
		}
		if r, err := l.Open(t.Context(), first); !errors.Is(err, generation.ErrVersion) {
			t.Errorf("%s: opened %v, %v", when, r, err)
		}
		if all, err := l.Generations(t.Context()); err != nil || len(all) != 1 || !all[0].Live {
			t.Errorf("%s: generations %+v, %v", when, all, err)
		}
		if kept, err := l.Kept(t.Context(), ""); err != nil || len(kept) != 0 {
			t.Errorf("%s: kept %v, %v", when, kept, err)
		}
		if err := l.Swap(t.Context(), "", first); !errors.Is(err, generation.ErrConflict) {
			t.Errorf("%s: swapped: %v", when, err)
		}
		s.Document = generation.Document{}
	}
}

// TestL7_AbortOnAFullDisk: what a load has stored has filled the disk, so that the catalog cannot be written as long as it is there.
func TestL7_AbortOnAFullDisk(t *testing.T) {
	t.Parallel()
	ctx, s, full := t.Context(), newShared(), ""
	first := mustLoad(t, s, "first")
	lock, err := s.open(func(call string) error {
		if call == "Replace" && s.Parts[full] != nil {
			return index.ErrUnavailable
		}
		return nil
	}, nil).Lock(ctx, generation.Run{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := lock.Begin(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	full = b.Generation()
	if err := b.Abort(ctx); err != nil {
		t.Errorf("aborting: %v", err)
	}
	if err := lock.Release(ctx); err != nil {
		t.Errorf("releasing: %v", err)
	}
	s.want(t, "afterwards", first, "first", first)
	s.wantClean(t, first, "")
}

// TestDelete_IsForEver: what was deleted cannot be opened, made live or copied, though its filings are kept for changes; and its
// name never comes back, whatever the clock says.
func TestDelete_IsForEver(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newShared()
	first := mustLoad(t, s, "first")
	s.clock.Advance(time.Second)
	second := mustLoad(t, s, "second")
	l := s.open(nil, nil)
	lock, err := l.Lock(ctx, generation.Run{})
	if err != nil {
		t.Fatal(err)
	}
	if err := lock.Delete(ctx, second); !errors.Is(err, generation.ErrConflict) {
		t.Errorf("deleting what is live: %v", err)
	}
	if err := lock.Delete(ctx, first); err != nil || s.Parts[first][generation.FilingsPart] == nil {
		t.Errorf("deleted with the filings that the changes need: %v", err)
	}
	_, open := l.Open(ctx, first)
	_, begin := lock.Begin(ctx, first)
	for what, err := range map[string]error{
		"open": open, "copy": begin, "swap": l.Swap(ctx, second, first), "promote": lock.Promote(ctx, second, first), "delete": lock.Delete(ctx, first),
	} {
		if !errors.Is(err, index.ErrNotFound) {
			t.Errorf("%s: got %v, want %v", what, err, index.ErrNotFound)
		}
	}
	s.want(t, "deleted", second, "second", second)
	b, err := lock.Begin(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Abort(ctx); err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(-24 * time.Hour)
	c, err := lock.Begin(ctx, "")
	if err != nil || c.Generation() <= b.Generation() {
		t.Errorf("%s comes after %s, %v", c.Generation(), b.Generation(), err)
	}
}

// TestLock_ClocksThatDiffer: a clock that is wrong must neither take a lock from its holder within the promised difference, nor
// lock out for ever.
func TestLock_ClocksThatDiffer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		by   time.Duration // the holder's clock is ahead
		held bool
	}{
		{"holder ahead within the limit", generation.LockTTL - time.Second, true},
		{"holder far ahead", generation.LockTTL, false},
		{"holder behind within the limit", time.Second - generation.LockTTL, true},
		{"holder far behind", -generation.LockTTL, false},
	} {
		s := newShared()
		if _, err := s.open(nil, nil).Lock(t.Context(), generation.Run{Holder: "first"}); err != nil {
			t.Fatal(err)
		}
		s.clock.Advance(-test.by)
		other := s.open(nil, nil)
		if run, err := indextest.Running(t.Context(), other); err != nil || (run != nil) != test.held {
			t.Errorf("%s: running is %+v, %v", test.name, run, err)
		}
		if _, err := other.Lock(t.Context(), generation.Run{}); errors.Is(err, generation.ErrLocked) != test.held {
			t.Errorf("%s: got %v, held should be %v", test.name, err, test.held)
		}
	}
	s := newShared()
	s.Document = generation.Document{Body: []byte(`{"form":1,"lease":"of somebody who says nothing"}`), Revision: "by hand"}
	if _, err := s.open(nil, nil).Lock(t.Context(), generation.Run{}); err != nil {
		t.Errorf("a lease without a time has expired: %v", err)
	}
}

// TestLock_PublicNameIsRepaired: whoever takes the lock or swaps puts right where the public name leads.
func TestLock_PublicNameIsRepaired(t *testing.T) {
	t.Parallel()
	s := newShared()
	first := mustLoad(t, s, "first")
	s.clock.Advance(time.Second)
	refused := errors.New("refused")
	second, err := load(t.Context(), s.open(func(call string) error {
		if call == "Publish" && s.live(t) != first {
			return refused
		}
		return nil
	}, nil), "second")
	if err != nil || s.Public != first {
		t.Errorf("%s is public, %v: this test tests nothing", s.Public, err)
	}
	s.want(t, "committed", second, "second", second, first)
	lock, err := s.open(nil, nil).Lock(context.Background(), generation.Run{})
	if err != nil || s.Public != second {
		t.Errorf("%s is public, %v, want %s", s.Public, err, second)
	}
	if err := lock.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

func (s *shared) live(t *testing.T) string {
	t.Helper()
	r, err := s.open(nil, nil).Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r.Generation()
}

// wantClean wants nothing to be stored but of these generations, and what their changes need.
func (s *shared) wantClean(t *testing.T, names ...string) {
	t.Helper()
	changesets, err := s.open(nil, nil).Changesets(t.Context())
	if err != nil {
		t.Error(err)
	}
	for _, changeset := range changesets {
		names = append(names, changeset.Generation, changeset.Parent)
	}
	for name := range s.Parts {
		if !slices.Contains(names, name) {
			t.Errorf("left behind: %v", s.left())
		}
	}
	if live := s.live(t); s.Public != live {
		t.Errorf("%s is public, and %s is live", s.Public, live)
	}
}
