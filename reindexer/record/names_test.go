package record

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
		if diff := cmp.Diff(tt[1], ColumnNames(tt[0])); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt[0], diff)
		}
	}
}
