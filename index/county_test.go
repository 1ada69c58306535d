package index

import "testing"

func TestX30_Meant(t *testing.T) {
	t.Parallel()
	names := NewCountyNames([]string{
		"Orange, FL", "ORANGE, FL", "Orange, CA", "Lake County, FL", "Lake, IL", "Jefferson Parish, LA", "Jefferson, TX", "Kenai Peninsula, AK",
		"St. Mary, of the Lake, LA", "Twin, FL", "Twin County, FL", "County, TX", "Doña Ana, NM", "La Salle, IL", "Fort La, TX",
	})
	for _, tt := range []struct{ value, want string }{
		// What there is stays.
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
		if got := names.Meant(tt.value); got != tt.want {
			t.Errorf("%q is %q, want %q", tt.value, got, tt.want)
		}
	}
}

// TestX30_WithCounties: what names no county stays as it is, and no filter changes another one.
func TestX30_WithCounties(t *testing.T) {
	t.Parallel()
	meant := NewCountyNames([]string{"Orange, FL"}).Meant
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
