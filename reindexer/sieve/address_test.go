package sieve

import (
	"testing"

	"filings/index"
	"filings/index/address"
)

// TestX53_AddressMarks: an address may have the mark of each writing of it, and hardly that of another one.
func TestX53_AddressMarks(t *testing.T) {
	t.Parallel()
	other := index.AddressKeyOf("12 Zanthorrhoea Ct", "", "")
	for _, row := range [][]string{
		{"5833 Quincegate Ave, Fern Park, FL 10014", "05833 QUINCEGATE AVENUE, FERN PARK, FL, 10014-1234",
			"5833 quincegate av.\nFern Park FL 10014"},
		{"5833 Quincegate Ave Bldg 2 Apt 4B", "5833 Quincegate Ave, Building 02, Apartment 4b"},
		{"12 N Main St", "0012 N. MAIN STR"},
		{"12 NE 3rd Ct", "12 Northeast Third Court", "12 N E 03RD CRT"},
		{"12 St Johns Ave", "12 ST. JOHN'S AVE"},
		{"7 1/2 Elm Ter", "07 1/2 Elm Terr"},
		{"7b Elm Ter", "7B ELM TERR"},
		{"1910-1916 N Charles St", "1910-1916 NORTH CHARLES STREET"},
		{"12 Niño Ave", "12 NINO AVENUE"},
	} {
		for _, text := range row {
			if !mayHave(text, index.AddressKeyOf(row[0], "", "")) || mayHave(text, other) {
				t.Errorf("%q has not its own mark, or another one", text)
			}
		}
	}
}

// FuzzX53_AddressMark: each address may have its mark.
func FuzzX53_AddressMark(f *testing.F) {
	for _, text := range []string{"5833 Quincegate Ave Apt 4, Fern Park, FL 10014", "12 St St St", "1 a/b c", "12-0- x y fl",
		"\u00a012\u2003Niño Ave", "12 O'Brien&Søn 1st, Ft Rd", "5b-7 ½ Elm-Oak St"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if k := index.AddressKeyOf(text, "", ""); k.Number != "" && !mayHave(text, k) {
			t.Errorf("%q may not have the mark of %+v", text, k)
		}
	})
}

func mayHave(text string, k address.Key) bool {
	mark := addressMark(k, 7)
	return mayHaveAddress(text, 7, func(m uint64) bool { return m == mark })
}
