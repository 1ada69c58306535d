package serving

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"filings/index"
	"filings/index/indextest"
)

// listing is an engine whose list of generations is newer than its live one.
type listing struct {
	waiting
	names []string // the newest first, which is said to be live
	asked string   // id for which the list was read
}

func (e *listing) Live(context.Context) (index.Reader, error) {
	return indextest.NewOracle(nameOf(1), filings(1)), nil
}

func (e *listing) Kept(_ context.Context, id string) (kept []index.Generation, _ error) {
	e.asked = id
	for i, name := range e.names {
		kept = append(kept, index.Generation{Name: name, Filings: int64(i), Live: i == 0})
	}
	return kept, nil
}

func nameOf(n int) string { return fmt.Sprintf("f-20260101-0000%02d.000000-v1", n) }

// TestX2_KeptOfReader: in the list that a Reader returns its own generation is the live one; without
// it, there is no list.
func TestX2_KeptOfReader(t *testing.T) {
	t.Parallel()
	inner := &listing{names: []string{nameOf(2), nameOf(1), nameOf(0)}}
	e := mustNew(inner, 1<<20)
	r := live(t, e)
	kept, err := r.Kept(t.Context())
	if err != nil || len(kept) != 3 || kept[0].Live || !kept[1].Live || kept[2].Live {
		t.Errorf("%+v, %v", kept, err)
	}
	if about, err := r.About(t.Context()); err != nil || about.Name != nameOf(1) || about.Filings != 1 {
		t.Errorf("%+v, %v", about, err)
	}
	if inner.asked != index.GenerationID(nameOf(1)) {
		t.Errorf("the list was read for %q", inner.asked)
	}
	inner.names = []string{nameOf(2)}
	if kept, err := r.Kept(t.Context()); !errors.Is(err, index.ErrGone) {
		t.Errorf("without it: %+v, %v, want ErrGone", kept, err)
	}
	if about, err := r.About(t.Context()); !errors.Is(err, index.ErrGone) {
		t.Errorf("without it: %+v, %v, want ErrGone", about, err)
	}
}
