package indextest

import (
	"errors"
	"math"
	"testing"
	"time"

	"filings/index"

	"github.com/google/go-cmp/cmp"
)

// sortMark selects sortFilings. Their case number says nothing to any other group.
var sortMark = index.Contains{Text: "mark p17"}

// sortFilings have ties and gaps in every field that filings are sorted by.
func sortFilings() []*index.Filing {
	t1 := day("2026-01-01")
	t2, t3 := t1.Add(time.Hour), t1.Add(2*time.Hour)
	filings := []*index.Filing{
		made(1, values{index.FilingDate: "2024-05-01", index.FilingAmount: 100, index.CurrentAmount: 50, index.Owner: "banana", index.CreatedAt: t1}),
		made(2, values{index.FilingDate: "2024-05-01", index.FilingAmount: 100, index.CurrentAmount: -5, index.Owner: "Apple", index.CreatedAt: t1}),
		made(3, values{index.FilingDate: "2024-06-01", index.FilingAmount: -20, index.Owner: "BANANA", index.CreatedAt: t2}),
		made(4, values{index.FilingAmount: 100, index.CurrentAmount: 0, index.CreatedAt: t3}),
		made(5, values{index.FilingDate: "2024-04-01", index.CurrentAmount: 50, index.Owner: "apple", index.CreatedAt: t1.Add(time.Microsecond)}),
		made(6, values{index.Owner: "éclair"}),
		made(7, values{index.FilingDate: "2024-06-01", index.FilingAmount: 0, index.CurrentAmount: 1e12, index.Owner: "zebra", index.CreatedAt: t3}),
		made(8, nil),
		made(9, values{index.Owner: "～ behind U+D83D, before U+1F600"}),
		made(10, values{index.Owner: "😀"}),
	}
	for _, f := range filings {
		f.SetText(index.CaseNumber, "Mark P17")
		f.ID += sortIDs
	}
	return filings
}

const sortIDs = 1_000_000_000_000

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
		for _, s := range []index.Sort{{By: test.by, Ascending: true}, {By: test.by}} {
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
		q := index.Query{Where: index.Where(sortMark), Sort: s, Offset: offset, Limit: size}
		rows, err := r.Rows(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ids(rows) {
			got = append(got, id-sortIDs)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%v, pages of %d (-want +got):\n%s", s, size, diff)
	}
}

func testFiling(t *testing.T, r index.Reader, all []*index.Filing) {
	for _, f := range all {
		got, err := r.Filing(t.Context(), f.ID)
		if err != nil {
			t.Fatalf("filing %d: %v", f.ID, err)
		}
		if err := sameRecord(index.AppendRecord(nil, f), got); err != nil {
			t.Errorf("filing %d: %v", f.ID, err)
		}
	}
	for _, id := range []int64{1, sortIDs, math.MaxInt64, 0, -1} {
		if _, err := r.Filing(t.Context(), id); !errors.Is(err, index.ErrNotFound) {
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

// testOffsets asks for pages around and far behind the end.
func testOffsets(t *testing.T, r index.Reader, o *Oracle) {
	pages := func(total int) []page {
		return []page{{total - 1, 1}, {total - 1, 100}, {total, 20}, {total + 1, 20},
			{1 << 31, 20}, {1 << 53, 20}, {math.MaxInt - 1, 100}, {math.MaxInt, 1}}
	}
	for _, by := range index.SortFields {
		for _, s := range []index.Sort{{By: by, Ascending: true}, {By: by}} {
			for _, w := range []index.Filter{index.Filter{}, index.Where(sortMark)} {
				if err := compare(t.Context(), o, r, w, s, pages); err != nil {
					t.Error(err)
				}
			}
		}
	}
	none := contains("no such text")
	if err := compare(t.Context(), o, r, none, index.DefaultSort, func(int) []page { return []page{{0, 20}, {7, 20}} }); err != nil {
		t.Error(err)
	}
}
