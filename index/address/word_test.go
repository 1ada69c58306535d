package address_test

import (
	"slices"
	"strings"
	"testing"

	"filings/index"
	"filings/index/address"
)

// TestX55_Patterns: an address has all parts that another one names, or it lacks one of them.
func TestX55_Patterns(t *testing.T) {
	t.Parallel()
	const place = ", Ocoee, FL 34761"
	for _, tt := range []struct {
		named, city, zip string // and FL
		has, lacks       []string
	}{
		{"12 Elm St", "Ocoee", "", []string{"12 Elm Street"},
			[]string{"12 Elm", "12 Elm St W", "2 Elm St", "112 Elm St", "12 Elm St #1"}},
		{"12 Elm St #4", "Ocoee", "34761",
			[]string{"12 Elm St", "12 Elm St Apt 4", "12 Elm St Unit 04" + place, "12 Elm St, FL"},
			[]string{"12 Elm St #40", "12 Elm St, GA", "12 Elm St 34762", "12 Elm St, Windermere"}},
		{"12 Elm St", "Ocoee", "34761",
			[]string{"12 Elm St, Windermere, FL 34761", "12 Elm St, Ocoee, FL", "12 Elm St 34761-1234"},
			[]string{"12 Elm St, Ocoee, FL 34762", "12 Elm St, Windermere, FL"}},
		{"12 Elm St", "Ocoee", "", []string{"12 Elm St, Ocoee, FL 34761", "12 Elm St, Ocoee 34762"},
			[]string{"12 Elm St 34761", "12 Elm St, Windermere, FL 34761"}},
	} {
		k := index.AddressKeyOf(tt.named, tt.city, "FL")
		k.ZIP = tt.zip
		matches := func(text string) bool {
			return slices.ContainsFunc(index.AddressPatterns(text), func(pattern string) bool {
				matches := address.Matches(pattern, k.Word())
				lacks := func(term string) bool { return !slices.Contains(address.Terms(k.Word()), term) }
				if matches == slices.ContainsFunc(address.Terms(pattern), lacks) {
					t.Errorf("the terms of %q and %q disagree with the pattern", pattern, k.Word())
				}
				return matches
			})
		}
		for _, text := range append(tt.has, address.Text(k.Word())) {
			if !matches(text) {
				t.Errorf("%+v has not all parts of %q", k, text)
			}
		}
		for _, text := range tt.lacks {
			if matches(text) {
				t.Errorf("%+v has all parts of %q", k, text)
			}
		}
	}
	var none address.Key
	if word := none.Word(); word != "" || none.Patterns() != nil || address.Text("") != "" || address.Terms("") != nil {
		t.Errorf("no address has the word %q", word)
	}
}

// TestX55_NoWildcards: a pattern has nothing but "*" that stands for other texts, whatever a client sends.
func TestX55_NoWildcards(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"12 *", "12 elm s?, fl", `12 \\*, fl`, "12 elm, *", "*", "12 elm st, unit *", "12 Elm St"} {
		for _, pattern := range index.AddressPatterns(text) {
			street, rest, _ := strings.Cut(pattern, "\x00")
			if strings.ContainsAny(street, `*?\`) || strings.ContainsAny(rest, `?\`) || street == "12 Elm St" {
				t.Errorf("%q has the pattern %q", text, pattern)
			}
		}
	}
}

// FuzzX55_Text: what clients see of a key finds the address.
func FuzzX55_Text(f *testing.F) {
	for _, text := range []string{"5833 Quincegate Ave Apt 4, Fern Park, FL 10014", "7 1/2 Elm Ter, Bldg 2 Apt 4B", "12 Elm St Rear, Orlando, FL",
		"1910-1916 N Charles St", "12 St Johns Ave, St Cloud, FL", "12 Main Ave CT, Hartford, CT",
		"5383 US Hwy 93 S, Somers, MT 59932", "221 E River Birch St", "12 Elm St, Unit, FL"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		k := index.AddressKeyOf(text, "Orlando", "FL")
		if k.Number == "" {
			return
		}
		shown := address.Text(k.Word())
		patterns := index.AddressPatterns(shown)
		if !slices.ContainsFunc(patterns, func(p string) bool { return address.Matches(p, k.Word()) }) {
			t.Errorf("%q is shown as %q, whose patterns are %q", text, shown, patterns)
		}
	})
}
