package document

import (
	"math"
	"testing"
)

func TestCountyCents(t *testing.T) {
	t.Parallel()
	const end = 1<<43 - 1
	for _, test := range []struct {
		cents float64
		want  int64
		exact bool
	}{
		{0, 1 << 42, true},
		{-7, 1<<42 - 7, true},
		{1<<42 - 2, end - 1, true},
		{1<<42 - 1, end, false},
		{1e14, end, false},
		{1 - 1<<42, 1, true},
		{-1 << 42, 0, false},
		{-math.MaxFloat64, 0, false},
	} {
		if got, exact := CountyCents(5, test.cents); got != 5<<43+test.want || exact != test.exact {
			t.Errorf("%v cents: %d, %t; want %d, %t", test.cents, got-5<<43, exact, test.want, test.exact)
		}
	}
	if got, _ := CountyCents(1<<countyBits-1, math.MaxFloat64); got != math.MaxInt64 {
		t.Errorf("the greatest is %d", got)
	}
}

func TestCountyNumber(t *testing.T) {
	t.Parallel()
	a, b := "county 1393, fl", "county 2250, fl" // have the same number
	if countyNumber(a) != countyNumber(b) {
		t.Fatal("the two have different numbers")
	}
	counties := []string{a, b, "lake, fl", "orange, ca", "orange, fl", "town, fl", "town, fl, ga"}
	for text, county := range map[string]string{
		"lake": "lake, fl", "lake, fl": "lake, fl", "orange, ca": "orange, ca", "orange, fl": "orange, fl",
		"town": "town, fl", "town, fl, ga": "town, fl, ga",
		"town, fl": "", "orange": "", "county 1393": "", a: "", b: "", "elm": "", "fl": "",
	} {
		number, ok := CountyNumber(text, counties)
		if ok != (county != "") || ok && number != countyNumber(county) {
			t.Errorf("%q: %d, %t; want that of %q", text, number, ok, county)
		}
	}
}

func TestLeastCents(t *testing.T) {
	t.Parallel()
	for dollars, want := range map[float64][2]float64{
		0: {0, 0}, 0.29: {29, 29}, math.Nextafter(0.29, 1): {30, 29}, math.Nextafter(0.29, 0): {29, 28},
		0.004: {1, 0}, 1.005: {101, 100}, -0.014: {-1, -2}, 43_980_465_111.04: {4_398_046_511_104, 4_398_046_511_104},
	} {
		if least, most := LeastCents(dollars), MostCents(dollars); least != want[0] || most != want[1] {
			t.Errorf("%v dollars: at least %v cents, at most %v; want %v", dollars, least, most, want)
		}
	}
}
