package conformance

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/indextest"
	"filings/index/indextest/edges"
)

func testEdges(t *testing.T, open func(t *testing.T) Harness) {
	groups := edges.Groups()
	var all []*index.Filing
	marks := make([]index.Predicate, len(groups))
	for i, g := range groups {
		marks[i] = g.Mark()
		all = append(all, g.Filings...)
	}
	all = append(all, edges.SortFilings()...)
	r := opened(t, open(t).Store, all)
	o := indextest.NewOracle("", all)
	for i, g := range groups {
		for _, c := range g.Cases {
			t.Run(fmt.Sprintf("%s %s", g.Rule, c.Name), func(t *testing.T) {
				w := c.Where.And(marks[i])
				checkEdge(t, r, w, c.Want)
				// Among all filings the predicate stands alone: an engine may take another way then.
				if err := compare(t.Context(), o, r, c.Where, index.DefaultSort, firstPage); err != nil {
					t.Error(err)
				}
			})
		}
	}
	t.Run("P17", func(t *testing.T) { testSorts(t, r) })
	t.Run("P18 one filing", func(t *testing.T) { testFiling(t, r, all) })
	t.Run("P2 past the end", func(t *testing.T) { testOffsets(t, r, o) })
}

// checkEdge holds the ids of a page, in any order, and the count to those expected.
func checkEdge(t *testing.T, r index.Reader, w index.Filter, want []int64) {
	t.Helper()
	page, err := r.Rows(t.Context(), index.Query{Where: w, Sort: index.DefaultSort, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	got := ids(page.Records)
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(append([]int64{}, want...), append([]int64{}, got...)); diff != "" {
		t.Errorf("%v (-want +got):\n%s", w, diff)
	}
	n, err := r.Count(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	if n != int64(len(want)) {
		t.Errorf("count %v: want %d, got %d", w, len(want), n)
	}
}

func testSorts(t *testing.T, r index.Reader) {
	for _, test := range []struct {
		by        index.Field
		asc, desc []int64
	}{
		{index.FilingDate, []int64{5, 2, 1, 7, 3, 10, 9, 8, 6, 4}, []int64{7, 3, 2, 1, 5, 10, 9, 8, 6, 4}},
		{index.FilingAmount, []int64{3, 7, 2, 1, 4, 5, 10, 9, 8, 6}, []int64{2, 1, 4, 7, 3, 5, 10, 9, 8, 6}},
		{index.CurrentAmount, []int64{2, 4, 1, 5, 7, 3, 10, 9, 8, 6}, []int64{7, 1, 5, 4, 2, 3, 10, 9, 8, 6}},
		{index.Owner, []int64{2, 5, 3, 1, 7, 6, 9, 10, 8, 4}, []int64{10, 9, 6, 7, 3, 1, 2, 5, 8, 4}},
		{index.CreatedAt, []int64{2, 1, 5, 3, 7, 4, 10, 9, 8, 6}, []int64{7, 4, 3, 5, 2, 1, 10, 9, 8, 6}},
	} {
		for _, s := range []index.Sort{{Field: test.by, Ascending: true}, {Field: test.by}} {
			want := test.desc
			if s.Ascending {
				want = test.asc
			}
			t.Run(s.String(), func(t *testing.T) {
				checkOrder(t, r, s, want, 100)
				checkOrder(t, r, s, want, 3)
			})
		}
	}
}

// checkOrder compares the ids of all pages of a size.
func checkOrder(t *testing.T, r index.Reader, s index.Sort, want []int64, size int) {
	t.Helper()
	var got []int64
	for offset := 0; offset < len(want); offset += size {
		q := index.Query{Where: index.Where(edges.SortMark), Sort: s, Offset: offset, Limit: size}
		page, err := r.Rows(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ids(page.Records) {
			got = append(got, id-edges.SortIDs)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%v, pages of %d (-want +got):\n%s", s, size, diff)
	}
}

func testFiling(t *testing.T, r index.Reader, all []*index.Filing) {
	for _, f := range all {
		got, err := index.OneFiling(t.Context(), r, f.ID)
		if err != nil {
			t.Fatalf("filing %d: %v", f.ID, err)
		}
		if err := sameRecord(index.AppendRecord(nil, f), got); err != nil {
			t.Errorf("filing %d: %v", f.ID, err)
		}
	}
	for _, id := range []int64{1, edges.SortIDs, math.MaxInt64, 0, -1} {
		if _, err := index.OneFiling(t.Context(), r, id); !errors.Is(err, index.ErrNotFound) {
			t.Errorf("filing %d: want ErrNotFound, got %v", id, err)
		}
	}
	first, last := all[0], all[len(all)-1] // in any order, and the same one twice
	got, err := r.Filings(t.Context(), []int64{last.ID, 1, first.ID, math.MaxInt64, first.ID})
	want := []index.Record{index.AppendRecord(nil, last), nil, index.AppendRecord(nil, first), nil, index.AppendRecord(nil, first)}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("filings by id: %v (-want +got):\n%s", err, diff)
	}
}

// testOffsets reads pages around and far past the end.
func testOffsets(t *testing.T, r index.Reader, o *indextest.Oracle) {
	pages := func(total int) []page {
		return []page{{total - 1, 1}, {total - 1, 100}, {total, 20}, {total + 1, 20},
			{1 << 31, 20}, {1 << 53, 20}, {math.MaxInt - 1, 100}, {math.MaxInt, 1}}
	}
	for _, by := range index.SortFields {
		for _, s := range []index.Sort{{Field: by, Ascending: true}, {Field: by}} {
			for _, w := range []index.Filter{index.Filter{}, index.Where(edges.SortMark)} {
				if err := compare(t.Context(), o, r, w, s, pages); err != nil {
					t.Error(err)
				}
			}
		}
	}
	none := edges.Contains("no such text")
	if err := compare(t.Context(), o, r, none, index.DefaultSort, func(int) []page { return []page{{0, 20}, {7, 20}} }); err != nil {
		t.Error(err)
	}
}
