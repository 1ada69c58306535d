package apitest

import (
	"fmt"
	"testing"
	"time"

	"filings/index"
)

// now is when all tests of this package happen: a Sunday.
var now = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)

// values are what a filing of a test holds, by field: text, numbers as float64, categories as []string, times as text.
type values map[index.Field]any

func made(t testing.TB, id int64, created string, v values) *index.Filing {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, created)
	if err != nil {
		t.Fatal(err)
	}
	f := &index.Filing{ID: id, CreatedAt: at}
	for field, value := range v {
		switch value := value.(type) {
		case string:
			f.SetText(field, value)
		case float64:
			f.SetNumber(field, value)
		case []string:
			f.Categories = value
		default:
			t.Fatalf("filing %d: %v is a %T", id, field, value)
		}
	}
	return f
}

// fixture is a handful of filings, made so that each rule has something to find and something to leave out.
func fixture(t testing.TB) []*index.Filing {
	return []*index.Filing{
		made(t, 1, "2026-03-15T12:00:00Z", values{ // added now
			index.County: "Orange, FL", index.CaseNumber: "2026-CV-0001", index.Owner: "The Maple Family Trust",
			index.PropertyAddress: "12 Oak  Street, Orlando, FL 32801", index.FilingType: "Tax Lien",
			index.FilingAmount: 1000.0, index.CurrentAmount: 500.0, index.FilingDate: "2026-03-14",
			index.FilingHolder: "County \"One\" & <Sons>", index.DateRange: "2026-03-01 to 2026-03-14",
			index.Latitude: 28.5, index.Longitude: -81.4, index.PropertyClassification: "residential",
			index.Categories: []string{"residential"}, index.PropertyType: "SFR", index.Bedrooms: 3.0, index.Bathrooms: 2.5,
			index.SquareFootage: 1500.0, index.LotSizeAcres: 0.25, index.YearBuilt: 1990.0, index.EstimatedValue: 200000.0,
			index.HomeEquityEstimate: 80000.0, index.LastSaleDate: "2001-02-03", index.LastSalePrice: 90000.0,
			index.ForeclosureStatus: "Active", index.StandardizedAddress: "12 OAK ST, ORLANDO FL 32801",
			index.AISummary: "A \"summary\",\nover two lines.", index.OwnerPhonePrimary: "555-0100",
			index.OwnerPhoneSecondary: "555-0101", index.OwnerEmailPrimary: "maple@example.com",
			index.OwnerEmailSecondary: "oak@example.com",
		}),
		made(t, 2, "2026-03-08T12:00:00Z", values{ // added 7*24 h ago, to the microsecond
			index.County: "Orange, CA", index.CaseNumber: "100%_x*?", index.Owner: "ESTATE OF A. PINE",
			index.PropertyAddress: "5 Elm Ave, Anaheim, CA", index.FilingType: "Municipal Lien",
			index.FilingAmount: -50.25, index.CurrentAmount: 700.0, index.FilingDate: "2026-02-28",
			index.DateRange: "2026-02-01 to 2026-02-28", index.Latitude: 33.8, index.Longitude: -117.9,
			index.PropertyClassification: "Commercial", index.Categories: []string{"commercial"}, index.LotSizeAcres: 5.0,
			index.EstimatedValue: 100000.0, index.HomeEquityEstimate: 39999.94, index.ForeclosureStatus: "Sold",
		}),
		made(t, 3, "2026-03-08T11:59:59.999999Z", values{ // a microsecond more than 7*24 h ago
			index.County: "Bibb, GA", index.Owner: "oak Holdings LLC", index.FilingType: "tax lien",
			index.FilingAmount: 2500.5, index.FilingDate: "2026-03-14", index.DateRange: "2026-03-01 to 2026-03-31",
			index.City: "Macon",
		}),
		made(t, 4, "2026-02-13T12:00:00Z", values{ // added 30*24 h ago, to the microsecond
			index.County: "Aleutians West, AK", index.Owner: "Zed Island Co", index.FilingType: "Judgment",
			index.FilingAmount: 0.0, index.FilingDate: "2025-12-31", index.DateRange: "2025-01-01 to 2025-12-31",
			index.Latitude: 52.0, index.Longitude: 179.5, index.PropertyClassification: "land",
			index.Categories: []string{"land"}, index.LotSizeAcres: 100.0,
		}),
		made(t, 5, "2026-02-13T11:59:59Z", values{
			index.County: "Aleutians West, AK", index.Owner: "Émile Zed", index.FilingType: "Tax Lien",
			index.FilingAmount: 300.0, index.FilingDate: "2026-01-01", index.DateRange: "2025-01-01 to 2025-06-30",
			index.Latitude: 52.5, index.Longitude: -179.5, index.Categories: []string{"multi_family", "land"},
			index.EstimatedValue: 0.0, index.HomeEquityEstimate: 5.0, index.ForeclosureStatus: "LIS PENDENS",
		}),
		made(t, 6, "2020-01-01T00:00:00Z", values{index.County: "A/B, FL"}), // nothing but what it must have
		made(t, 7, "2026-03-15T12:00:00.000001Z", values{ // by a clock that is ahead
			index.County: "Orange, FL", index.Owner: "alpha  Real  Estate LLC", index.FilingAmount: 1000.0,
			index.CurrentAmount: 20.0, index.PropertyAddress: "7 Oak Street, Winter Park, fl", index.FilingType: "HOA",
		}),
		made(t, 8, "2024-01-01T00:00:00Z", values{
			index.County: "Aleutians West, AK", index.Owner: "Beta", index.FilingDate: "2024-02-29", index.FilingAmount: 12.34,
			index.Latitude: 52.0, index.Longitude: 180.0, index.FilingType: "Judgment",
		}),
		made(t, 9, "2024-01-01T00:00:00Z", values{
			index.County: "Aleutians West, AK", index.Owner: "gamma trustee", index.FilingDate: "2024-02-29",
			index.FilingAmount: 12.35, index.Latitude: 52.0, index.Longitude: -180.0, index.FilingType: "Judgment",
		}),
	}
}

// many returns n filings of one county and day.
func many(t testing.TB, n int) []*index.Filing {
	all := make([]*index.Filing, n)
	for i := range all {
		all[i] = made(t, int64(i+1), "2026-01-01T00:00:00Z", values{
			index.County: "Orange, FL", index.Owner: fmt.Sprintf("Owner %d", i), index.FilingDate: "2026-01-01",
		})
	}
	return all
}

// ofCounties is a filing for each county, with nothing else in it.
func ofCounties(t testing.TB, counties ...string) (filings []*index.Filing) {
	for i, county := range counties {
		filings = append(filings, made(t, int64(i+1), "2026-03-01T00:00:00Z", values{index.County: county}))
	}
	return filings
}
