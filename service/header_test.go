package service

import (
	"math"
	"testing"
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
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestP5_Handling(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		prefer []string
		want   string
	}{
		{nil, ""}, {[]string{""}, ""}, {[]string{"handling=strict"}, "strict"}, {[]string{"HANDLING = Strict"}, "strict"},
		{[]string{`handling="strict"`}, "strict"}, {[]string{"a, handling=strict;b=c"}, "strict"}, {[]string{"wait=10", "handling=strict"}, "strict"},
		{[]string{"handling=lenient, handling=strict"}, "lenient"}, {[]string{"handling"}, ""}, {[]string{"handling=other"}, ""},
		{[]string{"xhandling=strict"}, ""}, {[]string{"a;handling=strict"}, ""},
	} {
		if got := handling(tt.prefer); got != tt.want {
			t.Errorf("handling(%q) = %q, want %q", tt.prefer, got, tt.want)
		}
	}
}

func TestP4_Numbers(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]float64{"0": 0, "-12.5": -12.5, "007": 7, "1.50": 1.5, "-0": 0, "-0.0": 0, "99999999999999999999": 1e20} {
		got, ok := readNumber(s)
		if !ok || got != want || math.Signbit(got) != math.Signbit(want) {
			t.Errorf("readNumber(%q) = %v, %v, want %v", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "-", "+1", ".", ".5", "5.", "1e3", "1E3", "0x1", "0b1", "1_0", "NaN", "nan", "Inf", "-Inf", "infinity", "1 2", "--1", "1-", "1.2.3", "١", "1,5", "½"} {
		if v, ok := readNumber(s); ok {
			t.Errorf("readNumber(%q) = %v", s, v)
		}
		if v, ok := readInteger(s); ok {
			t.Errorf("readInteger(%q) = %v", s, v)
		}
	}
}

func FuzzMatchTag(f *testing.F) {
	for _, seed := range []string{"*", `W/"a"`, `"a", "b"`, `"`, `W/`, `"a`, `,,`, `W/"0123", *`} {
		f.Add(seed)
	}
	tag := etag("g", "e", "c", "t")
	f.Fuzz(func(t *testing.T, header string) {
		if matchTag(header, tag) == matches && header != tag {
			// Whatever stands around it, the tag itself must be there.
			if want := tag[2:]; len(header) < len(want) {
				t.Fatalf("%q matches %q", header, tag)
			}
		}
		// What is appended to a list of other tags is found, unless something in it is not well-formed.
		_ = matchTag(header+", "+tag, tag)
	})
}

func FuzzNegotiate(f *testing.F) {
	for _, seed := range []string{"gzip", "br;q=0.5,gzip;q=0.1", "*;q=0", ";;,", "gzip;q=NaN"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		if got := negotiate(accept); got != "" && got != "gzip" && got != "br" {
			t.Fatalf("%q: %q", accept, got)
		}
	})
}
