package edges

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"filings/index"
	"filings/index/synthetic"
)

// Fuzzed returns n synthetic filings, 10 or more, in every third of which some fields hold edge values instead. The same n and
// seed return the same filings, in an order that is not that of their ids.
func Fuzzed(n int, seed uint64) []*index.Filing {
	source := synthetic.New(seed)
	r := rand.New(rand.NewPCG(seed, 1))
	filings := make([]*index.Filing, n)
	for i := range filings {
		filings[i] = &index.Filing{}
		source.Next(filings[i])
		if i%3 == 0 {
			fuzz(r, filings[i])
		}
	}
	// Ids that a float64 or a 32-bit number would not hold.
	for i, id := range []int64{math.MaxInt64, math.MaxInt64 - 1, 1<<53 + 1, 1<<53 + 3, 1 << 32, 1<<31 + 1} {
		filings[3+i].ID = id
	}
	// Amounts as large as they get. Few, so that sums of dollars stay exact to the cent in a float64.
	filings[1].SetNumber(index.FilingAmount, 1e12)
	filings[2].SetNumber(index.FilingAmount, -999_999_999_999.99)
	r.Shuffle(n, func(i, j int) { filings[i], filings[j] = filings[j], filings[i] })
	return filings
}

// fuzz gives f edge values in a third of the fields that have some.
func fuzz(r *rand.Rand, f *index.Filing) {
	for _, field := range index.Fields() {
		if r.IntN(3) > 0 {
			continue
		}
		if texts := edgeTexts(field); texts != nil {
			f.SetText(field, texts[r.IntN(len(texts))])
		}
		if numbers := edgeNumbers(field); numbers != nil {
			f.SetNumber(field, numbers[r.IntN(len(numbers))])
		}
	}
	if f.Has(index.Latitude) != f.Has(index.Longitude) {
		f.SetNumber(index.Latitude, 52)
		f.SetNumber(index.Longitude, 180)
	}
	switch start := Day("2025-12-31"); r.IntN(4) {
	case 0:
		f.CreatedAt = start.Add(time.Duration(r.IntN(20)) * time.Microsecond)
	case 1:
		f.CreatedAt = time.Time{}
	}
	if r.IntN(4) == 0 {
		f.Categories = slices.Clone(index.CategoryValues[:r.IntN(5)])
	}
}

func edgeTexts(field index.Field) []string {
	switch field {
	case index.County:
		return []string{"Orange, FL", "ORANGE, FL", "orange, FL", "Orange, CA", "Île, FL", "O'Br*en, ZZ", "A, ZZ"}
	case index.Owner:
		return []string{"", "q", "qz", "QZ", "İ ß Σ", "😀 trust", "  two \t blanks ", `50% "off" \ * ? '`, "\x01", "x\x01y",
			"ESTATE OF 😀", "HEIRS TR", "zz trustee", "～", "éclair"}
	case index.PropertyAddress:
		return []string{"", "1 Elm, Sample, FL", "1 Elm,Sample,FL 32801", "9 \x01 Oak", "qzx", "q",
			"1 ELM ST UNIT 04, SAMPLE, FL", "0001 Elm Street #4", "1-3 É St Rear"}
	case index.CaseNumber:
		return []string{"", "1", "01", "a b", "*"}
	case index.FilingDate:
		return []string{"", "1600-01-01", "2999-12-31", "2024-02-29", "1969-12-31", "1970-01-01"}
	case index.FilingType, index.PropertyClassification, index.ForeclosureStatus:
		return []string{"", "Tax Lien", "TAX LIEN", "Residential", "active", `"`, "Σ"}
	case index.FilingHolder:
		return []string{"", "Sample Fund", "SAMPLE FUND", "sample fund", "Σ"}
	case index.City:
		return []string{"", "Sample", "SAMPLE", " Sample ", "É"}
	case index.ZIP:
		return []string{"", "32801", " 32801-0001 ", "3280", "É"}
	case index.DateRange:
		return []string{"", "2024-01-01 to 2024-01-31", "2024-01-01 to 2024-12-31", "1600-01-01 to 2999-12-31"}
	}
	return nil
}

func edgeNumbers(field index.Field) []float64 {
	switch field {
	case index.FilingAmount, index.CurrentAmount:
		return []float64{0, 0.01, -0.01, 0.29, 1e9, -1e9, 123_456_789.01, 1 << 31}
	case index.Latitude:
		return []float64{0, 90, -90, 52, 5e-324, 1e-9}
	case index.Longitude:
		return []float64{0, 180, -180, 179.999999999, -179.999999999, -5e-324}
	case index.LotSizeAcres:
		return []float64{0, 5e-324, 0.1, 0.30000000000000004, 1e15}
	case index.EstimatedValue:
		return []float64{0, 3, 7, 1e12}
	case index.HomeEquityEstimate:
		return []float64{0, 1, -1, 1e12, 2.00005}
	case index.SquareFootage:
		return []float64{0, 1e300}
	}
	return nil
}
