package index_test

import (
	"errors"
	"testing"

	"filings/index"
)

func TestEmpty_L7(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	var r index.Reader = index.Empty{}
	if r.Generation() != "" {
		t.Errorf("generation %q", r.Generation())
	}
	rows, err := r.Rows(ctx, index.Query{Sort: index.DefaultSort, Limit: 20})
	if len(rows) != 0 || err != nil {
		t.Errorf("rows: %v, %v", rows, err)
	}
	if n, err := r.Count(ctx, index.Filter{}); n != 0 || err != nil {
		t.Errorf("count: %d, %v", n, err)
	}
	if _, err := r.Filing(ctx, 1); !errors.Is(err, index.ErrNotFound) {
		t.Errorf("filing: want ErrNotFound, got %v", err)
	}
	if s, err := r.Stats(ctx); s != (index.Stats{}) || err != nil {
		t.Errorf("stats: %+v, %v", s, err)
	}
	if all, err := r.Counties(ctx); len(all) != 0 || err != nil {
		t.Errorf("counties: %v, %v", all, err)
	}
	if all, err := r.Distinct(ctx, index.Filter{}, index.Month); len(all) != 0 || err != nil {
		t.Errorf("distinct: %v, %v", all, err)
	}
	if all, err := r.Cells(ctx, index.Filter{}, index.NewGrid(index.Box{}, 3)); len(all) != 0 || err != nil {
		t.Errorf("cells: %v, %v", all, err)
	}
}
