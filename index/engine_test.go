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
	if len(rows) != 0 || err != nil {
		t.Errorf("rows: %v, %v", rows, err)
	}
	if n, err := r.Count(ctx, nil); n != 0 || err != nil {
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
	if all, err := r.Distinct(ctx, nil, index.Month); len(all) != 0 || err != nil {
		t.Errorf("distinct: %v, %v", all, err)
	}
	if all, err := r.Cells(ctx, nil, index.NewGrid(index.Box{}, 3)); len(all) != 0 || err != nil {
		t.Errorf("cells: %v, %v", all, err)
	}
}

func TestLockedError(t *testing.T) {
	t.Parallel()
	started := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("west", -3600))
	err := error(&index.LockedError{Run: index.Run{Holder: "host, process 7", Started: started, Phase: "loading"}})
	if !errors.Is(err, index.ErrLocked) {
		t.Error("it is no ErrLocked")
	}
	want := "another load is running: host, process 7, since 2026-01-02T04:04:05Z, phase loading"
	if err.Error() != want {
		t.Errorf("want %q, got %q", want, err)
	}
}
