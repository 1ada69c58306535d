package reindexer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"filings/cmd/testservers/servers"
	"filings/index/generation"
	"filings/index/indextest"
	"filings/reindexer/source"
)

// TestX46_NotAgain: a load whose sources are as they were builds nothing, and says so; whatever is not as it was makes it build.
func TestX46_NotAgain(t *testing.T) {
	t.Parallel()
	onEitherEngine(t, func(t *testing.T, store generation.Store) {
		etag := `"1"`
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("ETag", etag)
			fmt.Fprint(w, `{"id":5,"county":"Orange, FL","owner":"Web"}`+"\n")
		}))
		t.Cleanup(server.Close)
		portal := &servers.Portal{}
		portal.Put(map[string]any{"n": 6}, map[string]any{"n": 7})
		data := httptest.NewServer(portal)
		t.Cleanup(data.Close)
		host := strings.TrimPrefix(data.URL, "http://")
		cfg := config(t, store, owned("Ann", 1, 2))
		cfg.MaxShrink = 100
		cfg.Inputs = append(cfg.Inputs, inputs(strings.Replace(server.URL, "//", "//me:one@", 1)+"/a.ndjson", "socrata://"+host+"/abcd-1234", "arcgis+http://"+host+"/rest/FeatureServer/0")...)
		m := &Mapping{Name: "m.jq", Text: `{id: ((.n // .id) + if .FID then 100 else 0 end), county: "Orange, FL", owner}`}
		for i := range cfg.Inputs[1:] {
			cfg.Inputs[i+1].Mapping = m
		}
		first := mustRun(t, cfg) // without --if-changed; it is compared with all the same
		cfg.IfChanged = true
		change := func(what string, unchanged bool) {
			t.Helper()
			before := generationNames(t, store)
			report := mustRun(t, cfg)
			after := generationNames(t, store)
			if report.Unchanged != unchanged || report.Promoted == unchanged || fmt.Sprint(before) == fmt.Sprint(after) != unchanged {
				t.Errorf("%s: unchanged is %t, promoted %t, generations %v, then %v", what, report.Unchanged, report.Promoted, before, after)
			}
			run, err := indextest.LastRun(context.Background(), store)
			if want := map[bool]string{true: generation.OutcomeUnchanged, false: generation.OutcomePromoted}[unchanged]; err != nil || run.Outcome != want {
				t.Errorf("%s: the last run %+v, error %v, want the outcome %s", what, run, err, want)
			}
		}
		change("nothing", true)
		cfg.Inputs[1].Name = strings.Replace(cfg.Inputs[1].Name, "me:one@", "me:two@", 1)
		change("another password", true)
		later := time.Now().Add(time.Hour)
		if err := os.Chtimes(cfg.Inputs[0].Name, later, later); err != nil {
			t.Fatal(err)
		}
		change("the time of a file", false)
		if err := os.WriteFile(cfg.Inputs[0].Name, []byte(owned("Bob", 1, 2)), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(cfg.Inputs[0].Name, later, later); err != nil {
			t.Fatal(err)
		}
		change("the content of a file, of the same size and time", false)
		if got := live(t, store); got[1] != "Bob" || len(got) != 7 {
			t.Errorf("live: %v", got)
		}
		if strings.HasSuffix(t.Name(), "elasticsearch") {
			return // what a load keeps and compares is the same; its loads take seconds
		}
		etag = `"2"`
		change("an ETag", false)
		change("nothing", true)
		portal.Put(map[string]any{"n": 8})
		change("a row", false)
		m.Text += " "
		change("a mapping", false)
		cfg.Strict = true
		change("an option", false)
		change("nothing", true)
		etag = `W/"2"`
		change("a weak ETag", false)
		change("a weak ETag, which may be that of two states", false)
		etag = `"2"`
		change("an ETag", false)
		change("nothing", true)
		lock, err := store.Lock(context.Background(), generation.Run{})
		if err != nil {
			t.Fatal(err)
		}
		all, err := store.Generations(context.Background())
		if err == nil {
			err = lock.Promote(context.Background(), liveOf(all).Name, all[1].Name)
		}
		if err != nil || lock.Release(context.Background()) != nil {
			t.Fatal(err)
		}
		change("a rollback, to a generation of other sources", false)
		cfg.Inputs = cfg.Inputs[:1]
		change("one source fewer", false)
		cfg.Update = true
		change("the same as an update", false)
		change("nothing", true)
		cfg.Inputs, cfg.Stdin = inputs("-"), strings.NewReader(owned("Bob", 1))
		change("standard input", false)
		cfg.Stdin = strings.NewReader(owned("Bob", 1))
		change("standard input again, of which nothing is known", false)
		if first.Generation == "" {
			t.Error("the first load has no generation")
		}
	})
}

// TestX69_EachSource: each source that says its state fails a load, in the same words, where it says another one after its last row. An
// object of one state, whose ETag the server keeps to, may be written anew.
func TestX69_EachSource(t *testing.T) {
	t.Parallel()
	portal := &servers.Portal{}
	portal.Put(map[string]any{"n": 1}, map[string]any{"n": 2})
	data := httptest.NewServer(portal)
	t.Cleanup(data.Close)
	etag := `"1"`
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", etag)
		fmt.Fprint(w, filing(1))
	}))
	t.Cleanup(web.Close)
	host := strings.TrimPrefix(data.URL, "http://")
	plain, piped := write(t, "a.ndjson", filing(1)), write(t, "b.ndjson", filing(1))
	put := func() error { portal.Put(map[string]any{"n": 3}); return nil }
	rewritten := func(path string) func() error {
		return func() error { return os.WriteFile(path, []byte(filing(1)+filing(2)), 0o600) }
	}
	for name, test := range map[string]struct {
		source string
		change func() error
		fails  bool
	}{
		"file":           {plain, rewritten(plain), true},
		"file, replaced": {piped, func() error { return errors.Join(os.Remove(piped), rewritten(piped)()) }, false},
		"socrata":        {"socrata://" + host + "/abcd-1234", put, true},
		"arcgis":         {"arcgis+http://" + host + "/rest/FeatureServer/0", put, true},
		"web":            {web.URL + "/a.ndjson", func() error { etag = `"2"`; return nil }, false},
	} {
		cfg := Config{
			DryRun: true, Show: 1, Inputs: inputs(test.source),
			OnShow: func(string) {
				if err := test.change(); err != nil {
					t.Error(err)
				}
			},
		}
		cfg.Inputs[0].Mapping = &Mapping{Name: "m.jq", Text: `{id: (.n // .id), county: "Orange, FL"}`}
		_, err := Run(t.Context(), cfg)
		if failed := errors.Is(err, source.ErrChanged); failed != test.fails || !failed && err != nil ||
			failed && !strings.Contains(err.Error(), "it was changed while it was read") {
			t.Errorf("%s: error %v, want one: %t", name, err, test.fails)
		}
		cfg.Head, cfg.Inputs = 1, inputs(plain)
		cfg.OnShow = func(string) { _ = os.WriteFile(plain, []byte(filing(1)+filing(2)+filing(3)), 0o600) }
		if _, err := Run(t.Context(), cfg); err != nil {
			t.Errorf("the first rows of a file that is written to: %v", err)
		}
	}
}
