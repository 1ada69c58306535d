package inspect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"filings/reindexer/mapping"
	"filings/reindexer/source"
)

var today = time.Date(2026, 3, 15, 0, 0, 0, 0, time.UTC)

func inspected(t *testing.T, name, text string, form source.Form) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Run(t.Context(), source.Input{Name: path, Form: form}, source.Options{}, Proposal{Today: today}, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Where names are data, each record brings columns of its own: what is kept of a column does not grow with the records before it.
func TestX22_NamesThatAreData(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, `{"id":%d,"lien %d":1}`+"\n", i+7, i)
	}
	path := filepath.Join(t.TempDir(), "a.ndjson")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := source.Find(t.Context(), []source.Input{{Name: path}}, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := look(t.Context(), all[0], today)
	if err != nil || len(f.columns) != mostColumns {
		t.Fatalf("%d columns, %v", len(f.columns), err)
	}
	if said, err := f.describe(Proposal{}); err != nil || !strings.Contains(said, "\n# and more columns: ") {
		t.Errorf("%v, %.100s", err, said)
	}
	kept := 0
	for _, c := range f.columns {
		kept += cap(c.hashes)
	}
	if kept > 10_000 || !f.unique(f.column(".id", "id", today)) {
		t.Errorf("%d hashes are kept of 3000 records and 2000 columns", kept)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := look(ctx, all[0], today); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// TestX22_Refused: what is no single file of records is refused.
func TestX22_Refused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"object.geojson": `{"a":1}`, "cut.json": `[{"a":`, "folder/a.csv": "a\n1\n", "folder/b.csv": "a\n1\n", "page.csv": "\ufeff\n<!DOCTYPE html>\n<p>a</p>\n", "page.ndjson": "<html>\n",
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		want string
		is   error
	}{
		"object.geojson": {`It has no array of objects; --path . takes`, source.ErrUsage},
		"cut.json":       {`the JSON document is cut off at byte 6`, source.ErrUnreadable},
		"folder":         {`inspect looks at one file, and `, source.ErrUsage},
		"page.csv":       {`it is an HTML page, not csv`, source.ErrUnreadable},
		"page.ndjson":    {`it is an HTML page, not ndjson`, source.ErrUnreadable},
	} {
		err := Run(t.Context(), source.Input{Name: filepath.Join(dir, name)}, source.Options{}, Proposal{Today: today}, io.Discard)
		if !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Run(t.Context(), source.Input{Name: "-", Form: source.Form{Format: source.JSON}}, source.Options{Stdin: strings.NewReader("[{}]")}, Proposal{Today: today}, io.Discard); err == nil || !strings.Contains(err.Error(), "such as '.[]'") {
		t.Errorf("standard input: %v", err)
	}
}

// TestX22_Sheets: of a workbook of several sheets it says which others there are and how one is chosen, whatever the first one
// holds; of one sheet it says nothing.
func TestX22_Sheets(t *testing.T) {
	t.Parallel()
	table := [][]any{{"Case", "Owner"}, {"K-1", "A"}}
	for name, tt := range map[string]struct {
		cover       [][]any // nil: there is none
		sheet, want string
		err         bool
	}{
		"a cover":      {[][]any{{"Liens of Orange County"}, {"printed today"}}, "", `# Its other sheets, which --sheet reads, here and in load: "Liens of \"24\""` + "\n", false},
		"a table":      {table, "", `: "Liens of \"24\""`, false},
		"the other":    {table, `Liens of "24"`, `# Its other sheets, which --sheet reads, here and in load: "Cover"`, false},
		"empty":        {[][]any{}, "", `the sheet "Cover" is empty: it has no header; --sheet may be "Liens of \"24\""`, true},
		"only a table": {nil, "", "1 records\n#\n# .Case", false},
	} {
		f := excelize.NewFile()
		must := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		must(f.SetSheetName("Sheet1", `Liens of "24"`))
		write := func(sheet string, rows [][]any) {
			for i, row := range rows {
				must(f.SetSheetRow(sheet, fmt.Sprintf("A%d", i+1), &row))
			}
		}
		write(`Liens of "24"`, table)
		if tt.cover != nil {
			_, err := f.NewSheet("Cover")
			must(err)
			must(f.MoveSheet("Cover", `Liens of "24"`))
			write("Cover", tt.cover)
		}
		path := filepath.Join(t.TempDir(), "f.xlsx")
		must(errors.Join(f.SaveAs(path), f.Close()))
		var b strings.Builder
		err := Run(t.Context(), source.Input{Name: path, Form: source.Form{Sheet: tt.sheet}}, source.Options{}, Proposal{Today: today}, &b)
		if err != nil {
			b.WriteString(err.Error())
		}
		if (err != nil) != tt.err || !strings.Contains(b.String(), tt.want) {
			t.Errorf("%s: %s", name, b.String())
		}
	}
}

// TestX22_Values: of a column with few values each is listed with its count, the most frequent first; of one with many, or whose values
// are all different, there are three examples.
func TestX22_Values(t *testing.T) {
	t.Parallel()
	var rows strings.Builder
	rows.WriteString("Case,Type,Book\n")
	for i := range 20 {
		kind := "Lis Pendens"
		if i > 4 && i != 9 {
			kind = "Tax Lien"
		}
		if i == 12 {
			kind = ""
		}
		fmt.Fprintf(&rows, "K-%d,%s,B%d\n", i, kind, i%9)
	}
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := os.WriteFile(path, []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := Run(t.Context(), source.Input{Name: path}, source.Options{}, Proposal{Today: today}, &b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{` "K-0", "K-1", "K-2"` + "\n", ` "Tax Lien" (13), "Lis Pendens" (6)` + "\n", ` "B0", "B1", "B2"` + "\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// TestX22_Uncomputed: it says how many cells are empty because no program has computed their formulas.
func TestX22_Uncomputed(t *testing.T) {
	t.Parallel()
	f := excelize.NewFile()
	path := filepath.Join(t.TempDir(), "f.xlsx")
	if err := errors.Join(f.SetSheetRow("Sheet1", "A1", &[]any{"Case", "Bid"}), f.SetSheetRow("Sheet1", "A2", &[]any{"K-1"}),
		f.SetCellFormula("Sheet1", "B2", "1+1"), f.SaveAs(path), f.Close()); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := Run(t.Context(), source.Input{Name: path}, source.Options{}, Proposal{Today: today}, &b); err != nil || !strings.Contains(b.String(), "1 records\n# 1 cells have a formula that no program has computed") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// TestX22_Flags: the line that tries the mapping reads the file as inspect did.
func TestX22_Flags(t *testing.T) {
	t.Parallel()
	for form, want := range map[source.Form]string{
		{}:                                 "--show 5 --map",
		{Delimiter: "|"}:                   "--show 5 --delimiter '|' --map",
		{Format: "csv", Encoding: "utf-8"}: "--show 5 --format 'csv' --encoding 'utf-8' --map",
	} {
		if got := inspected(t, "f.csv", "id|county\n1|Orange, CA\n", form); !strings.Contains(got, "\n# filings load --dry-run "+want+" THIS-FILE SOURCE\n") {
			t.Errorf("%+v: %s", form, got)
		}
	}
	path := source.Form{Path: ".[\"it's\"]\n| .[]"}
	if got, want := inspected(t, "f.json", `{"it's":[{"id":1}]}`, path), ` --path '.["it'\''s"] | .[]' --map `; !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestX22_Inspect: the columns with what is in them, and a mapping that compiles, for made-up files of the forms that counties
// publish.
func TestX22_Inspect(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		file, text string
		form       source.Form
		want       []string
	}{
		"auction": {"a.csv", "Case number,Date Sold,Purchaser,Winning Bid\nK-1,8/21/2017,A,\"$20,000.00 \"\nK-2,8/25/2017,A,\nK-3,9/1/2017,NA,$1.00\n", source.Form{}, []string{
			`# ."Case number" 100.0%  text, id candidate       "K-1", "K-2", "K-3"`,
			`# ."Date Sold"   100.0%  date MM/DD/YYYY          "8/21/2017"`,
			`# .Purchaser      66.7%  text                     "A"`, `# ."Winning Bid"  66.7%  amount`,
			`id: id($county; ."Case number")`, `filingAmount: (."Winning Bid" | money)`, `filingDate: (."Date Sold" | date("MM/DD/YYYY"))`, `filingHolder: (.Purchaser | text)`,
		}},
		"certificates": {"c.csv", "CERT;YEAR;ISSUE_DATE;OWNER NAME;STREET;CITY\n1;2001;11/19/03;A;1 B;X\n1;2002;11/20/03;A;1 B;X\n2;2001;1/2/99;C;;\n", source.Form{}, []string{
			`id: id($county; .CERT; .YEAR)`, `date MM/DD/YY`, `owner: (."OWNER NAME" | text)`,
			`propertyAddress: text(.STREET; .CITY)`,
		}},
		"points": {"p.json", `{"features":[{"geometry":{"type":"Point","coordinates":[-84.5,38.1]},"properties":{"entity":"A","date":"2025-07-21"}},` +
			`{"geometry":{"type":"Point","coordinates":[-84.6,38.2]},"properties":{"entity":"B","date":"2025/07/22"}}]}`, source.Form{Path: ".features[]"}, []string{
			`date YYYY-MM-DD or YYYY/MM/DD`, `date("YYYY-MM-DD"; "YYYY/MM/DD")`, `owner: (.properties.entity | text)`, `geocodedLatitude: (.geometry | (point | .latitude?))`,
		}},
		"places": {"l.ndjson", "{\"id\":1,\"lat\":1.5,\"lon\":2,\"at\":\"(1.0, 2.0)\"}\n{\"id\":2,\"lat\":1.6,\"lon\":3,\"at\":\"(1.1, 2.0)\"}\n", source.Form{}, []string{"geocodedLatitude: (.lat | number)", "point", `id($county; .id)`,
			`# .id  100.0%  number, id candidate     1, 2`, `# .lat 100.0%  number                   1.5, 1.6`}},
		"instruments": {"i.tsv", "Instrument #\tDebtor\tST\tAMT OWED\tRec. Dt\n1\tA\tFL\t\"1,001.00-\"\t2-Aug-17\n2\tB\tFL\t$(1.00)\t3-Aug-17\n", source.Form{}, []string{
			`filingAmount: (."AMT OWED" | money)`, `filingDate: (."Rec. Dt" | date("DD-MON-YY"))`, `owner: (.Debtor | text)`,
		}},
		"parts": {"j.ndjson", `{"id":1,"address":{"line1":"1 ELM","city":"X","st":"FL","zip":"1"},"enteredOn":"2017-08-21T00:00:00-04:00"}`, source.Form{}, []string{
			`propertyAddress: text(.address.line1; .address.city; .address.st; .address.zip)`, `filingDate: (.enteredOn | date("YYYY-MM-DD"))`,
		}},
		"a county": {"y.csv", "County,Case\nLake,1\n", source.Form{}, []string{`text(.County; "State code") as $county | {`}},
		"later": {"r.csv", "bill no,amt,paid,date_released,share\n1,$7.00,$1.00,1/2/2024,\"1.234,50\"\n2,$8.00,,,\"1,50\"\n", source.Form{}, []string{
			`filingAmount: (.amt | money)`, "100.0%  text, id candidate       \"1.234,50\"", `filingType: "Filing type"` + "\n}",
		}},
		"bids":         {"w.csv", "Case,Minimum Bid,Winning Bid,Bid Count\n1,$1.00,,3\n2,$2.00,$7.00,4\n", source.Form{}, []string{`filingAmount: (."Winning Bid" | money)`}},
		"a year":       {"t.csv", "taxYear,lienAmount,Tax Discount\n2024,403.44,1\n2024,7.00,2\n", source.Form{}, []string{`filingAmount: (.lienAmount | money)`}},
		"a year alone": {"n.csv", "case,tax year\n1,2024\n2,2025\n", source.Form{}, []string{"caseNumber: (.case | text),\n  # sure\n  filingType"}},
		"no records":   {"e.csv", "a,b\n", source.Form{}, []string{"0 records", "# .a   0.0%  empty", `"Columns of the id"`}},
		"bad records":  {"b.csv", "a,b\n1\n2,3\n", source.Form{}, []string{"1 records, and 1 that cannot be read, the last of them 2: has 1 cell; the header has 2"}},
		"same rows":    {"s.csv", "a,b\n1,1\n1,1\n", source.Form{}, []string{`"Columns of the id"),` + "\n  # no three columns tell all records apart"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := inspected(t, tt.file, tt.text, tt.form)
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("lacks %s:\n%s", want, got)
				}
			}
			if _, err := mapping.Compile("proposed", got, today); err == nil || !strings.Contains(err.Error(), "write yours") {
				t.Errorf("it compiles unedited: %v", err)
			}
			got = strings.NewReplacer("County, ST", "Orange, FL", ", ST", ", FL", "Filing type", "Tax Lien", "State code", "FL", `"Columns of the id"`, ".a").Replace(got)
			if _, err := mapping.Compile("edited", got, today); err != nil {
				t.Errorf("%v:\n%s", err, got)
			}
		})
	}
}

// TestX22_Guesses: what counties' files made an operator load wrongly: the proposal, as a table, has the right column, and says what
// else there is.
func TestX22_Guesses(t *testing.T) {
	t.Parallel()
	many := func(header string, n int, row func(i int) string) string {
		var b strings.Builder
		b.WriteString(header + "\n")
		for i := range n {
			b.WriteString(row(i) + "\n")
		}
		return b.String()
	}
	for name, tt := range map[string]struct {
		text      string
		want, not []string
	}{
		"a note among amounts": {many("case,lien", 402, func(i int) string {
			if i == 301 {
				return "K301,see note"
			}
			return fmt.Sprintf("K%d,$%d.50", i, i)
		}), []string{"amount, but for 1: \"see note\" (line 303)", "filingAmount,money or nothing: lien\n# but for 1: \"see note\" (line 303)\n"}, []string{"filingType,lien"}},
		"a word among dates": {many("case,filed", 1000, func(i int) string {
			if i == 0 {
				return "K0,unknown"
			}
			return fmt.Sprintf("K%d,1/%d/2020", i, 1+i%31)
		}), []string{"filingDate,date MM/DD/YYYY or nothing: filed\n# but for 1: \"unknown\" (line 2)\n"}, []string{"or DD"}},
		"one in ten is none": {many("case,filed", 40, func(i int) string {
			if i%10 == 0 {
				return fmt.Sprintf("K%d,unknown", i)
			}
			return fmt.Sprintf("K%d,1/15/2020", i)
		}), []string{"# filed 100.0%  text"}, []string{"filingDate"}},
		"days below 13":    {"case,filed\nK1,01/02/2020\nK2,03/04/2020\n", []string{"date MM/DD/YYYY, DD/MM/YYYY fits too: no day is above 12", "filingDate,date MM/DD/YYYY: filed\n# DD/MM/YYYY fits too"}, nil},
		"days first":       {"case,filed\nK1,01/02/2020\nK2,23/04/2020\n", []string{"filingDate,date DD/MM/YYYY: filed\n"}, []string{"fits too"}},
		"a year":           {"parcel,taxYear,lien,type\nP1,2025,403.44,Tax\nP2,2025,99.10,Tax\n", []string{"filingAmount,money: lien\n", "id,parcel\n", "caseNumber,parcel\n"}, []string{"filingType,lien", "money: taxYear"}},
		"row numbers":      {"row,rank,block_lot\n1,5,A\n2,6,B\n3,7,C\n", []string{"# row       100.0%  number, number of the row", "id,block_lot\n"}, nil},
		"counted rows":     {"no,owner\n1,A\n2,B\n3,A\n", []string{`"""Columns of the id"""` + "\n# no three columns"}, []string{"id,no"}},
		"two judgments":    {"case,judgment_amount,total due\nK1,5.00,6.00\nK2,7.00,8.00\n", []string{"filingAmount,money: judgment_amount\n# or: money: total due\n"}, nil},
		"a violator":       {"ticket_id,violator_name,mailing_address,mailing_city,violation_address,city,state\nT1,A,9 ELM,X,1 OAK,Y,MI\nT2,B,8 ELM,X,2 OAK,Y,MI\n", []string{"id,ticket_id\n", "owner,violator_name\n", "propertyAddress,violation_address\n"}, []string{"mailing_city\n"}},
		"parts":            {"bill no,situs address,situs city,situs zip,owner city\n1,1 ELM,X,1,Z\n4,2 ELM,X,1,Z\n", []string{"propertyAddress,join: situs address; situs city; situs zip\n"}, nil},
		"bids":             {"Case,Starting Bid,Winning Bid,Bid Discount\nK1,1.00,2.00,3.00\nK2,4.00,5.00,6.00\n", []string{"filingAmount,money: Winning Bid\n"}, []string{"# or: "}},
		"a deed":           {"Instrument,Deed Name,Buyer Name\nI1,A,B\nI2,C,D\n", []string{"owner,Deed Name\n", "filingHolder,Buyer Name\n"}, nil},
		"points":           {"case,location\nK1,\"1 ELM\nX, MI\n(42.39, -82.98)\"\nK2,\"(42.40, -82.99)\"\n", []string{"point", "geocodedLatitude,latitude: location\ngeocodedLongitude,longitude: location\n"}, []string{"propertyAddress"}},
		"counties":         {"case,county,state\nK1,Lake,FL\nK2,Orange,FL\n", []string{"county,join: county; state\n"}, nil},
		"several states":   {"case,county,state\nK1,Lake,FL\nK2,Orange,GA\n", []string{`county,"join: county; ""State code"""` + "\n"}, nil},
		"counties, states": {"case,county\nK1,\"Lake, FL\"\n", []string{"county,county\n"}, nil},
		"names of two lines": {"case,\"Winning\nBid, total\",\"Total\nBid, all\",\"Date\nSold\",\"Site\naddress\",Site city\nK1,1.00,2.00,1/2/2020,1 A ST,X\nK2,3.00,5.00,1/13/2020,2 A ST,Y\n", []string{
			`filingAmount,"money: .""Winning\nBid, total"""` + "\n" + `# or: money: ."Total\nBid, all"` + "\n", `filingDate,"date MM/DD/YYYY: .""Date\nSold"""` + "\n", `propertyAddress,"join: .""Site\naddress""; Site city"` + "\n"}, nil},
		"names in quotes":   {`"""case""","""Owner"""` + "\nK1,A\nK2,B\n", []string{`id,".""\""case\"""""` + "\n", `owner,".""\""Owner\"""""` + "\n"}, nil}, // a text in quotes is a constant
		"names with signs":  {"case;a;\"the; owner\"\nK1;1;A\nK2;1;B\n", []string{`owner,".""the; owner"""` + "\n"}, nil},
		"a name like a how": {"case,money: owner\nK1,A\nK2,B\n", []string{`owner,".""money: owner"""` + "\n"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "a.csv")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			if err := Run(t.Context(), source.Input{Name: path}, source.Options{}, Proposal{Today: today, Table: true}, &b); err != nil {
				t.Fatal(err)
			}
			got := b.String()
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("lacks %s:\n%s", want, got)
				}
			}
			for _, not := range tt.not {
				if strings.Contains(got, not) {
					t.Errorf("has %s:\n%s", not, got)
				}
			}
			if _, err := mapping.CompileTable("county.csv", got, today); err == nil || !strings.Contains(err.Error(), "write yours") {
				t.Errorf("it compiles unedited: %v", err)
			}
			got = strings.NewReplacer("County, ST", "Orange, FL", "Filing type", "Tax Lien", "State code", "FL", `"""Columns of the id"""`, "owner").Replace(got)
			if _, err := mapping.CompileTable("county.csv", got, today); err != nil {
				t.Errorf("%v:\n%s", err, got)
			}
		})
	}
}

// TestX22_County: the county that --county names is that of the proposal, and has a state.
func TestX22_County(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte("case,lien type\nK1,Tax\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := Run(t.Context(), source.Input{Name: path}, source.Options{}, Proposal{Today: today, County: "Orange, FL"}, &b); err != nil {
		t.Fatal(err)
	}
	if _, err := mapping.Compile("m.jq", b.String(), today); err != nil || !strings.Contains(b.String(), `"Orange, FL" as $county | {`) {
		t.Errorf("%v\n%s", err, b.String())
	}
	if err := Run(t.Context(), source.Input{Name: path}, source.Options{}, Proposal{Today: today, County: "Orange"}, io.Discard); !errors.Is(err, source.ErrUsage) {
		t.Error(err)
	}
}

// TestX22_Arrays: of a JSON document the arrays are listed and the largest is read; the line that tries the mapping says which.
func TestX22_Arrays(t *testing.T) {
	t.Parallel()
	got := inspected(t, "parcels.json", `{"meta":{"x":1},"data":{"par cels":[{"liens":[{"a":1}]},{}]},"log":["a"],"more":[{}]}`, source.Form{})
	for _, want := range []string{": 2 records\n" + `# --path '.data.["par cels"][]' gives 2` + "\n# --path '.more[]' gives 1\n", `--show 5 --path '.data.["par cels"][]' --map`} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %s:\n%s", want, got)
		}
	}
}

// TestX22_Windows1252: text that is not UTF-8 is read as what older spreadsheets write, which the line that tries the mapping says.
func TestX22_Windows1252(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"case,own\xe9r\n1,A\n", "case,owner\n1,Caf\xe9\n"} {
		got := inspected(t, "a.csv", text, source.Form{})
		if !strings.Contains(got, "1 records\n") || !strings.Contains(got, "é") || !strings.Contains(got, "--show 5 --encoding 'windows-1252' --map") {
			t.Error(got)
		}
	}
}

// proposed returns what is proposed for a file as a table, after the description.
func proposed(t *testing.T, name, text string) (described, table string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := Run(t.Context(), source.Input{Name: path}, source.Options{}, Proposal{Today: today, Table: true, County: "Orange, FL"}, &b); err != nil {
		t.Fatal(err)
	}
	described, table, _ = strings.Cut(b.String(), "THIS-FILE SOURCE\n")
	return described, table
}

// TestX22_NotTheField: numbers, dates, names and ids that only sound like those of a filing are not proposed, even where they are alone.
func TestX22_NotTheField(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		field  string
		values [2]string
		names  []string
		or     bool
	}{
		{"filingAmount", [2]string{"2", "3"}, []string{"Tax Class", "Tax Code", "Tax Map", "Tax Lot", "Tax Block", "Tax Ward", "Tax Key", "Tax Levy Code", "Total Acres", "Total Sq Ft", "Total Bedrooms", "Total Parcels", "Bid Score", "Due Date Days", "Balance Code", "Bid Number"}, false},
		{"filingAmount", [2]string{"0.34", "2.12"}, []string{"Total Acres", "Total Acreage", "Tax Rate", "Total Sq Ft", "Tax Ratio"}, false},
		{"filingAmount", [2]string{"440.57", "1325.07"}, []string{"Minimum Bid", "Opening Bid", "Starting Bid", "Upset Price", "Price", "Sold For", "Owed", "Payoff"}, true},
		{"filingDate", [2]string{"1/15/1999", "2/16/2003"}, []string{"Birth Date", "Date of Birth", "Print Date", "Run Date", "Expiration Date", "Download Date", "Last Sale Date", "Due Date", "Report Date"}, false},
		{"owner", [2]string{"A SAMPLE", "B SAMPLE"}, []string{"Township Name", "Plat Name", "Condo Name", "Bank Name", "Lender Name", "Judge Name", "Clerk Name", "Document Name"}, false},
		{"id", [2]string{"1/15/2026", "1/16/2026"}, []string{"Filed", "Sale Date"}, false},
		{"id", [2]string{"407-555-0101", "407-555-0102"}, []string{"Phone", "Zip", "Link", "Address", "Owner", "Detail URL"}, false},
	} {
		for _, name := range tt.names {
			text := "Status," + name + "\nX," + tt.values[0] + "\nX," + tt.values[1] + "\n"
			_, table := proposed(t, "a.csv", text)
			if strings.Contains(table, "\n"+tt.field+",") && tt.field != "id" || tt.field == "id" && !strings.HasPrefix(table, `id,"""Columns of the id"""`) {
				t.Errorf("%s is proposed as %s:\n%s", name, tt.field, table)
			}
			if or := strings.Contains(table, "# or: money: "+name+"\n"); or != tt.or {
				t.Errorf("%s is named: %t\n%s", name, or, table)
			}
		}
	}
	for name, tt := range map[string]struct{ text, want string }{
		"cents":           {"Case,Tax\nK-1,2.50\nK-2,3.00\n", "filingAmount,money: Tax\n"},
		"dollars":         {"Case,Total Due\nK-1,$2\nK-2,$3\n", "filingAmount,money: Total Due\n"},
		"the day of file": {"Case,Last Sale Date,File Date\nK-1,1/15/1999,3/15/2026\nK-2,2/16/2003,3/2/2026\n", "filingDate,date MM/DD/YYYY: File Date\n# sure\n"},
		"a city":          {"Case,Address,City,State,Zip\nK-1,1 ELM ST,Orlando,FL,32801\nK-2,2 ELM ST,Tampa,FL,33601\n", "\ncity,City\n"},
		"of the property": {"Case,Owner Address,City,Property Address,Property City\nK-1,9 OAK,Miami,1 ELM ST,Orlando\nK-2,8 OAK,Miami,2 ELM ST,Tampa\n", "\ncity,Property City\n"},
	} {
		if _, table := proposed(t, "a.csv", tt.text); !strings.Contains(table, tt.want) {
			t.Errorf("%s: %s", name, table)
		}
	}
	for name, text := range map[string]string{
		"of the owner": "Case,Owner Address,City,Site Address\nK-1,9 OAK,Miami,1 ELM ST\nK-2,8 OAK,Miami,2 ELM ST\n",
		"with a state": "Case,Address,City\nK-1,1 ELM ST,DETROIT MI \nK-2,2 ELM ST,TROY MI\n",
	} {
		if _, table := proposed(t, "a.csv", text); strings.Contains(table, "\ncity,") {
			t.Errorf("a city %s: %s", name, table)
		}
	}
}

// TestX22_Unsure: the description says what is odd in the values, and each proposal how sure it is.
func TestX22_Unsure(t *testing.T) {
	t.Parallel()
	var rows strings.Builder
	rows.WriteString("Case No,Owner,Filed,Due,Detail\n")
	for i := range 60 {
		no, owner, filed, due := fmt.Sprintf("K-%d", i), "A SAMPLE", "1/15/2026", "$5.00"
		switch i {
		case 7:
			no = "K-6"
		case 8:
			owner = "None"
		case 9:
			owner = " B SAMPLE"
		case 10:
			filed = "1/15/2062"
		case 11:
			due = ""
		}
		fmt.Fprintf(&rows, "%s,%s,%s,%s,{\"\"}\n", no, owner, filed, due)
	}
	rows.WriteString("Case No,Owner,Filed,Due,Detail\nTotal,60 records,,$295.00,\nPrinted today,,,,\n")
	described, table := proposed(t, "a.csv", strings.ReplaceAll(rows.String(), `{""}`, `"{""a"":1}"`))
	for _, want := range []string{
		"would be an id candidate but for 1 (lines 8 and 9)", `"None" 1 times`, "1 with blanks at their ends", "1 after today, up to 2062-01-15", "1 lack it (line 13)", "JSON in a text",
		"2 rows are the header once more, or have one cell: they are no records; the last of them 64: Printed today,,,,", "Line 63 is at the end and looks like no record (3 cells)",
	} {
		if !strings.Contains(described, want) {
			t.Errorf("lacks %s:\n%s", want, described)
		}
	}
	for _, want := range []string{"owner,Owner\n# sure\n", "filingAmount,money: Due\n# likely: by its name alone\n", "nothing,none\n"} {
		if !strings.Contains(table, want) {
			t.Errorf("lacks %q:\n%s", want, table)
		}
	}
	described, table = proposed(t, "a.csv", "A SAMPLE,K-1,\"$1,619.00\"\nB SAMPLE,K-2,$20.00\n")
	if want := `The first row has "$1,619.00": has the file no header?`; !strings.Contains(described, want) {
		t.Error(described, table)
	}
}

// TestX71_NamesAreNoSums: a name that begins as a sum does is a record in inspect as in a load, and a word for nothing is counted
// however many others there are.
func TestX71_NamesAreNoSums(t *testing.T) {
	t.Parallel()
	text := "Case,Owner,Note\nK-1,A SAMPLE,x\nK-2,B SAMPLE,x\nK-3,COUNT DRACULA,x\nK-4,TOTAL WINE & MORE LLC,x\n"
	if described, _ := proposed(t, "a.csv", text); strings.Contains(described, "looks like no record") {
		t.Error(described)
	}
	text = "Case,Owner\n"
	for i, word := range strings.Fields("None NONE none nan NaN NAN nat NaT nil None None") {
		text += fmt.Sprintf("K-%d,%s\n", i, word)
	}
	if described, _ := proposed(t, "a.csv", text); !strings.Contains(described, `"None" 3 times`) {
		t.Error(described)
	}
}
