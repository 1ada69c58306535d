package index_test

import (
	"errors"
	"testing"
	"time"

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
	if len(rows.Records) != 0 || err != nil {
		t.Errorf("rows: %v, %v", rows, err)
	}
	if n, err := r.Count(ctx, index.Filter{}); n != 0 || err != nil {
		t.Errorf("count: %d, %v", n, err)
	}
	if _, err := index.OneFiling(ctx, r, 1); !errors.Is(err, index.ErrNotFound) {
		t.Errorf("filing: want ErrNotFound, got %v", err)
	}
	if s, err := r.Stats(ctx); s != (index.Stats{}) || err != nil {
		t.Errorf("stats: %+v, %v", s, err)
	}
	if all, err := r.Counties(ctx); len(all) != 0 || err != nil {
		t.Errorf("counties: %v, %v", all, err)
	}
	if all, err := r.Cells(ctx, index.Filter{}, index.NewGrid(index.Box{}, 3)); len(all) != 0 || err != nil {
		t.Errorf("cells: %v, %v", all, err)
	}
}

func TestA3_AddedWithin(t *testing.T) {
	t.Parallel()
	at := func(seconds int) time.Time { return time.Unix(int64(seconds), 0) }
	some := index.Stats{Filings: 9, Added: 7, FirstAdded: at(10), LastAdded: at(20)}
	for _, tt := range []struct {
		name     string
		stats    index.Stats
		from, to time.Time
		n        int64
		known    bool
	}{
		{"all", some, at(9), at(21), 7, true},
		{"all, at both ends", some, at(10), at(20), 7, true},
		{"all, within the first microsecond", some, at(10).Add(999), at(20), 7, true},
		{"not the first one", some, at(10).Add(time.Microsecond), at(20), 0, false},
		{"not the last one", some, at(10), at(20).Add(-1), 0, false},
		{"some", some, at(12), at(30), 0, false},
		{"before", some, at(1), at(10).Add(-1), 0, true},
		{"after", some, at(20).Add(time.Microsecond), at(30), 0, true},
		{"not known", index.Stats{Filings: 9}, at(1), at(30), 0, false},
	} {
		if n, known := tt.stats.AddedWithin(tt.from, tt.to); n != tt.n || known != tt.known {
			t.Errorf("%s: %d, %t, want %d, %t", tt.name, n, known, tt.n, tt.known)
		}
	}
}
