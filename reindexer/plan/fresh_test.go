package plan

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/generation"
	"filings/index/indextest"
	"filings/reindexer"
)

// TestX56_Plan: the catalog knows of each county when its source was looked at, when it was loaded, and what the source and
// the plan say.
func TestX56_Plan(t *testing.T) {
	onEngines(t, func(t *testing.T, store generation.Store) {
		f, clock := newFolder(t, store), indextest.NewClock(time.Date(2026, 3, 2, 5, 0, 0, 0, time.UTC))
		written := time.Date(2026, 2, 27, 18, 30, 0, 0, time.UTC)
		polk := `{"id":4000,"county":"Polk, FL"}`
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("ETag", fmt.Sprintf("%q", polk))
			w.Header().Set("Last-Modified", written.Format(http.TimeFormat))
			fmt.Fprintln(w, polk)
		}))
		t.Cleanup(server.Close)
		plan := strings.Replace(four, "sources: [polk.ndjson]", "sources: ["+server.URL+"/polk.ndjson]", 1)
		plan = strings.Replace(plan, "    map: orange.jq\n", "    map: orange.jq\n    source-name: Clerk of Orange County\n", 1)
		f.write("plan.yaml", plan)
		run := func(o Options, unchanged bool) int64 {
			t.Helper()
			clock.Advance(24 * time.Hour)
			p, err := Read(filepath.Join(f.dir, "plan.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			cfg := f.config()
			cfg.Now, cfg.IfChanged, cfg.MayShrink = clock.Now, true, []string{"Polk, FL"}
			report, err := p.Run(t.Context(), cfg, o)
			if err != nil && !errors.Is(err, ErrFailed) || report.Unchanged != unchanged {
				t.Fatalf("error %v, unchanged is %t", err, report.Unchanged)
			}
			return clock.Now().Unix()
		}
		want := func(what string, want map[string]index.Freshness) {
			t.Helper()
			store.LookAgain() // else the list may be a second late
			all, err := store.Kept(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range all {
				if diff := cmp.Diff(want, g.Fresh); g.Live && diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
		}
		one := run(Options{}, false)
		fresh := map[string]index.Freshness{
			"Orange, FL": {Loaded: one, Checked: one, Source: "Clerk of Orange County"}, "Lake, FL": {Loaded: one, Checked: one},
			"Kings, NY": {Loaded: one, Checked: one}, "Polk, FL": {Loaded: one, Checked: one, Updated: written.Unix()},
		}
		want("loaded", fresh)

		f.write("plan.yaml", strings.Replace(plan, "source-name: Clerk of Orange County", "attribution: Data of Orange County", 1))
		two := run(Options{}, true)
		for county, of := range fresh {
			of.Checked = two
			if county == "Orange, FL" {
				of.Source, of.Attribution = "", "Data of Orange County"
			}
			fresh[county] = of
		}
		want("nothing new, and another attribution", fresh)

		written, polk = written.Add(time.Hour), `{"id":4001,"county":"Polk, FL"}`
		f.write("orange.csv", "Number,Owner\n1,x\n")
		three := run(Options{KeepGoing: true}, false)
		for county, of := range fresh {
			if of.Loaded, of.Checked = three, three; county == "Polk, FL" {
				of.Updated = written.Unix()
			}
			if county != "Orange, FL" {
				fresh[county] = of
			}
		}
		want("a county that fails is not looked at", fresh)

		four := run(Options{Only: []string{"lake, fl"}}, false)
		fresh["Lake, FL"] = index.Freshness{Loaded: four, Checked: four}
		want("one county", fresh)
	})
}

func TestX56_Wrong(t *testing.T) {
	t.Parallel()
	f := newFolder(t, nil)
	for _, option := range []string{"source-name: " + strings.Repeat("n", 201), "attribution: " + strings.Repeat("a", 201)} {
		f.write("plan.yaml", strings.Replace(four, "may-shrink: true", option, 1))
		if _, err := Read(filepath.Join(f.dir, "plan.yaml")); !errors.Is(err, ErrPlan) || !strings.Contains(err.Error(), "at most 200 bytes") {
			t.Errorf("%.20s: %v", option, err)
		}
	}
}

// TestX76_Failing: a county that fails is said with each load until one has brought it, also where the others were loaded. Each
// night on which nothing else has changed builds nothing.
func TestX76_Failing(t *testing.T) {
	onEngines(t, func(t *testing.T, store generation.Store) {
		f, clock := newFolder(t, store), indextest.NewClock(time.Date(2026, 3, 2, 5, 0, 0, 0, time.UTC))
		night := func(o Options, want string, failing ...string) reindexer.Report {
			t.Helper()
			clock.Advance(24 * time.Hour)
			p, err := Read(filepath.Join(f.dir, "plan.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			cfg := f.config()
			cfg.Now, cfg.IfChanged = clock.Now, true
			report, err := p.Run(t.Context(), cfg, o)
			runs, failed := store.Loads(t.Context())
			fresh, failed2 := store.Fresh(t.Context())
			if err := errors.Join(failed, failed2); err != nil {
				t.Fatal(err)
			}
			if outcome := runs[0].Outcome; outcome != want || (err == nil) != (len(report.Failed) == 0) {
				t.Errorf("%s, want %s: error %v", outcome, want, err)
			}
			got := generation.Failing(runs, fresh)
			if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, failing) {
				t.Errorf("failing: %q, want %q", got, failing)
			}
			for county, why := range got {
				if report.Failed[county] != "" && !strings.HasPrefix(report.Failed[county], why) {
					t.Errorf("%s: %q, and the report has %q", county, why, report.Failed[county])
				}
			}
			return report
		}
		night(Options{KeepGoing: true}, generation.OutcomePromoted)
		f.write("orange.csv", "Number,Owner\n1,x\n")
		f.county("lake", "Bob", 30)
		night(Options{}, generation.OutcomeFailed, "Orange, FL")
		night(Options{KeepGoing: true}, generation.OutcomePromoted, "Orange, FL")
		before := f.live()
		for range 2 {
			if report := night(Options{KeepGoing: true}, generation.OutcomeUnchanged, "Orange, FL"); !report.Unchanged || f.live() != before {
				t.Errorf("a night without news: unchanged is %t", report.Unchanged)
			}
		}
		if strings.HasSuffix(t.Name(), "elasticsearch") {
			return // its loads take seconds
		}
		night(Options{Only: []string{"Lake, FL"}}, generation.OutcomePromoted, "Orange, FL")
		if err := os.Remove(filepath.Join(f.dir, "kings.csv")); err != nil {
			t.Fatal(err)
		}
		night(Options{}, generation.OutcomeFailed, "Kings, NY", "Orange, FL")
		night(Options{KeepGoing: true}, generation.OutcomePromoted, "Kings, NY", "Orange, FL") // of other counties than the last one
		night(Options{KeepGoing: true}, generation.OutcomeUnchanged, "Kings, NY", "Orange, FL")
		f.county("orange", "Ann", 30)
		night(Options{KeepGoing: true}, generation.OutcomePromoted, "Kings, NY")
		f.county("kings", "Ann", 30)
		night(Options{}, generation.OutcomePromoted)
	})
}
