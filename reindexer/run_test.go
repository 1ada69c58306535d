package reindexer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/xuri/excelize/v2"

	"filings/index"
	"filings/index/generation"
	"filings/index/indextest"
)

// withoutTime leaves out what differs from run to run, and what TestX41_… compares.
var withoutTime = cmpopts.IgnoreFields(Report{}, "Generation", "Seconds", "Sources", "Counties", "Fields", "Warnings", "Reasons")

func TestL7_AFullLoad(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, store generation.Store) {
		cfg := config(t, store, owned("Ann", upTo(300)...)+`{"id":301,"county":"A, FL","filingAmount":1.005,"x":1}`+"\n")
		report := mustRun(t, cfg)
		want := Report{Read: 301, Indexed: 301, Rounded: 1, IgnoredFields: map[string]int64{"x": 1}, Filings: 301, Promoted: true}
		if diff := cmp.Diff(want, report, withoutTime); diff != "" {
			t.Errorf("report (-want +got):\n%s", diff)
		}
		if got := generationNames(t, store); len(got) != 1 || got[0] != report.Generation+"*" {
			t.Errorf("generations %v, want %s alone", got, report.Generation)
		}
		if got := live(t, store); len(got) != 301 || got[7] != "Ann" {
			t.Errorf("%d filings are live, the owner of 7 is %q", len(got), got[7])
		}
		if run, err := indextest.Running(context.Background(), store); run != nil || err != nil {
			t.Errorf("afterwards %v is running, error %v", run, err)
		}
		run, err := indextest.LastRun(context.Background(), store)
		if err != nil || run == nil || run.Outcome != generation.OutcomePromoted || run.Indexed != 301 || run.Generation != report.Generation {
			t.Errorf("the last run: %+v, %v", run, err)
		}
		failing := config(t, store, "{}\n")
		if _, err := Run(context.Background(), failing); err == nil {
			t.Error("a record without id was loaded")
		}
		if run, err = indextest.LastRun(context.Background(), store); err != nil || run.Outcome != generation.OutcomeFailed || run.Rejected != 1 {
			t.Errorf("the last run: %+v, %v", run, err)
		}

		cfg = config(t, store, owned("Bob", upTo(290)...))
		cfg.MayShrink = []string{"A, FL"}
		second := mustRun(t, cfg)
		if got := live(t, store); len(got) != 290 || got[7] != "Bob" {
			t.Errorf("after the second load %d filings are live, the owner of 7 is %q", len(got), got[7])
		}
		// The one before has not changed and can be gone back to.
		if err := store.Swap(context.Background(), second.Generation, report.Generation); err != nil {
			t.Fatal(err)
		}
		if got := live(t, store); len(got) != 301 || got[7] != "Ann" {
			t.Errorf("after the rollback %d filings are live, the owner of 7 is %q", len(got), got[7])
		}
	})
}

// TestX61_OneCounty: sources in NFC and NFD have one county, each filing of which is found. The report counts the texts that were changed.
func TestX61_OneCounty(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, store generation.Store) {
		report := mustRun(t, config(t, store, `{"id":1,"county":"Doña Ana, NM","owner":"PEÑA, ROSA"}`+"\n"+
			"{\"id\":2,\"county\":\"Don\u0303a Ana, NM\",\"owner\":\"Pen\u0303a\u200b, Rosa\",\"caseNumber\":\"2026\u2011TL\u201117\"}\n"))
		want := map[string]CountyCounts{"Doña Ana, NM": {2, &Changes{Added: 2}}}
		if diff := cmp.Diff(want, report.Counties); diff != "" || report.Normalized != 2 {
			t.Errorf("%d texts were normalized, counties (-want +got):\n%s", report.Normalized, diff)
		}
		reader, err := store.Open(t.Context(), report.Generation)
		if err != nil {
			t.Fatal(err)
		}
		for _, where := range []index.Predicate{
			index.InCounty("DON\u0303A ANA"), index.Contains{Text: index.SearchText("pen\u0303a")}, index.Contains{Text: index.SearchText("ñA, r")},
			index.AnyOf{Fields: []index.Field{index.OwnerKey}, Values: []string{index.OwnerKeyOf("Rosa Pe\u00adna")}},
		} {
			if n, err := reader.Count(t.Context(), index.Where(where)); n != 2 || err != nil {
				t.Errorf("%v: %d, %v", where, n, err)
			}
		}
		if n, err := reader.Count(t.Context(), index.Where(index.Contains{Text: index.SearchText("2026-tl–17\u200b")})); n != 1 || err != nil {
			t.Errorf("the case number: %d, %v", n, err)
		}
	})
}

// TestX21_Uncomputed: a formula that no program has computed is a missing value, and the report says how many there are.
func TestX21_Uncomputed(t *testing.T) {
	t.Parallel()
	f := excelize.NewFile()
	path := filepath.Join(t.TempDir(), "f.xlsx")
	if err := errors.Join(
		f.SetSheetRow("Sheet1", "A1", &[]any{"id", "county", "filingAmount"}),
		f.SetSheetRow("Sheet1", "A2", &[]any{1, "Orange, FL", 5}),
		f.SetSheetRow("Sheet1", "A3", &[]any{2, "Orange, FL"}),
		f.SetCellFormula("Sheet1", "C3", "C2*2"),
		f.SaveAs(path), f.Close(),
	); err != nil {
		t.Fatal(err)
	}
	report, err := Run(t.Context(), Config{Inputs: inputs(path), DryRun: true})
	if err != nil || report.Uncomputed != 1 || report.Read != 2 || report.Rejected != 0 {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestReport_IsTheLineOfTheProgram(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal(Report{
		Generation: "g", Read: 1, Indexed: 2, Updated: 3, Deleted: 4, Missing: 5, Rejected: 6, Rounded: 7, Normalized: 21, Uncomputed: 10,
		IgnoredFields: map[string]int64{"x": 8}, Filings: 9, Seconds: 1.5, Promoted: true,
		Sources:  []SourceCounts{{"a.csv", 11, 12, 13, 14, 15}},
		Counties: map[string]CountyCounts{"A, FL": {16, &Changes{17, 18, 19}}, "B, FL": {Filings: 20}}, Warnings: []string{"w"},
	})
	want := `{"generation":"g","read":1,"indexed":2,"updated":3,"deleted":4,"missing":5,"rejected":6,"withheld":0,"withheldContacts":0,"rounded":7,"normalized":21,"uncomputed":10,` +
		`"ignoredFields":{"x":8},"sources":[{"name":"a.csv","rows":11,"records":12,"leftOut":13,"rejected":14,"indexed":15}],` +
		`"counties":{"A, FL":{"filings":16,"added":17,"changed":18,"removed":19},"B, FL":{"filings":20}},"warnings":["w"],"changes":null,"filings":9,"seconds":1.5,"promoted":true}`
	if diff := cmp.Diff(want, string(got)); diff != "" || err != nil {
		t.Errorf("error %v, line (-want +got):\n%s", err, diff)
	}
	for _, cfg := range []Config{{}, {Inputs: inputs(filepath.Join(t.TempDir(), "a.csv")), DryRun: true}} {
		report, err := Run(context.Background(), cfg)
		if err == nil || report.IgnoredFields == nil {
			t.Errorf("error %v, ignored fields %v; want an error and none, not null", err, report.IgnoredFields)
		}
	}
}

func TestL6_Rejects(t *testing.T) {
	t.Parallel()
	onEitherEngine(t, func(t *testing.T, store generation.Store) {
		mustRun(t, config(t, store, owned("Ann", 1, 2, 3)))
		before := generationNames(t, store)

		var bad strings.Builder
		for i := range 30 {
			fmt.Fprintf(&bad, `{"id":%d,"county":"Orange"}`+"\n", 100+i)
		}
		cfg := config(t, store, owned("Bob", 1, 2, 3)+bad.String()+owned("Bob", 4))
		cfg.Rejects = filepath.Join(t.TempDir(), "rejects.ndjson")
		cfg.MaxRejects = 29
		watched := &watcher{}
		cfg.Progress = watched
		report, err := Run(context.Background(), cfg)
		if !errors.Is(err, ErrRejected) {
			t.Fatalf("error %v, want ErrRejected", err)
		}
		want := Report{Read: 34, Indexed: 4, Rejected: 30, IgnoredFields: map[string]int64{}, Filings: 4}
		if diff := cmp.Diff(want, report, withoutTime); diff != "" || report.Generation != "" {
			t.Errorf("generation %q, report (-want +got):\n%s", report.Generation, diff)
		}
		if all := slices.Collect(maps.Values(report.Reasons)); len(all) != 1 || all[0].Records != 30 || !strings.Contains(all[0].First, ":4: filing 100: county: ") {
			t.Errorf("reasons %+v", report.Reasons)
		}
		if len(watched.rejects) != 20 {
			t.Errorf("%d rejects are shown, want the first 20", len(watched.rejects))
		}
		checkRejects(t, cfg)
		if diff := cmp.Diff(before, generationNames(t, store)); diff != "" {
			t.Errorf("generations (-want +got):\n%s", diff)
		}

		cfg.MaxRejects = 30
		if report := mustRun(t, cfg); report.Rejected != 30 || report.Indexed != 4 || !report.Promoted {
			t.Errorf("with 30 rejects allowed: %+v", report)
		}
		if got := live(t, store); len(got) != 4 || got[1] != "Bob" {
			t.Errorf("live are %v", got)
		}
	})
}

// checkRejects wants thirty lines in the rejects file.
func checkRejects(t *testing.T, cfg Config) {
	t.Helper()
	text, err := os.ReadFile(cfg.Rejects)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(lines) != 30 {
		t.Fatalf("%d rejects are in the file, want 30", len(lines))
	}
	var first map[string]any
	if err := json.Unmarshal([]byte(lines[0]), &first); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"file": cfg.Inputs[0].Name, "line": 4.0, "id": 100.0, "field": "county", "record": `{"id":100,"county":"Orange"}`,
		"reason": `"Orange" is not "<County>, <ST>" with two capital letters for the state`,
	}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("first line (-want +got):\n%s", diff)
	}
}

// watcher is a Progress that keeps what it shows.
type watcher struct {
	phases  []string
	rejects []Reject
}

func (w *watcher) Show(s Status) {
	if len(w.phases) == 0 || w.phases[len(w.phases)-1] != s.Phase {
		w.phases = append(w.phases, s.Phase)
	}
}
func (w *watcher) Reject(r Reject) { w.rejects = append(w.rejects, r) }

func TestL6_RejectsFile(t *testing.T) {
	t.Parallel()
	store := embeddedStore(t)
	cfg := config(t, store, owned("Ann", 1))
	cfg.Rejects = filepath.Join(t.TempDir(), "no", "such", "folder")
	if _, err := Run(context.Background(), cfg); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a path that cannot be written: error %v", err)
	}
	cfg.Rejects = cfg.Inputs[0].Name
	if _, err := Run(context.Background(), cfg); !errors.Is(err, ErrUsage) {
		t.Errorf("the path of the source: error %v, want ErrUsage", err)
	}
	if got := generationNames(t, store); len(got) != 0 {
		t.Errorf("generations %v were built", got)
	}
	cfg.Rejects = filepath.Join(t.TempDir(), "rejects")
	mustRun(t, cfg)
	if text, err := os.ReadFile(cfg.Rejects); err != nil || len(text) != 0 {
		t.Errorf("without a reject the file has %q, error %v", text, err)
	}

	cfg = config(t, store, owned("Ann", 1)+"{}\n")
	cfg.Rejects, cfg.MaxRejects, cfg.IfChanged = filepath.Join(t.TempDir(), "rejects"), 1, true
	mustRun(t, cfg)
	want, err := os.ReadFile(cfg.Rejects)
	if err != nil || len(want) == 0 {
		t.Fatalf("rejects %q, %v", want, err)
	}
	if report, err := Run(t.Context(), cfg); err != nil || !report.Unchanged {
		t.Errorf("%+v, %v, want unchanged", report, err)
	}
	lock, err := store.Lock(t.Context(), generation.Run{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), cfg); !errors.Is(err, generation.ErrLocked) {
		t.Errorf("beside another load: %v", err)
	}
	if got, err := os.ReadFile(cfg.Rejects); err != nil || string(got) != string(want) {
		t.Errorf("after loads that read nothing the file has %q, %v, want %q", got, err, want)
	}
	if err := lock.Release(t.Context()); err != nil {
		t.Error(err)
	}
	for _, by := range []func(*Config){
		func(c *Config) { c.Inputs[0].Mapping = &Mapping{Name: c.Rejects, Text: "."} },
		func(c *Config) { c.Plan = c.Rejects },
	} {
		overwrites := cfg
		by(&overwrites)
		if _, err := Run(t.Context(), overwrites); !errors.Is(err, ErrUsage) {
			t.Errorf("the path of a mapping or plan: error %v, want ErrUsage", err)
		}
	}
}

func TestL5_RepeatedIDsAcrossFiles(t *testing.T) {
	t.Parallel()
	store := embeddedStore(t)
	cfg := config(t, store, owned("Ann", 1, 2))
	cfg.Inputs = append(cfg.Inputs, inputs(write(t, "b.ndjson", owned("Bob", 2, 3)))...)
	watched := &watcher{}
	cfg.Progress = watched
	if _, err := Run(context.Background(), cfg); !errors.Is(err, ErrRejected) {
		t.Fatalf("error %v, want ErrRejected", err)
	}
	if len(watched.rejects) != 1 || watched.rejects[0].File != cfg.Inputs[1].Name || watched.rejects[0].Line != 1 {
		t.Errorf("rejects %v, want line 1 of the second file", watched.rejects)
	}
}

func TestL9_Updates(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, store generation.Store) {
		first := mustRun(t, config(t, store, owned("Ann", upTo(300)...)))
		text := owned("Bob", 5, 6, 301) + // replaced, replaced, new
			`{"id":7,"deleted":true}` + "\n" +
			`{"id":999,"deleted":true}` + "\n" + // was never there
			owned("Carl", 6, 302) + // once more; new
			`{"id":302,"deleted":true}` + "\n" + // and gone again
			`{"id":302,"deleted":true}` + "\n" + // twice
			`{"id":8,"deleted":true}` + "\n" + owned("Dora", 8) // deleted and back
		cfg := config(t, store, text)
		cfg.Update = true
		want := Report{
			Read: 11, Indexed: 3, Updated: 3, Deleted: 3, Missing: 2, IgnoredFields: map[string]int64{}, Filings: 300,
			Changes: &Changes{Added: 1, Changed: 3, Removed: 1}, // as the load then makes
		}
		cfg.DryRun = true
		dry, err := Run(context.Background(), cfg)
		if diff := cmp.Diff(want, dry, withoutTime); diff != "" || err != nil {
			t.Errorf("error %v, report of the dry run (-want +got):\n%s", err, diff)
		}
		if got := generationNames(t, store); len(got) != 1 {
			t.Errorf("the dry run built %v", got)
		}
		cfg.DryRun = false
		want.Promoted = true
		report := mustRun(t, cfg)
		if diff := cmp.Diff(want, report, withoutTime); diff != "" {
			t.Errorf("report (-want +got):\n%s", diff)
		}
		owners := map[int64]string{}
		for id := range int64(300) {
			owners[id+1] = "Ann"
		}
		maps.Copy(owners, map[int64]string{5: "Bob", 6: "Carl", 8: "Dora", 301: "Bob"})
		delete(owners, 7)
		if diff := cmp.Diff(owners, live(t, store)); diff != "" {
			t.Errorf("owners (-want +got):\n%s", diff)
		}
		if err := store.Swap(context.Background(), report.Generation, first.Generation); err != nil {
			t.Fatal(err)
		}
		if got := live(t, store); len(got) != 300 || got[5] != "Ann" || got[7] != "Ann" {
			t.Errorf("L7: the generation before has changed: %d filings, 5 is %q, 7 is %q", len(got), got[5], got[7])
		}
	})
}

func TestL9_UpdateOfNothing(t *testing.T) {
	t.Parallel()
	onEitherEngine(t, func(t *testing.T, store generation.Store) {
		cfg := config(t, store, owned("Ann", 1, 2, 1)+`{"id":3,"deleted":true}`)
		cfg.Update = true
		report := mustRun(t, cfg)
		want := Report{Read: 4, Indexed: 2, Updated: 1, Missing: 1, IgnoredFields: map[string]int64{}, Filings: 2, Promoted: true}
		if diff := cmp.Diff(want, report, withoutTime); diff != "" {
			t.Errorf("report (-want +got):\n%s", diff)
		}
	})
}

func TestL10_Shrinking(t *testing.T) {
	t.Parallel()
	store := embeddedStore(t)
	mustRun(t, config(t, store, owned("Ann", upTo(100)...)))
	var deletions strings.Builder
	for id := range 11 {
		fmt.Fprintf(&deletions, `{"id":%d,"deleted":true}`+"\n", id+1)
	}
	full, update := config(t, store, owned("Bob", upTo(89)...)), config(t, store, deletions.String())
	update.Update = true
	for rule, cfg := range map[string]Config{"full load": full, "update": update} {
		report, err := Run(context.Background(), cfg)
		if !errors.Is(err, ErrShrunk) || !strings.Contains(fmt.Sprint(err), "89 instead of 100") {
			t.Errorf("%s: error %v, want ErrShrunk with both numbers", rule, err)
		}
		if report.Promoted || report.Generation != "" || report.Filings != 89 {
			t.Errorf("%s: report %+v", rule, report)
		}
		if got := live(t, store); len(got) != 100 || len(generationNames(t, store)) != 1 {
			t.Errorf("%s: %d filings are live, generations %v", rule, len(got), generationNames(t, store))
		}
	}
	update.MaxShrink = 11
	mustRun(t, update)
	fewer := config(t, store, owned("Bob", upTo(81)...)) // 89 less 8.99 %
	fewer.MayChange = []string{"filingDate"}             // the newest are gone
	mustRun(t, fewer)
	nothing := config(t, store, "")
	if _, err := Run(context.Background(), nothing); !errors.Is(err, ErrShrunk) {
		t.Errorf("an empty file: error %v, want ErrShrunk", err)
	}
	nothing.MaxShrink = 100
	mustRun(t, nothing)
	if got := live(t, store); len(got) != 0 {
		t.Errorf("%d filings are live, want none", len(got))
	}
}

// A load without a filing is a mistake: an empty pipe, a file of nothing but rejects.
func TestL10_NothingLoaded(t *testing.T) {
	t.Parallel()
	onEitherEngine(t, func(t *testing.T, store generation.Store) {
		empty, rejected := config(t, store, ""), config(t, store, `{"id":3}`+"\n")
		rejected.MaxRejects = 1
		for name, cfg := range map[string]Config{"nothing read": empty, "all rejected": rejected} {
			report, err := Run(context.Background(), cfg)
			if !errors.Is(err, ErrEmpty) || !strings.Contains(fmt.Sprint(err), "--force") {
				t.Errorf("%s: error %v, want ErrEmpty and how to promote it all the same", name, err)
			}
			if report.Promoted || report.Generation != "" || len(generationNames(t, store)) != 0 {
				t.Errorf("%s: report %+v, generations %v", name, report, generationNames(t, store))
			}
		}
		empty.MaxShrink = 100
		mustRun(t, empty)
		empty.MaxShrink, empty.Update = 10, true
		mustRun(t, empty) // no changes since yesterday
	})
}

func TestDryRun_TouchesNoStore(t *testing.T) {
	t.Parallel()
	cfg := config(t, nil, owned("Ann", 1, 2)+`{"id":3}`+"\n")
	cfg.DryRun = true
	report, err := Run(context.Background(), cfg)
	if !errors.Is(err, ErrRejected) || report.Read != 3 || report.Indexed != 2 {
		t.Errorf("error %v, report %+v", err, report)
	}
	cfg.MaxRejects = 1
	if report := mustRun(t, cfg); report.Promoted || report.Generation != "" || report.Filings != 2 {
		t.Errorf("report %+v", report)
	}
}

func TestRun_IsRefusedWhileAnotherRuns(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, store generation.Store) {
		ctx := context.Background()
		lock, err := store.Lock(ctx, generation.Run{Holder: "the other, process 2", Started: noon, Renewed: noon, Phase: PhaseLoading})
		if err != nil {
			t.Fatal(err)
		}
		build, err := lock.Begin(ctx, "")
		if err != nil {
			t.Fatal(err)
		}
		_, err = Run(ctx, config(t, store, owned("Ann", 1)))
		if !errors.Is(err, generation.ErrLocked) || !strings.Contains(err.Error(), "the other, process 2") ||
			!strings.Contains(err.Error(), "2026-03-01T12:00:00Z") {
			t.Errorf("error %v, want ErrLocked with holder and time", err)
		}
		// The other's build is not taken for a leftover.
		if got := generationNames(t, store); !slices.Equal(got, []string{build.Generation() + "?"}) {
			t.Errorf("generations %v, want what the other builds", got)
		}
		if err := lock.Release(ctx); err != nil {
			t.Fatal(err)
		}
		report := mustRun(t, config(t, store, owned("Ann", 1)))
		if got := generationNames(t, store); !slices.Equal(got, []string{report.Generation + "*"}) {
			t.Errorf("generations %v, want the new one alone: what was left behind is to be deleted", got)
		}
	})
}

func TestL7_GenerationsAreKept(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		keep int
		want []string
	}{
		{0, []string{"5*", "4"}}, {1, []string{"5*", "4"}}, {2, []string{"5*", "4", "3"}}, {9, []string{"5*", "4", "3", "2", "1"}},
	} {
		t.Run(fmt.Sprintf("keep %d", test.keep), func(t *testing.T) {
			t.Parallel()
			store := embeddedStore(t)
			var pairs []string
			for i := range 5 {
				cfg := config(t, store, owned("Ann", 1))
				cfg.Keep = test.keep
				pairs = append(pairs, mustRun(t, cfg).Generation, fmt.Sprint(i+1))
			}
			number := strings.NewReplacer(pairs...)
			var got []string
			for _, name := range generationNames(t, store) {
				got = append(got, number.Replace(name))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("generations (-want +got):\n%s", diff)
			}
		})
	}
}

func TestProgress_OfARun(t *testing.T) {
	t.Parallel()
	watched := &watcher{}
	cfg := config(t, embeddedStore(t), owned("Ann", 1))
	cfg.Progress = watched
	mustRun(t, cfg)
	want := []string{PhasePreparing, PhaseLoading, PhaseSealing, PhaseVerifying, PhaseComparing, PhasePromoting, PhasePruning, ""}
	if diff := cmp.Diff(want, watched.phases); diff != "" {
		t.Errorf("phases (-want +got):\n%s", diff)
	}
}
