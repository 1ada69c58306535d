package index_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index"
)

func TestDerive_P7_City(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, city, address, want string }{
		{"loaded", "Sample Springs", "", "sample springs"},
		{"loaded goes first", "Sample Springs", "1 Elm St, Elsewhere, FL", "sample springs"},
		{"loaded is trimmed", "  Sample Springs\t", "", "sample springs"},
		{"blank counts as none", "  ", "1 Elm St, Elsewhere, FL", "elsewhere"},
		{"state", "", "1 Elm St, Elsewhere, FL", "elsewhere"},
		{"state and ZIP code", "", "1 Elm St, Elsewhere, FL 32801", "elsewhere"},
		{"state and long ZIP code", "", "1 Elm St, Elsewhere, FL 32801-1234", "elsewhere"},
		{"state in lower case", "", "1 Elm St, Elsewhere, fl 32801", "elsewhere"},
		{"several blanks before the ZIP code", "", "1 Elm St, Elsewhere, FL   32801", "elsewhere"},
		{"no blanks behind commas", "", "1 Elm St,Elsewhere,FL 32801", "elsewhere"},
		{"blanks around everything", "", " 1 Elm St , Elsewhere , FL 32801 ", "elsewhere"},
		{"a part more", "", "1 Elm St, Unit 5, Elsewhere, FL", "elsewhere"},
		{"upper case beyond ASCII", "", "1 Elm St, ÎLE, FL", "île"},
		{"pasted characters", "", "\ufeff1 Elm St,\u200b Else\u00adwhere\u200b , \u200bFL\ufeff 32801\u200b", "elsewhere"},
		{"loaded with pasted characters", " \u200b Sample Springs \ufeff", "", "sample springs"},
		{"nothing to see counts as none", "\u200b\u00ad", "1 Elm St, Elsewhere, FL", "elsewhere"},
		{"no state", "", "1 Elm St, Elsewhere", ""},
		{"state in words", "", "1 Elm St, Elsewhere, Florida", ""},
		{"country behind the state", "", "1 Elm St, Elsewhere, FL 32801, USA", ""},
		{"short ZIP code", "", "1 Elm St, Elsewhere, FL 3280", ""},
		{"broken long ZIP code", "", "1 Elm St, Elsewhere, FL 32801-12", ""},
		{"ZIP code alone", "", "1 Elm St, Elsewhere, 32801", ""},
		{"no blank before the ZIP code", "", "1 Elm St, Elsewhere, FL32801", ""},
		{"no commas", "", "1 Elm St Elsewhere FL 32801", ""},
		{"state alone", "", "FL 32801", ""},
		{"nothing before the state", "", ", FL 32801", ""},
		{"no address", "", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var f index.Filing
			f.SetText(index.City, test.city)
			f.SetText(index.PropertyAddress, test.address)
			if got := index.Derive(&f).City; got != test.want {
				t.Errorf("city of %q, %q: want %q, got %q", test.city, test.address, test.want, got)
			}
			written := index.Derive(&f).WrittenCity
			if index.Fold(written) != test.want || !strings.Contains(test.city+test.address, written) {
				t.Errorf("X12 city of %q, %q as written: %q", test.city, test.address, written)
			}
		})
	}
}

func TestDerive_X66_City(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, city, address, want string }{
		{"a street before the state", "", "1 Elm St, FL 32801", ""},
		{"a street without a number before the state", "", "Elm St, FL 32801", ""},
		{"street and city in one", "", "1 ELM ST ELSEWHERE, FL 32801", ""},
		{"a unit before the state", "", "1 Elm St, 5 B, FL 32801", ""},
		{"a line break for a comma", "", "1 ELM ST\nELSEWHERE, FL 32801", "elsewhere"},
		{"line breaks of Windows", "", "1 ELM ST\r\nELSEWHERE\r\nFL 32801\r\n", "elsewhere"},
		{"a comma before the ZIP code", "", "1 Elm St, Elsewhere, FL, 32801", "elsewhere"},
		{"a comma before the long ZIP code", "", "1 Elm St, Elsewhere, FL, 32801-1234", "elsewhere"},
		{"one part for city, state and ZIP code", "", "1 Elm St, Fort Elsewhere FL 32801", "fort elsewhere"},
		{"one part for city and state, and a ZIP code", "", "1 Elm St, Fort Elsewhere FL, 32801", "fort elsewhere"},
		{"a street, a state and a ZIP code", "", "1 Elm St FL, 32801", ""},
		{"one part for city and state", "", "1 Elm St, Elsewhere FL", ""},
		{"nothing between commas", "", "1 Elm St, Elsewhere,, FL 32801,", "elsewhere"},
		{"two letters that are no state", "", "145 OAK ST, ELSEWHERE, SE", ""},
		{"two letters and a ZIP code", "", "1 Elm St, Elsewhere, ZZ 32801", ""},
		{"two ZIP codes", "", "1 Elm St, Elsewhere, FL 32801, 32802", ""},
	} {
		var f index.Filing
		f.SetText(index.PropertyAddress, test.address)
		if d := index.Derive(&f); d.City != test.want || index.Fold(d.WrittenCity) != test.want {
			t.Errorf("%s: city of %q: want %q, got %q", test.name, test.address, test.want, d.WrittenCity)
		}
	}
}

func TestDerive_X54_ZIP(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ loaded, address, want string }{
		{"32801", "1 Elm St, Elsewhere, FL 32802", "32801"},
		{"32801-1234", "", "32801"},
		{"328011234", "", "32801"},
		{" 02903 ", "", "02903"},
		{"\ufeff02903–1234 \u200b", "", "02903"},
		{"", "1 Elm St, Elsewhere, FL 32802‑0001\u200b", "32802"},
		{"2903", "1 Elm St, Elsewhere, FL 32802", "32802"},
		{"unknown", "1 Elm St, Elsewhere, FL 32802-0001", "32802"},
		{"32-801", "", ""},
		{"3280112345", "", ""},
		{"", "1 Elm St, Elsewhere, FL, 32802", "32802"},
		{"", "1 ELM ST ELSEWHERE FL 32802", "32802"},
		{"", "1 Elm St\nElsewhere FL\n32802", "32802"},
		{"", "1 Elm St, Elsewhere, 32802", "32802"},
		{"", "12 HWY 32802", ""}, // a road, for all that one can see
		{"", "12 HWY ZZ 32802", ""},
		{"", "32802 Elm St, Elsewhere, FL", ""},
		{"", "1 Elm St, Elsewhere, FL 32802 USA", ""},
		{"", "32802", ""},
		{"", "", ""},
	} {
		var f index.Filing
		f.SetText(index.ZIP, test.loaded)
		f.SetText(index.PropertyAddress, test.address)
		if got := index.Derive(&f).ZIP; got != test.want {
			t.Errorf("ZIP code of %q, %q: want %q, got %q", test.loaded, test.address, test.want, got)
		}
	}
}

func TestDerive_P13_EquityPercent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name          string
		equity, value float64
		want          float64
	}{
		{"half", 50_000, 100_000, 50},
		{"a third", 1, 3, 33.3333},
		{"two thirds", 2, 3, 66.6667},
		{"a tie goes up", 1.00005, 100, 1.0001},
		{"a negative tie goes down", -1.00005, 100, -1.0001},
		{"just under a tie", 1.000049999, 100, 1},
		{"a tie that is less than one in binary", 0.285, 1_000, 0.0285},
		{"the smallest tie", 0.00005, 100, 0.0001},
		{"nothing of something", 0, 100, 0},
		{"more than all", 300, 100, 300},
		{"debt", -10_000, 100_000, -10},
		{"tiny value", 1e-300, 1e-300, 100},
		{"huge value", 1e300, 1e300, 100},
		{"next to nothing", 1, 1e300, 0},
		{"beyond a float64", 1e308, 1e-300, math.MaxFloat64},
		{"beyond a float64, negative", -1e308, 1e-300, -math.MaxFloat64},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var f index.Filing
			f.SetNumber(index.HomeEquityEstimate, test.equity)
			f.SetNumber(index.EstimatedValue, test.value)
			d := index.Derive(&f)
			if !d.HasEquity || d.EquityPercent != test.want {
				t.Errorf("%v of %v: want %v, got %v, %v", test.equity, test.value, test.want, d.EquityPercent, d.HasEquity)
			}
		})
	}
	for name, fields := range map[string]map[index.Field]float64{
		"no value": {index.HomeEquityEstimate: 1}, "no equity": {index.EstimatedValue: 1}, "neither": {},
		"worth nothing": {index.HomeEquityEstimate: 1, index.EstimatedValue: 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var f index.Filing
			for field, v := range fields {
				f.SetNumber(field, v)
			}
			if d := index.Derive(&f); d.HasEquity || d.EquityPercent != 0 {
				t.Errorf("want none, got %v", d.EquityPercent)
			}
		})
	}
}

func TestDerive_A2_TrustAndEstate(t *testing.T) {
	t.Parallel()
	const neither, trust, estate, both = 0, 1, 2, 3
	for owner, want := range map[string]int{
		"":                               neither,
		"BIRCH FAMILY TRUST":             trust,
		"birch family trust":             trust,
		"TRUST":                          trust,
		"BIRCH TRUSTS":                   trust,
		"BIRCH TRUSTEE":                  trust,
		"BIRCH ALEX & JORDAN TRUSTEES":   trust,
		"BIRCH ALEX TTEE":                trust,
		"TTEE OF BIRCH":                  trust,
		"BIRCH ALEX TR":                  trust,
		"BIRCH ALEX TR.":                 trust,
		"BIRCH ALEX (TR)":                trust,
		"TR":                             trust,
		"BIRCH TR ALEX":                  neither,
		"TR BIRCH":                       neither,
		"BIRCH,TRUST":                    trust,
		"BIRCH-TRUST":                    trust,
		"BIRCH/TRUST#2":                  trust,
		"TRUSTY BUILDERS":                neither,
		"BIRCHTRUST":                     neither,
		"TRUST2":                         neither,
		"TRUSTED HOMES":                  neither,
		"BIRCH'S TRUST":                  trust,
		"TRUST'S":                        neither,
		"ESTATE OF ALEX BIRCH":           estate,
		"Estate of Alex Birch":           estate,
		"BIRCH ALEX ESTATE":              estate,
		"EST OF ALEX BIRCH":              estate,
		"BIRCH EST":                      neither,
		"BIRCH EST. OF ALEX":             estate,
		"OF EST":                         neither,
		"HEIRS OF ALEX BIRCH":            estate,
		"BIRCH HEIRS":                    estate,
		"BIRCH ESTATES":                  neither,
		"BIRCH ESTATES HOMEOWNERS":       neither,
		"BIRCH REAL ESTATE LLC":          neither,
		"BIRCH REAL ESTATE, L.L.C.":      estate, // L L C are three words
		"BIRCH REAL ESTATE INC":          neither,
		"BIRCH REAL ESTATE CORP":         neither,
		"BIRCH REAL ESTATE LP":           neither,
		"LTD BIRCH REAL ESTATE":          neither,
		"BIRCH REAL ESTATE":              estate,
		"BIRCH REAL ESTATE COMPANY":      estate,
		"BIRCH ESTATE LLC":               estate, // not REAL ESTATE
		"REAL ESTATE LLC ESTATE OF OAK":  estate,
		"HEIRS REAL ESTATE LLC":          estate,
		"BIRCH REAL ESTATE TRUST LLC":    trust,
		"BIRCH REAL ESTATE TRUST":        both,
		"TRUSTEE OF THE ESTATE OF BIRCH": both,
		"HEIRS OF ALEX BIRCH TR":         both,
		"REAL-ESTATE INC":                neither,
		"REAL HOMES ESTATE INC":          estate,
		"İ TRUST":                        trust,
		"家族 TRUST":                       trust,
	} {
		var f index.Filing
		f.SetText(index.Owner, owner)
		d, got := index.Derive(&f), neither
		if d.Trust {
			got |= trust
		}
		if d.Estate {
			got |= estate
		}
		if got != want {
			t.Errorf("%q: want %d, got %d (1: trust, 2: estate)", owner, want, got)
		}
	}
}

func TestDerive_P12_PropertyData(t *testing.T) {
	t.Parallel()
	for _, field := range index.Fields() {
		if !field.Loaded() {
			continue
		}
		f := index.Filing{ID: 1}
		f.SetText(index.County, "Orange, FL")
		fill(&f, field)
		want := field.Info().Tier == index.Pro
		if got := index.Derive(&f).PropertyData; got != want {
			t.Errorf("%v alone: want %v, got %v", field, want, got)
		}
	}
}

func TestDerive_CountyMonthSearch(t *testing.T) {
	t.Parallel()
	var f index.Filing
	if diff := cmp.Diff(index.Derived{}, index.Derive(&f)); diff != "" {
		t.Errorf("of nothing (-want +got):\n%s", diff)
	}
	f.SetText(index.County, "ST. John's, FL")
	f.SetText(index.FilingDate, "2024-02-29")
	f.SetText(index.Owner, "  BIRCH \t Alex ")
	f.SetText(index.PropertyAddress, " ")
	f.SetText(index.CaseNumber, "A-1")
	want := index.Derived{
		Owner: "  birch \t alex ", County: "st. john's, fl", CountyName: "st. john's", State: "FL", Month: "2024-02", Year: "2024",
		Search: [3]string{"birch alex", "", "a-1"},
	}
	if diff := cmp.Diff(want, index.Derive(&f)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// fill gives f a value in field.
func fill(f *index.Filing, field index.Field) {
	switch field.Info().Kind {
	case index.KindID:
		f.ID = 42
	case index.KindCategories:
		f.Categories = []string{"land"}
	case index.KindTime:
		f.CreatedAt = f.CreatedAt.AddDate(2025, 0, 0)
	case index.KindCounty, index.KindText, index.KindLongText, index.KindDate, index.KindDateRange:
		f.SetText(field, strings.Repeat("9", 10))
	default:
		f.SetNumber(field, 0)
	}
}
