package generation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"filings/index"
	"filings/index/generation"
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

func checksum(filings ...*index.Filing) generation.Checksum {
	t := generation.NewChecksum()
	for _, f := range filings {
		t.Add(f)
	}
	return t
}

func TestChecksum_Add(t *testing.T) {
	t.Parallel()
	got := checksum(
		filing("Orange, FL", "2024-02-29", 0.1),
		filing("Orange, FL", "2024-02-01", -0.2),
		filing("Orange, FL", ""),
		filing("Lake, FL", "2024-03-01"),
	)
	want := generation.Checksum{
		Filings: 4,
		Counties: map[string]generation.CountyChecksum{
			"Orange, FL": {Filings: 3, Amounts: 2, SumCents: -10},
			"Lake, FL":   {Filings: 1},
		},
		Months: map[string]int64{"2024-02": 2, "2024-03": 1, "": 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestChecksum_Diff(t *testing.T) {
	t.Parallel()
	orange, lake := filing("Orange, FL", "2024-02-29", 0.1), filing("Lake, FL", "")
	removed := checksum(orange, lake)
	removed.Remove(lake)
	for _, test := range []struct {
		name      string
		want, got generation.Checksum
		diffs     []string
	}{
		{"nothing", checksum(), generation.Checksum{}, nil},
		{"the same", checksum(orange, lake), checksum(lake, orange), nil},
		{"what was removed was never there", checksum(orange), removed, nil},
		{"the same the other way round", removed, checksum(orange), nil},
		{"one missing", checksum(orange, lake), checksum(orange), []string{
			"filings: 2 expected, 1 found", "filings in Lake, FL: 1 expected, 0 found",
			"filings without a date: 1 expected, 0 found"}},
		{"one too many", checksum(orange), checksum(orange, orange), []string{
			"filings: 1 expected, 2 found", "filings in Orange, FL: 1 expected, 2 found",
			"filings with an amount in Orange, FL: 1 expected, 2 found",
			"sum of amounts in Orange, FL: 0.1 expected, 0.2 found", "filings of 2024-02: 1 expected, 2 found"}},
		{"a cent", checksum(orange), checksum(filing("Orange, FL", "2024-02-29", 0.11)), []string{
			"sum of amounts in Orange, FL: 0.1 expected, 0.11 found"}},
		{"an amount of 0 is not none", checksum(filing("Lake, FL", "", 0)), checksum(lake), []string{
			"filings with an amount in Lake, FL: 1 expected, 0 found"}},
		{"a month", checksum(orange), checksum(filing("Orange, FL", "2024-03-29", 0.1)), []string{
			"filings of 2024-02: 1 expected, 0 found", "filings of 2024-03: 0 expected, 1 found"}},
		{"case of a county", checksum(lake), checksum(filing("LAKE, FL", "")), []string{
			"filings in LAKE, FL: 0 expected, 1 found", "filings in Lake, FL: 1 expected, 0 found"}},
		{"beyond whole cents, by the order of adding", checksum(filing("Lake, FL", "", 1e14), filing("Lake, FL", "", 0.01)),
			checksum(filing("Lake, FL", "", 1e14), filing("Lake, FL", "", 0.02)), nil},
		{"beyond whole cents, by more", checksum(filing("Lake, FL", "", 1e15)), checksum(filing("Lake, FL", "", 1.0001e15)), []string{
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
