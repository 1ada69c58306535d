package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"filings/index"
	"filings/index/indextest"

	"github.com/google/go-cmp/cmp"
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
	for _, p := range pages(len(want)) {
		q := index.Query{Where: w, Sort: s, Offset: p.offset, Limit: p.limit}
		got, err := r.Rows(ctx, q)
		if err != nil {
			return fmt.Errorf("%v: %w", q, err)
		}
		rest := want[min(p.offset, len(want)):]
		if err := sameRecords(indextest.Records(rest[:min(p.limit, len(rest))]), got); err != nil {
			return fmt.Errorf("%v, of %d: %w", q, total, err)
		}
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
		w, err := decode(want.AppendFor(nil, tier))
		if err != nil {
			return err
		}
		g, err := decode(got.AppendFor(nil, tier))
		if err != nil {
			return err
		}
		if diff := cmp.Diff(w, g); diff != "" {
			return fmt.Errorf("record of tier %d (-want +got):\n%s", tier, diff)
		}
	}
	return nil
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
