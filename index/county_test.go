package index

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

func TestX30_Resolve(t *testing.T) {
	t.Parallel()
	names := NewCountyNames([]string{
		"Orange, FL", "ORANGE, FL", "Orange, CA", "Lake County, FL", "Lake, IL", "Jefferson Parish, LA", "Jefferson, TX", "Kenai Peninsula, AK",
		"St. Mary, of the Lake, LA", "Twin, FL", "Twin County, FL", "County, TX", "Doña Ana, NM", "La Salle, IL", "Fort La, TX",
	})
	for _, tt := range []struct{ value, want string }{
		// A county that there is stays.
		{"orange, fl", "orange, fl"},
		{"orange", "orange"},
		{"lake county, fl", "lake county, fl"},
		{"lake county", "lake county"},
		{"lake", "lake"},
		{"twin county", "twin county"},
		{"county", "county"},
		{"fort la", "fort la"}, // not Fort in Louisiana
		// Blanks around the comma, and the comma.
		{"orange,fl", "orange, fl"},
		{"orange , fl", "orange, fl"},
		{" orange  ,\tfl ", "orange, fl"},
		{"orange fl", "orange, fl"},
		{"la  salle il", "la salle, il"},
		{"doña ana nm", "doña ana, nm"},
		{"st. mary,of the lake la", "st. mary, of the lake, la"},
		// County, parish, borough, on both sides.
		{"orange county, fl", "orange, fl"},
		{"orange county fl", "orange, fl"},
		{"orange county", "orange"},
		{"orange parish", "orange"},
		{"lake, fl", "lake county, fl"},
		{"lake fl", "lake county, fl"},
		{"lake county il", "lake, il"},
		{"jefferson county, la", "jefferson parish, la"},
		{"kenai peninsula borough, ak", "kenai peninsula, ak"},
		{"county county tx", "county, tx"},
		// Nothing, or more than one, is left.
		{"orange, tx", "orange, tx"},
		{"orange county, tx", "orange county, tx"},
		{"lake parish", "lake parish"}, // lake, and lake county
		{"twin fl", "twin fl"},
		{"orang county", "orang county"},
		{"oranges fl", "oranges fl"},
		{"fl", "fl"},
		{", fl", ", fl"},
		{"orange fl county", "orange fl county"},
		{"st. mary of the lake la", "st. mary of the lake la"},
		{"", ""},
	} {
		if got := names.Resolve(tt.value); got != tt.want {
			t.Errorf("%q is %q, want %q", tt.value, got, tt.want)
		}
	}
}

// TestX30_WithCounties: what names no county stays as it is, and no filter changes another one.
func TestX30_WithCounties(t *testing.T) {
	t.Parallel()
	meant := NewCountyNames([]string{"Orange, FL"}).Resolve
	w := Where(InCounty("Orange FL"), Not{AnyOf{Fields: []Field{CountyName}, Values: []string{"orange county", "nowhere"}}},
		AnyOf{Fields: []Field{City}, Values: []string{"orange county"}}, Not{AnyOf{Fields: []Field{FilingType}, Values: []string{"orange fl"}}})
	before := w.String()
	want := `where (city) in ("orange county") and (county,countyName) in ("orange, fl") and not (countyName) in ("nowhere","orange") and not (filingType) in ("orange fl")`
	if got := w.WithCounties(meant).String(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := w.String(); got != before || Where(w.Predicates()...).String() != before {
		t.Errorf("%s became %s", before, got)
	}
	for _, w := range []Filter{{}, Where(Contains{Text: "orange fl"}, AnyOf{Fields: []Field{City}, Values: []string{"x"}})} {
		if w.NamesCounties() {
			t.Errorf("%v names no county", w)
		}
	}
}

// TestX62_Resolve: of what people write differently nothing counts, and what is left must be one county, or one name.
func TestX62_Resolve(t *testing.T) {
	t.Parallel()
	names := NewCountyNames([]string{
		"St. Johns, FL", "Lake, FL", "Lake, CO", "Larimer, CO", "Doña Ana, NM", "Prince George's, MD", "Miami-Dade, FL", "La Salle, IL", "LaSalle, LA",
		"DeKalb, GA", "Ste. Genevieve, MO", "St. Louis, MO", "St. Louis City, MO", "O'Brien, IA", "New York, NY", "Nevada, CA", "Pocahontas, WV",
		"West Baton Rouge Parish, LA", "Co, TX", "St. Mary, LA", "Saint Mary, MD", "Charles City, VA", "County of Kern, CA", "Washington, OR", "Washington, PA",
	})
	for _, tt := range []struct{ value, want string }{
		{"st johns, fl", "st. johns, fl"}, {"saint johns county fl", "st. johns, fl"}, {"st.johns, fl", "st. johns, fl"}, {"saint john’s, florida", "st. johns, fl"},
		{"saint-johns", "st. johns"}, {"stjohns fl", "st. johns, fl"},
		{"ste genevieve, mo", "ste. genevieve, mo"}, {"sainte genevieve missouri", "ste. genevieve, mo"}, {"st. genevieve, mo", "st. genevieve, mo"},
		{"dona ana", "doña ana"}, {"don\u0303a ana, new mexico", "doña ana, nm"}, {"doña ana, n.m.", "doña ana, nm"},
		{"prince georges, md", "prince george's, md"}, {"prince george´s county, maryland", "prince george's, md"},
		{"miami dade", "miami-dade"}, {"miamidade county, florida", "miami-dade, fl"}, {"miami–dade, fl", "miami-dade, fl"},
		{"la-salle, la", "lasalle, la"}, {"lasalle illinois", "la salle, il"}, {"la-salle", "la-salle"}, {"de kalb", "dekalb"}, {"obrien ia", "o'brien, ia"},
		// States in full.
		{"lake, florida", "lake, fl"}, {"lake colorado", "lake, co"}, {"new york, new york", "new york, ny"}, {"new york county new york", "new york, ny"},
		{"nevada, california", "nevada, ca"}, {"pocahontas west virginia", "pocahontas, wv"}, {"pocahontas, west virginia", "pocahontas, wv"},
		{"charles city virginia", "charles city, va"}, {"lake, fla", "lake, fla"}, {"lake, texas", "lake, texas"}, {"florida", "florida"}, {"new york ny", "new york, ny"},
		{"washington oregon", "washington, or"}, {"washington, washington", "washington, washington"},
		// County of, parish of, a lone co.
		{"county of orange", "county of orange"}, {"county of lake, fl", "lake, fl"}, {"kern county, california", "county of kern, ca"},
		{"parish of west baton rouge", "west baton rouge parish"}, {"west baton rouge, louisiana", "west baton rouge parish, la"},
		{"lake co", "lake co"}, {"lake co.", "lake co."}, {"lake, co", "lake, co"}, {"lake county co", "lake, co"}, {"lake co fl", "lake, fl"}, {"lake co., fl", "lake, fl"},
		{"larimer co", "larimer, co"}, {"larimer co, co", "larimer, co"}, {"dekalb co", "dekalb"}, {"dekalb, co", "dekalb, co"}, {"co co tx", "co, tx"},
		{"st louis, mo", "st. louis, mo"}, {"saint louis city", "st. louis city"}, {"saint-mary", "saint-mary"}, {"st mary maryland", "saint mary, md"},
	} {
		if got := names.Resolve(Fold(tt.value)); got != tt.want {
			t.Errorf("%q is %q, want %q", tt.value, got, tt.want)
		}
	}
	for _, tt := range []struct {
		value string
		want  []string
	}{
		{"lake co", []string{"Lake, FL", "Lake, CO"}},
		{"Saint-Mary", []string{"St. Mary, LA", "Saint Mary, MD"}},
		{"Ornage County, Florida", nil},
		{"Larmier, Colorado", []string{"Larimer, CO"}},
	} {
		if got := names.Nearest(tt.value, 3); len(got) != 3 || !slices.Equal(got[:len(tt.want)], tt.want) {
			t.Errorf("%q is near %q, want %q", tt.value, got, tt.want)
		}
	}
}

// TestX62_Spelled: counties as seeded writers spell them. Each is found, or is near; none is taken for another one.
func TestX62_Spelled(t *testing.T) {
	t.Parallel()
	made := madeCounties(200)
	found := spelled(t, made, 40)
	if found < 39*len(made) {
		t.Errorf("only %d of %d spellings are found", found, 40*len(made))
	}
}

// madeCounties are counties of made-up names, of which some share a name, or nearly.
func madeCounties(n int) (counties []string) {
	random := rand.New(rand.NewPCG(62, 1))
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	for len(counties) < n {
		name := pick("Ar", "Bel", "Cor", "Dun", "El", "Fär", "Gre", "Ho", "Iñ", "Ke", "Lé") + pick("mor", "ni", "ra", "sto", "ta", "vé", "lo") + pick("n", "ville", "ton", "s", "do", "")
		switch random.IntN(8) {
		case 0:
			name = pick("St. ", "Saint ", "Ste. ") + name
		case 1:
			name = pick("La ", "De ", "Fort ", "New ", "O'", "De") + name
		case 2:
			name += pick("-", " ", " and ") + pick("Dade", "Clark", "Lake")
		case 3:
			name += pick("'s", " County", " Parish", " City")
		}
		county := name + ", " + pick("FL", "CO", "LA", "NM", "WV", "VA", "NY", "DC", "WA")
		if !slices.Contains(counties, county) {
			counties = append(counties, county)
		}
	}
	return counties
}

// spelled has seeded writers spell each county so many times, and returns how many spellings are found.
func spelled(t *testing.T, counties []string, times int) (found int) {
	t.Helper()
	random := rand.New(rand.NewPCG(62, 2))
	names := NewCountyNames(counties)
	for _, county := range counties {
		for range times {
			written := spell(random, county)
			meant := names.Resolve(Fold(written))
			switch {
			case meant == Fold(county):
				found++
			case names.Has(Fold(written)) && names.counties[meant][0] != Fold(county):
				t.Errorf("%q, for %q, is taken for %q", written, county, meant)
			case !slices.Contains(names.Nearest(written, 3), county):
				t.Errorf("%q, for %q, is nothing, and is not near it", written, county)
			}
		}
	}
	return found
}

// spell writes a county as people do.
func spell(random *rand.Rand, county string) string {
	maybe := func(s, old, replacement string) string {
		if random.IntN(2) == 0 {
			return strings.ReplaceAll(s, old, replacement)
		}
		return s
	}
	name, state := SplitCounty(county)
	for _, pair := range [][2]string{{"'", "’"}, {"'", "ʻ"}, {"'", ""}, {". ", " "}, {"St. ", "Saint "}, {"Ste. ", "Sainte "}, {"Saint ", "St "}, {"-", " "}, {"-", "–"},
		{" ", "-"}, {"De ", "De"}, {"La ", "La"}} {
		name = maybe(name, pair[0], pair[1])
	}
	if bare := strings.TrimSuffix(strings.TrimSuffix(name, " County"), " Parish"); bare != name {
		name = maybe(name, name, bare)
	} else if random.IntN(3) == 0 {
		name = []string{name + " County", name + " Co.", "County of " + name, name + " Parish"}[random.IntN(4)]
	}
	if full := slices.Index([]string{"FL", "CO", "LA", "NM", "WV", "VA", "NY", "DC", "WA"}, state); full >= 0 {
		state = maybe(state, state, []string{"Florida", "Colorado", "Louisiana", "New Mexico", "West Virginia", "Virginia", "New York", "District of Columbia",
			"Washington"}[full])
	}
	text := name + []string{", ", " ", ",", " , "}[random.IntN(4)] + state
	text = []func(string) string{strings.ToUpper, strings.ToLower, norm.NFD.String, norm.NFC.String}[random.IntN(4)](text)
	if random.IntN(3) == 0 {
		text, _, _ = transform.String(transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn)), norm.NFC), text)
	}
	for range random.IntN(3) { // pasted from a document
		at := random.IntN(len(text) + 1)
		for ; at < len(text) && !utf8.RuneStart(text[at]); at++ {
		}
		text = text[:at] + []string{"\u200b", "\ufeff", "\u00ad", "\u2060"}[random.IntN(4)] + text[at:]
	}
	return text
}
