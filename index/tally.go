package index

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// Tally counts filings in the ways that a load is verified by. What was read and what the engine holds must agree.
type Tally struct {
	Filings  int64
	Counties map[string]CountyTally // by County as written
	Months   map[string]int64       // by Month; filings without a date under ""
}

// CountyTally is the part of a Tally that belongs to one county.
type CountyTally struct {
	Filings  int64
	Amounts  int64
	SumCents float64 // of FilingAmount
}

// NewTally returns a tally of nothing.
func NewTally() Tally {
	return Tally{Counties: map[string]CountyTally{}, Months: map[string]int64{}}
}

// Add counts f.
func (t *Tally) Add(f *Filing) { t.count(f, 1) }

// Remove takes f, which was counted before, out again.
func (t *Tally) Remove(f *Filing) { t.count(f, -1) }

func (t *Tally) count(f *Filing, n int64) {
	t.Filings += n
	c := t.Counties[f.Text(County)]
	c.Filings += n
	if v, ok := f.Number(FilingAmount); ok {
		c.Amounts += n
		c.SumCents += float64(n) * Cents(v)
	}
	t.Counties[f.Text(County)] = c
	month := f.Text(FilingDate)
	if month != "" {
		month = month[:7]
	}
	t.Months[month] += n
}

// Diff says in words how got differs from t, what was expected; nil where it does not.
func (t Tally) Diff(got Tally) (diffs []string) {
	differ := func(what string, want, got any) {
		if want != got {
			diffs = append(diffs, fmt.Sprintf("%s: %v expected, %v found", what, want, got))
		}
	}
	differ("filings", t.Filings, got.Filings)
	for _, name := range union(t.Counties, got.Counties) {
		w, g := t.Counties[name], got.Counties[name]
		differ("filings in "+name, w.Filings, g.Filings)
		differ("filings with an amount in "+name, w.Amounts, g.Amounts)
		if !sameSum(w.SumCents, g.SumCents) {
			differ("sum of amounts in "+name, Dollars(w.SumCents), Dollars(g.SumCents))
		}
	}
	for _, month := range union(t.Months, got.Months) {
		what := "filings of " + month
		if month == "" {
			what = "filings without a date"
		}
		differ(what, t.Months[month], got.Months[month])
	}
	return diffs
}

// sameSum compares sums exactly where whole cents are exact, and beyond that to twelve digits, since the order of
// adding then makes a difference.
func sameSum(a, b float64) bool {
	return a == b || math.Abs(a) >= 1<<53 && math.Abs(a-b) <= 1e-12*math.Abs(a)
}

func union[V any](a, b map[string]V) []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(all)
	return slices.Compact(all)
}
