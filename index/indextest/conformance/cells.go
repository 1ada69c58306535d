package conformance

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/indextest"
	"filings/index/indextest/edges"
)

func testCells(t *testing.T, open func(t *testing.T) Harness) {
	t.Run("by hand", func(t *testing.T) {
		r := opened(t, open(t).Store, edges.CellFilings())
		for _, test := range edges.CellCases() {
			t.Run(test.Name, func(t *testing.T) {
				got, err := r.Cells(t.Context(), test.Where, index.NewGrid(test.Box, test.Precision))
				expect(t, test.Want, got, err)
			})
		}
	})
	t.Run("as many as there may be", func(t *testing.T) {
		filings, world := everywhere()
		r, o := opened(t, open(t).Store, filings), indextest.NewOracle("", filings)
		if n := sameCells(t, r, o, index.Filter{}, world); n != index.MaxCells {
			t.Errorf("%d cells, want %d", n, index.MaxCells)
		}
	})
	t.Run("random", func(t *testing.T) {
		filings := edges.Fuzzed(randomFilings, 3)
		checkCells(t, opened(t, open(t).Store, filings), indextest.NewOracle("", filings), newGenerator(4, filings))
	})
}

// everywhere returns a filing in each tile of a grid of the world, with ids that no float64 holds.
func everywhere() ([]*index.Filing, index.Grid) {
	world := index.NewGrid(edges.Box(90, -90, 180, -180), 24)
	var filings []*index.Filing
	for _, row := range world.Rows {
		for _, column := range world.Columns {
			filings = append(filings, edges.Point(math.MaxInt64-int64(len(filings)), (row.Start+row.End)/2,
				(column.Start+column.End)/2))
		}
	}
	return filings, world
}

// randomGrids is how many random requests for cells there are.
const randomGrids = 200

func checkCells(t *testing.T, r index.Reader, o *indextest.Oracle, a *generator) {
	t.Helper()
	several := 0
	for range randomGrids {
		w, _ := a.query()
		if a.IntN(2) == 0 {
			w = index.Where(w.Predicates()[:min(1, len(w.Predicates()))]...) // one that selects more
		}
		g := index.NewGrid(a.box(indextest.NewEntry(a.any())).(index.Box), a.IntN(25))
		if sameCells(t, r, o, w, g) > 1 {
			several++
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	if several < randomGrids/4 {
		t.Errorf("only %d of %d responses have several cells: the requests try too little", several, randomGrids)
	}
}

// sameCells compares what r and the oracle say of the cells of g, and returns their number. All filings that r counts in
// the box are in one of them.
func sameCells(t *testing.T, r index.Reader, o *indextest.Oracle, w index.Filter, g index.Grid) int {
	t.Helper()
	want, _ := o.Cells(t.Context(), w, g)
	got, err := r.Cells(t.Context(), w, g)
	if err != nil {
		t.Fatalf("%s: %v", g.Text(w), err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", g.Text(w), diff)
	}
	total, err := r.Count(t.Context(), g.Where(w))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range got {
		total -= c.Filings
	}
	if total != 0 {
		t.Errorf("%s: %d filings more are counted than the cells have", g.Text(w), total)
	}
	return len(got)
}
