package bitset

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A Set has the numbers that a map has, whatever is done with both.
func TestSet_IsAMap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.IntRange(0, 200).Draw(t, "capacity")
		draw := func(label string) (Set, map[int]bool) {
			s, want := New(capacity), map[int]bool{}
			for range rapid.IntRange(0, capacity).Draw(t, label) {
				number := rapid.IntRange(0, capacity-1).Draw(t, "number")
				s.Add(number)
				want[number] = true
			}
			return s, want
		}
		s, want := draw("numbers")
		kept, wantKept := draw("kept")
		if rapid.Bool().Draw(t, "keeps") {
			s.Keep(kept)
			maps.DeleteFunc(want, func(number int, _ bool) bool { return !wantKept[number] })
		}
		end := rapid.IntRange(0, capacity+100).Draw(t, "end")
		s.Truncate(end)
		maps.DeleteFunc(want, func(number int, _ bool) bool { return number >= end })
		numbers := slices.Sorted(maps.Keys(want))
		if got := slices.Collect(s.Numbers()); !slices.Equal(got, numbers) {
			t.Fatalf("has %v, want %v", got, numbers)
		}
		if s.Count() != len(want) || s.IsEmpty() != (len(want) == 0) {
			t.Fatalf("counts %d, is empty: %v; want %d", s.Count(), s.IsEmpty(), len(want))
		}
		for number := range capacity {
			if s.Has(number) != want[number] {
				t.Fatalf("has %d: %v, want %v", number, s.Has(number), want[number])
			}
		}
	})
}

// A full Set has all numbers below its end, and none in the rest of its last word.
func TestSet_Full(t *testing.T) {
	t.Parallel()
	for _, end := range []int{0, 1, 63, 64, 65, 127, 128, 200} {
		if s := Full(end); s.Count() != end || len(s) != len(New(end)) {
			t.Errorf("below %d are %d numbers, in %d words", end, s.Count(), len(s))
		}
	}
}

// A loop over the numbers may end before them.
func TestSet_NumbersEnd(t *testing.T) {
	t.Parallel()
	last := 0
	for last = range Full(200).Numbers() {
		if last == 70 {
			break
		}
	}
	if last != 70 {
		t.Errorf("the loop ended at %d", last)
	}
}
