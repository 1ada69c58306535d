package params

import (
	"math"
	"testing"

	"filings/index"
)

func TestP5_Distance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"limit", "limit", 0}, {"limitt", "limit", 1}, {"limt", "limit", 1},
		{"kitten", "sitting", 3}, {"é", "e", 1}, {"flaw", "lawn", 2},
	} {
		if got := index.Distance([]rune(tt.a), []rune(tt.b), false); got != tt.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestP4_Numbers(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]float64{"0": 0, "-12.5": -12.5, "007": 7, "1.50": 1.5, "-0": 0, "-0.0": 0, "99999999999999999999": 1e20,
		"1.0E7": 1e7, "1e+05": 1e5, "-1.5e-3": -0.0015, "1E3": 1000, "0e5": 0, "-0e5": 0, "12.345e2": 1234.5, "0.001e3": 1, "1e300": 1e300, "2.5e-400": 0} {
		got, ok := index.ParseDecimal(s)
		if !ok || got.Nearest != want || math.Signbit(got.Nearest) != math.Signbit(want) {
			t.Errorf("ParseDecimal(%q) = %v, %v, want %v", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "-", "+1", ".", ".5", "5.", "1e", "e3", "1e3.0", "1ee3", "1e401", "1e-401", "1e99999999999999999999", "1 e3", "1e0x1", "1e1_0", "0x1", "0b1", "1_0", "NaN", "nan", "Inf", "-Inf", "infinity", "1 2", "--1", "1-", "1.2.3", "١", "1,5", "½"} {
		if v, ok := index.ParseDecimal(s); ok {
			t.Errorf("ParseDecimal(%q) = %v", s, v)
		}
		if v, ok := parseInteger(s); ok {
			t.Errorf("parseInteger(%q) = %v", s, v)
		}
	}
}

// TestX64_Exponents: a number with an exponent is the same one without, and an integer is one where it is whole.
func TestX64_Exponents(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"1.0E7": "10000000", "1e+05": "100000", "1e 05": "100000", "1e05": "100000", "-12.50e-2": "-0.125", "1.2345e2": "123.45", "0.00e9": "0", "9007199254740993e0": "9007199254740993",
	} {
		if d, ok := parseNumber(s); !ok || d.String() != want {
			t.Errorf("%q is %v, %t, want %s", s, d, ok, want)
		}
	}
	for s, want := range map[string]int64{"1e2": 100, "1.5E1": 15, "1e+05": 100000, "20e-1": 2, "9.007199254740993e15": 9007199254740993} {
		if n, ok := parseInteger(s); !ok || n != want {
			t.Errorf("%q is %d, %t, want %d", s, n, ok, want)
		}
	}
	for _, s := range []string{"1.5e0", "1e-1", "1e19", "1e400", "+1e2", "1e"} {
		if n, ok := parseInteger(s); ok {
			t.Errorf("%q is %d", s, n)
		}
	}
}

func TestX32_Origins(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"https://a.example": true, "http://a.example:443": true, "https://a.example:80": true, "http://[::1]:3000": true, "https://a.example:65535": true,
		"https://a.example:443": false, "http://a.example:80": false, "https://[::1]:443": false, "https://a.example:99999": false,
		"https://a.example:65536": false, "https://a.example:0": false, "https://a.example:08443": false, "https://a.example:": false, "ftp://a.example": false,
	} {
		if _, got := origin(nil, text); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}
