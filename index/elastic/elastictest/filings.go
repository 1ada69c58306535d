package elastictest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"filings/index"
)

// Filings returns n synthetic filings, the same ones each time: with many equal values, so that
// ties have to be broken, and with every field missing now and then.
func Filings(n int) []*index.Filing {
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	filings := make([]*index.Filing, n)
	for i := range filings {
		f := &index.Filing{ID: int64(i + 1)}
		some := func(field index.Field, values ...string) {
			if k := rnd.IntN(len(values) + 1); k < len(values) {
				f.SetText(field, values[k])
			}
		}
		f.SetText(index.County, []string{"Orange, FL", "Orange, CA", "ORANGE, FL", "Şile, TX", "Lake, FL"}[rnd.IntN(5)])
		some(index.Owner, "ALDER TRUST", "Alder Trust", "alden, b", "Žofie Ĺ", "EST OF DOE", "A", "東京 太郎", "Doe \u2028 \"\\ \x01😀")
		some(index.PropertyAddress, "1 Elm St, Ocoee, FL 34761", "2 Elm St", "3  Oak\tAve, Lake, CA")
		some(index.CaseNumber, "2024-"+strconv.Itoa(i), "X_%*?", "9")
		some(index.FilingType, "Tax Lien", "TAX LIEN", "Municipal Lien")
		some(index.FilingDate, "2024-01-31", "2024-02-01", "1999-12-31", fmt.Sprintf("20%02d-03-%02d", rnd.IntN(25), 1+rnd.IntN(28)))
		some(index.DateRange, "2024-01-01 to 2024-01-31", "2023-01-01 to 2024-01-31")
		some(index.PropertyClassification, "residential", "Land")
		some(index.ForeclosureStatus, "Auction", "lis pendens")
		if rnd.IntN(4) > 0 {
			f.SetNumber(index.FilingAmount, []float64{0, 0.1, 12345678.91, -5.25, float64(rnd.IntN(1e6)) / 100}[rnd.IntN(5)])
			f.SetNumber(index.CurrentAmount, float64(rnd.IntN(400)-200)*1.25)
		}
		if rnd.IntN(3) > 0 {
			f.SetNumber(index.Latitude, 28+float64(rnd.IntN(1000))/1000)
			f.SetNumber(index.Longitude, []float64{-180, 180, -81.5 + float64(rnd.IntN(1000))/1000}[rnd.IntN(3)])
		}
		if rnd.IntN(2) > 0 {
			f.SetNumber(index.EstimatedValue, float64(rnd.IntN(5)))
			f.SetNumber(index.HomeEquityEstimate, 1)
			f.SetNumber(index.LotSizeAcres, float64(rnd.IntN(100))/10_000)
			f.Categories = index.CategoryValues[rnd.IntN(3) : rnd.IntN(2)+3]
		}
		some(index.FilingHolder, "Sample Fund, LLC", "SAMPLE FUND, LLC", "Harbor Ltd")
		f.CreatedAt = time.Date(2024, 5, 1, 0, 0, rnd.IntN(4)*40_000, rnd.IntN(2)*1000, time.UTC)
		filings[i] = f
	}
	return filings
}
