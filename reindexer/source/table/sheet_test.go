package table

import (
	"archive/zip"
	"bytes"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rowsOf returns the columns and the rows of a workbook whose one sheet has these rows in XML.
func rowsOf(t *testing.T, rows string) (columns, all []string, err error) {
	t.Helper()
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	for _, part := range [][2]string{
		{"xl/workbook.xml", `<workbook><sheets><sheet name="A" id="s1"/></sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="s1" Type="/worksheet" Target="sheet1.xml"/></Relationships>`},
		{"xl/sheet1.xml", `<worksheet><sheetData>` + rows + `</sheetData></worksheet>`},
	} {
		w, err := z.Create(part[0])
		if err == nil {
			_, err = io.WriteString(w, part[1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := OpenSheet(bytes.NewReader(file.Bytes()), int64(file.Len()), "", nil)
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
		all = append(all, inOrder(s.Columns(), row))
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
	if diff := cmp.Diff([]string{`{"a":1,"column_5":5}`}, rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// TestX21_NamesAreOnce: no two columns have one name, whatever the header has: no value takes the place of another one's.
func TestX21_NamesAreOnce(t *testing.T) {
	t.Parallel()
	for _, tt := range [][2][]string{
		{{"a", "a", "a_2"}, {"a", "a_3", "a_2"}},
		{{"a", "a", "a_2", "a", "a_4"}, {"a", "a_3", "a_2", "a_5", "a_4"}},
		{{"a_2", "a", "a_2", "a"}, {"a_2", "a", "a_2_2", "a_3"}},
		{{" a", "a "}, {"a", "a_2"}},
		{{"column_2", "", "", "column_3"}, {"column_2", "column_2_2", "column_3", "column_3_2"}},
		{{"", ""}, {"column_1", "column_2"}},
	} {
		if diff := cmp.Diff(tt[1], Names(tt[0])); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt[0], diff)
		}
	}
	_, rows, err := rowsOf(t, `<row><c t="str"><v>column_3</v></c><c t="str"><v>b</v></c></row><row><c><v>1</v></c><c><v>2</v></c><c><v>3</v></c></row>`)
	if want := []string{`{"column_3":1,"b":2,"column_3_2":3}`}; err != nil || !cmp.Equal(rows, want) {
		t.Errorf("beyond the header: %q, %v", rows, err)
	}
}
