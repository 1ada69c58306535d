package reindexer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/generation"
)

// lines returns n records of a county from an id on, each with these further members.
func lines(from, n int, county, members string) string {
	var b strings.Builder
	for id := from; id < from+n; id++ {
		fmt.Fprintf(&b, `{"id":%d,"county":%q%s}`+"\n", id, county, members)
	}
	return b.String()
}

const paid = `,"filingAmount":5`

// TestX42_Guards: what a generation differs in from the live one as mistakes do is refused, on both engines, and allowed by the
// option that the message names.
func TestX42_Guards(t *testing.T) {
	t.Parallel()
	onEitherEngine(t, func(t *testing.T, store generation.Store) {
		all := lines(1, 200, "Orange, FL", paid) + lines(1001, 40, "Lake, FL", paid) + lines(2001, 19, "Polk, FL", paid) + lines(3001, 2000, "Dade, FL", "")
		mustRun(t, config(t, store, all))
		rest := lines(1001, 40, "Lake, FL", paid) + lines(2001, 19, "Polk, FL", paid) + lines(3001, 2000, "Dade, FL", "")
		for name, test := range map[string]struct {
			text   string
			update bool
			kind   error
			says   string
			allow  func(*Config)
		}{
			"a county vanishes": {lines(1, 200, "Orange, FL", paid) + lines(1001, 40, "Lake, FL", paid) + lines(3001, 2000, "Dade, FL", ""), false, ErrShrunk,
				`0 instead of 19 of Polk, FL; nothing is promoted (where that is right, --allow shrunk="Polk, FL" allows it)`,
				func(c *Config) { c.MayShrink = []string{"Polk, FL"} }},
			"a large one shrinks": {lines(1, 179, "Orange, FL", paid) + rest, false, ErrShrunk, "179 instead of 200 of Orange, FL",
				func(c *Config) { c.MaxShrink = 11 }},
			"a small one shrinks": {strings.Replace(all, lines(1001, 21, "Lake, FL", paid), "", 1), false, ErrShrunk, "19 instead of 40 of Lake, FL",
				func(c *Config) { c.MaxShrink = 100 }},
			"a field is gone": {lines(1, 198, "Orange, FL", "") + lines(199, 2, "Orange, FL", paid) + rest, false, ErrEmptied,
				"2 of 200 filings of Orange, FL have filingAmount, and 200 of 200 had; nothing is promoted (where that is right, --allow changed=filingAmount allows it)",
				func(c *Config) { c.MayChange = []string{"filingAmount"} }},
			"a field is gone where a name has another case": {lines(1, 200, "ORANGE, FL", "") + rest, false, ErrEmptied, "0 of 200 filings of Orange, FL have filingAmount",
				func(c *Config) { c.MayChange = []string{"filingAmount"} }},
			"a field is gone by an update": {lines(1001, 40, "Lake, FL", ""), true, ErrEmptied, "0 of 40 filings of Lake, FL have filingAmount",
				func(c *Config) { c.MayChange = []string{"filingAmount"} }},
			"a filing moves": {lines(3001, 2, "Orange, FL", paid), true, ErrMoved,
				"3001 of Dade, FL comes as one of Orange, FL, 3002 of Dade, FL comes as one of Orange, FL; nothing is promoted (where that is right, --allow moved allows it)",
				func(c *Config) { c.MayMove = true }},
		} {
			cfg := config(t, store, test.text)
			cfg.Update = test.update
			before := liveName(t, store)
			report, err := Run(t.Context(), cfg)
			if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.says) || report.Promoted || liveName(t, store) != before {
				t.Errorf("%s: %v\nwant %v: %s", name, err, test.kind, test.says)
			}
			test.allow(&cfg)
			if _, err = Run(t.Context(), cfg); err != nil {
				t.Errorf("%s, allowed: %v", name, err)
			}
			cfg = config(t, store, all)
			cfg.MaxShrink = 100
			mustRun(t, cfg)
		}
		cfg := config(t, store, strings.Replace(all, lines(1001, 21, "Lake, FL", paid), "", 1))
		cfg.MaxShrink = 80 // of all, and of large counties
		if _, err := Run(t.Context(), cfg); !errors.Is(err, ErrShrunk) {
			t.Errorf("more than half of a small county is gone: %v", err)
		}
		// These are no mistakes: fewer of a small county, fewer of a larger one within the limits, a case in a county's name.
		mustRun(t, config(t, store, lines(1, 181, "ORANGE, FL", paid)+lines(1001, 20, "Lake, FL", paid)+lines(2001, 1, "Polk, FL", "")+lines(3001, 2000, "Dade, FL", "")))
	})
}

// TestX42_MayShrinkInAnyCase: a county that may shrink is named in any case, as one that is replaced is, and counts once however often
// it is named.
func TestX42_MayShrinkInAnyCase(t *testing.T) {
	t.Parallel()
	store, small := embeddedStore(t), ""
	for i := range 10 {
		small += lines(5001+100*i, 10, string(rune('A'+i))+"x, FL", "")
	}
	mustRun(t, config(t, store, lines(1, 300, "Lake, FL", "")+lines(1001, 30, "LAKE, FL", "")+small))
	cfg := config(t, store, lines(1, 1, "Lake, FL", "")+small)
	cfg.MayShrink = []string{"lake, fl", "Lake, FL"}
	mustRun(t, cfg)
	mustRun(t, config(t, store, lines(1, 300, "Lake, FL", "")+small))
	short := ""
	for i := range 10 {
		short += lines(5001+100*i, 5, string(rune('A'+i))+"x, FL", "")
	}
	cfg = config(t, store, short)
	cfg.MayShrink = []string{"Lake, FL", "Lake, FL"}
	if _, err := Run(t.Context(), cfg); !errors.Is(err, ErrShrunk) || !strings.Contains(err.Error(), "50 instead of 100, which is 50.0 % fewer") {
		t.Errorf("the other counties lose half of their filings: %v", err)
	}
}

// TestX42_NamedOnce: a county whose name is live in two cases is named once, with all of its filings.
func TestX42_NamedOnce(t *testing.T) {
	t.Parallel()
	store := embeddedStore(t)
	other := lines(3001, 2000, "Dade, FL", "")
	mustRun(t, config(t, store, lines(1, 30, "Lake, FL", paid)+lines(101, 30, "LAKE, FL", paid)+other))
	for text, want := range map[string]string{
		other:                                `: 0 instead of 60 of LAKE, FL; nothing is promoted (where that is right, --allow shrunk="LAKE, FL" allows it)`,
		lines(1, 60, "Lake, FL", "") + other: ": 0 of 60 filings of LAKE, FL have filingAmount, and 60 of 60 had; nothing is promoted",
	} {
		if _, err := Run(t.Context(), config(t, store, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

// TestX42_ManyCounties: the option that the message names allows all of it, however many counties vanish.
func TestX42_ManyCounties(t *testing.T) {
	t.Parallel()
	store, large := embeddedStore(t), lines(1, 200, "Dade, FL", "")
	small := ""
	for i := range 6 {
		small += lines(1001+i, 1, string(rune('A'+i))+"x, FL", "")
	}
	mustRun(t, config(t, store, large+small))
	cfg := config(t, store, large)
	if _, err := Run(t.Context(), cfg); !errors.Is(err, ErrShrunk) || !strings.Contains(err.Error(), "0 instead of 1 of Ex, FL, and 1 more; nothing is promoted (where that is right, --force allows it)") {
		t.Error(err)
	}
	cfg.MaxShrink = 100
	mustRun(t, cfg)
}

// TestX42_WithoutFigures: of a generation that an older program built it is not known which fields it has: the load says so.
func TestX42_WithoutFigures(t *testing.T) {
	t.Parallel()
	store := embeddedStore(t)
	mustRun(t, config(t, &faulty{Store: unkept{store}}, lines(1, 30, "Lake, FL", paid)))
	if report := mustRun(t, config(t, store, lines(1, 30, "Lake, FL", ""))); len(report.Warnings) != 2 || !strings.Contains(report.Warnings[0], "which fields") {
		t.Errorf("warnings %q", report.Warnings)
	}
	if report := mustRun(t, config(t, store, lines(1, 30, "Lake, FL", ""))); len(report.Warnings) != 0 {
		t.Errorf("warnings of the load after it: %q", report.Warnings)
	}
}

// TestX43_Replace: an update of a county replaces all of its filings and no others, on both engines.
func TestX43_Replace(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, store generation.Store) {
		mustRun(t, config(t, store, lines(1, 1500, "Orange, FL", paid)+lines(2001, 30, "Lake, FL", paid)))
		cfg := config(t, store, lines(101, 1400, "Orange, FL", `,"filingAmount":6`)+lines(1501, 50, "Orange, FL", paid))
		cfg.Replace = []string{"Orange, FL"}
		report := mustRun(t, cfg)
		want := map[string]CountyCounts{"Orange, FL": {1450, &Changes{Added: 50, Changed: 1400, Removed: 100}}}
		if diff := cmp.Diff(want, report.Counties); diff != "" || report.Filings != 1480 || report.Deleted != 100 || report.Updated != 1400 || report.Indexed != 50 {
			t.Errorf("report %+v (-want +got):\n%s", report, diff)
		}
		if got := live(t, store); len(got) != 1480 {
			t.Errorf("%d filings are live", len(got))
		}
		for text, says := range map[string]string{
			lines(9001, 1, "Lake, FL", ""):                                          `"Lake, FL" is none of the counties that are loaded here`,
			lines(101, 1400, "Orange, FL", "") + `{"id":101,"deleted":true}` + "\n": "already removes filings that the source lacks",
			lines(101, 1, "Orange, FL", "") + lines(101, 1, "Orange, FL", paid):     "101 is in this load already",
		} {
			watched := &watcher{}
			cfg := config(t, store, text)
			cfg.Replace, cfg.Progress = []string{"Orange, FL"}, watched
			if _, err := Run(t.Context(), cfg); !errors.Is(err, ErrRejected) || len(watched.rejects) != 1 || !strings.Contains(watched.rejects[0].Reason, says) {
				t.Errorf("%v, %+v; want %s", err, watched.rejects, says)
			}
		}
		header := config(t, store, "")
		header.Inputs, header.Replace = inputs(write(t, "orange.csv", "id,county\n")), []string{"Orange, FL"}
		if _, err := Run(t.Context(), header); !errors.Is(err, ErrSource) || !strings.Contains(err.Error(), "it has a header and no rows") {
			t.Errorf("a header alone: %v", err)
		}
		header.MayEmpty = []string{header.Inputs[0].Name}
		if _, err := Run(t.Context(), header); !errors.Is(err, ErrShrunk) {
			t.Errorf("no filings of the county: %v", err)
		}
		moved := config(t, store, lines(101, 1450, "Orange, FL", paid)+lines(2001, 1, "Orange, FL", paid))
		moved.Replace = []string{"Orange, FL"}
		if _, err := Run(t.Context(), moved); !errors.Is(err, ErrMoved) {
			t.Errorf("another county's id: %v", err)
		}
	})
}

// TestX41_Report: what a source gave, and in a dry run what its records hold.
func TestX41_Report(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	orange, lake := filepath.Join(dir, "orange.csv"), filepath.Join(dir, "lake.ndjson")
	for path, text := range map[string]string{
		orange: "no,paid,on\n1,$5.00,8/21/2017\n2,six,8/21/2017\n3,,8/22/2017\n4,$1.50,\n",
		lake:   lines(9007199254740993, 2, "Lake, FL", ""),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cfg := config(t, embeddedStore(t), "")
	cfg.DryRun, cfg.MaxRejects = true, 1
	cfg.Inputs = append(inputs(lake), mappedBy("orange.jq", `select(.no != "4") | {id: (.no | number), county: "Orange, FL", filingAmount: (.paid | money), filingDate: (.on | date("MM/DD/YYYY"))}`, orange)...)
	report := mustRun(t, cfg)
	wantSources := []SourceCounts{{lake, 2, 2, 0, 0, 2}, {orange, 4, 2, 1, 1, 2}}
	if diff := cmp.Diff(wantSources, report.Sources); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]CountyCounts{"Lake, FL": {Filings: 2}, "Orange, FL": {Filings: 2}}, report.Counties); diff != "" {
		t.Errorf("counties (-want +got):\n%s", diff)
	}
	got, _ := json.Marshal([]FieldValues{report.Fields["filingAmount"], report.Fields["filingDate"], report.Fields["owner"], report.Fields["county"]})
	want := `[{"filled":0.25,"least":5,"greatest":5,"sum":5},{"filled":0.5,"least":"2017-08-21","greatest":"2017-08-22"},{"filled":0},{"filled":1}]`
	if string(got) != want {
		t.Errorf("fields %s\nwant %s", got, want)
	}
	if len(report.Warnings) != 1 || !strings.Contains(report.Warnings[0], "(2^53)") || !strings.Contains(report.Warnings[0], "2, the first at "+lake+":1") {
		t.Errorf("warnings %q", report.Warnings)
	}
	cfg.DryRun = false
	report = mustRun(t, cfg)
	counties := map[string]CountyCounts{"Lake, FL": {2, &Changes{Added: 2}}, "Orange, FL": {2, &Changes{Added: 2}}}
	if diff := cmp.Diff(counties, report.Counties); diff != "" || report.Fields != nil {
		t.Errorf("counties of the load (-want +got):\n%s", diff)
	}
}

// TestX41_DryRun: a dry run says what its load would add, change and remove, in all and by county, and what a guard would refuse.
func TestX41_DryRun(t *testing.T) {
	t.Parallel()
	onEitherEngine(t, func(t *testing.T, store generation.Store) {
		all := lines(1, 300, "Orange, FL", paid) + lines(1001, 40, "Lake, FL", paid) + lines(2001, 30, "Polk, FL", paid)
		mustRun(t, config(t, store, all))
		for _, test := range []struct {
			name, text, refused string
			set                 func(*Config)
		}{
			{"the same", all, "", nil},
			{"a county is gone", lines(1, 300, "Orange, FL", paid) + lines(1001, 40, "Lake, FL", paid), `0 instead of 30 of Polk, FL`, nil},
			{"no county", "", "370", func(c *Config) { c.MaxRejects = 1 }},
			{"other values", lines(1, 300, "Orange, FL", paid) + lines(1001, 40, "Lake, FL", "") + lines(2001, 30, "Polk, FL", paid), "40 of 40 had", nil},
			{"other ids, and one that moves", lines(2, 301, "Orange, FL", paid) + lines(1001, 40, "Lake, FL", paid) + lines(2001, 29, "Polk, FL", paid) +
				lines(2030, 1, "Lake, FL", paid), "", nil},
			{"an update", lines(300, 2, "Orange, FL", "") + `{"id":1001,"deleted":true}` + "\n" + lines(300, 1, "Orange, FL", paid) + lines(301, 1, "Lake, FL", paid), "",
				func(c *Config) { c.Update = true }},
			{"a county anew", lines(2000, 29, "Polk, FL", paid), "", func(c *Config) { c.Replace = []string{"Polk, FL"} }},
		} {
			cfg := config(t, store, test.text)
			if test.set != nil {
				test.set(&cfg)
			}
			cfg.DryRun = true
			dry := mustRun(t, cfg)
			warned := strings.Join(dry.Warnings, "; ")
			if strings.Contains(warned, "a load would be refused: ") != (test.refused != "") || !strings.Contains(warned, test.refused) {
				t.Errorf("%s: warnings %q, want %q", test.name, warned, test.refused)
			}
			before := live(t, store)
			if cfg.DryRun = false; test.refused != "" {
				if _, err := Run(t.Context(), cfg); err == nil || !strings.Contains(warned, err.Error()) {
					t.Errorf("%s: the load: %v, and the dry run: %s", test.name, err, warned)
				}
				cfg.MaxShrink, cfg.MayChange = 100, []string{"filingAmount"}
			}
			report := mustRun(t, cfg)
			if diff := cmp.Diff(report.Changes, dry.Changes); diff != "" {
				t.Errorf("%s: changes (-load +dry run):\n%s", test.name, diff)
			}
			if diff := cmp.Diff(report.Counties, dry.Counties); diff != "" {
				t.Errorf("%s: counties (-load +dry run):\n%s", test.name, diff)
			}
			if len(before) != 370 {
				t.Errorf("%s: %d filings were live", test.name, len(before))
			}
			mustRun(t, config(t, store, all))
		}
		few := config(t, store, lines(1, 5, "Orange, FL", paid))
		few.DryRun, few.Head = true, 2
		if report := mustRun(t, few); report.Changes != nil || len(report.Warnings) > 0 {
			t.Errorf("of the first rows: %+v", report)
		}
	})
}

// TestMistakes: mistakes of an operator about loads. None promotes anything with exit code 0: each is an error that says what is
// wrong. What is live is 300 filings of Orange and 40 of Lake, each with an amount.
func TestMistakes(t *testing.T) {
	t.Parallel()
	type files map[string]string
	all := lines(1, 300, "Orange, FL", paid) + lines(1001, 40, "Lake, FL", paid)
	rows := func(header, county string, from, n int) string {
		var b strings.Builder
		b.WriteString(header + "\n")
		for i := from; i < from+n; i++ {
			fmt.Fprintf(&b, "%d,%q,5\n", i, county)
		}
		return b.String()
	}
	byMap := func(text string) func(*Config) {
		return func(c *Config) { c.Inputs = mappedBy("m.jq", text, namesOf(c.Inputs)...) }
	}
	byTable := func(rows string) func(*Config) {
		return func(c *Config) { c.Inputs = mappedBy("m.csv", "field,column\n"+rows, namesOf(c.Inputs)...) }
	}
	update := func(c *Config) { c.Update = true }
	replace := func(c *Config) { c.Replace = []string{"Orange, FL"} }
	both := func(a, b func(*Config)) func(*Config) { return func(c *Config) { a(c); b(c) } }
	orange := files{"a.csv": rows("no,county,lien", "Orange, FL", 1, 300)}
	for name, test := range map[string]struct {
		files   files
		sources []string
		set     func(*Config)
		kind    error
		says    string
	}{
		"one county's file alone as a full load": {files{"a.ndjson": lines(1, 300, "Orange, FL", paid)}, nil, nil, ErrShrunk, "0 instead of 40 of Lake, FL"},
		"a county's file is a header alone":      {files{"a.ndjson": all, "lake.csv": "id,county\n"}, []string{"a.ndjson", "lake.csv"}, nil, ErrSource, "lake.csv: it has a header and no rows"},
		"the file was cut after some rows":       {files{"a.csv": rows("id,county,filingAmount", "Orange, FL", 1, 100)}, nil, replace, ErrShrunk, "100 instead of 300 of Orange, FL"},
		"nothing came through the pipe":          {files{"a.ndjson": ""}, nil, nil, ErrShrunk, "0 instead of 340"},
		"another county's file with --replace":   {files{"a.ndjson": lines(1001, 40, "Lake, FL", paid)}, nil, replace, ErrRejected, "40 of 40"},
		"a second county has the same ids":       {files{"a.ndjson": lines(1, 2, "Polk, FL", paid)}, nil, update, ErrMoved, "1 of Orange, FL comes as one of Polk, FL"},
		"the same with --replace":                {files{"a.ndjson": lines(1, 300, "Orange, FL", paid) + lines(1001, 1, "Orange, FL", paid)}, nil, replace, ErrMoved, "1001 of Lake, FL"},
		"two counties with the same ids at once": {files{"a.ndjson": all + lines(1, 1, "Polk, FL", paid)}, nil, nil, ErrRejected, "1 of 341"},
		"the proposal's county":                  {files{"a.ndjson": all + lines(5001, 1, "County, ST", paid)}, nil, nil, ErrRejected, "1 of 341"},
		"a column renamed, without a mapping": {files{"a.ndjson": lines(1, 300, "Orange, FL", `,"amount":5`) + lines(1001, 40, "Lake, FL", `,"amount":5`)}, nil, nil,
			ErrEmptied, "0 of 40 filings of Lake, FL have filingAmount, and 40 of 40 had, 0 of 300 filings of Orange, FL"},
		"a column renamed, by a mapping": {files{"a.csv": rows("no,county,lien_amount", "Orange, FL", 1, 300)}, nil, byMap(`{id: (.no | number), county, filingAmount: (.lien | money)}`),
			ErrUsage, `has no column "lien"; is "lien_amount" meant?`},
		"a name in the wrong case": {files{"a.csv": rows("No,county,lien", "Orange, FL", 1, 300)}, nil, byMap(`{id: (.no | number), county, filingAmount: (.lien | money)}`), ErrUsage, `is "No" meant?`},
		"the same in NDJSON": {files{"a.ndjson": strings.ReplaceAll(all, "filingAmount", "Amount")}, nil, byMap(`{id, county, filingAmount: .amount}`),
			ErrEmptied, "of Lake, FL have filingAmount"},
		"no mapping":                    {files{"a.csv": rows("no,county,lien", "Orange, FL", 1, 300)}, nil, nil, ErrSource, "its header lacks id; it is no,county,lien. A mapping makes"},
		"UTF-8 read as Windows-1252":    {files{"a.ndjson": strings.ReplaceAll(all, `:5`, `:5,"owner":"Café"`)}, nil, setting("encoding", "windows-1252"), ErrSource, "its text is UTF-8: --encoding windows-1252 would spoil"},
		"Windows-1252 read as UTF-8":    {files{"a.ndjson": all + "{\"id\":5001,\"county\":\"Lake, FL\",\"owner\":\"Caf\xe9\"}\n"}, nil, nil, ErrRejected, "1 of 341"},
		"the wrong path":                {files{"a.json": `{"liens":[{"id":1,"county":"Orange, FL"}]}`}, nil, setting("path", ".parcels[]?"), ErrShrunk, "0 instead of 340"},
		"the wrong county's name":       {files{"a.ndjson": lines(1, 300, "Orange, FL", paid)}, nil, func(c *Config) { c.Replace = []string{"Orange"} }, ErrUsage, "--replace names a county as records have it"},
		"the county's name mistyped":    {files{"a.ndjson": lines(1, 300, "Orange, FL", paid)}, nil, func(c *Config) { c.Replace = []string{"Orang, FL"} }, ErrRejected, "300 of 300"},
		"the county is written anew":    {files{"a.ndjson": lines(1, 300, "Orange County, FL", paid) + lines(1001, 40, "Lake, FL", paid)}, nil, nil, ErrShrunk, "0 instead of 300 of Orange, FL"},
		"--may-empty is mistyped":       {files{"a.ndjson": all}, nil, func(c *Config) { c.MayEmpty = []string{"amount"} }, ErrUsage, `"amount" is neither a source of this load`},
		"a list of changes as a load":   {files{"a.ndjson": lines(1, 3, "Orange, FL", paid)}, nil, nil, ErrShrunk, "3 instead of 340"},
		"deletions of most of a county": {files{"a.ndjson": deletions(1001, 21)}, nil, update, ErrShrunk, "19 instead of 40 of Lake, FL"},
		"the proposal as it is":         {orange, nil, byMap(`"County, ST" as $county | {id: (.no | number), county: $county}`), ErrUsage, `m.jq:1:1: "County, ST" stands for`},
		"the proposal's type":           {orange, nil, byMap(`{id: (.no | number), county, filingType: "Filing type"}`), ErrUsage, `"Filing type" stands for a type`},
		"the proposal's state":          {orange, nil, byTable("id,no\ncounty,\"join: county; \"\"State code\"\"\"\n"), ErrUsage, `m.csv:3:2: "State code" stands for`},
		"the proposal's id":             {orange, nil, byTable("id,\"\"\"Columns of the id\"\"\"\ncounty,county\n"), ErrUsage, `m.csv:2:2: "Columns of the id" stands for`},
		"a caught error drops records": {files{"a.csv": rows("no,county,lien", "Orange, FL", 1, 250) + strings.ReplaceAll(rows("", "Orange, FL", 251, 50), ",5\n", ",see note\n")[1:]}, nil,
			both(replace, byMap(`{id: (.no | number), county, filingAmount: (try (.lien | money))}`)), ErrShrunk, "250 instead of 300 of Orange, FL"},
		"= for ==":                      {orange, nil, byMap(`select(.lien = "") | {id: (.no | number), county}`), ErrUsage, "m.jq:1:8: .lien = \"\" sets a value"},
		"a text compared with a number": {orange, nil, byMap(`select(.lien > 100) | {id: (.no | number), county}`), ErrUsage, ".lien is a text, never a number"},
		"// after an empty cell":        {orange, nil, byMap(`{id: (.no | number), county, filingAmount: ((.lien // .no) | money)}`), ErrUsage, `.lien is "" where it is empty`},
		"a cell as a condition":         {orange, nil, byMap(`if .lien then {id: (.no | number), county} else empty end`), ErrUsage, "which is true where it is empty too"},
		"a blank in a name":             {orange, nil, byMap(`{id: .Parcel ID, county}`), ErrUsage, `a name with blanks is in quotes: ."Parcel ID"`},
		"a form of dates that is none":  {orange, nil, byMap(`{id: (.no | number), county, filingDate: (.lien | date("M/D"))}`), ErrUsage, "a form has a year"},
		"forms of dates in one text":    {orange, nil, byMap(`{id: (.no | number), county, filingDate: (.lien | date("MM/DD/YYYY; YYYY-MM-DD"))}`), ErrUsage, "several forms are several texts"},
		"days before months": {files{"a.csv": strings.ReplaceAll(rows("no,county,filed", "Orange, FL", 1, 300), ",5\n", ",23/04/2020\n")}, nil,
			both(replace, byMap(`{id: (.no | number), county, filingDate: (.filed | date("MM/DD/YYYY"))}`)), ErrRejected, "300 of 300"},
		"amounts with a comma": {files{"a.csv": strings.ReplaceAll(rows("no,county,lien", "Orange, FL", 1, 300), ",5\n", ",\"1.234,50\"\n")}, nil,
			both(replace, byMap(`{id: (.no | number), county, filingAmount: (.lien | money)}`)), ErrRejected, "300 of 300"},
		"ids as a spreadsheet shows them": {files{"a.csv": "no,county\n2.01704E+12,\"Orange, FL\"\n"}, nil, both(update, byMap(`{id: (.no | number), county}`)), ErrRejected, "1 of 1"},
		"an id of a column that repeats":  {files{"a.csv": strings.ReplaceAll(rows("no,county,case", "Orange, FL", 1, 300), ",5\n", ",K-1\n")}, nil, byMap(`{id: id(.county; .case), county}`), ErrRejected, "299 of 300"},
		"an id of an empty cell":          {files{"a.csv": "no,county\n,\"Orange, FL\"\n"}, nil, both(update, byMap(`{id: id(.county; .no), county}`)), ErrRejected, "1 of 1"},
		"a county without its state":      {files{"a.csv": rows("no,county,lien", "Orange", 1, 300)}, nil, byMap(`{id: (.no | number), county}`), ErrRejected, "300 of 300"},
		"a state that there is not":       {files{"a.csv": rows("no,county,lien", "Orange, XX", 1, 300)}, nil, byMap(`{id: (.no | number), county}`), ErrRejected, "300 of 300"},
		"a field mistyped": {files{"a.csv": rows("no,county,lien", "Orange, FL", 1, 300)}, nil, both(replace, byMap(`{id: (.no | number), county, fillingAmount: (.lien | money)}`)),
			ErrUsage, `m.jq:1: no field has the name "fillingAmount"; is "filingAmount" meant?`},
		"a field mistyped in a table":   {orange, nil, byTable("id,no\ncounty,county\nfillingAmount,money: lien\n"), ErrUsage, `m.csv:4:1: "fillingAmount" is no field`},
		"a table without its header":    {orange, nil, func(c *Config) { c.Inputs = mappedBy("m.csv", "id,no\ncounty,county\n", namesOf(c.Inputs)...) }, ErrUsage, "a table begins with the header field,column"},
		"a table's column is not there": {orange, nil, byTable("id,no\ncounty,county\nfilingAmount,money: Lien\n"), ErrUsage, `has no column "Lien"; is "lien" meant?`},
		"an HTML page":                  {files{"a.csv": "<!DOCTYPE html>\n<html><body>Moved</body></html>\n"}, nil, byMap(`{id: (.no | number), county}`), ErrSource, "it is an HTML page, not csv"},
		"a JSON array as lines":         {files{"a.ndjson": "[{\"id\":1,\"county\":\"Orange, FL\"}]\n"}, nil, nil, ErrSource, "it is one JSON array"},
		"a download that was cut off":   {files{"a.csv": strings.TrimSuffix(rows("id,county,filingAmount", "Orange, FL", 1, 300), "FL\",5\n")}, nil, replace, ErrSource, "never closed"},
		"titles above the header":       {files{"a.csv": "Liens of Orange County\n" + rows("id,county,filingAmount", "Orange, FL", 1, 300)}, nil, replace, ErrSource, "its first line is no header"},
		"a comma that is not in quotes": {files{"a.csv": strings.ReplaceAll(rows("id,county,filingAmount", "Orange, FL", 1, 300), `"`, "")}, nil, replace, ErrRejected, "300 of 300"},
		"the wrong delimiter":           {orange, nil, setting("delimiter", ";"), ErrSource, "which --delimiter says"},
		"a deletion in a full load":     {files{"a.ndjson": all + deletions(7001, 1)}, nil, nil, ErrRejected, "1 of 341"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := embeddedStore(t)
			mustRun(t, config(t, store, all))
			before := liveName(t, store)
			cfg := config(t, store, "")
			cfg.Inputs = nil
			dir := t.TempDir()
			for file, text := range test.files {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				if test.sources == nil {
					cfg.Inputs = append(cfg.Inputs, inputs(filepath.Join(dir, file))...)
				}
			}
			for _, file := range test.sources {
				cfg.Inputs = append(cfg.Inputs, inputs(filepath.Join(dir, file))...)
			}
			if test.set != nil {
				test.set(&cfg)
			}
			report, err := Run(t.Context(), cfg)
			if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v\nwant %v: %s", err, test.kind, test.says)
			}
			if report.Promoted || liveName(t, store) != before {
				t.Errorf("it was promoted: %+v", report)
			}
		})
	}
}

func setting(name, value string) func(*Config) {
	return func(c *Config) {
		for i := range c.Inputs {
			*c.Inputs[i].Form.Part(name) = value
		}
	}
}

func deletions(from, n int) string {
	var b strings.Builder
	for id := from; id < from+n; id++ {
		fmt.Fprintf(&b, `{"id":%d,"deleted":true}`+"\n", id)
	}
	return b.String()
}

// TestX44_Settings: an option holds for the sources behind it, up to the next one.
func TestX44_Settings(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"a.json": `{"a":[{"id":1,"county":"A, FL"}]}`, "b.json": `{"b":[{"id":2,"county":"A, FL"}]}`,
		"c.csv": "id;county\n3;\"Ca\xf1on, CO\"\n", "d.csv": "id,county\n4,\"Cañon, CO\"\n",
	}
	all, err := Inputs([]string{"a.json", "b.json", "c.csv", "d.csv"}, []Option{
		{Name: "path", Value: ".a[]"}, {Name: "path", Value: ".b[]", First: 1},
		{Name: "encoding", Value: "windows-1252", First: 2}, {Name: "delimiter", Value: ";", First: 2},
		{Name: "encoding", Value: "utf-8", First: 3}, {Name: "delimiter", Value: "", First: 3},
	})
	if err != nil {
		t.Fatal(err)
	}
	ids, rejects, err := mapped(t, Config{Inputs: all}, files)
	if err != nil || len(rejects) > 0 || fmt.Sprint(ids) != "[1 2 3 4]" {
		t.Errorf("%v, %v, %v", ids, rejects, err)
	}
	m := &Mapping{Name: "m.jq", Text: "."}
	for says, options := range map[string][]Option{
		"--path .a[] is for no source":                   {{Name: "path", Value: ".a[]"}, {Name: "path", Value: ".b[]"}},
		"--sheet is for xlsx, and no source after it is": {{Name: "path", Value: ".a[]"}, {Name: "sheet", Value: "x"}},
		"--delimiter is for csv, and no source after it ": {{Name: "path", Value: ".a[]"},
			{Name: "delimiter", Value: ";"}, {Name: "delimiter", Value: "", First: 1}},
		"--map m.jq is for no source": {
			{Name: "map", Value: "m.jq", Mapping: m}, {Name: "map", Value: "n.jq", Mapping: m},
		},
		"--map n.jq is for no source":        {{Name: "map", Value: "n.jq", Mapping: m, First: 2}},
		"--encoding utf-16 is for no source": {{Name: "encoding", Value: "utf-16", First: 2}},
	} {
		all, err := Inputs([]string{"a.json", "d.csv"}, options)
		if err == nil {
			_, _, err = mapped(t, Config{Inputs: all}, files)
		}
		if !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
}

// TestX41_RejectsAsCSV: a spreadsheet opens the rejects, and runs nothing of them.
func TestX41_RejectsAsCSV(t *testing.T) {
	t.Parallel()
	cfg := config(t, nil, `{"id":3,"owner":"a, \"b\""}`+"\n=1+1\n")
	cfg.DryRun, cfg.MaxRejects, cfg.Rejects = true, 2, filepath.Join(t.TempDir(), "rejects.CSV")
	mustRun(t, cfg)
	got, err := os.ReadFile(cfg.Rejects)
	want := "\xef\xbb\xbffile,line,id,field,reason,record\r\n" + cfg.Inputs[0].Name + `,1,3,county,is missing,"{""id"":3,""owner"":""a, \""b\""""}"` + "\r\n" + cfg.Inputs[0].Name + ",2,,,"
	if err != nil || !strings.HasPrefix(string(got), want) || !strings.HasSuffix(string(got), ",'=1+1\r\n") {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
}

// unkept is a store of a program that keeps no figures.
type unkept struct{ generation.Store }

func (s unkept) Lock(ctx context.Context, run generation.Run) (generation.Lock, error) {
	lock, err := s.Store.Lock(ctx, run)
	return unkeptLock{lock}, err
}

type unkeptLock struct{ generation.Lock }

func (l unkeptLock) Begin(ctx context.Context, from string) (generation.Build, error) {
	build, err := l.Lock.Begin(ctx, from)
	return unkeptBuild{build}, err
}

type unkeptBuild struct{ generation.Build }

func (unkeptBuild) Keep([]byte, *index.Values, map[string]index.Freshness) {}

// TestX42_MovesByResult: whether a filing moves is told by where it was live and where it will be, however many records lead there; and
// the county that one leaves is among those that change, also when its last one goes.
func TestX42_MovesByResult(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, store generation.Store) {
		const one = `{"id":%d,"county":%q,"filingAmount":6}` + "\n"
		to := func(id int, county string) string { return fmt.Sprintf(one, id, county) }
		gone := func(id int) string { return fmt.Sprintf(`{"id":%d,"deleted":true}`+"\n", id) }
		all := lines(1, 30, "Lee, FL", paid) + lines(101, 30, "Polk, FL", paid) + lines(201, 1, "Gulf, FL", paid)
		for name, test := range map[string]struct {
			text    string
			replace string
			moves   string // "" for none
			left    string // the county that a filing leaves, where that is allowed
			filings int64  // that it has then
		}{
			"a record":                       {to(1, "Polk, FL"), "", "1 of Lee, FL comes as one of Polk, FL", "Lee, FL", 29},
			"deleted, then one of another":   {gone(1) + to(1, "Polk, FL"), "", "1 of Lee, FL comes as one of Polk, FL", "Lee, FL", 29},
			"there, deleted, and there":      {to(1, "Polk, FL") + gone(1) + to(1, "Polk, FL"), "", "1 of Lee, FL comes as one of Polk, FL", "Lee, FL", 29},
			"over a third":                   {to(1, "Gulf, FL") + to(1, "Polk, FL"), "", "1 of Lee, FL comes as one of Polk, FL", "Lee, FL", 29},
			"the last one":                   {to(201, "Lee, FL"), "", "201 of Gulf, FL comes as one of Lee, FL", "Gulf, FL", 0},
			"replaced, from another":         {lines(1, 30, "Lee, FL", paid) + to(101, "Lee, FL"), "Lee, FL", "101 of Polk, FL comes as one of Lee, FL", "Polk, FL", 29},
			"there and back":                 {to(2, "Polk, FL") + to(2, "Lee, FL"), "", "", "", 0},
			"deleted, and there again":       {gone(2) + to(2, "LEE, FL"), "", "", "", 0},
			"there and deleted":              {to(2, "Polk, FL") + gone(2), "", "", "", 0},
			"a new one of one, then another": {to(500, "Lee, FL") + to(500, "Polk, FL"), "", "", "", 0},
			"replaced":                       {lines(1, 29, "Lee, FL", paid), "Lee, FL", "", "", 0},
		} {
			if strings.HasSuffix(t.Name(), "elasticsearch") && name != "deleted, then one of another" && name != "the last one" {
				continue // its loads take seconds
			}
			mustRun(t, config(t, store, all))
			cfg := config(t, store, test.text)
			cfg.Update, cfg.MayShrink = true, []string{"Gulf, FL"}
			if test.replace != "" {
				cfg.Replace = []string{test.replace}
			}
			for _, dry := range []bool{true, false} {
				cfg.DryRun = dry
				_, err := Run(t.Context(), cfg)
				if refused := errors.Is(err, ErrMoved); refused != (test.moves != "") || err != nil && (!refused || !strings.Contains(err.Error(), test.moves)) {
					t.Errorf("%s: error %v, want %q", name, err, test.moves)
				}
			}
			if cfg.MayMove = true; test.left == "" {
				continue
			}
			report := mustRun(t, cfg)
			if left, listed := report.Counties[test.left]; !listed || left.Filings != test.filings || left.Changes == nil || left.Changed != 1 || report.Changes.Changed < 1 {
				t.Errorf("%s: counties %+v, want %s with %d filings and one that changed", name, report.Counties, test.left, test.filings)
			}
		}
	})
}

// TestX42_SaysWhatVanishes: with --force, which compares nothing, the report names each county that has no filing any more.
func TestX42_SaysWhatVanishes(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, store generation.Store) {
		mustRun(t, config(t, store, lines(1, 100, "Orange, FL", paid)+lines(101, 100, "Lake, FL", paid)+lines(201, 3, "Polk, FL", paid)+lines(301, 1, "Lee, FL", paid)))
		cfg := config(t, store, lines(1, 100, "ORANGE, FL", paid))
		cfg.MaxShrink, cfg.MayShrink = 100, []string{"Lee, FL"}
		report := mustRun(t, cfg)
		want := []string{
			"Lake, FL has no filing any more, and had 100: --force compares nothing",
			"Polk, FL has no filing any more, and had 3: --force compares nothing",
		}
		if diff := cmp.Diff(want, report.Warnings); diff != "" || !report.Promoted {
			t.Errorf("warnings (-want +got):\n%s", diff)
		}
	})
}

// TestX42_KeptCounts: the counts that the catalog has of a generation are read as former programs have written them, and written so.
func TestX42_KeptCounts(t *testing.T) {
	t.Parallel()
	const text = `{"made":"5d","fields":["owner","filingAmount"],"counties":{"Lake, FL":[2,0,2],"Orange, FL":[3,1,0]}}`
	counts := decodeCounts([]byte(text))
	if counts == nil || counts.Filings != 5 || counts.WithoutFields {
		t.Fatalf("%+v", counts)
	}
	if orange := counts.Counties["Orange, FL"]; orange.Filings != 3 || orange.Has(index.Owner) != 1 || orange.Has(index.FilingAmount) != 0 {
		t.Errorf("%+v", orange)
	}
	if got := (kept{Made: "5d"}).encode(*counts); string(got) != text {
		t.Errorf("%s, want %s", got, text)
	}
	counts.WithoutFields = true
	if got := (kept{Made: "5d"}).encode(*counts); string(got) != `{"made":"5d","fields":null,"counties":null}` || madeOf(got) != "5d" || decodeCounts(got) != nil {
		t.Errorf("of very many counties: %s", got)
	}
	for _, none := range []string{"", "null", "{}", `{"counties":7}`, `{"fields":["a"],"counties":`} {
		if counts := decodeCounts([]byte(none)); counts != nil {
			t.Errorf("%s: %+v", none, counts)
		}
	}
	if got := (kept{}).encode(*counts); got != nil || madeOf(got) != "" {
		t.Errorf("of neither: %s", got)
	}
}

// uncounted is a store whose live generation can be read, but not counted by county.
type uncounted struct{ generation.Store }

type uncountedReader struct{ index.Reader }

func (s uncounted) Open(ctx context.Context, name string) (index.Reader, error) {
	r, err := s.Store.Open(ctx, name)
	return uncountedReader{r}, err
}

func (uncountedReader) Groups(context.Context, index.Filter, index.GroupQuery) (index.Groups, error) {
	return index.Groups{}, index.ErrUnavailable
}

// TestX42_Uncounted: a live generation whose counties cannot be counted is not taken for one without filings.
func TestX42_Uncounted(t *testing.T) {
	t.Parallel()
	store := embeddedStore(t)
	mustRun(t, config(t, unkept{store}, lines(1, 100, "Orange, FL", paid)))
	cfg := config(t, uncounted{store}, lines(1, 1, "Lake, FL", paid))
	if report, err := Run(t.Context(), cfg); report.Promoted || err == nil || !strings.Contains(err.Error(), "cannot be counted, so --max-shrink 10 cannot be checked") {
		t.Errorf("%+v, %v", report, err)
	}
	cfg.MaxShrink = 100
	if report, err := Run(t.Context(), cfg); !report.Promoted || err != nil {
		t.Errorf("with --max-shrink 100: %+v, %v", report, err)
	}
}
