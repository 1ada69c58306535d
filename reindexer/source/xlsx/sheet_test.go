package xlsx

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rowsOf returns the columns and the rows of a workbook whose one sheet has these rows in XML.
func rowsOf(t *testing.T, rows string) (columns, all []string, err error) {
	t.Helper()
	in := archive(t, parts(rows, nil))
	s, err := Open(in, in.Size(), Choice{})
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	columns = s.Columns()
	for {
		row, err := s.Next()
		if err == io.EOF {
			return columns, all, nil
		}
		if err != nil {
			return columns, all, err
		}
		all = append(all, fmt.Sprintf("%v", row))
	}
}

// TestX21_AnyOrder: cells may stand in any order in their row, since each says its column.
func TestX21_AnyOrder(t *testing.T) {
	t.Parallel()
	columns, rows, err := rowsOf(t, `<row><c r="C1" t="str"><v>c</v></c><c r="A1" t="str"><v>a</v></c></row><row><c r="E2"><v>5</v></c><c r="A2"><v>1</v></c></row>`)
	if diff := cmp.Diff([]string{"a", "column_2", "c"}, columns); err != nil || diff != "" {
		t.Errorf("columns: %v (-want +got):\n%s", err, diff)
	}
	if _, _, err := rowsOf(t, `<row><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row><row><c r="A2"><v>1</v></c><c r="A2"><v>2</v></c></row>`); err == nil || err.Error() != `its column "1" has two cells in one row` {
		t.Errorf("a column twice: %v", err)
	}
	if diff := cmp.Diff([]string{"map[a:1 column_5:5]"}, rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// TestX21_BeyondTheHeader: a column past the header has its number as its name, or the next one that is free.
func TestX21_BeyondTheHeader(t *testing.T) {
	t.Parallel()
	_, rows, err := rowsOf(t, `<row><c t="str"><v>column_3</v></c><c t="str"><v>b</v></c></row><row><c><v>1</v></c><c><v>2</v></c><c><v>3</v></c></row>`)
	if want := []string{"map[b:2 column_3:1 column_3_2:3]"}; err != nil || !cmp.Equal(rows, want) {
		t.Errorf("beyond the header: %q, %v", rows, err)
	}
}

// sheetOf returns a workbook with these sheets, by name: its rows in XML, and what follows its data. A name that begins with ~ is that
// of a hidden one.
func sheetOf(t *testing.T, sheets ...[3]string) *bytes.Reader {
	t.Helper()
	list, relations, all := "", "", map[string]string{}
	for i, s := range sheets {
		name, hidden := strings.CutPrefix(s[0], "~")
		list += fmt.Sprintf(`<sheet name=%q sheetId="%d" state=%q r:id="s%d"/>`, name, i, map[bool]string{true: "veryHidden", false: "visible"}[hidden], i)
		relations += fmt.Sprintf(`<Relationship Id="s%d" Type="%sworksheet" Target="worksheets/%d.xml"/>`, i, relationType, i)
		all[fmt.Sprintf("xl/worksheets/%d.xml", i)] = `<worksheet` + spreadsheet + `><sheetData>` + s[1] + `</sheetData>` + s[2] + `</worksheet>`
	}
	all["xl/workbook.xml"] = `<workbook` + spreadsheet + `><sheets>` + list + `</sheets></workbook>`
	all["xl/_rels/workbook.xml.rels"] = rels + relations + `<Relationship Id="f" Type="` + relationType + `styles" Target="/xl/styles.xml"/></Relationships>`
	return archive(t, parts("", all))
}

// rowText is a row of texts.
func rowText(attributes string, cells ...string) string {
	text := "<row " + attributes + ">"
	for _, c := range cells {
		text += `<c t="inlineStr"><is><t>` + c + `</t></is></c>`
	}
	return text + "</row>"
}

// seen reads a workbook, and returns its rows, with what is to be known of them.
func seen(t *testing.T, in *bytes.Reader, c Choice) (*Sheet, []string) {
	t.Helper()
	s, err := Open(in, in.Size(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var all []string
	for {
		row, err := s.Next()
		if err == io.EOF {
			return s, all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprint(row, s.Single))
	}
}

// TestX70_Sheet: the first sheet that is shown is read, whether others are hidden or very hidden; those that have the names too are said.
func TestX70_Sheet(t *testing.T) {
	t.Parallel()
	old, now := rowText("", "Case", "Owner")+rowText("", "K-1", "OLD"), rowText("", "Case", "Owner")+rowText("", "K-1", "NEW")
	other := rowText("", "Parcel", "Tax") + rowText("", "P-1", "5")
	names := []string{"Case", "Owner"}
	for name, tt := range map[string]struct {
		sheets   [][3]string
		choice   Choice
		owner    string
		warnings string
	}{
		"hidden first":   {[][3]string{{"~2025", old}, {"2026", now}}, Choice{Names: names}, "NEW", "[]"},
		"two hidden":     {[][3]string{{"~2024", old}, {"~2025", old}, {"2026", now}}, Choice{}, "NEW", "[]"},
		"named":          {[][3]string{{"~2025", old}, {"2026", now}}, Choice{Sheet: "2025", Names: names}, "OLD", "[]"},
		"all are hidden": {[][3]string{{"~2025", old}}, Choice{}, "OLD", "[]"},
		"two fit":        {[][3]string{{"2026", now}, {"2025", old}}, Choice{Names: names}, "NEW", `[the sheet "2026" is read, and "2025" has the same columns; --sheet chooses]`},
		"another":        {[][3]string{{"2026", now}, {"Taxes", other}}, Choice{Names: names}, "NEW", "[]"},
		"nothing wanted": {[][3]string{{"2026", now}, {"2025", old}}, Choice{}, "NEW", "[]"},
	} {
		s, rows := seen(t, sheetOf(t, tt.sheets...), tt.choice)
		if want := "map[Case:K-1 Owner:" + tt.owner + "]false"; len(rows) != 1 || strings.ReplaceAll(rows[0], " false", "false") != want || fmt.Sprint(s.Warnings()) != tt.warnings {
			t.Errorf("%s: %s, %s", name, rows, s.Warnings())
		}
	}
	s, _ := seen(t, sheetOf(t, [3]string{"2026", now}, [3]string{"~2025", old}), Choice{})
	if notes := fmt.Sprint(s.Notes()); !strings.Contains(notes, `"2025" (hidden)`) {
		t.Error(notes)
	}
}

// TestX70_Header: the header is the row that has the wanted names, else the first that is as wide as a table, without labels; or the
// row that is named.
func TestX70_Header(t *testing.T) {
	t.Parallel()
	label, header, row := rowText("", "Report:", "Delinquent"), rowText("", "Parcel", "Owner"), rowText("", "P-1", "A")
	for name, tt := range map[string]struct {
		rows   string
		choice Choice
		want   string
	}{
		"a label":             {label + header + row, Choice{}, "[map[Owner:A Parcel:P-1] false]"},
		"labels of two cells": {rowText("", "County", "Orange") + header + row, Choice{Names: []string{"Owner"}}, "[map[Owner:A Parcel:P-1] false]"},
		"a narrow title":      {rowText("", "Orange", "2026") + rowText("", "A", "B", "C", "D", "E") + rowText("", "1", "2", "3", "4", "5"), Choice{}, "[map[A:1 B:2 C:3 D:4 E:5] false]"},
		"named":               {rowText("", "Orange", "2026") + header + row, Choice{Header: 2}, "[map[Owner:A Parcel:P-1] false]"},
		"named, not the one":  {header + row + rowText("", "P-2", "B"), Choice{Header: 2, Names: []string{"Owner"}}, "[map[A:B P-1:P-2] false]"},
		"names with blanks":   {rowText("", "x", "y") + rowText("", " Owner ", "Parcel") + row, Choice{Names: []string{"Owner"}}, "[map[Owner:P-1 Parcel:A] false]"},
		"no such names":       {header + row, Choice{Names: []string{"Case"}}, "[map[Owner:A Parcel:P-1] false]"},
		"blank rows":          {`<row r="3"/>` + label + `<row/>` + header + row, Choice{}, "[map[Owner:A Parcel:P-1] false]"},
	} {
		if _, rows := seen(t, sheetOf(t, [3]string{"A", tt.rows}), tt.choice); fmt.Sprint(rows) != tt.want {
			t.Errorf("%s: %s, want %s", name, rows, tt.want)
		}
	}
	in := sheetOf(t, [3]string{"A", header})
	if _, err := Open(in, in.Size(), Choice{Header: 9}); err == nil || !strings.Contains(err.Error(), "no row 9") {
		t.Error(err)
	}
}

// TestX70_Merged: each cell of a merged range has the value of the range; a row of one such value alone is none.
func TestX70_Merged(t *testing.T) {
	t.Parallel()
	header := rowText("", "Parcel", "Owner", "Due")
	at := func(row int, cells ...string) string {
		text := fmt.Sprintf(`<row r="%d">`, row)
		for i := 0; i < len(cells); i += 2 {
			text += fmt.Sprintf(`<c r="%s%d" t="inlineStr"><is><t>%s</t></is></c>`, cells[i], row, cells[i+1])
		}
		return text + "</row>"
	}
	merge := func(ranges ...string) string {
		text := "<mergeCells>"
		for _, r := range ranges {
			text += fmt.Sprintf(`<mergeCell ref=%q/>`, r)
		}
		return text + "</mergeCells>"
	}
	for name, tt := range map[string]struct{ rows, after, want string }{
		"below":             {at(2, "A", "P-1", "B", "A", "C", "5") + at(3, "A", "P-2", "C", "6"), merge("B2:B3"), "[map[Due:5 Owner:A Parcel:P-1] false map[Due:6 Owner:A Parcel:P-2] false]"},
		"the first column":  {at(2, "A", "P-1", "B", "A") + at(3, "B", "B") + at(4, "B", "C"), merge("A2:A4"), "[map[Owner:A Parcel:P-1] false map[Owner:B Parcel:P-1] false map[Owner:C Parcel:P-1] false]"},
		"aside":             {at(2, "A", "P-1", "B", "A"), merge("B2:C2"), "[map[Due:A Owner:A Parcel:P-1] false]"},
		"a note":            {at(2, "A", "see below"), merge("A2:C2"), "[map[Due:see below Owner:see below Parcel:see below] true]"},
		"past the header":   {at(2, "A", "P-1", "B", "A"), merge("B2:XFD1048576"), "[map[Due:A Owner:A Parcel:P-1] false]"},
		"two ranges":        {at(2, "A", "P-1", "B", "A") + at(3, "C", "7") + at(4, "A", "P-3", "B", "C"), merge("B2:B3", "A2:A3"), "[map[Owner:A Parcel:P-1] false map[Due:7 Owner:A Parcel:P-1] false map[Owner:C Parcel:P-3] false]"},
		"an empty row":      {at(2, "A", "P-1", "B", "A") + `<row r="3"/>` + at(4, "A", "P-2"), merge("A2:A3", "B2:B3"), "[map[Owner:A Parcel:P-1] false map[Parcel:P-2] true]"},
		"of the header":     {at(2, "A", "P-1", "B", "A"), merge("A1:A2", "A1:C1"), "[map[Owner:A Parcel:P-1] false]"},
		"by another prefix": {at(2, "A", "P-1", "B", "A") + at(3, "A", "P-2"), `<x:mergeCells><x:mergeCell  ref = 'B2:B3' /></x:mergeCells>`, "[map[Owner:A Parcel:P-1] false map[Owner:A Parcel:P-2] false]"},
		"that overlap":      {at(2, "A", "P-1", "B", "A") + at(3, "A", "P-2"), merge("B2:C3", "C2:C3", "B2:B3"), "[map[Due:A Owner:A Parcel:P-1] false map[Due:A Owner:A Parcel:P-2] false]"},
	} {
		if _, rows := seen(t, sheetOf(t, [3]string{"A", header + tt.rows, tt.after}), Choice{}); fmt.Sprint(rows) != tt.want {
			t.Errorf("%s: %s, want %s", name, rows, tt.want)
		}
	}
	s, rows := seen(t, sheetOf(t, [3]string{"A", header + rowText(`hidden="1"`, "P-1", "A") + rowText(`hidden="true"`) + rowText(`hidden="0"`, "P-2")}), Choice{})
	if len(rows) != 2 || s.Hidden != 1 || !strings.HasPrefix(fmt.Sprint(s.Warnings()), `[1 rows are hidden in the sheet "A"`) {
		t.Errorf("hidden: %s, %s", rows, s.Warnings())
	}
}

// TestX70_Zeros: a number under a format of zeros has them, and stays a number; other formats change nothing.
func TestX70_Zeros(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"0000000": "#0000123", "00000": "#00123", "00": "#123", "[Red]00000": "#00123", `00000;\-00000`: "#00123", "00000_)": "#00123",
		"00000-0000": "00000-0123", `000\-00\-0000`: "000-00-0123", `[<=99999]00000;00000\-0000`: "#00123", `(000) 000-0000`: "(000) 000-0123", `"00000"`: "#00123",
		"0": "#123", "0.00": "#123", "#,##0": "#123", "General": "#123", "00000.0": "#123", "0%": "#123", "00E+00": "#123", "[h]:00": "#123",
	} {
		zeros := zerosOf(code)
		b := &book{styles: []style{{showsDate(code), zeros}}}
		v := b.number("123", "0")
		_, text := v.(string)
		if got := map[bool]string{false: "#"}[text] + fmt.Sprint(v); got != want {
			t.Errorf("%s: %s, want %s", code, got, want)
		}
	}
	b := &book{styles: []style{{zeros: "00000;00000-0000"}, {zeros: "00000"}}}
	for _, tt := range []struct{ stored, style, want string }{
		{"2903", "0", "02903"}, {"29031234", "0", "02903-1234"}, {"1234567", "1", "1234567"}, {"-5", "1", "-5"}, {"2.5", "1", "2.5"}, {"2903.0", "1", "02903"}, {"2.903E3", "1", "02903"},
	} {
		if got := fmt.Sprint(b.number(tt.stored, tt.style)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.stored, got, tt.want)
		}
	}
}

// TestX70_Digits: a number has the shortest digits of its double, without an exponent below 1e15, however a program writes it.
func TestX70_Digits(t *testing.T) {
	t.Parallel()
	for stored, want := range map[string]string{
		"1.2345678E7": "12345678", "123.0": "123", "1.0049999999999999": "1.005", "20000.5": "20000.5", "1E-3": "0.001", "1e14": "100000000000000",
		"1.5e15": "1.5e+15", "-7.0": "-7", "0.0": "0", "-0.0": "-0", "12345678901234567890": "12345678901234567890", "9.99999999999999E14": "999999999999999", "1e-9": "1e-09", "1e999": "1e999",
	} {
		if got := fmt.Sprint(new(book).number(stored, "")); got != want {
			t.Errorf("%s: %s, want %s", stored, got, want)
		}
	}
}
