package address_test

import (
	"strings"
	"testing"
	"unicode"

	"filings/index"
	"filings/index/address"
)

// TestX55_OneAddress: the writings in a row are of one address, and of none in another row.
func TestX55_OneAddress(t *testing.T) {
	t.Parallel()
	seen := map[address.Key]string{}
	for _, row := range [][]string{
		{"5833 Quincegate Ave, Fern Park, FL 10014", "05833 QUINCEGATE AVENUE, FERN PARK, FL, 10014-1234",
			"5833 quincegate av.\nFern Park FL 10014",
			"5833  Quincegate Aven ,  Fern Park , fl. 10014", "5833 Quincegate Avenue Fern Park FL 10014"},
		{"5833 Quincegate Ave Unit 4, Fern Park, FL 10014", "5833 Quincegate Ave, Apt #04, Fern Park, FL 10014",
			"5833 Quincegate Ave #4, Fern Park, FL 10014",
			"5833 Quincegate Ave # 4, Fern Park, FL 10014", "5833 Quincegate Ave STE. 4 Fern Park FL 10014"},
		{"5833 Quincegate Ave Bldg 2 Apt 4B, Fern Park, FL 10014",
			"5833 Quincegate Ave, Building 02, Apartment 4b, Fern Park, FL 10014"},
		{"12 N Main St", "12 North Main Street", "0012 N. MAIN STR"},
		{"12 S Main St", "12 South Main Street", "12 S" + strings.Repeat(" ", index.MaxText) + "Main St"},
		{"12 Main St N", "12 MAIN STREET NORTH"},
		{"12 NE 3rd Ct", "12 Northeast Third Court", "12 N E 03RD CRT", "12 N.E. 3RD CT"},
		{"12 NE 3 Ct"},
		{"12 St Johns Ave", "12 Saint Johns Avenue", "12 ST. JOHN'S AVE", "12 St Johnʻs Ave",
			"\ufeff12 ST. JOHN‘S\u200b AV\u00adENUE"},
		{"12 Johns St"},
		{"12 E St Clair St", "12 East Saint Clair Street"},
		{"12 Old St Augustine Rd, Tallahassee, FL", "12 Old Saint Augustine Road, Tallahassee, FL",
			"12 Old St Augustine Rd Tallahassee FL"},
		{"12 Main St, St Cloud, FL", "12 Main Street, Saint Cloud, FL", "12 Main St St Cloud FL"},
		{"12 St Marys St, Ft Myers, FL 33901", "12 Saint Marys Street, Fort Myers, FL 33901"},
		{"12 Ste Genevieve Rd", "12 Sainte Genevieve Road"},
		{"12 Court St", "12 Ct St"},
		{"12 Park Pl", "12 PARK PLACE"},
		{"12 Lake Rd NE", "12 Lake Road Northeast"},
		{"12 Old Main Ct", "12 Old Main Court"},
		{"7 1/2 Elm Ter", "7 1/2 ELM TERRACE", "07 1/2 Elm Terr"},
		{"7 Elm Ter"},
		{"7b Elm Ter", "7B ELM TERR"},
		{"1910-1916 N Charles St", "1910-1916 NORTH CHARLES STREET",
			"1910–1916 N Charles St", "\u200b1910‑1916 N Charles St"},
		{"1910 N Charles St"},
		{"14539 Indiana"},
		{"14539 Indiana Ave", "14539 INDIANA AVENUE"},
		{"12 Front St", "12 FRONT STREET"},
		{"12 Elm St Rear", "12 Elm Street, REAR"},
		{"1600 Pennsylvania Ave NW, Washington, DC 20500", "1600 Pennsylvania Avenue Northwest Washington DC 20500"},
		{"2201 S 159TH ST E, Wichita, KS", "2201 South 159th Street East Wichita KS"},
		{"12 Niño Ave", "12 NINO AVENUE", "12 Nin\u0303o Ave"},
		{"12 Space Center Blvd"},
	} {
		want := index.AddressKeyOf(row[0], "", "")
		if want.Number == "" || want.Street == "" || seen[want] != "" {
			t.Errorf("%q has the key %+v, as has %q", row[0], want, seen[want])
		}
		seen[want] = row[0]
		for _, text := range row[1:] {
			if got := index.AddressKeyOf(text, "", ""); got != want {
				t.Errorf("%q: %+v\n%q: %+v", text, got, row[0], want)
			}
		}
	}
}

// TestX55_Parts: an address names its parts, and what it lacks its record may have.
func TestX55_Parts(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]address.Key{
		"5833 Quincegate Ave Apt 4, Fern Park, FL 10014|":  {"5833", "quincegate ave", "4", "10014", "fern park", "fl"},
		"6018 OLD HARFORD ROAD|Baltimore, MD":              {"6018", "old harford rd", "", "", "baltimore", "md"},
		"6018 OLD HARFORD ROAD BALTIMORE|Baltimore, MD":    {"6018", "old harford rd", "", "", "baltimore", "md"},
		"6018 Old Harford Rd, Parkville, PA|Baltimore, MD": {"6018", "old harford rd", "", "", "baltimore", "pa"},
		"0001 E UNIVERSITY PKWY UNIT 1206|":                {"1", "e university pkwy", "1206", "", "", ""},
		"100 Main St, The Oaks, Orlando, FL|":              {"100", "main st", "", "", "orlando", "fl"},
	} {
		text, place, _ := strings.Cut(written, "|")
		city, state, _ := strings.Cut(place, ", ")
		if got := index.AddressKeyOf(text, city, state); got != want {
			t.Errorf("%s: %+v, want %+v", written, got, want)
		}
	}
	for _, text := range []string{"", " ", ",", "12", "12,", "Quincegate Ave",
		"XXXX Ward St .35, Nashville, TN", "0000 Elm St", "5th Ave", "PO Box 7",
		"Parcel 012723-0202, Jacksonville, FL", "WS CHELSEA RD 260 FT N OF NORTONIA RD", "-1 Elm St",
		"12 , Orlando, FL", "12 ...", "#4", "0 1/2 Elm St"} {
		if got := index.AddressKeyOf(text, "Orlando", "FL"); got != (address.Key{}) {
			t.Errorf("%q: %+v, want none", text, got)
		}
	}
}

// FuzzX55_Key: the key of an address that is written as its key is itself, and no text breaks it.
func FuzzX55_Key(f *testing.F) {
	for _, text := range []string{"5833 Quincegate Ave Apt 4, Fern Park, FL 10014", "12 St St St",
		"7 1/2 N E St # 0, 1", "1 a/b c", "12-0- x y fl", "10#", "\u00a012\u2003Niño Ave", "12 O'Brien&Søn 1st, Ft Rd", "5b-7 ½ Elm-Oak St"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		k := index.AddressKeyOf(text, "", "")
		if k == (address.Key{}) {
			return
		}
		if k.Number == "" || k.Street == "" {
			t.Fatalf("%q: %+v", text, k)
		}
		if upper := index.AddressKeyOf(strings.ToUpper(text), "", ""); isASCII(text) && upper != k {
			t.Errorf("%q: %+v, in capitals %+v", text, k, upper)
		}
	})
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}

func BenchmarkKeyOf(b *testing.B) {
	for range b.N {
		index.AddressKeyOf("5833 Quincegate Ave, Fern Park, FL 10014", "", "")
	}
}
