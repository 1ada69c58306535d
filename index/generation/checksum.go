package generation

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"filings/index"
)

// Checksum counts filings in the ways that a load is verified by. What was read and what the engine holds must agree.
type Checksum struct {
	Filings  int64                     `json:"filings"`
	Counties map[string]CountyChecksum `json:"counties"` // by County as written
	Months   map[string]int64          `json:"months"`   // by Month; filings without a date under ""
}

// CountyChecksum is the part of a Checksum that belongs to one county.
type CountyChecksum struct {
	Filings  int64   `json:"filings"`
	Amounts  int64   `json:"amounts"`
	SumCents float64 `json:"sumCents"` // of FilingAmount
}

// NewChecksum returns the checksum of no filings.
func NewChecksum() Checksum {
	return Checksum{Counties: map[string]CountyChecksum{}, Months: map[string]int64{}}
}

// ChecksumOf counts what r has.
func ChecksumOf(ctx context.Context, r index.Reader) (Checksum, error) {
	s := NewChecksum()
	counties, err := r.Counties(ctx)
	if err != nil {
		return s, fmt.Errorf("counting by county: %w", err)
	}
	for _, c := range counties {
		s.Filings += c.Filings
		s.Counties[c.County] = CountyChecksum{Filings: c.Filings, Amounts: c.Amounts, SumCents: c.SumCents}
	}
	months, err := r.Groups(ctx, index.Filter{}, index.GroupQuery{By: []index.Dimension{index.ByMonth}})
	if err == nil && months.Total > index.MaxGroups {
		err = fmt.Errorf("there are %d", months.Total) // of eight centuries
	}
	if err != nil {
		return s, fmt.Errorf("counting by month: %w", err)
	}
	for _, g := range months.List {
		s.Months[g.Keys[0]] = g.Filings
	}
	return s, nil
}

// Add counts f.
func (s *Checksum) Add(f *index.Filing) { s.count(f, 1) }

// Remove takes f, which was counted before, out again.
func (s *Checksum) Remove(f *index.Filing) { s.count(f, -1) }

func (s *Checksum) count(f *index.Filing, n int64) {
	s.Filings += n
	c := s.Counties[f.Text(index.County)]
	c.Filings += n
	if v, ok := f.Number(index.FilingAmount); ok {
		c.Amounts += n
		c.SumCents += float64(n) * index.Cents(v)
	}
	s.Counties[f.Text(index.County)] = c
	month := f.Text(index.FilingDate)
	if month != "" {
		month = month[:7]
	}
	s.Months[month] += n
}

// Diff says in words how got differs from s, what was expected; nil where it does not.
func (s Checksum) Diff(got Checksum) (diffs []string) {
	differ := func(what string, want, got any) {
		if want != got {
			diffs = append(diffs, fmt.Sprintf("%s: %v expected, %v found", what, want, got))
		}
	}
	differ("filings", s.Filings, got.Filings)
	for _, name := range union(s.Counties, got.Counties) {
		w, g := s.Counties[name], got.Counties[name]
		differ("filings in "+name, w.Filings, g.Filings)
		differ("filings with an amount in "+name, w.Amounts, g.Amounts)
		if !sameSum(w.SumCents, g.SumCents) {
			differ("sum of amounts in "+name, index.Dollars(w.SumCents), index.Dollars(g.SumCents))
		}
	}
	for _, month := range union(s.Months, got.Months) {
		what := "filings of " + month
		if month == "" {
			what = "filings without a date"
		}
		differ(what, s.Months[month], got.Months[month])
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
