package export

import (
	"encoding/csv"
	"strings"
	"testing"

	"filings/index"
	"filings/index/indextest/edges"
)

// TestX5_EscapeFormulas: where formulas are escaped, a ' stands before each text that begins as
// one, and before nothing else: numbers stay numbers. Else values are exact.
func TestX5_EscapeFormulas(t *testing.T) {
	t.Parallel()
	fields := []index.Field{index.ID, index.Owner, index.FilingAmount}
	for owner, formula := range map[string]bool{
		"=cmd|' /C calc'!A0": true, "@SUM(1)": true, "+1": true, "-5": true, "\t=1": true, "\r=1": true, "\n=1": true,
		`=HYPERLINK("x","y")`: true,
		"＝1":                  true, "＋1": true, "－1": true, "＠x": true, "a=b": false, " =1": false, "'=1": false, "1-2": false,
		"Oak": false,
	} {
		record := index.AppendRecord(nil, edges.Filing(7, edges.Values{index.Owner: owner, index.FilingAmount: -12.5}))
		for _, escapes := range []bool{false, true} {
			e := newEncoder(t, CSV, fields)
			if escapes && !EscapeFormulas(e) {
				t.Fatal("CSV escapes nothing")
			}
			want := owner
			if escapes && formula {
				want = "'" + owner
			}
			file := string(encode(t, e, []index.Record{record}))
			if want = strings.ReplaceAll(want, "\r\n", "\n"); strings.Contains(owner, "\r") {
				if !strings.Contains(file, want) {
					t.Errorf("%q, escaped %v: %q", owner, escapes, file)
				}
				continue // the reader has no bare CR
			}
			rows, err := csv.NewReader(strings.NewReader(file)).ReadAll()
			if err != nil || len(rows) != 2 || rows[1][1] != want || rows[1][2] != "-12.5" {
				t.Errorf("%q, escaped %v: %q, %v", owner, escapes, rows, err)
			}
		}
	}
	for _, f := range []Format{NDJSON, Parquet} {
		if EscapeFormulas(newEncoder(t, f, fields)) {
			t.Errorf("%s is said to escape formulas", f)
		}
	}
}
