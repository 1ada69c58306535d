package plan

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/elastic"
	"filings/index/embedded"
	"filings/index/generation"
	"filings/reindexer"
	"filings/reindexer/record"
)

func embeddedStore(t *testing.T) generation.Store {
	t.Helper()
	store, err := embedded.Open(embedded.Config{Dir: t.TempDir(), Index: "filings"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// onEngines runs a test on each engine.
func onEngines(t *testing.T, test func(t *testing.T, store generation.Store)) {
	t.Parallel()
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		test(t, embeddedStore(t))
	})
	t.Run("elasticsearch", func(t *testing.T) {
		t.Parallel()
		address, name := servers.Elasticsearch(t), fmt.Sprintf("plan-%d", time.Now().UnixNano())
		t.Cleanup(func() { servers.DeleteIndices(t, address, name) })
		store, err := elastic.Open(elastic.Config{Addresses: []string{address}, Index: name, Shards: 1})
		if err != nil {
			t.Fatal(err)
		}
		test(t, store)
	})
}

// folder is a folder with a plan of four counties, which a test changes.
type folder struct {
	t     *testing.T
	dir   string
	store generation.Store
}

func (f folder) write(name, text string) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

const four = `
max-shrink: 10
counties:
  - county: Orange, FL
    sources: [orange.csv]
    map: orange.jq
    max-rejects: 1
  - county: Lake, FL
    sources: [lake.txt, lake2.ndjson]
    format: ndjson
  - county: Kings, NY
    sources: [kings.csv]
    delimiter: ;
    map: kings.csv.csv
    allow: [changed=owner]
  - county: Polk, FL
    sources: [polk.ndjson]
    may-shrink: true
`

func newFolder(t *testing.T, store generation.Store) folder {
	t.Helper()
	f := folder{t, t.TempDir(), store}
	f.write("plan.yaml", four)
	f.write("orange.jq", `{id: (.No | number), county: "Orange, FL", owner: .Owner}`)
	f.write("kings.csv.csv", "field,column\nid,number: Nr\ncounty,\"\"\"Kings, NY\"\"\"\nowner,Name\n")
	f.county("orange", "Ann", 30)
	f.county("lake", "Ann", 30)
	f.county("kings", "Ann", 30)
	f.county("polk", "Ann", 30)
	f.write("lake2.ndjson", `{"id":2900,"county":"Lake, FL"}`+"\n")
	return f
}

// county writes n filings of a county.
func (f folder) county(name, owner string, n int) {
	f.t.Helper()
	var text strings.Builder
	text.WriteString(map[string]string{"orange": "No,Owner\n", "kings": "Nr;Name\n"}[name])
	for i := range n {
		switch name {
		case "orange":
			fmt.Fprintf(&text, "%d,%s\n", 1000+i, owner)
		case "lake":
			fmt.Fprintf(&text, `{"id":%d,"county":"Lake, FL","owner":%q}`+"\n", 2000+i, owner)
		case "kings":
			fmt.Fprintf(&text, "%d;%s\n", 3000+i, owner)
		case "polk":
			fmt.Fprintf(&text, `{"id":%d,"county":"Polk, FL","owner":%q}`+"\n", 4000+i, owner)
		}
	}
	f.write(map[string]string{"orange": "orange.csv", "lake": "lake.txt", "kings": "kings.csv", "polk": "polk.ndjson"}[name], text.String())
}

func (f folder) config() reindexer.Config {
	return reindexer.Config{Store: f.store, MaxShrink: 10, Keep: 2, KeepChanges: 3, Holder: "test"}
}

func (f folder) run(o Options) (reindexer.Report, error) {
	f.t.Helper()
	p, err := Read(filepath.Join(f.dir, "plan.yaml"))
	if err != nil {
		f.t.Fatal(err)
	}
	return p.Run(context.Background(), f.config(), o)
}

// live returns how many filings of which owners each county has.
func (f folder) live() string {
	f.t.Helper()
	r, err := f.store.Live(context.Background())
	if err != nil {
		return err.Error()
	}
	page, err := r.Rows(context.Background(), index.Query{Sort: index.DefaultSort, Limit: 1000})
	if err != nil {
		f.t.Fatal(err)
	}
	all := map[string]int{}
	for _, row := range page.Records {
		filing, err := record.Decode(row)
		if err != nil {
			f.t.Fatal(err)
		}
		all[filing.Text(index.County)+" "+filing.Text(index.Owner)]++
	}
	var text []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		text = append(text, fmt.Sprintf("%s %d", key, all[key]))
	}
	return strings.Join(text, ", ")
}

const all30 = "Kings, NY Ann 30, Lake, FL  1, Lake, FL Ann 30, Orange, FL Ann 30, Polk, FL Ann 30"

func TestPlan_OneLoad(t *testing.T) {
	onEngines(t, func(t *testing.T, store generation.Store) {
		f := newFolder(t, store)
		report, err := f.run(Options{})
		if err != nil || report.Indexed != 121 || f.live() != all30 {
			t.Fatalf("error %v, %d indexed, live: %s", err, report.Indexed, f.live())
		}
		for _, name := range []string{"orange", "lake", "kings", "polk"} {
			f.county(name, "Bob", 30)
		}
		if _, err = f.run(Options{Only: []string{"orange, fl", "Polk, FL"}}); err != nil {
			t.Fatal(err)
		}
		if want := "Kings, NY Ann 30, Lake, FL  1, Lake, FL Ann 30, Orange, FL Bob 30, Polk, FL Bob 30"; f.live() != want {
			t.Errorf("live: %s, want %s", f.live(), want)
		}
		if _, err = f.run(Options{Only: []string{"Ocala, FL"}}); !errors.Is(err, reindexer.ErrUsage) {
			t.Errorf("a county that the plan does not have: error %v", err)
		}
	})
}

// TestPlan_KeepGoing breaks two counties in each way that a county can be broken: the others are loaded, and these stay.
func TestPlan_KeepGoing(t *testing.T) {
	onEngines(t, func(t *testing.T, store generation.Store) {
		f := newFolder(t, store)
		if _, err := f.run(Options{}); err != nil {
			t.Fatal(err)
		}
		ways := map[string]func(){
			"a file is away":             func() { _ = os.Remove(filepath.Join(f.dir, "orange.csv")) },
			"a column is renamed":        func() { f.write("orange.csv", "Number,Owner\n1,x\n") },
			"a header and no rows":       func() { f.write("orange.csv", "No,Owner\n") },
			"too many rejects":           func() { f.write("orange.csv", "No,Owner\na,x\nb,x\n1000,Bob\n") },
			"a field is gone":            func() { f.county("orange", "", 30) },
			"it shrinks by more than 50": func() { f.county("orange", "Bob", 14) },
			"filings of another county":  func() { f.write("orange.jq", `{id: (.No | number), county: "Polk, FL", owner: .Owner}`) },
			"a mapping does not compile": func() { f.write("orange.jq", `{id: `) },
			"a mapping is not there":     func() { _ = os.Remove(filepath.Join(f.dir, "orange.jq")) },
		}
		n := 30
		for _, way := range slices.Sorted(maps.Keys(ways)) {
			if strings.HasSuffix(t.Name(), "elasticsearch") && way != "a field is gone" && way != "too many rejects" {
				continue // its loads take seconds
			}
			n++
			for _, name := range []string{"orange", "lake", "kings"} {
				f.county(name, "Bob", n)
			}
			f.county("polk", fmt.Sprint("x", n), 3)
			f.write("lake2.ndjson", `{"id":2900`) // it is cut off
			before := f.live()
			ways[way]()
			report, err := f.run(Options{})
			if err == nil || report.Promoted || f.live() != before || errors.Is(err, ErrFailed) || len(report.Failed) == 0 {
				t.Errorf("%s: error %v, failed: %q, live: %s", way, err, report.Failed, f.live())
			}
			for county := range report.Failed {
				if !strings.Contains(fmt.Sprint(err), county+": ") {
					t.Errorf("%s: error %v does not name %s", way, err, county)
				}
			}
			report, err = f.run(Options{KeepGoing: true})
			if !errors.Is(err, ErrFailed) || errors.Is(err, reindexer.ErrUsage) || !report.Promoted || len(report.Failed) != 2 || report.Failed["Orange, FL"] == "" || report.Failed["Lake, FL"] == "" {
				t.Errorf("%s: error %v, promoted %t, failed: %q", way, err, report.Promoted, report.Failed)
			}
			want := fmt.Sprintf("Kings, NY Bob %d, Lake, FL  1, Lake, FL Ann 30, Orange, FL Ann 30, Polk, FL x%d 3", n, n)
			if f.live() != want {
				t.Errorf("%s: live: %s, want %s", way, f.live(), want)
			}
			f.write("orange.jq", `{id: (.No | number), county: "Orange, FL", owner: .Owner}`)
		}
	})
}

// TestPlan_FirstLoad: where nothing is live, the counties that fail are not there, and the others are.
func TestPlan_FirstLoad(t *testing.T) {
	t.Parallel()
	f := newFolder(t, embeddedStore(t))
	f.write("orange.csv", "No,Owner\na,x\nb,x\n")
	report, err := f.run(Options{KeepGoing: true})
	if want := strings.Replace(all30, "Orange, FL Ann 30, ", "", 1); !errors.Is(err, ErrFailed) || f.live() != want || report.Rejected != 0 || len(report.Reasons) == 0 {
		t.Errorf("error %v, report %+v, live: %s", err, report, f.live())
	}
}

// TestPlan_OtherCounties: a live county that the plan does not have is no county's failure.
func TestPlan_OtherCounties(t *testing.T) {
	t.Parallel()
	f := newFolder(t, embeddedStore(t))
	if _, err := f.run(Options{}); err != nil {
		t.Fatal(err)
	}
	f.write("plan.yaml", four[:strings.Index(four, "  - county: Kings")])
	report, err := f.run(Options{KeepGoing: true})
	if !errors.Is(err, reindexer.ErrShrunk) || !strings.Contains(err.Error(), "Kings, NY") || report.Promoted || f.live() != all30 {
		t.Errorf("error %v, live: %s", err, f.live())
	}
}

// TestPlan_NotAgain: a plan is compared as any load is.
func TestPlan_NotAgain(t *testing.T) {
	t.Parallel()
	f := newFolder(t, embeddedStore(t))
	for i, change := range []struct {
		do        func()
		unchanged bool
	}{
		{func() {}, false}, {func() {}, true}, {func() { f.county("lake", "Bob", 30) }, false}, {func() {}, true},
		{func() { f.write("plan.yaml", strings.Replace(four, "max-rejects: 1", "max-rejects: 0", 1)) }, false}, {func() {}, true},
	} {
		change.do()
		p, err := Read(filepath.Join(f.dir, "plan.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		cfg := f.config()
		cfg.IfChanged = true
		if report, err := p.Run(t.Context(), cfg, Options{KeepGoing: true}); err != nil || report.Unchanged != change.unchanged {
			t.Errorf("%d: error %v, unchanged is %t", i, err, report.Unchanged)
		}
	}
}

func TestPlan_Check(t *testing.T) {
	t.Parallel()
	f := newFolder(t, nil)
	f.county("lake", "Ann", 500)
	f.write("polk.ndjson", `{"id":1,"county":"Lake, FL"}`+"\n")
	f.write("orange.csv", "Number,Owner\n1,x\n")
	p, err := Read(filepath.Join(f.dir, "plan.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	tried, err := p.Check(t.Context(), reindexer.Config{}, nil)
	if err != nil || len(tried) != 4 {
		t.Fatal(tried, err)
	}
	for i, want := range []struct {
		read int64
		err  string
	}{{0, `has no column "No"`}, {101, ""}, {30, ""}, {1, "no record"}} {
		got := tried[i]
		if got.Read != want.read || (got.Err == nil) != (want.err == "") || got.Err != nil && !strings.Contains(got.Err.Error(), want.err) {
			t.Errorf("%s: %d read, error %v, want %d, %q", got.County, got.Read, got.Err, want.read, want.err)
		}
	}
}

func TestPlan_Wrong(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                      "names no counties",
		"counties: {":                           "yaml",
		"counties:\n- county: Orange\n":         `"Orange, FL"`,
		"counties:\n- {county: 'Orange, FL'}\n": "has no sources",
		"counties:\n- {county: 'Orange, FL', sorces: [a.csv]}\n":                                                                `"sorces"`,
		"counties:\n- {county: 'Orange, FL', sources: [a.csv]}\n- {county: 'ORANGE, FL', sources: [b.csv]}\n":                   "twice",
		"counties:\n- {county: 'Orange, FL', sources: ['-']}\n":                                                                 "standard input",
		"counties:\n- {county: 'Orange, FL', sources: [a.csv], max-rejects: -1}\n":                                              "0 or more",
		"counties:\n- {county: 'Orange, FL', sources: a.csv}\n":                                                                 "counties.sources is string, and has to be a list",
		"counties:\n- {county: 'Orange, FL', sources: [a.csv], may-shrink: 'yes'}\n":                                            "counties.may-shrink is string, and has to be true or false",
		"counties:\n- {county: 'Orange, FL', sources: [a.csv], allow: [changed=amount]}\n":                                      `changed names a field, and "amount" is none`,
		"counties:\n- {county: 'Orange, FL', sources: [b.csv, a.csv]}\n- {county: 'Lake, FL', sources: [./a.csv], map: m.jq}\n": "Lake, FL has the source ./a.csv of Orange, FL; if each reads its own rows of it, allow: [shared] lets it pass",
		"counties:\n- {county: 'Orange, FL', sources: [a.csv], allow: [moved=x]}\n":                                             "not \"moved=x\"",
		"counties:\n- {county: 'Orange, FL', sources: [a.csv], allow: [moved]}\n":                                               "not \"moved\"",
		"counties:\n- {county: 'Orange, FL', sources: [a.csv], allow: ['shrunk=Lake, FL']}\n":                                   "of itself, not \"shrunk=Lake, FL\"",
		"counties:\n- {county: 'Orange, FL', sources: [a.csv], max-rejects: 1.5}\n":                                             "counties.max-rejects is number 1.5, and has to be an integer",
		"max-shrink: some\ncounties: []\n":                                                                                      "max-shrink is string, and has to be a number",
		"counties:\n- {county: 'Orange, FL', sources: [a.csv], map: none.jq}\n":                                                 "none.jq",
		"counties:\n- {county: 'Orange, FL', sources: [a.csv], sheet: A}\n- {county: 'Lake, FL', sources: [a.csv]}\n":           "--sheet is for xlsx",
	} {
		f := folder{t: t, dir: t.TempDir()}
		f.write("plan.yaml", text)
		f.write("a.csv", "id,county\n1,\"Orange, FL\"\n")
		p, err := Read(filepath.Join(f.dir, "plan.yaml"))
		if err == nil {
			_, err = p.Run(t.Context(), reindexer.Config{DryRun: true}, Options{})
		}
		if !errors.Is(err, reindexer.ErrUsage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// TestPlan_Shared: a county may have the source of another one where it says so, or reads another part of it.
func TestPlan_Shared(t *testing.T) {
	t.Parallel()
	f := folder{t: t, dir: t.TempDir()}
	for _, more := range []string{"allow: [shared, shrunk]", "allow: [shared, 'renewed=lake, FL']", "sheet: Lake", "member: lake.csv", "path: .lake"} {
		f.write("plan.yaml", "counties:\n- {county: 'Orange, FL', sources: [a.x]}\n- {county: 'Lake, FL', sources: [a.x], "+more+"}\n")
		if _, err := Read(filepath.Join(f.dir, "plan.yaml")); err != nil {
			t.Errorf("%s: %v", more, err)
		}
	}
}

// TestX68_Plan: a county is refused for its ids alone, with the words that its line of the plan needs, and the others are loaded.
func TestX68_Plan(t *testing.T) {
	t.Parallel()
	f := newFolder(t, embeddedStore(t))
	if _, err := f.run(Options{}); err != nil {
		t.Fatal(err)
	}
	f.write("orange.jq", `{id: (.No | number + 500), county: "Orange, FL", owner: .Owner}`)
	f.county("polk", "Bob", 30)
	report, err := f.run(Options{KeepGoing: true})
	want := strings.Replace(all30, "Polk, FL Ann", "Polk, FL Bob", 1)
	if !errors.Is(err, ErrFailed) || !strings.Contains(report.Failed["Orange, FL"], "(allow: [renewed] lets it pass)") || f.live() != want {
		t.Errorf("error %v, failed %q, live: %s", err, report.Failed, f.live())
	}
	f.write("plan.yaml", strings.Replace(four, "    map: orange.jq\n", "    map: orange.jq\n    allow: [renewed]\n", 1))
	if report, err := f.run(Options{}); err != nil || report.Counties["Orange, FL"].Added != 30 {
		t.Errorf("error %v, counties %v", err, report.Counties)
	}
}

// TestPlan_Expect: what a mapping has to make of rows, in the plan and next to the mapping, is tried before anything is read, and by a check.
func TestPlan_Expect(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ plan, file, want string }{
		"met":             {`[{row: {No: "7", Owner: A}, record: {id: 7, owner: A}}]`, `[{"row": {"No": "8", "Owner": "B"}, "record": {"id": 8}}]`, ""},
		"not by the plan": {`[{row: {No: "7", Owner: A}, record: {owner: B}}]`, "", `orange.jq: owner is "A", and "B" is expected`},
		"not by the file": {`[]`, `[{"row": {"No": "8"}, "record": {"id": 9}}]`, `id is 8, and 9 is expected`},
		"no list":         {`[]`, `{}`, `orange.expect.json: it has to be a list`},
		"a wrong name":    {`[{rows: {}, record: {}}]`, "", `"rows"`},
	} {
		f := folder{t: t, dir: t.TempDir()}
		f.write("orange.csv", "No,Owner\n1,A\n")
		f.write("orange.jq", `{id: (.No | number), county: "Orange, FL", owner: .Owner}`)
		f.write("plan.yaml", "counties:\n- {county: 'Orange, FL', sources: [orange.csv], map: orange.jq, expect: "+tt.plan+"}\n")
		if tt.file != "" {
			f.write("orange.expect.json", tt.file)
		}
		p, err := Read(filepath.Join(f.dir, "plan.yaml"))
		if err == nil {
			_, err = p.Run(t.Context(), reindexer.Config{DryRun: true}, Options{})
			tried, failed := p.Check(t.Context(), reindexer.Config{}, nil)
			if failed != nil || (tried[0].Err == nil) != (tt.want == "") {
				t.Errorf("%s: the check says %v, %v", name, tried, failed)
			}
		}
		if (err == nil) != (tt.want == "") || err != nil && (!errors.Is(err, reindexer.ErrUsage) || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: error %v, want %s", name, err, tt.want)
		}
	}
}
