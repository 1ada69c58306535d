package search

import (
	"fmt"
	"testing"
)

func testTable(counts ...int64) *Table {
	t := &Table{}
	total := int64(0)
	for i, n := range counts {
		t.Add([]byte(fmt.Sprint(i)), n)
		total += n
	}
	t.Close(total + 4)
	return t
}

func TestTable_FindsPositions(t *testing.T) {
	t.Parallel()
	counted := testTable(3, 1, 5) // and 4 without a value
	for position, want := range []int{0, 0, 0, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3} {
		i := counted.bucket(int64(position))
		if i != want || counted.missing(i) != (want == 3) {
			t.Errorf("position %d is in bucket %d, want %d", position, i, want)
		}
		if start := counted.start(i); start > int64(position) || counted.ends[i] <= int64(position) {
			t.Errorf("bucket %d goes from %d to %d", i, start, counted.ends[i])
		}
	}
	if counted.Total() != 13 {
		t.Errorf("total %d", counted.Total())
	}
	if none := (&Table{}); none.Total() != 0 {
		t.Errorf("total of nothing: %d", none.Total())
	}
}
