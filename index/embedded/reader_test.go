package embedded

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/embedded/columns"
	"filings/index/indextest"
)

// Rows beyond the first chunk of the columns, in every order, with filters that select much and little.
func TestP2_PagesAcrossChunks(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out by -short: 70,000 filings")
	}
	s := openStore(t, t.TempDir())
	var filings []*index.Filing
	for i := range columns.ChunkRows + 5_000 {
		f := &index.Filing{ID: int64(i + 1)}
		f.SetText(index.County, []string{"Orange, FL", "Lake, FL", "Kent, DE"}[i%3])
		f.SetText(index.Owner, fmt.Sprintf("Owner %d", i*7919%1000))
		if i%4 > 0 {
			f.SetText(index.FilingDate, fmt.Sprintf("2024-%02d-%02d", i%12+1, i%28+1))
			f.SetNumber(index.FilingAmount, float64(i%500))
		}
		filings = append(filings, f)
	}
	name := load(t, s, filings)
	r, o := liveReader(t, s), indextest.NewOracle(name, filings)
	low := 499.0
	for _, w := range []index.Filter{
		index.Filter{},
		index.Where(index.InCounty("orange")),
		index.Where(index.Contains{Text: "owner 99"}),
		index.Where(index.Range{Field: index.FilingAmount, Min: &low}, index.InCounty("Kent, DE")),
		index.Where(index.Days{First: "2024-12-28"}),
		index.Where(index.InCounty("nowhere")),
	} {
		total, err := r.Count(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		for _, sort := range []index.Sort{
			index.DefaultSort, {Field: index.FilingDate, Ascending: true}, {Field: index.Owner},
			{Field: index.FilingAmount},
		} {
			selected := o.Select(w, sort)
			if total != int64(len(selected)) {
				t.Errorf("%v: count %d, want %d", w, total, len(selected))
			}
			for _, offset := range []int{0, int(total) / 2, int(total) - 15, columns.ChunkRows/16 - 5, columns.ChunkRows - 10, int(total), 1 << 40} {
				offset = max(0, offset)
				want := selected[min(offset, len(selected)):min(offset+20, len(selected))]
				got, err := r.Rows(t.Context(), index.Query{Where: w, Sort: sort, Offset: offset, Limit: 20})
				if diff := cmp.Diff(texts(o.Records(want)), texts(got.Records)); diff != "" || err != nil {
					t.Errorf("%v from %d on, %v: %v (-want +got):\n%s", w, offset, sort, err, diff)
				}
			}
		}
		if _, err := r.Groups(t.Context(), w, index.GroupQuery{Dimensions: []index.Dimension{index.ByMonth}}); err != nil {
			t.Error(err)
		}
	}
}

func TestRows_LimitZero(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir())
	load(t, s, synthetics(5, 1))
	for _, limit := range []int{0, -1} {
		rows, err := liveReader(t, s).Rows(t.Context(), index.Query{Sort: index.DefaultSort, Limit: limit})
		if len(rows.Records) > 0 || err != nil {
			t.Errorf("limit %d: %d rows, %v", limit, len(rows.Records), err)
		}
	}
}
