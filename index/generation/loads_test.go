package generation_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"filings/index"
	"filings/index/generation"
	"filings/index/indextest"
)

// shared is what is stored, and the clock of all processes.
type shared struct {
	*indextest.Memory
	clock *indextest.Clock
}

func newShared() *shared {
	return &shared{indextest.NewMemory(), indextest.NewClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}
}

// open returns the store of a process of its own.
func (s *shared) open(before, after func(call string) error) *indextest.MemoryStore {
	return s.Open(s.clock.Now, before, after)
}

// load makes a generation with one filing of that owner live, as package reindexer does, and keeps one generation besides, and
// two changesets. It returns its name.
func load(ctx context.Context, l *indextest.MemoryStore, owner string) (name string, err error) {
	lock, err := l.Lock(ctx, generation.Run{Holder: owner})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, lock.Release(ctx)) }()
	if _, err := lock.Clear(ctx); err != nil {
		return "", err
	}
	all, err := l.Generations(ctx)
	if err != nil {
		return "", err
	}
	live := ""
	for _, g := range all {
		if g.Live {
			live = g.Name
		}
	}
	b, err := lock.Begin(ctx, live)
	if err != nil {
		return "", err
	}
	f := index.Filing{ID: 1}
	f.SetText(index.Owner, owner)
	if err := b.Put(ctx, &f); err != nil {
		return "", errors.Join(err, b.Abort(ctx))
	}
	if _, err := b.Seal(ctx, indextest.ChangesetFrom(l, live)(b)); err != nil {
		return "", errors.Join(err, b.Abort(ctx))
	}
	if err := lock.Renew(ctx, generation.Run{Holder: owner, Phase: "promoting"}); err != nil && !errors.Is(err, index.ErrUnavailable) {
		return "", err
	}
	if err := lock.Promote(ctx, live, b.Generation()); err != nil {
		return "", err
	}
	_, err = lock.Prune(ctx, live, 0, 2)
	return b.Generation(), err
}

func mustLoad(t *testing.T, s *shared, owner string) string {
	t.Helper()
	name, err := load(t.Context(), s.open(nil, nil), owner)
	if err != nil {
		t.Fatalf("the load of %s: %v", owner, err)
	}
	return name
}

// want checks what processes see: that a generation is live and holds the filing of its owner, which are listed, and that
// every changeset that is listed is there, with what it needs.
func (s *shared) want(t *testing.T, when, live, owner string, listed ...string) {
	t.Helper()
	l := s.open(nil, nil)
	r, err := l.Live(t.Context())
	if err != nil || r.Generation() != live {
		t.Fatalf("%s: live is %v, %v, want %s", when, r, err, live)
	}
	if got := s.Parts[live][generation.FilingsPart].Filings[1].Text(index.Owner); got != owner {
		t.Errorf("%s: the live filing is of %q, want %q", when, got, owner)
	}
	all, err := l.Generations(t.Context())
	var names []string
	for _, g := range all {
		if g.Sealed {
			names = append(names, g.Name)
		}
	}
	if err != nil || listed != nil && !slices.Equal(names, listed) {
		t.Errorf("%s: generations %v, %v, want %v", when, names, err, listed)
	}
	changesets, err := l.Changesets(t.Context())
	if err != nil {
		t.Error(err)
	}
	for _, changeset := range changesets {
		for _, part := range []*indextest.MemoryPart{
			s.Parts[changeset.Generation][generation.ChangesPart], s.Parts[changeset.Generation][generation.FilingsPart], s.Parts[changeset.Parent][generation.FilingsPart],
		} {
			if part == nil {
				t.Errorf("%s: the changes of %s lack something", when, changeset.Generation)
			}
		}
	}
}

// left names what is stored.
func (s *shared) left() (all []string) {
	for name, kinds := range s.Parts {
		for kind := range kinds {
			all = append(all, fmt.Sprint(name, " ", kind))
		}
	}
	slices.Sort(all)
	return all
}

// X47: the catalog keeps the last 20 loads, the newest first, with how each ended: one that died, one that runs, and those that said it.
func TestX47_LastLoads(t *testing.T) {
	t.Parallel()
	s := newShared()
	store := s.open(nil, nil)
	for i := range 25 {
		lock, err := store.Lock(t.Context(), generation.Run{Holder: fmt.Sprint(i), Read: int64(i)})
		if err != nil {
			t.Fatal(err)
		}
		if i%5 == 0 { // it dies
			s.clock.Advance(generation.LockTTL)
			continue
		}
		outcome := generation.OutcomePromoted
		if i%5 == 1 {
			outcome = generation.OutcomeFailed
		}
		if i == 24 {
			outcome = ""
		}
		if err := lock.Renew(t.Context(), generation.Run{Holder: fmt.Sprint(i), Outcome: outcome, Error: "e", Read: int64(i)}); err != nil {
			t.Fatal(err)
		}
		if i < 24 {
			if err := lock.Release(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	all, err := store.Loads(t.Context())
	if err != nil || len(all) != 20 {
		t.Fatalf("error %v, %d loads, want 20", err, len(all))
	}
	for i, run := range all {
		n := 24 - i
		want := map[int]string{0: generation.OutcomeDied, 1: generation.OutcomeFailed}[n%5]
		if want == "" {
			want = generation.OutcomePromoted
		}
		if i == 0 {
			want = generation.OutcomeRunning
		}
		if run.Holder != fmt.Sprint(n) || run.Outcome != want {
			t.Errorf("load %d is %s, %q; want %d, %q", i, run.Holder, run.Outcome, n, want)
		}
	}
	s.clock.Advance(generation.LockTTL)
	if all, err = store.Loads(t.Context()); err != nil || all[0].Outcome != generation.OutcomeDied {
		t.Errorf("error %v; after its lease the last one is %q", err, all[0].Outcome)
	}
}

// TestX53_NoLoad: runs that change what is withheld hide no load, however many they are: how the last one ended is still said, and
// none is forgotten for them.
func TestX53_NoLoad(t *testing.T) {
	t.Parallel()
	for _, outcome := range []string{generation.OutcomeFailed, generation.OutcomePromoted, ""} { // "": it dies
		s := newShared()
		store := s.open(nil, nil)
		run := func(run generation.Run) {
			lock, err := store.Lock(t.Context(), run)
			if err == nil && run.Outcome == "" {
				s.clock.Advance(generation.LockTTL)
				return
			}
			if err == nil {
				err = lock.Release(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		run(generation.Run{Holder: "a night", Outcome: generation.OutcomePromoted})
		run(generation.Run{Holder: "the last night", Outcome: outcome})
		for i := range 30 {
			ends := []string{generation.OutcomePromoted, generation.OutcomeUnchanged, generation.OutcomeFailed, ""}
			run(generation.Run{Withholds: true, Outcome: ends[i%4]})
		}
		all, err := store.Loads(t.Context())
		if outcome == "" {
			outcome = generation.OutcomeDied
		}
		loads := generation.OnlyLoads(all)
		if err != nil || len(all) != 3 || len(loads) != 2 || loads[0].Holder != "the last night" || loads[0].Outcome != outcome {
			t.Errorf("%v, want a load that %s: %+v", err, outcome, all)
		}
		run(generation.Run{Holder: "a night", Outcome: generation.OutcomePromoted})
		if all, err = store.Loads(t.Context()); err != nil || len(all) != 3 || all[1].Outcome != outcome {
			t.Errorf("after another load: %v, %+v", err, all)
		}
	}
}

// TestL8_RenewalsInFront: a load renews its lock whenever it changes the catalog, faster than that.
// The change waits for one renewal at most.
func TestL8_RenewalsInFront(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var lock generation.Lock
		var renewing atomic.Bool
		renewed := make(chan error, 100)
		store := newShared().open(func(call string) error {
			if call == "Replace" && lock != nil && !renewing.Swap(true) {
				go func() {
					renewed <- lock.Renew(t.Context(), generation.Run{Holder: "me", Phase: rand.Text()})
					renewing.Store(false)
				}()
				synctest.Wait() // it has ended, or waits for the change
			}
			return nil
		}, nil)
		taken, err := store.Lock(t.Context(), generation.Run{Holder: "me"})
		if lock = taken; err != nil {
			t.Fatal(err)
		}
		if _, err := lock.Begin(t.Context(), ""); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if len(renewed) != 1 {
			t.Errorf("%d renewals, want 1", len(renewed))
		}
		if err := <-renewed; err != nil {
			t.Error(err)
		}
		if err := lock.Release(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
