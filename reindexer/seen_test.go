package reindexer

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"filings/index"
	"filings/reindexer/source"
)

// caseTable and caseProgram read the same columns.
const (
	caseTable   = "field,column\nid,Case\ncounty,\"\"\"Orange, FL\"\"\"\ncaseNumber,Case\nowner,Owner\nfilingAmount,money or nothing: Due\n"
	caseProgram = `{id: id("Orange, FL"; .Case), county: "Orange, FL", caseNumber: (.Case | text), owner: (.Owner | text), filingAmount: (.Due | money)}`
)

// seen is what became of the rows of a file.
type seen struct {
	filings  []string // case number, owner
	rejects  []Reject
	warnings []string
	counts   SourceCounts
	unread   map[string]int64
	err      error
}

// load reads a file with a mapping.
func load(t *testing.T, file, text, name, mapping string, form source.Form) (s seen) {
	t.Helper()
	path := filepath.Join(t.TempDir(), file)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := Config{Inputs: mappedBy(name, mapping, path)}
	cfg.Inputs[0].Form = form
	all, err := cfg.sources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := newReading(all, false, false, func(reject Reject) error { s.rejects = append(s.rejects, reject); return nil })
	r.warn = func(format string, values ...any) { s.warnings = append(s.warnings, fmt.Sprintf(format, values...)) }
	if r.programs, err = cfg.compile(noon); err != nil {
		t.Fatal(err)
	}
	s.err = r.readSources(t.Context(), func(f *index.Filing, _ bool) error {
		s.filings = append(s.filings, strings.Trim(f.Text(index.CaseNumber)+" "+f.Text(index.Owner), " "))
		return nil
	})
	if s.unread = r.unread; len(r.counts) > 0 {
		s.counts = r.counts[0]
	}
	return s
}

// TestX71_NoRecords: the header once more is left out and counted; so is, by a table, a row of one cell under three columns.
func TestX71_NoRecords(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text, jq, table string
		left            int64
	}{
		"a header in between":  {"Case,Owner,Due\nK-1,A,\nCase,Owner,Due\nK-2,B,\n", "[K-1 A K-2 B]", "[K-1 A K-2 B]", 1},
		"of a file behind it":  {"\ufeffCase,Owner,Due\nK-1,A,\n\ufeffCase,Owner,Due\nK-2,B,\n", "[K-1 A K-2 B]", "[K-1 A K-2 B]", 1},
		"of other case":        {"Case,Owner,Due\n CASE ,OWNER, due\nK-2,B,\n", "[K-2 B]", "[K-2 B]", 1},
		"two names alike":      {"Case,Owner,Due,Due\nK-1,A,,\nCase,Owner,Due,Due\n", "[K-1 A]", "[K-1 A]", 1},
		"a name is missing":    {",Case,Owner,Due\n1,K-1,A,\n,Case,Owner,Due\n", "[K-1 A]", "[K-1 A]", 1},
		"not all of it":        {"Case,Owner,Due\nCase,Owner,\n", "[Case Owner]", "[Case Owner]", 0},
		"a last line":          {"Case,Owner,Due\nK-1,A,\nEnd of report,,\n", "[K-1 A End of report]", "[K-1 A]", 1},
		"a last line alone":    {"Case,Owner,Due\nK-1,A,\nEnd of report\n", "rejected", "[K-1 A]", 1},
		"a sum":                {"Case,Owner,Due\nK-1,A,\n, ,12.50\n", "rejected", "[K-1 A]", 1},
		"by another delimiter": {"Case,Owner,Due\nK-1;A;5\n", "rejected", "rejected", 0},
	} {
		for kind, want := range map[string]string{"jq": tt.jq, "csv": tt.table} {
			mapping := map[string]string{"jq": strings.Replace(caseProgram, "money", "try money catch null", 1), "csv": caseTable}[kind]
			s := load(t, "a.csv", tt.text, "m."+kind, mapping, source.Form{})
			got := fmt.Sprint(s.filings)
			if len(s.rejects) > 0 {
				got = "rejected"
			}
			if got != want || s.err != nil || kind == "csv" && s.counts.LeftOut != tt.left {
				t.Errorf("%s, %s: %s, %+v, %v", name, kind, got, s.counts, s.err)
			}
		}
	}
	s := load(t, "a.csv", "Case,Owner,Due\nK-1,A,\nPrinted today,,\n", "m.csv", caseTable, source.Form{})
	if got := fmt.Sprint(s.warnings); !strings.Contains(got, "rows with one cell are left out: 1, the first in line 3") {
		t.Error(got)
	}
}

// TestX71_QuotesThatSwallowRows: a cell that goes on over lines which look like rows is a reject that names them; a text of several
// lines is none.
func TestX71_QuotesThatSwallowRows(t *testing.T) {
	t.Parallel()
	header, row := "Case,Owner,Filed,Due\n", func(n int) string { return fmt.Sprintf("K-%d,A SAMPLE %d,1/1/2026,5\n", n, n) }
	rows := func(from, until int) (text string) {
		for n := from; n <= until; n++ {
			text += row(n)
		}
		return text
	}
	opened := strings.Replace(row(10), "A SAMPLE", `"A SAMPLE`, 1)
	for name, tt := range map[string]struct{ text, want string }{
		"closed at the end of a cell": {header + opened + rows(11, 29) + strings.Replace(row(30), "30,1", `30",1`, 1) + row(31), "has a quote in line 2 that goes on for 20 lines that look like rows (lines 2 to 22)"},
		"of two rows":                 {header + row(9) + opened + rows(11, 11) + strings.Replace(row(12), "12,1", `12",1`, 1), "has a quote in line 3 that goes on for 2 lines that look like rows (lines 3 to 5)"},
		"the first cell":              {header + `"` + rows(1, 3) + `K-4",A,1/1/2026,5` + "\n", "has a quote in line 2 that goes on for 3 lines that look like rows (lines 2 to 5)"},
		"the last cell":               {header + `K-1,A,1/1/2026,"5` + "\n" + rows(2, 3) + `K-4,A,1/1/2026,5"` + "\n", "has a quote in line 2 that goes on for 3 lines that look like rows (lines 2 to 5)"},
		"closed in another column":    {header + opened + rows(11, 12) + `K-13,A,1/1/2026",5` + "\n", "has 3 cells; the header has 4 (lines 2 to 5)"},
		"a quote at a beginning":      {header + opened + rows(11, 12) + `K-13,"A,1/1/2026,5` + "\n", "after the closing quote of a cell (lines 2 to 5)"},
		"semicolons":                  {strings.ReplaceAll(header+opened+rows(11, 29)+strings.Replace(row(30), "30,1", `30",1`, 1), ",", ";"), "goes on for 20 lines"},
		"CRLF":                        {strings.ReplaceAll(header+opened+rows(11, 29)+strings.Replace(row(30), "30,1", `30",1`, 1), "\n", "\r\n"), "goes on for 20 lines"},
		"an address":                  {header + "K-1,\"1 ELM ST, APT 2\nORLANDO, FL\",1/1/2026,5\n", ""},
		"an address of three lines":   {header + "K-1,\"A, B AND C\nC/O D, E\nORLANDO, FL, 32801\",1/1/2026,5\n", ""},
		"a note":                      {header + "K-1,\"a\nb\nc\nd\ne\nf\ng\",1/1/2026,5\n", ""},
	} {
		s := load(t, "a.csv", tt.text, "m.csv", caseTable, source.Form{})
		if tt.want == "" && len(s.rejects) == 0 && len(s.filings) == 1 {
			continue
		}
		if len(s.rejects) != 1 || !strings.Contains(s.rejects[0].Reason, tt.want) || tt.want == "" {
			t.Errorf("%s: %+v, %q", name, s.rejects, s.filings)
		}
	}
}

// TestX71_NoHeader: a first row with an amount, a date or an id is no header, unless an option says that it is.
func TestX71_NoHeader(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text, want string
	}{
		"an amount":  {"A SAMPLE,K-1,\"$1,619.00\"\nB SAMPLE,K-2,$20.00\n", `has no column "Case"; its first row has "$1,619.00": if it is a record`},
		"a date":     {"A SAMPLE,K-1,1/15/2026\n", `its first row has "1/15/2026"`},
		"an ISO day": {"A SAMPLE,K-1,2026-01-15\n", `its first row has "2026-01-15"`},
		"an id":      {"A SAMPLE,2026-0012345,x\n", `its first row has "2026-0012345"`},
		"cents":      {"A SAMPLE,x,12.50\n", `its first row has "12.50"`},
		"names":      {"Owner,2025,FY2026,2025-26\n", `has no column "Case", but`},
	} {
		s := load(t, "a.csv", tt.text, "m.csv", caseTable, source.Form{})
		if !errors.Is(s.err, ErrUsage) || !strings.Contains(fmt.Sprint(s.err), tt.want) {
			t.Errorf("%s: %v", name, s.err)
		}
	}
	months := "Case,Owner,Due,1/31/2026\nK-1,A,5,6\n"
	if s := load(t, "a.csv", months, "m.csv", caseTable, source.Form{}); !errors.Is(s.err, ErrUsage) {
		t.Errorf("months: %v", s.err)
	}
	if s := load(t, "a.csv", months, "m.csv", caseTable, source.Form{HeaderRow: "1"}); s.err != nil || len(s.filings) != 1 {
		t.Errorf("months, with the row of the header: %+v", s)
	}
}

// TestX71_Separator: a first line that says what stands between the cells is read as it says; --header-row leaves out lines above.
func TestX71_Separator(t *testing.T) {
	t.Parallel()
	for text, form := range map[string]source.Form{
		"sep=;\nCase;Owner;Due\nK-1;A,B;\n":                          {},
		"\"sep=;\"\r\nCase;Owner;Due\r\nK-1;A,B;\r\n":                {},
		"\ufeffSEP=|\nCase|Owner|Due\nK-1|A,B|\n":                    {},
		"sep=\t\nCase\tOwner\tDue\nK-1\tA,B\t\n":                     {},
		"sep=,\nCase;Owner;Due\nK-1;A,B;\n":                          {Delimiter: ";"},
		"Liens, of 2026; x\n\n\"printed\nCase;Owner;Due\nK-1;A,B;\n": {HeaderRow: "4"},
	} {
		s := load(t, "a.csv", text, "m.csv", caseTable, form)
		if s.err != nil || fmt.Sprint(s.filings) != "[K-1 A,B]" {
			t.Errorf("%q: %v, %v", text, s.filings, s.err)
		}
	}
	s := load(t, "a.csv", "sep=;\nCase;Owner;Due\nK-1;A\n", "m.csv", caseTable, source.Form{})
	if len(s.rejects) != 1 || s.rejects[0].Line != 3 {
		t.Errorf("its lines are numbered from the first: %+v, %v", s.rejects, s.err)
	}
}

// TestX71_EndOfFile: the mark with which programs of DOS end a text is no part of its last cell; within it is one.
func TestX71_EndOfFile(t *testing.T) {
	t.Parallel()
	program := strings.Replace(caseProgram, "(.Owner | text)", ".Owner", 1)
	for _, rows := range []string{"K-1,5,A\x1a", "K-1,5,A\n\x1a", "K-1,5,A\x1a\x1a\x1a", "K-1,5,A\r\n\x1a\x1a"} {
		s := load(t, "a.csv", "Case,Due,Owner\n"+rows, "m.jq", program, source.Form{})
		if s.err != nil || len(s.rejects) > 0 || len(s.warnings) > 0 || fmt.Sprint(s.filings) != "[K-1 A]" {
			t.Errorf("%q: %+v", rows, s)
		}
	}
	s := load(t, "a.csv", "Case,Due,Owner\nK-1,5,A\x1a\nK-2,5,B\n", "m.jq", program, source.Form{})
	if fmt.Sprintf("%q", s.filings) != `["K-1 A\x1a" "K-2 B"]` {
		t.Errorf("%q", s.filings)
	}
}

// TestX71_Sums: a last row that says that it is a sum, and becomes a filing, is a warning; a name that begins so is none.
func TestX71_Sums(t *testing.T) {
	t.Parallel()
	for rows, warns := range map[string]bool{
		"K-1,A,5\nTotal,,5\n":                       true,
		"K-1,A,5\nGrand Total,60 records,5\n":       true,
		"K-1,A,5\n9,TOTALS:,5\n":                    true,
		"K-1,A,5\nK-2,Total of 2026,5":              true,
		"K-1,A,5\n** Sub-total (3),x,5\n\n":         true,
		"K-1,A,5\nTotal,,5\nPrinted today,,\n":      true,
		"K-1,A,5\nCase,Owner,Due\nCount: 1,x,5\n":   true,
		"K-1,A,5\nEnd of report,x,5\n":              true,
		"K-1,A,5\nPRINTED & BOUND,x,5\n":            false,
		"K-1,A,5\nK-2,TOTAL WINE & MORE LLC,5\n":    false,
		"K-1,A,5\nK-2,COUNT DRACULA,5\n":            false,
		"K-1,A,5\nK-2,SUMMER HOMES 2 LLC,5\n":       false,
		"K-1,A,5\nTotal,,5\nK-2,B,5\n":              false,
		"K-1,A,5\nTotal due,see page 3,no amount\n": false, // rejected by jq, and no such text
	} {
		for name, mapping := range map[string]string{"m.jq": caseProgram, "m.csv": caseTable} {
			s := load(t, "a.csv", "Case,Owner,Due\n"+rows, name, mapping, source.Form{})
			if got := fmt.Sprint(s.warnings); s.err != nil || strings.Contains(got, "looks like a sum") != warns {
				t.Errorf("%q, %s: %s, %v", rows, name, got, s.err)
			}
		}
	}
	f, path := excelize.NewFile(), filepath.Join(t.TempDir(), "f.xlsx")
	for at, row := range map[string][]any{"A1": {"Case", "Owner", "Due"}, "A2": {"K-1", "A", 5}, "A3": {"Total", "1 record", 5}, "A5": {"Printed today"}} {
		if err := f.SetSheetRow("Sheet1", at, &row); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(f.SaveAs(path), f.Close()); err != nil {
		t.Fatal(err)
	}
	report, err := Run(t.Context(), Config{Inputs: mappedBy("m.csv", caseTable, path), DryRun: true, Now: func() time.Time { return noon }})
	if got := fmt.Sprint(report.Warnings); err != nil || !strings.Contains(got, `in line 3, looks like a sum or a note, and is loaded as a filing: Case is "Total"`) {
		t.Errorf("a sheet: %s, %v", got, err)
	}
	path = filepath.Join(t.TempDir(), "head.csv")
	if err := os.WriteFile(path, []byte("Case,Owner,Due\nK-1,A,5\nTotal,,5\nK-3,C,5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	report, err = Run(t.Context(), Config{Inputs: mappedBy("m.csv", caseTable, path), DryRun: true, Head: 1})
	if got := fmt.Sprint(report.Warnings); err != nil || strings.Contains(got, "looks like a sum") {
		t.Errorf("a row that is not the last one: %s, %v", got, err)
	}
	for _, where := range []string{"where,Case != Total", "where,Owner != "} {
		s := load(t, "a.csv", "Case,Owner,Due\nK-1,A,5\nTotal,,5\n", "m.csv", caseTable+where+"\n", source.Form{})
		if len(s.filings) != 1 || len(s.warnings) > 0 {
			t.Errorf("%s: %+v", where, s)
		}
	}
}

// TestX72_Unread: what "or nothing" leaves out is counted by field, and more than a twentieth is a warning; in jq too.
func TestX72_Unread(t *testing.T) {
	t.Parallel()
	rows := func(n, bad int, cell string) string {
		text := "Case,Owner,Due\n"
		for i := range n {
			due := "5.00"
			if i < bad {
				due = cell
			}
			text += fmt.Sprintf("K-%d,A,%s\n", i, due)
		}
		return text
	}
	jq := strings.Replace(caseProgram, "money", "try money catch unread", 1)
	for name, tt := range map[string]struct {
		mapping, text string
		unread        int64
		warns         bool
	}{
		"m.csv, many":                      {caseTable, rows(100, 95, "USD 5.00"), 95, true},
		"m.csv, six of 100":                {caseTable, rows(100, 6, "see note"), 6, true},
		"m.csv, five of 100":               {caseTable, rows(100, 5, "see note"), 5, false},
		"m.csv, none":                      {caseTable, rows(100, 50, ""), 0, false},
		"m.csv, half of those with values": {caseTable, strings.Replace(rows(100, 98, ""), "K-0,A,", "K-0,A,x", 1), 1, true},
		"m.jq, many":                       {jq, rows(100, 95, "USD 5.00"), 95, true},
		"m.jq, an option of its own":       {strings.Replace(caseProgram, "money", "try money catch null", 1), rows(100, 95, "x"), 0, false},
	} {
		name, _, _ := strings.Cut(name, ",")
		s := load(t, "a.csv", tt.text, name, tt.mapping, source.Form{})
		warned := strings.Contains(fmt.Sprint(s.warnings), fmt.Sprintf("filingAmount could not be read from %d values", tt.unread))
		if s.err != nil || len(s.filings) != 100 || s.unread["filingAmount"] != tt.unread || warned != tt.warns {
			t.Errorf("%+v: %v, %v, %q", tt.unread, s.err, s.unread, s.warnings)
		}
	}
	s := load(t, "a.csv", rows(3, 0, ""), "m.csv", caseTable+"where,Owner = B\n", source.Form{})
	if got := fmt.Sprint(s.warnings); !strings.Contains(got, "all of its 3 rows are left out by m.csv") || len(s.filings) > 0 {
		t.Error(got)
	}
}

// TestX72_Tried: a try that leaves out the error of more than a tenth of the rows is a warning; one whose catch does something is none.
func TestX72_Tried(t *testing.T) {
	t.Parallel()
	tried := func(amount string) string { return strings.Replace(caseProgram, "(.Due | money)", amount, 1) }
	for mapping, want := range map[string]string{
		tried("(.Due | try money catch null)"):                                   "leaves out what fails in %d of 100 rows (filingAmount)",
		tried("(try (.Due | money) catch empty)"):                                "leaves out what fails in %d of 100 rows (filingAmount)",
		tried("(.Due | money?)"):                                                 "leaves out what fails in %d of 100 rows (filingAmount)",
		tried("((.Due | money)? // 0)"):                                          "leaves out what fails in %d of 100 rows (filingAmount)",
		tried(`([.Due, .Due | try money] | first)`):                              "leaves out what fails in %d of 100 rows (filingAmount)",
		"try " + caseProgram:                                                     "leaves out what fails in %d of 100 rows (filingAmount)",
		"(.Due | try money catch null) as $due | " + tried("1"):                  "leaves out what fails in %d of 100 rows (of no field)",
		tried(`(.Due | try money catch (ltrimstr("USD ") | try money catch 0))`): "",
		tried("(.Due | try money catch unread)"):                                 "",
		tried(`.None?`):                                                          "",
	} {
		for failing, warns := range map[int]bool{0: false, 10: false, 11: true, 100: true} {
			text := "Case,Owner,Due\n"
			for i := range 100 {
				due := "5.00"
				if i >= 100-failing {
					due = "USD 5.00"
				}
				text += fmt.Sprintf("K-%d,A,%s\n", i, due)
			}
			s := load(t, "a.csv", text, "m.jq", mapping, source.Form{})
			got, want := fmt.Sprint(s.warnings), want
			if want != "" {
				want = fmt.Sprintf(want, failing)
			}
			if warned := strings.Contains(got, "leaves out what fails"); s.err != nil || len(s.rejects) > 0 ||
				warned != (warns && want != "") || warned && !strings.Contains(got, want) {
				t.Errorf("%s, %d: %s, %v, %+v", mapping, failing, got, s.err, s.rejects)
			}
		}
	}
	s := load(t, "a.ndjson", strings.Repeat("{\"Due\":\"x\"}\n", 30), "m.jq", `select(try (.Due | money | . > 0) catch null)`, source.Form{})
	if got := fmt.Sprint(s.warnings); !strings.Contains(got, "in 30 of 30 rows (of no field)") {
		t.Error(got)
	}
}

// TestX73_TimeZone: the time zone of a source is that of its times.
func TestX73_TimeZone(t *testing.T) {
	t.Parallel()
	table := strings.Replace(caseTable, "owner,Owner", "owner,Owner\nfilingDate,date YYYY-MM-DD: Filed", 1)
	for zone, want := range map[string]string{"": "2026-01-06", "America/New_York": "2026-01-05"} {
		path := filepath.Join(t.TempDir(), "a.csv")
		if err := os.WriteFile(path, []byte("Case,Owner,Due,Filed\nK-1,A,5,2026-01-06T03:00:00Z\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg := Config{Inputs: mappedBy("m.csv", table, path), DryRun: true, Now: func() time.Time { return noon }}
		cfg.Inputs[0].Form.TimeZone = zone
		report, err := Run(t.Context(), cfg)
		if got := fmt.Sprintf("%s", report.Fields["filingDate"].Least); err != nil || got != `"`+want+`"` {
			t.Errorf("%q: %s, %v", zone, got, err)
		}
	}
}

// TestL1_FoldersWithin: what a folder has and a load does not read is a warning; a folder within it fails loads that nobody watches.
func TestL1_FoldersWithin(t *testing.T) {
	t.Parallel()
	for names, want := range map[string]string{
		"county=Lake/part-1.csv":                  `left out of its folder: 1, the first "county=Lake/"`,
		"county=Lake/part-1.csv 2026/a.csv a.txt": `left out of its folder: 3, the first "2026/"`,
		"old/.keep": `the first "old/"`,
		"a.csv.bak": `the first "a.csv.bak"`,
		"_a.csv":    `the first "_a.csv"`,
		"_SUCCESS":  "", "_temporary/a.csv": "", "_delta_log/0.json": "", ".a.csv": "", ".old/a.csv": "",
	} {
		folder := t.TempDir()
		for _, name := range append(strings.Fields(names), "part-0.csv") {
			path := filepath.Join(folder, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("Case,Owner,Due\nK-1,A,5\n"), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		cfg := Config{Inputs: mappedBy("m.jq", caseProgram, folder), DryRun: true, Now: func() time.Time { return noon }}
		report, err := Run(t.Context(), cfg)
		if got := strings.Join(report.Warnings, "\n"); err != nil || report.Read != 1 || !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%s: %q, %d, %v", names, got, report.Read, err)
		}
		within := strings.Contains(want, `/"`)
		cfg.Inputs[0].County = "Orange, FL"
		if _, err = Run(t.Context(), cfg); errors.Is(err, ErrSource) != within {
			t.Errorf("%s, of a plan: %v", names, err)
		}
		cfg.Inputs[0].County, cfg.IfChanged, cfg.Log = "", true, slog.New(slog.DiscardHandler)
		if _, err = cfg.sources(t.Context()); errors.Is(err, ErrSource) != within {
			t.Errorf("%s, by a timer: %v", names, err)
		}
	}
}
