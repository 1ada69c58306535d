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
	s, err := OpenSheet(bytes.NewReader(file.Bytes()), int64(file.Len()), "")
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
		all = append(all, string(row))
	}
}

// TestX21_AnyOrder: cells may stand in any order in their row, since each says its column.
func TestX21_AnyOrder(t *testing.T) {
	t.Parallel()
	columns, rows, err := rowsOf(t, `<row><c r="C1" t="str"><v>c</v></c><c r="A1" t="str"><v>a</v></c></row><row><c r="E2"><v>5</v></c><c r="A2"><v>1</v></c></row>`)
	if diff := cmp.Diff([]string{"a", "column_2", "c"}, columns); err != nil || diff != "" {
		t.Errorf("columns: %v (-want +got):\n%s", err, diff)
	}
	if diff := cmp.Diff([]string{`{"column_5":5,"a":1}`}, rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}
