package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"filings/index"
	"filings/index/indextest"
	"filings/index/indextest/edges"
)

// page is a part of what a filter selects.
type page struct{ offset, limit int }

// compare reads from r the number of filings that w selects and pages of them in order s, and returns how they differ
// from the oracle's; nil where they do not.
func compare(ctx context.Context, o *indextest.Oracle, r index.Reader, w index.Filter, s index.Sort, pages func(total int) []page) error {
	want := o.Select(w, s)
	total, err := r.Count(ctx, w)
	if err != nil {
		return fmt.Errorf("count %v: %w", w, err)
	}
	if total != int64(len(want)) {
		return fmt.Errorf("count %v: want %d, got %d", w, len(want), total)
	}
	for i, p := range pages(len(want)) {
		q := index.Query{Where: w, Sort: s, Offset: p.offset, Limit: p.limit, Count: i != 2}
		got, err := r.Rows(ctx, q)
		if err == nil {
			err = sameTotal(q, int64(len(want)), got)
		}
		if err != nil {
			return fmt.Errorf("%v: %w", q, err)
		}
		rest := want[min(p.offset, len(want)):]
		if err := sameRecords(o.Records(rest[:min(p.limit, len(rest))]), got.Records); err != nil {
			return fmt.Errorf("%v, of %d: %w", q, total, err)
		}
		if q.IDsOnly = i%2 == 1; q.IDsOnly {
			if got, err = r.Rows(ctx, q); err == nil {
				err = sameTotal(q, int64(len(want)), got)
			}
			if err == nil {
				err = sameIDs(rest[:min(p.limit, len(rest))], got.Records)
			}
			if err != nil {
				return fmt.Errorf("%v, of %d: %w", q, total, err)
			}
		}
	}
	return nil
}

// sameTotal looks at the total of a page, which it must have if it is asked for and small.
func sameTotal(q index.Query, want int64, got index.Page) error {
	switch {
	case got.Counted && got.Total != want, !got.Counted && got.Total != 0:
		return fmt.Errorf("want a total of %d, got %d, counted: %t", want, got.Total, got.Counted)
	case q.Count && !got.Counted && want <= index.MostCounted:
		return fmt.Errorf("the page lacks its total of %d", want)
	}
	return nil
}

// sameIDs compares what records of which the id alone is wanted have in it.
func sameIDs(want []*index.Filing, got []index.Record) error {
	var w, g []string
	for _, f := range want {
		w = append(w, fmt.Sprintf(`{"id":%d}`, f.ID))
	}
	for _, r := range got {
		id, err := r.AppendFields(nil, index.Enterprise, index.SetOf())
		if err != nil {
			return err
		}
		g = append(g, string(id))
	}
	if diff := cmp.Diff(w, g); diff != "" {
		return fmt.Errorf("ids alone (-want +got):\n%s", diff)
	}
	return nil
}

// sameRecords compares records one by one.
func sameRecords(want, got []index.Record) error {
	if w, g := ids(want), ids(got); !cmp.Equal(w, g) {
		return fmt.Errorf("ids (-want +got):\n%s", cmp.Diff(w, g))
	}
	for i := range want {
		if err := sameRecord(want[i], got[i]); err != nil {
			return err
		}
	}
	return nil
}

// sameRecord compares what each tier sees of a record, as JSON: white space and the form of numbers do not matter.
func sameRecord(want, got index.Record) error {
	if bytes.Equal(want, got) {
		return nil
	}
	for _, tier := range []index.Tier{index.Free, index.Pro, index.Enterprise} {
		w, err := seen(want, tier)
		if err != nil {
			return err
		}
		g, err := seen(got, tier)
		if err != nil {
			return err
		}
		if diff := cmp.Diff(w, g); diff != "" {
			return fmt.Errorf("record of tier %d (-want +got):\n%s", tier, diff)
		}
	}
	return nil
}

// seen reads what a tier sees of a record.
func seen(r index.Record, tier index.Tier) (map[string]any, error) {
	part, err := r.AppendFields(nil, tier, 0)
	if err != nil {
		return nil, err
	}
	return decode(part)
}

// decode reads a record. Its id stays text: beyond 2^53 a float64 would not hold it.
func decode(r index.Record) (map[string]any, error) {
	var fields map[string]any
	d := json.NewDecoder(bytes.NewReader(r))
	d.UseNumber()
	if err := d.Decode(&fields); err != nil {
		return nil, fmt.Errorf("record %q: %w", r, err)
	}
	for name, v := range fields {
		if n, ok := v.(json.Number); ok && name != index.ID.String() {
			f, err := n.Float64()
			if err != nil {
				return nil, fmt.Errorf("record %q: %w", r, err)
			}
			fields[name] = f
		}
	}
	return fields, nil
}

// ids reads the ids of records; 0 stands for a record that has none.
func ids(rs []index.Record) []int64 {
	all := make([]int64, len(rs))
	for i, r := range rs {
		if rest, ok := bytes.CutPrefix(r, []byte(`{"id":`)); ok {
			number, _, _ := bytes.Cut(rest, []byte(","))
			all[i], _ = strconv.ParseInt(string(number), 10, 64)
		}
	}
	return all
}

// expect compares a response, in which no slice and an empty one are the same.
func expect(t *testing.T, want, got any, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// sameStats compares what r and the oracle say of all filings, of each county, and of some filters.
func sameStats(t *testing.T, r index.Reader, o *indextest.Oracle) {
	t.Helper()
	sameTotals(t, r, o)
	filters := []index.Filter{edges.Contains("a"), index.Where(index.Present{Field: index.Trust})}
	counties, _ := o.Counties(t.Context())
	for i := range min(20, len(counties)) { // some of them, evenly
		filters = append(filters, index.Where(index.InCounty(counties[i*len(counties)/20%len(counties)].County)))
	}
	for _, w := range filters {
		sameKeys(t.Context(), t, r, o, w)
	}
}

// sameTotals compares what r and the oracle say of all filings and of each county.
func sameTotals(t *testing.T, r index.Reader, o *indextest.Oracle) {
	t.Helper()
	ctx := t.Context()
	want, _ := o.Stats(ctx)
	got, err := r.Stats(ctx)
	expect(t, want, got, err)
	wantCounties, _ := o.Counties(ctx)
	gotCounties, err := r.Counties(ctx)
	expect(t, wantCounties, gotCounties, err)
	sameKeys(ctx, t, r, o, index.Filter{})
}

// keysOf requests the different keys of a dimension, in their order.
func keysOf(d index.Dimension) index.GroupQuery {
	return index.GroupQuery{Dimensions: []index.Dimension{d}, Sort: index.SortByKey, Ascending: true, AsWritten: true}
}

func sameKeys(ctx context.Context, t *testing.T, r index.Reader, o *indextest.Oracle, w index.Filter) {
	t.Helper()
	for _, d := range []index.Dimension{index.ByMonth, index.ByDateRange} {
		want, _ := o.Groups(ctx, w, keysOf(d))
		got, err := r.Groups(ctx, w, keysOf(d))
		expect(t, want, got, err)
	}
}

// check compares a few responses of each kind.
func check(t *testing.T, r index.Reader, o *indextest.Oracle) {
	t.Helper()
	if diff := cmp.Diff(o.Generation(), r.Generation()); diff != "" {
		t.Errorf("generation (-want +got):\n%s", diff)
	}
	eachOrder(func(s index.Sort) {
		if err := compare(t.Context(), o, r, index.Filter{}, s, func(n int) []page { return []page{{0, 100}, {n / 2, 20}} }); err != nil {
			t.Error(err)
		}
	})
	sameTotals(t, r, o)
	sameOwners(t, r, o)
}

// eachOrder calls f for the ten orders that filings can be sorted in.
func eachOrder(f func(index.Sort)) {
	for _, by := range index.SortFields {
		f(index.Sort{Field: by})
		f(index.Sort{Field: by, Ascending: true})
	}
}

func firstPage(int) []page { return []page{{0, 100}} }
