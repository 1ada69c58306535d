package xlsx

import (
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rowsOf returns the columns and the rows of a workbook whose one sheet has these rows in XML.
func rowsOf(t *testing.T, rows string) (columns, all []string, err error) {
	t.Helper()
	in := archive(t, parts(rows, nil))
	s, err := Open(in, in.Size(), "")
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
