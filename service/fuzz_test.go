package service

import (
	"net/url"
	"strings"
	"testing"
)

// FuzzCanonical: what is taken from a query string, net/url reads too; and written anew by net/url, in another order and
// with other escapes, it asks the same.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{
		"limit=5&offset=3", "q=%41+b&county=Orange%2C+FL", "filing_type=b&filing_types=a%2Cb,c", "x=1&x=2&&=&limit", "q=a&q=",
		"bounds_north=1&bounds_south=0&bounds_east=-1&bounds_west=1", "bounds_north=%zz", "month=2024-02&date_end=2024-02-03", "city=%E9",
	} {
		f.Add(seed)
	}
	table := newTable(DefaultLegacyHasDataName)
	f.Fuzz(func(t *testing.T, query string) {
		for _, on := range []endpoints{0, onList, onSearch, onCountyStats} {
			q, _, err := table.read(on, query)
			values, urlErr := url.ParseQuery(query)
			switch {
			case err != nil:
				continue
			case urlErr != nil && strings.Contains(query, "bounds"):
				continue // a partial set is not looked at
			case urlErr != nil:
				t.Fatalf("%q: taken, but net/url says %v", query, urlErr)
			}
			again, _, err := table.read(on, values.Encode())
			if err != nil || again.query.String() != q.query.String() || again.state != q.state {
				t.Fatalf("%q asks %v, %q asks %v, %v", query, q, values.Encode(), again, err)
			}
		}
	})
}

// FuzzHandling: preferences in one header and in several say the same (RFC 9110, section 5.3), in any case.
func FuzzHandling(f *testing.F) {
	for _, seed := range []string{"handling=strict", `a;b=c, Handling = "LENIENT"`, "handling,handling=strict", ",,=", "wait=10,handling=strict;x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		got := handling([]string{header})
		if got != "" && got != "strict" && got != "lenient" {
			t.Fatalf("%q: %q", header, got)
		}
		if several := handling(strings.Split(header, ",")); several != got {
			t.Fatalf("%q: %q, in several headers %q", header, got, several)
		}
		if upper := handling([]string{strings.ToUpper(header)}); isASCII(header) && upper != got {
			t.Fatalf("%q: %q, in upper case %q", header, got, upper)
		}
	})
}

func isASCII(s string) bool { return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0 }
