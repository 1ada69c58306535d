package changes_test

import (
	"slices"
	"testing"

	"filings/index"
	"filings/index/changes"
)

// TestX16_Path: a tree with a rollback from 3 to 2, of which 4 and 5 came; 8 came of 7, whose origin is not kept.
func TestX16_Path(t *testing.T) {
	t.Parallel()
	var steps []index.Changeset
	for _, s := range [][2]int{{8, 7}, {5, 4}, {4, 2}, {3, 2}, {2, 1}} {
		steps = append(steps, index.Changeset{Generation: name(s[0]), Parent: name(s[1])})
	}
	for _, test := range []struct {
		since, until int
		want         []int // steps; those that are gone back are negative
		none         bool
	}{
		{since: 2, until: 2},
		{since: 1, until: 1},
		{since: 9, until: 9, none: true},
		{since: 1, until: 2, want: []int{2}},
		{since: 1, until: 5, want: []int{2, 4, 5}},
		{since: 5, until: 1, want: []int{-5, -4, -2}},
		{since: 3, until: 5, want: []int{-3, 4, 5}},
		{since: 5, until: 3, want: []int{-5, -4, 3}},
		{since: 7, until: 8, want: []int{8}},
		{since: 5, until: 8, none: true},
		{since: 8, until: 2, none: true},
		{since: 0, until: 5, none: true},
		{since: 6, until: 1, none: true},
		{since: 5, until: 9, none: true},
	} {
		path, ok := changes.Find(steps, id(test.since), id(test.until))
		var want changes.Path
		for _, n := range test.want {
			want = append(want, changes.Hop{Generation: name(max(n, -n)), Back: n < 0})
		}
		if ok == test.none || !slices.Equal(path, want) {
			t.Errorf("%d to %d: %v, %v, want %v", test.since, test.until, path, ok, want)
		}
	}
}

// TestX16_PathEnds: steps that a damaged store could have do not make it search for ever.
func TestX16_PathEnds(t *testing.T) {
	t.Parallel()
	circle := []index.Changeset{{Generation: name(2), Parent: name(1)}, {Generation: name(1), Parent: name(2)}, {Generation: name(3), Parent: name(3)}}
	for _, since := range []int{1, 2, 3} {
		if path, ok := changes.Find(circle, id(since), id(4)); ok {
			t.Errorf("from %d: %v", since, path)
		}
	}
}
