package reindexer

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"filings/index"
	"filings/index/generation"
	"filings/reindexer/mapping"
	"filings/reindexer/source"
)

// county is a mapping of the rows that these tests have.
const county = `if .gone == "yes" then empty else {id: (.no | number), county: "Orange, FL", owner: (.name | blank), filingAmount: (.paid | money)} end`

// mapped reads files by mappings.
func mapped(t *testing.T, cfg Config, files map[string]string) (ids []int64, rejects []Reject, err error) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range namesOf(cfg.Inputs) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(files[name]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i := range cfg.Inputs {
		cfg.Inputs[i].Name = filepath.Join(dir, cfg.Inputs[i].Name)
	}
	all, err := cfg.sources(t.Context())
	if err != nil {
		return nil, nil, err
	}
	r := newReading(all, cfg.Update, true, func(reject Reject) error {
		reject.File = filepath.Base(reject.File)
		rejects = append(rejects, reject)
		return nil
	})
	r.show, r.onShow = cfg.Show, cfg.OnShow
	if r.programs, err = cfg.compile(noon); err != nil {
		return nil, nil, err
	}
	err = r.readSources(context.Background(), func(f *index.Filing, deleted bool) error {
		if deleted {
			ids = append(ids, -f.ID)
		} else {
			ids = append(ids, f.ID)
		}
		return nil
	})
	return ids, rejects, err
}

// TestX20_Rejects: what a mapping cannot read, what it makes that is no filing, and rows that are none are rejects with the line
// and the row of the county's own file; the others are loaded.
func TestX20_Rejects(t *testing.T) {
	t.Parallel()
	rows := "no;name;paid;gone\n" +
		"1;A;$5.00;\n" + // line 2
		"2;B;five;\n" + // no amount
		"3;\"C\nD\";1;no\n" + // lines 4 and 5
		"x;E;1;\n" + // no id
		"4;F;1;yes\n" + // left out
		"5;G\n" + // too short
		"1;H;1;\n" + // the first one's id
		"6;\xe9;1;\n" // no UTF-8
	var shown []string
	ids, rejects, err := mapped(t, Config{
		Inputs: mappedBy("m.jq", county, "a.csv"), Show: 2, OnShow: func(s string) { shown = append(shown, s) },
	}, map[string]string{"a.csv": rows})
	if err != nil || !slices.Equal(ids, []int64{1, 3}) {
		t.Fatalf("%v, %v", ids, err)
	}
	for i, want := range []struct {
		line                  int
		field, reason, record string
	}{
		{3, "filingAmount", `money cannot read "five"`, "2;B;five;"},
		{6, "id", `number cannot read "x"`, "x;E;1;"},
		{8, "", "has 2 cells; the header has 4", "5;G"},
		{10, "", "is not UTF-8; --encoding", "6;\xe9;1;"},
		{9, "id", "1 is in this load already", "1;H;1;"}, // at the end of its source, when it is known not to be the same row
	} {
		if got := rejects[i]; got.Line != want.line || got.Field != want.field || !strings.Contains(got.Reason, want.reason) || got.Record != want.record {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if len(rejects) != 5 || len(shown) != 2 || shown[0] != `{"county":"Orange, FL","filingAmount":5,"id":1,"owner":"A"}` {
		t.Errorf("%d rejects, shown %q", len(rejects), shown)
	}
}

// TestX20_NotUTF8: a reject of text that is not UTF-8 suggests another encoding only where that can help.
func TestX20_NotUTF8(t *testing.T) {
	t.Parallel()
	type row struct {
		County string `parquet:"county"`
	}
	var table bytes.Buffer
	if err := parquet.Write(&table, []row{{"\xe9"}}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ file, text, encoding, want string }{
		{"a.ndjson", "{\"county\":\"\xe9\"}\n", "", "is not UTF-8; --encoding windows-1252 reads what older spreadsheets write"},
		{"a.csv", "county\n\xe9\n", "", "is not UTF-8; --encoding windows-1252 reads what older spreadsheets write"},
		{"a.csv", "county\n\x81\n", "windows-1252", "has a byte that --encoding windows-1252 does not define"},
		{"a.parquet", table.String(), "", "is not UTF-8"},
	} {
		cfg := Config{Inputs: mappedBy("m.jq", ".", tt.file)}
		cfg.Inputs[0].Form.Encoding = tt.encoding
		_, rejects, err := mapped(t, cfg, map[string]string{tt.file: tt.text})
		if err != nil || len(rejects) != 1 || rejects[0].Reason != tt.want {
			t.Errorf("%s in %q: %+v, %v; want %s", tt.file, tt.encoding, rejects, err, tt.want)
		}
	}
}

// TestL4_MappedAsPlain: what a plain load rejects for its JSON a mapped one rejects too, with file and line, although the mapping
// would make a filing of it.
func TestL4_MappedAsPlain(t *testing.T) {
	t.Parallel()
	lines := []string{
		`{"id":1,"county":"A, FL"}`,
		`{"id":2,"county":"A, FL","owner":"B","owner":"C"}`,
		`{"id":3,"county":"A, FL","owner":"\ud800"}`,
		`{"id":4,"county":"A, FL","city":"B","\u0063ity":"C"}`,
		`{"id":5,"county":"A, FL","owner":"\ud83c\udf1e"}`,
	}
	for name, all := range map[string][]Input{"plain": inputs("a.ndjson"), "mapped": mappedBy("m.jq", `{id, county, owner}`, "a.ndjson")} {
		ids, rejects, err := mapped(t, Config{Inputs: all}, map[string]string{"a.ndjson": strings.Join(lines, "\n") + "\n"})
		if err != nil || !slices.Equal(ids, []int64{1, 5}) || len(rejects) != 3 {
			t.Fatalf("%s: %v, %+v, %v", name, ids, rejects, err)
		}
		for i, want := range []string{"appears twice", "has a lone surrogate, which is no character", "appears twice"} {
			if got := rejects[i]; got.File != "a.ndjson" || got.Line != i+2 || !strings.HasSuffix(got.Reason, want) || got.Record != lines[i+1] {
				t.Errorf("%s: %+v, want line %d: %s", name, got, i+2, want)
			}
		}
	}
}

// TestX20_SeveralMappings: each holds for the sources behind it; sources before the first one are read as they are.
func TestX20_SeveralMappings(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"plain.ndjson": `{"id":1,"county":"A, FL"}` + "\n",
		"b.csv":        "no\tname\tpaid\tgone\n2\tB\t1\t\n",
		"c.json":       `{"parcels":[{"n":9007199254740993},{"n":4,"dead":true}]}`,
		"d.json":       `{"parcels":[{"n":5}]}`,
	}
	two := `if .dead then {id: .n, deleted: true} else {id: .n, county: "C, FL"}, {id: 7, county: "C, FL"} end`
	all, err := Inputs([]string{"plain.ndjson", "b.csv", "c.json", "d.json"}, []Option{
		{Name: "path", Value: ".parcels[]"}, {Name: "map", Mapping: &Mapping{Name: "b.jq", Text: county}, First: 1},
		{Name: "map", Mapping: &Mapping{Name: "c.jq", Text: two}, First: 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	ids, rejects, err := mapped(t, Config{Inputs: all, Update: true}, files)
	if want := []int64{1, 2, 9007199254740993, 7, -4, 5, 7}; err != nil || len(rejects) > 0 || !slices.Equal(ids, want) {
		t.Errorf("%v, %v, %v; want %v", ids, rejects, err, want)
	}
	_, _, err = mapped(t, Config{Inputs: mappedBy("z.jq", "{", "a.csv")}, files)
	if !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), "z.jq:1:2") {
		t.Errorf("a program that cannot be read: %v", err)
	}
}

// TestX20_FormAtFirstUse: a mapping whose form of dates is none ends the load, however many rejects are allowed.
func TestX20_FormAtFirstUse(t *testing.T) {
	t.Parallel()
	cfg := Config{Inputs: mappedBy("m.jq", `"@nope" as $f | {id, county: "A, FL", filingDate: (.d | date($f))}`, "a.ndjson")}
	_, rejects, err := mapped(t, cfg, map[string]string{"a.ndjson": `{"id":1,"d":"8/21/2017"}` + "\n"})
	if !errors.Is(err, mapping.ErrProgram) || !strings.Contains(err.Error(), `a.ndjson:1: m.jq: date("@nope"): a form has a year`) || rejects != nil {
		t.Errorf("%v, %v", rejects, err)
	}
}

// TestX22_ShowIsForDryRuns: a load that prints records beside its report is refused.
func TestX22_ShowIsForDryRuns(t *testing.T) {
	t.Parallel()
	for _, cfg := range []Config{{Show: 5}, {Show: -1, DryRun: true}} {
		if _, err := cfg.checked(); !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), "--dry-run") {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
	if _, err := (Config{Show: 5, DryRun: true}).checked(); err != nil {
		t.Error(err)
	}
}

// TestX22_Reasons: reasons are counted without what is different from record to record, and of each the first reject is kept as it is.
func TestX22_Reasons(t *testing.T) {
	t.Parallel()
	r := &running{reasons: map[Reason]Rejected{}}
	for _, reason := range []string{
		`the mapping fails: date("MM/DD/YYYY") cannot read "NA 1"`, `the mapping fails: date("MM/DD/YYYY") cannot read "a \"b\""`,
		"7 is in this load already", "8 is in this load already", "is not UTF-8; --encoding windows-1252 reads",
	} {
		r.countReason(Reject{File: "a.csv", Line: 7, Reason: reason})
	}
	want := map[Reason]Rejected{
		{Text: `the mapping fails: date("MM/DD/YYYY") cannot read …`}: {2, `a.csv:7: the mapping fails: date("MM/DD/YYYY") cannot read "NA 1"`},
		{Text: "… is in this load already"}:                           {2, "a.csv:7: 7 is in this load already"},
		{Text: "is not UTF-8; --encoding windows-1252 reads"}:         {1, "a.csv:7: is not UTF-8; --encoding windows-1252 reads"},
	}
	if !maps.Equal(r.reasons, want) {
		t.Errorf("%v, want %v", r.reasons, want)
	}
	for i := range 2 * mostReasons {
		r.countReason(Reject{Field: strings.Repeat("x", i)})
	}
	if len(r.reasons) > mostReasons+1 {
		t.Errorf("%d reasons", len(r.reasons))
	}
}

// TestX20_Loads: what holds for a load holds for one of several counties' files by mappings, on both engines: one reject
// promotes nothing and is in the file of rejects as the county wrote it; an update deletes and replaces.
func TestX20_Loads(t *testing.T) {
	t.Parallel()
	onEitherEngine(t, func(t *testing.T, store generation.Store) {
		dir := t.TempDir()
		file := func(name, text string) string {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}
		orange := file("orange.csv", "no;name;paid;gone\n1;Ann;$1,200.50;\n2;Bob;;\n3;Cid;five;\n")
		lake := file("lake.json", `{"liens":[{"n":4,"who":"Dan"}]}`)
		cfg := config(t, store, "")
		cfg.Inputs = append(mappedBy("orange.jq", county, orange), mappedBy("lake.jq", `{id: .n, county: "Lake, FL", owner: .who}`, lake)...)
		cfg.Inputs[1].Form.Path = ".liens[]"
		cfg.Rejects = filepath.Join(dir, "rejects")
		report, err := Run(t.Context(), cfg)
		if !errors.Is(err, ErrRejected) || report.Rejected != 1 || report.Promoted || len(live(t, store)) > 0 {
			t.Fatalf("%+v, %v", report, err)
		}
		text, err := os.ReadFile(cfg.Rejects)
		if err != nil || !strings.Contains(string(text), `"line":4,"id":null,"field":"filingAmount","reason":"the mapping fails: money cannot read \"five\"`) ||
			!strings.Contains(string(text), `"record":"3;Cid;five;"`) {
			t.Errorf("%s, %v", text, err)
		}
		cfg.MaxRejects = 1
		if report := mustRun(t, cfg); report.Indexed != 3 || report.Rejected != 1 || !report.Promoted {
			t.Errorf("%+v", report)
		}
		if got, want := live(t, store), (map[int64]string{1: "Ann", 2: "Bob", 4: "Dan"}); !maps.Equal(got, want) {
			t.Errorf("live: %v, want %v", got, want)
		}
		cfg.MaxShrink, cfg.Update = 100, true
		cfg.Inputs = mappedBy("changes.jq", `if .gone == "yes" then {id: (.no | number), deleted: true} else `+county+` end`,
			file("changes.csv", "no,name,paid,gone\n1,Ann,,yes\n2,Eve,$7.00,\n"))
		if report := mustRun(t, cfg); report.Deleted != 1 || report.Updated != 1 {
			t.Errorf("%+v", report)
		}
		if got, want := live(t, store), (map[int64]string{2: "Eve", 4: "Dan"}); !maps.Equal(got, want) {
			t.Errorf("after the update: %v, want %v", got, want)
		}
	})
}

// TestX20_CutOff: a source that ends in the middle of its last record is one that cannot be read, not one with a reject.
func TestX20_CutOff(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a.ndjson": `{"no":"1","name":"A"}` + "\n" + `{"no":"2","na`,
		"b.ndjson": `{"no":"1","name":"A"}` + "\n" + `{"no":"2","name":tru`,
		"c.csv":    "no,name,paid,gone\n1,A,5,\n2,B",
	} {
		ids, rejects, err := mapped(t, Config{Inputs: mappedBy("m.jq", county, name)}, map[string]string{name: text})
		if !errors.Is(err, source.ErrUnfinished) || !slices.Equal(ids, []int64{1}) || rejects != nil {
			t.Errorf("%s: %v, %v, %v", name, ids, rejects, err)
		}
		_, rejects, err = mapped(t, Config{Inputs: mappedBy("m.jq", county, name)}, map[string]string{name: text + "\n"})
		if err != nil || len(rejects) != 1 {
			t.Errorf("%s with the line's end: %v, %v", name, rejects, err)
		}
	}
}

// TestX42_TwoPlaces: of an id that comes again, in full loads and in those of one county, both places are told, whatever is between them;
// of what cannot be read again the second one alone.
func TestX42_TwoPlaces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one.csv"), filepath.Join(dir, "two.ndjson")
	if err := errors.Join(os.WriteFile(one, []byte("no,name,paid,gone\n8,A,,\nx,B,,\n7,C,,\n"), 0o600), os.WriteFile(two, []byte(lines(5, 4, "Orange, FL", "")), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, replace := range [][]string{nil, {"Orange, FL"}} {
		cfg := config(t, embeddedStore(t), "")
		cfg.DryRun, cfg.MaxRejects, cfg.Replace = true, 3, replace
		cfg.Inputs = append(mappedBy("m.jq", county, one), mappedBy("n.jq", ".", two)...)
		report := mustRun(t, cfg)
		want := []string{"two records have the id 7: " + one + ":4 and " + two + ":3, which is rejected", "two records have the id 8: " + one + ":2 and " + two + ":4, which is rejected"}
		if !slices.Equal(report.Warnings, want) || report.Rejected != 3 || report.Read != 7 {
			t.Errorf("%q, %+v", report.Warnings, report)
		}
		cfg.Inputs, cfg.MaxRejects, cfg.Stdin = inputs("-"), 1, strings.NewReader(lines(5, 1, "Orange, FL", "")+lines(5, 1, "Orange, FL", ""))
		if report := mustRun(t, cfg); len(report.Warnings) != 0 || report.Rejected != 1 {
			t.Errorf("of standard input: %q", report.Warnings)
		}
	}
}
