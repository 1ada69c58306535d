package mapping

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"filings/reindexer/source"
)

var today = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)

// eval returns what an expression makes of an input, both as JSON, or its error.
func eval(t *testing.T, expression, input string) string {
	t.Helper()
	p, err := Compile("test.jq", "{v: ("+expression+")}", today)
	if err != nil {
		return err.Error()
	}
	if err := p.Begin(source.Source{Name: "counties/orange.csv"}, &source.Reader{}); err != nil {
		t.Fatal(err)
	}
	var v any
	d := json.NewDecoder(strings.NewReader(input))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	records, err := p.Run(v)
	if err != nil {
		return err.Error()
	}
	if len(records) != 1 {
		t.Fatalf("%v", records)
	}
	return strings.TrimSuffix(strings.TrimPrefix(records[0].Text(), `{"v":`), "}")
}

// TestX20_Functions: each added function, at its edges. What it cannot read is an error that says what it reads.
func TestX20_Functions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ expression, input, want string }{
		{`money`, `"$1,234.50 "`, `1234.5`}, {`money`, `"(12.00)"`, `-12`}, {`money`, `""`, `null`}, {`money`, `"NA"`, `null`},
		{`money`, `null`, `null`}, {`money`, `7.25`, `7.25`}, {`money`, `"-$5"`, `-5`}, {`money`, `"$-5"`, `-5`}, {`money`, `"$ 5"`, `5`},
		{`money`, `"$(1,234.50)"`, `-1234.5`}, {`money`, `"1,001.00-"`, `-1001`}, {`money`, `"$5-"`, `-5`}, {`money`, `"-5-"`, `two signs`}, {`money`, `"(5-)"`, `two signs`},
		{`money`, `"-$(5)"`, `two signs`}, {`money`, `"$()"`, `money cannot read`}, {`money`, `"$-"`, `0`}, {`money`, `"-$-"`, `money cannot read`},
		{`money`, `" $ -   "`, `0`}, {`money`, `"($1,234.5)"`, `-1234.5`}, {`money`, `".5"`, `0.5`}, {`money`, `"1234567.89"`, `1234567.89`},
		{`money`, `"1,23"`, `money cannot read "1,23"`}, {`money`, `"12a"`, `money cannot read "12a"`}, {`money`, `"(-5)"`, `two signs`},
		{`money`, `"."`, `money cannot read "."`}, {`money`, `true`, `money cannot read a boolean`}, {`money`, `"--5"`, `money cannot read`},
		{`number`, `"1,234"`, `1234`}, {`number`, `"-7.5"`, `-7.5`}, {`number`, `"$7"`, `number cannot read "$7"`}, {`number`, `"-"`, `null`},
		{`number`, `9007199254740993`, `9007199254740993`},
		{`blank`, `"n/a"`, `null`}, {`blank`, `" - "`, `null`}, {`blank`, `"null"`, `null`}, {`blank`, `"NAT"`, `"NAT"`}, {`blank`, `0`, `0`},
		{`blank`, `" x "`, `" x "`}, {`blank`, `"\t"`, `null`},
		{`date("MM/DD/YYYY")`, `"8/21/2017"`, `"2017-08-21"`}, {`date("MM/DD/YYYY")`, `"08/21/2017"`, `"2017-08-21"`},
		{`date("MM/DD/YYYY")`, `"8/21/2017 12:00:00 AM"`, `"2017-08-21"`}, {`date("MM/DD/YYYY")`, `"2/29/2024"`, `"2024-02-29"`},
		{`date("MM/DD/YYYY")`, `"2/29/2023"`, `there is no day "2/29/2023"`}, {`date("MM/DD/YYYY")`, `"13/1/2023"`, `there is no day`},
		{`date("MM/DD/YYYY")`, `"0/1/2023"`, `there is no day`}, {`date("MM/DD/YYYY")`, `"2017-08-21"`, `date("MM/DD/YYYY") cannot read "2017-08-21"`},
		{`date("MM/DD/YYYY")`, `""`, `null`}, {`date("MM/DD/YYYY")`, `null`, `null`}, {`date("MM/DD/YYYY")`, `"N/A"`, `null`},
		{`date("MM/DD/YY")`, `"3/15/26"`, `"2026-03-15"`}, {`date("MM/DD/YY")`, `"3/16/26"`, `"1926-03-16"`}, {`date("MM/DD/YY")`, `"1/2/99"`, `"1999-01-02"`},
		{`date("MM/DD/YY")`, `"2/29/00"`, `"2000-02-29"`}, {`date("DD.MM.YYYY")`, `"1.12.2020"`, `"2020-12-01"`},
		{`date("YYYYMMDD")`, `"20170821"`, `"2017-08-21"`}, {`date("YYYYMMDD")`, `20170821`, `"2017-08-21"`}, {`date("YYYYMMDD")`, `"2017821"`, `cannot read`},
		{`date("MON DD, YYYY")`, `"Aug 3, 2017"`, `"2017-08-03"`}, {`date("DD-MON-YY")`, `"03-AUG-17"`, `"2017-08-03"`}, {`date("DD-MON-YY")`, `"03-Sept-17"`, `"2017-09-03"`},
		{`date("MONTH DD, YYYY")`, `"August 3, 2017"`, `"2017-08-03"`}, {`date("MONTH DD, YYYY")`, `"Foo 3, 2017"`, `there is no day`},
		{`date("mm/dd/yyyy")`, `"8/21/2017"`, `"2017-08-21"`}, {`date("YYYY-MM-DD")`, `"2017-08-21T10:00:00.000Z"`, `"2017-08-21"`},
		{`date("YYYY-MM-DD")`, `"2017-08-21 23:59:59.5+00"`, `"2017-08-21"`}, {`date("YYYY-MM-DD")`, `"2017-08-21 23:59:59 UTC"`, `"2017-08-21"`}, // of PostgreSQL and BigQuery
		{`date("YYYY-MM-DD"; "YYYY/MM/DD")`, `"2025/07/21"`, `"2025-07-21"`}, {`date("YYYY-MM-DD"; "YYYY/MM/DD")`, `"7.1.20"`, `date("YYYY/MM/DD") cannot read`},
		{`date("MM/DD")`, `"8/21"`, `a form has a year`}, {`date("MM/MM/YYYY")`, `"8/21"`, `a form has one M`}, {`date(7)`, `"8/21"`, `date needs a form`},
		{`date("MM/DD/YYYY")`, `[1]`, `date cannot read an array`},
		{`point`, `"(42.39, -82.98)"`, `{"latitude":42.39,"longitude":-82.98}`}, {`point`, `"42.39;-82.98"`, `{"latitude":42.39,"longitude":-82.98}`},
		{`point`, `"POINT (-82.98 42.39)"`, `{"latitude":42.39,"longitude":-82.98}`}, {`point`, `"POINT Z (-82.98 42.39 3.1)"`, `{"latitude":42.39,"longitude":-82.98}`},
		{`point`, `"SRID=4326;POINT(-82.98 42.39)"`, `{"latitude":42.39,"longitude":-82.98}`}, {`point`, `"srid=4269; pointzm (-82.98 42.39 3 1)"`, `{"latitude":42.39,"longitude":-82.98}`},
		{`point`, `"POINT M (-82.98 42.39 -1e3)"`, `{"latitude":42.39,"longitude":-82.98}`}, {`point`, `"SRID=3857;POINT(-82.98 42.39)"`, `point cannot read`}, {`point`, `"POINT EMPTY"`, `point cannot read`}, {`point`, `""`, `null`}, {`point`, `"(1)"`, `point cannot read "(1)"`},
		{`id("a"; "bc") == id("ab"; "c")`, `null`, `false`}, {`id("larimer"; .)`, `"2019-7"`, `5825478548019988`}, {`id("a"; .)`, `""`, `number 2 is missing`},
		{`id(.)`, `1.5`, `id is made of texts`}, {`id(.) == id("7")`, `7`, `true`}, {`id(.) > 0`, `"x"`, `true`},
		{`try money catch "bad"`, `"x"`, `"bad"`}, {`$ENV | length`, `null`, `0`}, {`env | length`, `null`, `0`},
		{`. / 1000 | todate | .[:10]`, `1503360000000`, `"2017-08-22"`}, {`gsub("[.]"; "") | sub(","; ".") | money`, `"1.234,50"`, `1234.5`}, // as load.md says
		{`input`, `null`, `input(s)/0 is not allowed`},
	} {
		if got := eval(t, tt.expression, tt.input); got != tt.want && (strings.HasPrefix(tt.want, `"`) || !strings.Contains(got, tt.want)) {
			t.Errorf("%s of %s: %s, want %s", tt.expression, tt.input, got, tt.want)
		}
	}
}

// TestX20_Dates: what counties write for a day, in all forms of its parts, and texts that are no day. today is 2026-03-15.
func TestX20_Dates(t *testing.T) {
	t.Parallel()
	for form, days := range map[string]map[string]string{
		"MM/DD/YYYY":    {"8/1/2017": "2017-08-01", "08/1/2017": "2017-08-01", " 12/31/1899 ": "1899-12-31", "008/1/2017": "", "8/1/017": "", "8/1/20170": "", "8-1-2017": "", "8/1/17": "", "8/1": "", "29/2/2024": ""},
		"M/D/YYYY":      {"08/21/2017": "2017-08-21", "8/2/2017": "2017-08-02"},
		"YYYYMMDD":      {"20240229": "2024-02-29", "20230229": "", "2024229": "", "202402290": ""},
		"MMDDYYYY":      {"02292024": "2024-02-29", "2292024": ""},
		"MMDDYY":        {"031526": "2026-03-15", "031626": "1926-03-16"},
		"DDMONYYYY":     {"03AUG2017": "2017-08-03", "3AUG2017": "", "03August2017": "2017-08-03"},
		"MON DD, YYYY":  {"Sept. 3, 2017": "2017-09-03", "September 3, 2017": "2017-09-03", "sep 03, 2017": "2017-09-03", "Se 3, 2017": "", "Sepx 3, 2017": "", "May. 1, 2020": "2020-05-01"},
		"MON. DD, YYYY": {"Aug. 3, 2017": "2017-08-03"},
		"DD.MONTH.YYYY": {"3.August.2017": "2017-08-03", "3.Aug..2017": "2017-08-03"},
		"YYYY_MM_DD":    {"2017_08_21": "2017-08-21", "2017_8_2": "2017-08-02"},
		"DD_MM_YY":      {"29_02_28": "1928-02-29", "29_02_27": "", "1_2_69": "1969-02-01", "1_2_68": "1968-02-01", "1_2_00": "2000-02-01"},
		"YYYY-MM-DD": {"2017-08-21T10:00:00-05:00": "2017-08-21", "2017-08-21 1:05 p.m.": "2017-08-21", "2017-08-21, 12:00": "2017-08-21", "2017-08-21 12": "",
			"2017-08-21 12:00 x": "", "2017-08-21x": "", "0000-01-01": "0000-01-01", "2017-00-21": "", "2017-08-00": "", "2017-08-32": "", "-2017-08-21": ""},
	} {
		for day, want := range days {
			want := strconv.Quote(want)
			if got := eval(t, fmt.Sprintf("date(%q)", form), strconv.Quote(day)); got != want && (want != `""` || !strings.Contains(got, "date(")) {
				t.Errorf("%q as %s: %s, want %s", day, form, got, want)
			}
		}
	}
}

// TestX20_Examples: each added function does what its examples say.
func TestX20_Examples(t *testing.T) {
	t.Parallel()
	for _, f := range Functions {
		if len(f.Examples) == 0 || !strings.Contains(f.Usage, f.Name) || f.Help == "" {
			t.Errorf("%s has no example, usage or help", f.Name)
		}
		for _, e := range f.Examples {
			if got := eval(t, e.Program, e.Input); got != e.Output && (!strings.HasPrefix(e.Output, "error: ") || !strings.Contains(got, e.Output[len("error: "):])) {
				t.Errorf("%s of %s: %s, want %s", e.Program, e.Input, got, e.Output)
			}
		}
	}
}

// TestX20_Points: what counties write for a point, and what is none.
func TestX20_Points(t *testing.T) {
	t.Parallel()
	const want = `{"latitude":42.37,"longitude":-82.98}`
	for _, in := range []string{
		`"42.37, -82.98"`, `"(42.37°, -82.98°)"`, `"1 MAIN ST\nDETROIT, MI 48226\n(42.37, -82.98)"`, `"location\n(42.37, -82.98)"`, `"DETROIT, MI\r\n(42.37, -82.98)\n"`,
		`"{'type': 'Point', 'coordinates': [-82.98, 42.37]}"`, `"{\"coordinates\":[-82.98,42.37,0],\"type\":\"Point\"}"`,
		`{"type":"Point","coordinates":[-82.98,42.37]}`, `"point(-82.98 42.37)"`,
	} {
		if got := eval(t, "point", in); got != want {
			t.Errorf("%s: %s", in, got)
		}
	}
	for _, in := range []string{
		`"42.37"`, `"1, 2, 3"`, `"1 MAIN ST"`, `"DETROIT, MI\n(42.37)"`, `"{'type': 'Polygon', 'coordinates': [[-82.98, 42.37]]}"`, `"{'coordinates': [-82.98, 42.37]}"`,
		`{"type":"LineString","coordinates":[[1,2],[3,4]]}`, `{"latitude":1}`, `[1,2]`, `7`,
	} {
		if got := eval(t, "point", in); !strings.Contains(got, "point cannot read") {
			t.Errorf("%s: %s", in, got)
		}
	}
}

// TestX20_Compile: what is wrong with a program is said with its line and column.
func TestX20_Compile(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{id: 1,\n  county: }":   "f.jq:2:11: unexpected token \"}\"",
		"{id: 1":                 "f.jq:1:7: unexpected EOF",
		"{id: 1,\n owner: mony}": "f.jq:2:9: function not defined: mony/0",
		"{id: $x}":               "f.jq:1:6: variable not defined: $x",
		"{id: date}":             "f.jq:1:6: function not defined: date/0",
		"":                       "f.jq:1:1: it is empty",
		"# only a comment":       "f.jq:1:1: it is empty",
		`{county: "Orange}`:      "unterminated string",
		"{id: 1,\n filingDate: (.d | date(\"@nope\"))}":          `f.jq:2:25: date("@nope"): a form has a year`,
		`{a: "@nope"} | try date("YYYY-MM-DD"; "@nope") catch 1`: `f.jq:1:39: date("@nope"): a form has a year`,
		`def d: date("MM/DD/YYYY; YYYY-MM-DD"); {}`:              `f.jq:1:13: date("MM/DD/YYYY; YYYY-MM-DD"): several forms are several texts: date("MM/DD/YYYY"; "YYYY-MM-DD")`,
		`{a: [.[] | if . then "\(date("x"))" else 1 end]}`:       `date("x"): a form has a year`,
		`{a: date(7)}`:         "f.jq:1:10: date needs a form",
		`import "a" as a; {}`:  "f.jq:1:1: cannot load module",
		`{"ä": 1, "b": 2 "c"}`: "f.jq:1:17",
	} {
		_, err := Compile("f.jq", text, today)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestX20_FormAtFirstUse: a form of dates that is made while the program runs is checked at its first use: what is wrong with it
// is wrong with the program, whatever catches errors of records.
func TestX20_FormAtFirstUse(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`"@nope" as $f | {d: date($f)}`, `{d: (try ("8/21/2017" | date("@" + "nope")) catch null)}`, `{d: ("x" | date(null)?)}`} {
		p, err := Compile("f.jq", text, today)
		if err != nil {
			t.Fatal(err)
		}
		if records, err := p.Run("8/21/2017"); !errors.Is(err, ErrProgram) || !strings.HasPrefix(err.Error(), "f.jq: date") {
			t.Errorf("%s: %v, %v", text, records, err)
		}
	}
}

// TestX20_Records: a program makes none, one or several records of one, and its failure is that of one record.
func TestX20_Records(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, input, want, err string }{
		{`.`, `{"id":1}`, `{"id":1}`, ""},
		{`empty`, `{}`, ``, ""},
		{`select(.a != "x")`, `{"a":"x"}`, ``, ""},
		{`.[] | {id: .}`, `[1,2]`, `{"id":1} {"id":2}`, ""},
		{`.id`, `{"id":1}`, ``, "the mapping gives a number 1; a record is an object"},
		{`[.]`, `{}`, ``, "the mapping gives an array"},
		{`error("no owner")`, `{}`, ``, "the mapping fails: error: no owner"},
		{`{a: ({id: 1} | .b.c.d + 1)}, .a.b`, `{"a":"x"}`, ``, "the mapping fails: expected an object but got: string"},
		{`halt`, `{}`, ``, "the mapping halts"},
		{`def f: f; f`, `{}`, ``, "does not end within"},
		{`range(infinite) | empty`, `{}`, ``, "does not end within"},
		{`[range(1e9)]`, `{}`, ``, "does not end within"},                           // it would need 16 GB
		{`reduce range(1e9) as $i ([]; . + [$i])`, `{}`, ``, "does not end within"}, // which copies the list each time
		{`"x" * 1e18`, `{}`, ``, "makes a text of more than 16 MiB"},
		{`range(infinite) | {id: .}`, `{}`, ``, "more than 1000 records"},
	} {
		p, err := Compile("f.jq", tt.text, today)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal([]byte(tt.input), &v); err != nil {
			t.Fatal(err)
		}
		records, err := p.Run(v)
		var got []string
		for _, r := range records {
			got = append(got, r.Text())
		}
		if strings.Join(got, " ") != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s of %s: %v, %v; want %s, %s", tt.text, tt.input, got, err, tt.want, tt.err)
		}
		if records, err := p.Run(map[string]any{}); tt.text == "." && (err != nil || len(records) != 1) {
			t.Errorf("after it: %v, %v", records, err)
		}
	}
}

// TestX72_Clean: a text is as people see it, in each function that reads one.
func TestX72_Clean(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		" A B ": "A B", "\u00a0A\u00a0": "A", "A\r": "A", "\ufeffA": "A", "A\u200bB\u00ad": "AB", "B\x1a": "B", "\x07A": "A", "1 ELM\r\nX": "1 ELM\nX", "A\tB": "A\tB",
		"\t000126": "000126", `="000124"`: "000124", `'000125`: "000125", `'=1+1`: "=1+1", `'-5`: "-5", `'@x`: "@x", `'="00123"`: "00123", `=" 00123 "`: "00123", `="a""b"`: `a"b`,
		`="a"&"b"`: `="a"&"b"`, `=A1`: "=A1", `'TIS`: "'TIS", `O'BRIEN`: "O'BRIEN", `'`: "'", `="`: `="`, `PEÑA`: "PEÑA", "A\u2019S": "A\u2019S", "\u2066A\u2069": "A",
	} {
		if got := clean(input); got != want {
			t.Errorf("%q: %q, want %q", input, got, want)
		}
	}
	for _, blank := range []string{`=""`, "\u200b", "\x1a", "\ufeff \u00a0", "'-"} {
		if got := eval(t, "text", strconv.Quote(strings.ReplaceAll(blank, "\x1a", "\u200b"))); got != "null" {
			t.Errorf("%q: %s", blank, got)
		}
	}
	for _, tt := range []struct{ expression, input, want string }{
		{`id("a"; .) == id("a"; "K-1")`, `" K-1\u200b"`, `true`}, {`id("a"; .) == id("a"; "00123")`, `"=\"00123\""`, `true`}, {`id("a"; .)`, `"\u200b"`, `number 2 is missing`},
		{`money`, `"=\"5.00\""`, `5`}, {`money`, `"'-5.00"`, `-5`}, {`money`, `"\u200e$5.00"`, `5`}, {`number`, `"\u00a07"`, `7`}, {`date("MM/DD/YYYY")`, `"'1/2/2026"`, `"2026-01-02"`},
		{`date("MM/DD/YYYY")`, `"1/2/2026\u200e"`, `"2026-01-02"`}, {`money`, `"#N/A"`, `null`}, {`date("MM/DD/YYYY")`, `"#VALUE!"`, `null`}, {`text`, `"#1 PIZZA LLC"`, `"#1 PIZZA LLC"`},
		{`text(.a; .b)`, `{"a": " 1 ELM ", "b": "#REF!"}`, `"1 ELM"`}, {`try number catch unread`, `"x"`, `null`}, {`equals("a")`, `null`, `false`}, {`equals("")`, `null`, `true`},
	} {
		if got := eval(t, tt.expression, tt.input); got != tt.want && !strings.Contains(got, tt.want) {
			t.Errorf("%s of %s: %s, want %s", tt.expression, tt.input, got, tt.want)
		}
	}
	if s := "a\xff "; clean(s) != s {
		t.Error("a text that is not UTF-8 is cleaned")
	}
}

// TestX70_ZerosAreNumbers: a number with the zeros of its format is a text with them, and a number without.
func TestX70_ZerosAreNumbers(t *testing.T) {
	t.Parallel()
	p, err := Compile("m.jq", `{text: (.a | text), joined: text(.a; "x"), money: (.a | money), number: (.a | number), more: (.a + 1), same: (id("x"; .a) == id("x"; "0000123"))}`, today)
	if err != nil {
		t.Fatal(err)
	}
	records, err := p.Run(map[string]any{"a": json.Number("0000123")})
	if want := `{"joined":"0000123, x","money":123,"more":124,"number":123,"same":true,"text":"0000123"}`; err != nil || records[0].Text() != want {
		t.Errorf("%v, %s", err, records[0].Text())
	}
}

// TestX73_Days: a time is of the day of the county, where its zone and that of the county are known.
func TestX73_Days(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ zone, expression, input, want string }{
		{"", `date("ms"; "America/New_York")`, `1767668400000`, `"2026-01-05"`}, {"", `date("ms")`, `1767668400000`, `"2026-01-06"`}, {"", `date("ms"; "UTC")`, `"1767668400000"`, `"2026-01-06"`},
		{"America/New_York", `date("ms")`, `1767668400000`, `"2026-01-05"`}, {"America/New_York", `date("ms"; "Asia/Tokyo")`, `1767668400000`, `"2026-01-06"`},
		{"", `date("ms"; "America/New_York")`, `null`, `null`}, {"", `date("ms")`, `"N/A"`, `null`}, {"", `date("ms")`, `"soon"`, `date("ms") cannot read "soon"`}, {"", `date("ms")`, `-86400000`, `"1969-12-31"`},
		{"", `. * 1000 | date("ms")`, `1767668400`, `"2026-01-06"`}, {"", `date("ms")`, `1.5e300`, `date("ms") cannot read`}, {"", `date("ms")`, `1767668400000000000`, `date("ms") cannot read`},
		{"", `date("ms"; "YYYY-MM-DD"; "America/New_York")`, `"2026-01-05"`, `"2026-01-05"`}, {"America/Chicago", `date("YYYY-MM-DD")`, `"2026-01-06T03:00:00Z"`, `"2026-01-05"`},
		{"America/Chicago", `date("YYYY-MM-DD")`, `"2026-01-06 03:00:00.5+00"`, `"2026-01-05"`}, {"America/Chicago", `date("YYYY-MM-DD")`, `"2026-07-06 04:59:00+0000"`, `"2026-07-05"`},
		{"America/Chicago", `date("YYYY-MM-DD")`, `"2026-07-06 05:00:00 UTC"`, `"2026-07-06"`}, {"America/Chicago", `date("YYYY-MM-DD")`, `"2026-01-06T03:00:00"`, `"2026-01-06"`},
		{"America/Chicago", `date("YYYY-MM-DD")`, `"2026-01-05T23:30:00-05:00"`, `"2026-01-05"`}, {"America/Chicago", `date("YYYY-MM-DD")`, `"2026-01-06T00:30:00-05:30"`, `"2026-01-06"`},
		{"America/Chicago", `date("MM/DD/YYYY")`, `"1/6/2026 3:00 AM UTC"`, `"2026-01-05"`}, {"America/Chicago", `date("MM/DD/YYYY")`, `"1/6/2026 12:10 AM UTC"`, `"2026-01-05"`},
		{"America/Chicago", `date("MM/DD/YYYY")`, `"1/6/2026 11:00 PM UTC"`, `"2026-01-06"`}, {"America/Chicago", `date("YYYY-MM-DD")`, `"2026-01-06"`, `"2026-01-06"`},
		{"", `date("YYYY-MM-DD")`, `"2026-01-05T22:00:00-05:00"`, `"2026-01-05"`}, {"", `date("YYYY-MM-DD"; "America/New_York")`, `"2026-01-06T03:00:00Z"`, `"2026-01-05"`},
		{"", `date("MM/DD/YYYY"; "America/Nowhere")`, `"1/2/2026"`, `a form has a year`}, {"", `date("America/New_York")`, `"1/2/2026"`, `a form has`},
	} {
		p, err := Compile("m.jq", "{v: ("+tt.expression+")}", today)
		got := fmt.Sprint(err)
		if err == nil {
			s := source.Source{}
			if tt.zone != "" {
				if s.Zone, err = time.LoadLocation(tt.zone); err != nil {
					t.Fatal(err)
				}
			}
			if err := p.Begin(s, &source.Reader{}); err != nil {
				t.Fatal(err)
			}
			var v any
			d := json.NewDecoder(strings.NewReader(tt.input))
			d.UseNumber()
			if err := d.Decode(&v); err != nil {
				t.Fatal(err)
			}
			records, err := p.Run(v)
			if got = fmt.Sprint(err); err == nil {
				got = strings.TrimSuffix(strings.TrimPrefix(records[0].Text(), `{"v":`), "}")
			}
		}
		if got != tt.want && (strings.HasPrefix(tt.want, `"`) || !strings.Contains(got, tt.want)) {
			t.Errorf("%s: %s of %s: %s, want %s", tt.zone, tt.expression, tt.input, got, tt.want)
		}
	}
}

// TestX73_ZonesAreNotLookedUpAgain: the last of several forms may be a time zone, which is looked up in files; one that is a form is
// not, row after row, even if no value has needed it yet.
func TestX73_ZonesAreNotLookedUpAgain(t *testing.T) {
	f := &forms{known: map[string]layout{}}
	allocations := func(forms ...any) float64 {
		return testing.AllocsPerRun(10, func() {
			if day := dateIn("2026-01-05", forms, f); day != "2026-01-05" {
				t.Error(day)
			}
		})
	}
	if one, two := allocations("YYYY-MM-DD"), allocations("YYYY-MM-DD", "MM/DD/YYYY"); two > one {
		t.Errorf("%v allocations for two forms, %v for one", two, one)
	}
}
