package reindexer

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/elastic/elastictest"
	"filings/index/embedded"
	"filings/index/generation"
)

// onBreakable runs a test on a fresh store of each engine, with what makes its live generation one that cannot be searched,
// and what loses it.
func onBreakable(t *testing.T, test func(t *testing.T, store generation.Store, breakLive, loseLive func(live string))) {
	t.Helper()
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		store, err := embedded.Open(embedded.Config{Dir: dir, Index: "filings", Now: testClock().Now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		file := func(name string) string { return filepath.Join(dir, "generations", name+".db") }
		test(t, store, func(live string) {
			if err := os.WriteFile(file(live)+"x", []byte("no database"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(file(live)+"x", file(live)); err != nil {
				t.Fatal(err)
			}
		}, func(live string) {
			if err := os.Remove(file(live)); err != nil {
				t.Fatal(err)
			}
		})
	})
	t.Run("elasticsearch", func(t *testing.T) {
		t.Parallel()
		store := elasticStore(t)
		do := func(method, path, body string) {
			t.Helper()
			req, err := http.NewRequest(method, servers.Elasticsearch(t)+"/"+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			if res.Body.Close(); res.StatusCode != http.StatusOK {
				t.Fatalf("%s %s: %s", method, path, res.Status)
			}
		}
		test(t, store, func(live string) { // its shard is red
			version := strings.LastIndex(live, "-v")
			prefix := live[:version-len("-20060102-150405.000000")]
			red := prefix + "-20250101-000000.000000" + live[version:]
			do(http.MethodPut, red+"?wait_for_active_shards=0",
				`{"settings": {"number_of_replicas": 0, "index.routing.allocation.require._name": "no such node"}}`)
			elastictest.Enter(t, servers.Elasticsearch(t), prefix, red)
			if err := store.Swap(t.Context(), live, red); err != nil {
				t.Fatal(err)
			}
		}, func(live string) { do(http.MethodDelete, live, "") })
	})
}

func liveName(t *testing.T, store generation.Store) string {
	t.Helper()
	all, err := store.Generations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return liveOf(all)
}

// A live generation that cannot be searched can be replaced, by a load that need not count it.
func TestL10_UnreadableLiveGeneration(t *testing.T) {
	t.Parallel()
	onBreakable(t, func(t *testing.T, store generation.Store, breakLive, _ func(string)) {
		mustRun(t, config(t, store, owned("Ann", 1, 2, 3)))
		breakLive(liveName(t, store))
		for _, update := range []bool{false, true} {
			cfg := config(t, store, owned("Bob", 1, 2, 3))
			cfg.Update = update
			before := liveName(t, store)
			report, err := Run(context.Background(), cfg)
			if !errors.Is(err, index.ErrUnavailable) || !strings.Contains(err.Error(), before) || !strings.Contains(err.Error(), "--max-shrink 100") {
				t.Errorf("update %v: %v, want an error that names %s and says what to do", update, err, before)
			}
			if report.Read > 0 || report.Promoted || liveName(t, store) != before {
				t.Errorf("update %v: %+v, live is %s", update, report, liveName(t, store))
			}
		}
		cfg := config(t, store, owned("Bob", 1, 2, 3))
		cfg.MaxShrink = 100
		report := mustRun(t, cfg)
		if got := liveName(t, store); got != report.Generation || live(t, store)[1] != "Bob" {
			t.Errorf("live is %s, want %s", got, report.Generation)
		}
	})
}

// A full load repairs data that were lost. An update does not: it would make its changes all that there is.
func TestL7_LoadsAfterALoss(t *testing.T) {
	t.Parallel()
	onBreakable(t, func(t *testing.T, store generation.Store, _, loseLive func(string)) {
		mustRun(t, config(t, store, owned("Ann", 1, 2, 3)))
		loseLive(liveName(t, store))
		for _, dry := range []bool{false, true} {
			cfg := config(t, store, owned("Bob", 1))
			cfg.Update, cfg.DryRun = true, dry
			if report, err := Run(context.Background(), cfg); !errors.Is(err, index.ErrLost) || report.Promoted {
				t.Errorf("an update, dry %v: %+v, %v, want %v", dry, report, err, index.ErrLost)
			}
		}
		mustRun(t, config(t, store, owned("Bob", 1, 2, 3)))
		if got := live(t, store); got[1] != "Bob" || len(got) != 3 {
			t.Errorf("after a full load: %v", got)
		}
	})
}
