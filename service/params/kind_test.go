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
	for s, want := range map[string]float64{"0": 0, "-12.5": -12.5, "007": 7, "1.50": 1.5, "-0": 0, "-0.0": 0, "99999999999999999999": 1e20} {
		got, ok := index.ParseDecimal(s)
		if !ok || got.Nearest != want || math.Signbit(got.Nearest) != math.Signbit(want) {
			t.Errorf("ParseDecimal(%q) = %v, %v, want %v", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "-", "+1", ".", ".5", "5.", "1e3", "1E3", "0x1", "0b1", "1_0", "NaN", "nan", "Inf", "-Inf", "infinity", "1 2", "--1", "1-", "1.2.3", "١", "1,5", "½"} {
		if v, ok := index.ParseDecimal(s); ok {
			t.Errorf("ParseDecimal(%q) = %v", s, v)
		}
		if v, ok := parseInteger(s); ok {
			t.Errorf("parseInteger(%q) = %v", s, v)
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
