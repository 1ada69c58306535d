package columns

import (
	"bytes"
	"cmp"
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"filings/index"
)

// Sort keys must compare as the oracle compares filings.
func TestP17_SortKeys(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawValues(t, 1), drawValues(t, 2)
		for _, sort := range append(orders(), index.DefaultSort) {
			ka, err1 := appendSortKey(nil, &a, sort)
			kb, err2 := appendSortKey(nil, &b, sort)
			if err := errors.Join(err1, err2); err != nil {
				t.Fatal(err)
			}
			if got, want := bytes.Compare(ka, kb), compareValues(&a, &b, sort); got != want {
				t.Fatalf("%v: keys compare %d, want %d", sort, got, want)
			}
		}
	})
}

func drawValues(t *rapid.T, id int64) (v storedValues) {
	var filing index.Filing
	filing.ID = id
	owners := []string{"", "a", "A", "ab", "a b", "é", "😀", "\x01", "～"}
	dates := []string{"", "1600-01-01", "2024-02-29", "2999-12-31"}
	amounts := []float64{0, 0.01, -0.01, 5, -5, 1e300, -1e300}
	filing.SetText(index.Owner, rapid.SampledFrom(owners).Draw(t, "owner"))
	filing.SetText(index.FilingDate, rapid.SampledFrom(dates).Draw(t, "date"))
	if rapid.Bool().Draw(t, "has an amount") {
		filing.SetNumber(index.FilingAmount, rapid.SampledFrom(amounts).Draw(t, "amount"))
	}
	if rapid.Bool().Draw(t, "has a time") {
		years := rapid.IntRange(-1900, 900).Draw(t, "years")
		filing.CreatedAt = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC).AddDate(years, 0, 0)
	}
	if _, err := v.read(valuesOf(&filing)); err != nil {
		t.Fatal(err)
	}
	return v
}

// compareValues is the rule, spelled out: the present before the missing, in the direction of s.
func compareValues(a, b *storedValues, s index.Sort) int {
	compare := func(missingA, missingB bool, order int) int {
		switch {
		case missingA || missingB:
			return cmp.Compare(btoi(missingA), btoi(missingB))
		case s.Ascending:
			return order
		}
		return -order
	}
	switch s.Field {
	case index.Owner:
		return compare(len(a.owner) == 0, len(b.owner) == 0, bytes.Compare(a.owner, b.owner))
	case index.FilingDate:
		x, y := a.words[codedDate], b.words[codedDate]
		return compare(len(x) == 0, len(y) == 0, bytes.Compare(x, y))
	case index.CreatedAt:
		return compare(a.created == noTime, b.created == noTime, cmp.Compare(a.created, b.created))
	}
	n := numberOf(s.Field)
	x, y := a.numbers[n], b.numbers[n]
	return compare(x != x, y != y, cmp.Compare(x, y))
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
