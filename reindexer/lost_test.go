package reindexer

import (
	"context"
	"errors"
	"fmt"
	"maps"
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

// breaker is what others do to the live generation of a store.
type breaker struct {
	store              generation.Store
	unsearchable, lose func(live string)
	change             func(live, older string) // so that it holds something else; Elasticsearch's loses its first filing
}

// onBreakable runs a test on a fresh store of each engine.
func onBreakable(t *testing.T, test func(t *testing.T, b breaker)) {
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
		replace := func(live string, data []byte) {
			if err := os.WriteFile(file(live)+"x", data, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(file(live)+"x", file(live)); err != nil {
				t.Fatal(err)
			}
		}
		test(t, breaker{store, func(live string) { replace(live, []byte("no database")) }, func(live string) {
			if err := os.Remove(file(live)); err != nil {
				t.Fatal(err)
			}
		}, func(live, older string) {
			data, err := os.ReadFile(file(older))
			if err != nil {
				t.Fatal(err)
			}
			replace(live, data)
		}})
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
		test(t, breaker{store, func(live string) { // its shard is red
			version := strings.LastIndex(live, "-v")
			prefix := live[:version-len("-20060102-150405.000000")]
			red := prefix + "-20250101-000000.000000" + live[version:]
			do(http.MethodPut, red+"?wait_for_active_shards=0",
				`{"settings": {"number_of_replicas": 0, "index.routing.allocation.require._name": "no such node"}}`)
			elastictest.Enter(t, servers.Elasticsearch(t), prefix, red)
			if err := store.Swap(t.Context(), live, red); err != nil {
				t.Fatal(err)
			}
		}, func(live string) { do(http.MethodDelete, live, "") }, func(live, _ string) {
			do(http.MethodPut, live+"/_settings", `{"index.blocks.write": false}`)
			do(http.MethodPost, live+"/_bulk?refresh=true", `{"delete": {"_id": "1"}}`+"\n")
			do(http.MethodPut, live+"/_settings", `{"index.blocks.write": true}`)
		}})
	})
}

func liveName(t *testing.T, store generation.Store) string {
	t.Helper()
	all, err := store.Generations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return liveOf(all).Name
}

// A live generation that cannot be searched can be replaced, by a load that need not count it.
func TestL10_UnreadableLiveGeneration(t *testing.T) {
	t.Parallel()
	onBreakable(t, func(t *testing.T, b breaker) {
		store := b.store
		mustRun(t, config(t, store, owned("Ann", 1, 2, 3)))
		b.unsearchable(liveName(t, store))
		for _, update := range []bool{false, true} {
			cfg := config(t, store, owned("Bob", 1, 2, 3))
			cfg.Update = update
			before := liveName(t, store)
			report, err := Run(context.Background(), cfg)
			if !errors.Is(err, index.ErrUnavailable) || !strings.Contains(err.Error(), before) || !strings.Contains(err.Error(), "--force") {
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

// TestX24_LoadsAfterAChange: over a live generation that is not what was sealed an update is refused, since it would copy what is
// wrong, and says what to do. An older generation can be made live, and updated. A full load repairs it, and is held to the number
// of filings that were sealed.
func TestX24_LoadsAfterAChange(t *testing.T) {
	t.Parallel()
	onBreakable(t, func(t *testing.T, b breaker) {
		store := b.store
		older := mustRun(t, config(t, store, owned("Old", 1, 2))).Generation
		changed := mustRun(t, config(t, store, owned("Ann", 1, 2, 3, 4))).Generation
		b.change(changed, older)
		for _, maxShrink := range []float64{10, 100} {
			cfg := config(t, store, owned("Bob", 5))
			cfg.Update, cfg.MaxShrink = true, maxShrink
			report, err := Run(t.Context(), cfg)
			if !errors.Is(err, index.ErrChanged) || report.Read > 0 || report.Promoted || liveName(t, store) != changed {
				t.Errorf("an update: %+v, %v, want ErrChanged", report, err)
			}
			for _, want := range []string{changed, "sealed with", "filings rollback", "load all filings"} {
				if !strings.Contains(fmt.Sprint(err), want) {
					t.Errorf("an update: %v, want %s", err, want)
				}
			}
		}
		if report, err := Run(t.Context(), config(t, store, owned("Bob", 1, 2))); !errors.Is(err, ErrShrunk) || report.Promoted {
			t.Errorf("a load of half as many filings: %+v, %v, want ErrShrunk", report, err)
		}
		if err := store.Swap(t.Context(), changed, older); err != nil {
			t.Fatal(err)
		}
		update := config(t, store, owned("Bob", 5))
		update.Update = true
		mustRun(t, update)
		if got, want := live(t, store), (map[int64]string{1: "Old", 2: "Old", 5: "Bob"}); !maps.Equal(got, want) {
			t.Errorf("rolled back and updated: %v, want %v", got, want)
		}
		if err := store.Swap(t.Context(), liveName(t, store), changed); err != nil {
			t.Fatal(err)
		}
		mustRun(t, config(t, store, owned("Bob", 1, 2, 3, 4)))
		if got := live(t, store); got[1] != "Bob" || len(got) != 4 {
			t.Errorf("after a full load: %v", got)
		}
		if r, err := store.Live(t.Context()); err != nil || index.Probe(t.Context(), r) != nil {
			t.Errorf("after a full load: %v", err)
		}
	})
}

// A full load repairs data that were lost. An update does not: it would make its changes all that there is.
func TestL7_LoadsAfterALoss(t *testing.T) {
	t.Parallel()
	onBreakable(t, func(t *testing.T, b breaker) {
		store := b.store
		mustRun(t, config(t, store, owned("Ann", 1, 2, 3)))
		b.lose(liveName(t, store))
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
