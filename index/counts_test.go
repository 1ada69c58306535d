package index_test

import (
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"filings/index"
)

func filing(county, date string, amount ...float64) *index.Filing {
	f := &index.Filing{ID: 1}
	f.SetText(index.County, county)
	f.SetText(index.FilingDate, date)
	for _, v := range amount {
		f.SetNumber(index.FilingAmount, v)
	}
	return f
}

func countsOf(filings ...*index.Filing) index.Counts {
	t := index.NewCounts()
	for _, f := range filings {
		t.Count(index.ValuesOf(f), 1)
	}
	return t
}

func TestCounts_Count(t *testing.T) {
	t.Parallel()
	got := countsOf(
		filing("Orange, FL", "2024-02-29", 0.1),
		filing("Orange, FL", "2024-02-01", -0.2),
		filing("Orange, FL", ""),
		filing("Lake, FL", "2024-03-01"),
	)
	want := index.Counts{
		Filings: 4,
		Counties: map[string]index.CountyCounts{
			"Orange, FL": {Filings: 3, Amounts: 2, SumCents: -10},
			"Lake, FL":   {Filings: 1},
		},
		Months: map[string]int64{"2024-02": 2, "2024-03": 1, "": 1},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(index.CountyCounts{}, "Filled")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for field, filings := range map[index.Field]int64{index.FilingDate: 2, index.FilingAmount: 2, index.Owner: 0, index.ID: 0, index.County: 0} {
		if has := got.Counties["Orange, FL"].Has(field); has != filings {
			t.Errorf("%d filings of Orange have %s, want %d", has, field, filings)
		}
	}
}

// TestCounts_Fields: fields are counted of so many counties, and not at all where there are more; sums know fields where both parts do.
func TestCounts_Fields(t *testing.T) {
	t.Parallel()
	counts := index.NewCounts()
	for county := range index.FilledCounties {
		counts.Count(index.ValuesOf(filing(strconv.Itoa(county), "2024-02-29")), 1)
	}
	sum := index.NewCounts()
	sum.Add(counts, 3)
	sum.Add(counts, -1)
	if c := sum.Counties["7"]; sum.WithoutFields || sum.Filings != 2*index.FilledCounties || c.Filings != 2 || c.Has(index.FilingDate) != 2 || sum.Months["2024-02"] != sum.Filings {
		t.Errorf("twice: %d filings, %+v", sum.Filings, c)
	}
	if c := counts.Counties["7"]; c.Has(index.FilingDate) != 1 {
		t.Errorf("of the parts: %+v", c)
	}
	counts.Count(index.ValuesOf(filing("one more", "")), 1)
	sum.Add(counts, 1)
	if !counts.WithoutFields || !sum.WithoutFields || counts.Counties["one more"].Filings != 1 {
		t.Errorf("of more counties: %+v", counts.Counties["one more"])
	}
}

func TestCounts_Diff(t *testing.T) {
	t.Parallel()
	orange, lake := filing("Orange, FL", "2024-02-29", 0.1), filing("Lake, FL", "")
	removed := countsOf(orange, lake)
	removed.Count(index.ValuesOf(lake), -1)
	for _, test := range []struct {
		name      string
		want, got index.Counts
		diffs     []string
	}{
		{"nothing", countsOf(), index.Counts{}, nil},
		{"the same", countsOf(orange, lake), countsOf(lake, orange), nil},
		{"what was removed was never there", countsOf(orange), removed, nil},
		{"the same the other way round", removed, countsOf(orange), nil},
		{"one missing", countsOf(orange, lake), countsOf(orange), []string{
			"filings: 2 expected, 1 found", "filings in Lake, FL: 1 expected, 0 found",
			"filings without a date: 1 expected, 0 found"}},
		{"one too many", countsOf(orange), countsOf(orange, orange), []string{
			"filings: 1 expected, 2 found", "filings in Orange, FL: 1 expected, 2 found",
			"filings with an amount in Orange, FL: 1 expected, 2 found",
			"sum of amounts in Orange, FL: 0.1 expected, 0.2 found", "filings of 2024-02: 1 expected, 2 found"}},
		{"a cent", countsOf(orange), countsOf(filing("Orange, FL", "2024-02-29", 0.11)), []string{
			"sum of amounts in Orange, FL: 0.1 expected, 0.11 found"}},
		{"an amount of 0 is not none", countsOf(filing("Lake, FL", "", 0)), countsOf(lake), []string{
			"filings with an amount in Lake, FL: 1 expected, 0 found"}},
		{"a month", countsOf(orange), countsOf(filing("Orange, FL", "2024-03-29", 0.1)), []string{
			"filings of 2024-02: 1 expected, 0 found", "filings of 2024-03: 0 expected, 1 found"}},
		{"case of a county", countsOf(lake), countsOf(filing("LAKE, FL", "")), []string{
			"filings in LAKE, FL: 0 expected, 1 found", "filings in Lake, FL: 1 expected, 0 found"}},
		{"beyond whole cents, by the order of adding", countsOf(filing("Lake, FL", "", 1e14), filing("Lake, FL", "", 0.01)),
			countsOf(filing("Lake, FL", "", 1e14), filing("Lake, FL", "", 0.02)), nil},
		{"beyond whole cents, by more", countsOf(filing("Lake, FL", "", 1e15)), countsOf(filing("Lake, FL", "", 1.0001e15)), []string{
			"sum of amounts in Lake, FL: 1e+15 expected, 1.0001e+15 found"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.diffs, test.want.Diff(test.got), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestCounts_KeepNoLines: of a record, whose texts are parts of its line, nothing stays in memory but what is counted
// by: neither of the first record of a county and month, nor of those that follow.
func TestCounts_KeepNoLines(t *testing.T) {
	t.Parallel()
	counts := index.NewCounts()
	var lines []string
	for range 3 {
		line := strings.Clone("Orange, FL 2026-01-31 and all that a record has besides")
		lines = append(lines, line)
		f := index.Filing{ID: int64(len(lines))}
		f.SetText(index.County, line[:10])
		f.SetText(index.FilingDate, line[11:21])
		counts.Count(index.ValuesOf(&f), 1)
	}
	if counts.Counties["Orange, FL"].Filings != 3 || counts.Months["2026-01"] != 3 {
		t.Fatalf("%+v", counts)
	}
	kept := func(text string) {
		for i, line := range lines {
			begin, at := uintptr(unsafe.Pointer(unsafe.StringData(line))), uintptr(unsafe.Pointer(unsafe.StringData(text)))
			if at >= begin && at < begin+uintptr(len(line)) {
				t.Errorf("%q keeps line %d", text, i+1)
			}
		}
	}
	for county := range counts.Counties {
		kept(county)
	}
	for month := range counts.Months {
		kept(month)
	}
}
