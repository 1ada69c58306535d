package negotiate

import (
	"strings"
	"testing"
)

// FuzzHandling: what a Prefer says about handling it says in any case, and with other preferences before and after.
func FuzzHandling(f *testing.F) {
	for _, seed := range []string{"handling=strict", `a;b=c, Handling = "LENIENT"`, "handling,handling=strict", ",,=", "wait=10,handling=strict;x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		got := Handling(header)
		if got != "" && got != "strict" && got != "lenient" {
			t.Fatalf("%q: %q", header, got)
		}
		if named := strings.Contains(strings.ToLower(header), "handling"); got != "" && !named {
			t.Fatalf("%q: %q", header, got)
		}
		if among := Handling("wait=10, xhandling=strict," + header + ",respond-async"); among != got {
			t.Fatalf("%q: %q, among others %q", header, got, among)
		}
		if after := Handling(header + ",handling=strict"); got != "" && after != got || got == "" && after == "lenient" {
			t.Fatalf("%q: %q, before another one %q", header, got, after)
		}
		if upper := Handling(strings.ToUpper(header)); isASCII(header) && upper != got {
			t.Fatalf("%q: %q, in upper case %q", header, got, upper)
		}
	})
}

func isASCII(s string) bool { return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0 }
