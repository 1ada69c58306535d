package reindexer

import (
	"errors"
	"strings"
	"testing"

	"filings/index/generation"
	"filings/index/indextest"
	"filings/reindexer/sieve"
)

// TestX75_Hold: after a rollback that holds, no load makes anything live, also one that began before; removing people goes on.
func TestX75_Hold(t *testing.T) {
	t.Parallel()
	onEitherEngine(t, func(t *testing.T, store generation.Store) {
		first := mustRun(t, config(t, store, owned("Ann", 1, 2)))
		second := mustRun(t, config(t, store, owned("Bob", 1, 2)))
		ctx := t.Context()
		running, err := store.Lock(ctx, generation.Run{Holder: "a load that runs"})
		if err != nil {
			t.Fatal(err)
		}
		if err := store.SwapAndHold(ctx, second.Generation, first.Generation, "Orange is wrong"); err != nil {
			t.Fatal(err)
		}
		wantHeld := func(what string, err error) {
			t.Helper()
			var hold *generation.Hold
			if !errors.As(err, &hold) || !strings.Contains(err.Error(), "Orange is wrong; `filings release`") || !Refused(err) || Passing(err) {
				t.Errorf("%s: %v", what, err)
			}
			if live, err := indextest.LiveName(ctx, store); err != nil || live != first.Generation {
				t.Errorf("%s: %s is live, error %v, want %s", what, live, err, first.Generation)
			}
		}
		wantHeld("a load that has begun", running.Promote(ctx, first.Generation, second.Generation))
		if err := running.Release(ctx); err != nil {
			t.Fatal(err)
		}
		for what, change := range map[string]func(*Config){
			"a load": func(*Config) {}, "an update": func(c *Config) { c.Update = true }, "one that allows all": func(c *Config) { c.MaxShrink = 100 },
			"not again": func(c *Config) { c.IfChanged = true }, "a county": func(c *Config) { c.Replace = []string{"Orange, FL"} },
		} {
			cfg := config(t, store, owned("Cal", 1, 2))
			change(&cfg)
			report, err := Run(ctx, cfg)
			wantHeld(what, err)
			if run, err := indextest.LastRun(ctx, store); err != nil || report.Promoted || run.Outcome != generation.OutcomeFailed || !strings.Contains(run.Error, "Orange is wrong") {
				t.Errorf("%s: the last load %+v, error %v", what, run, err)
			}
		}
		if dry := config(t, store, owned("Cal", 1, 2)); true {
			dry.DryRun = true
			mustRun(t, dry)
		}
		withhold := config(t, store, "")
		withhold.Inputs, withhold.Withhold = nil, &sieve.Withhold{ID: 1, Reason: "asked"}
		withheld := mustRun(t, withhold)

		if released, err := store.Release(ctx); err != nil || released == nil || released.Live != first.Generation {
			t.Errorf("released %+v, error %v", released, err)
		}
		if released, err := store.Release(ctx); err != nil || released != nil {
			t.Errorf("released again: %+v, error %v", released, err)
		}
		if third := mustRun(t, config(t, store, owned("Cal", 1, 2))); !third.Promoted || third.Generation == withheld.Generation {
			t.Errorf("after the release: %+v", third)
		}
	})
}
