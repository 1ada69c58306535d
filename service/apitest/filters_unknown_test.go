package apitest

import (
	"net/http"
	"strings"
	"testing"

	"filings/service/access"
)

func TestP5_UnknownNames(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	for _, tt := range []struct{ name, target, want string }{
		{"none", "/v1/filings?limit=1", ""},
		{"one", "/v1/filings?limitt=1", "limitt"},
		{"each once, in order", "/v1/filings?z=1&a=2&z=3&limit=1", "z, a"},
		{"empty value", "/v1/filings?z=&z", "z"},
		{"search's on the list", "/v1/filings?q=a&zoom=x&by=y", "q, zoom, by"},
		{"the list's on search", "/v1/filings/search?q=a&min_filings=2", "min_filings"},
		{"case counts", "/v1/filings?Limit=0", "Limit"},
		{"no parameters", "/v1/stats?limit=0", "limit"},
		{"one filing", "/v1/filings/1?limit=1", "limit"},
		{"no token", "/v1/filings?a%0D%0Ab%2Cc=1&%C3%A9=1&%25=", "a%0D%0Ab%2Cc, %C3%A9, %25"},
		{"long", "/v1/filings?" + strings.Repeat("n", 100) + "=1", strings.Repeat("n", 61) + "..."},
		{"no name", "/v1/filings?=1", ""},
		{"partial bounds (rule X64)", "/v1/filings?bounds_north=1", "bounds_north"},
	} {
		t.Run("P5 "+tt.name, func(t *testing.T) {
			t.Parallel()
			for _, prefer := range []string{"", "handling=lenient", "respond-async"} {
				a := s.get(t, access.Free, tt.target, "Prefer", prefer)
				if a.status != http.StatusOK {
					t.Fatalf("status %d: %s", a.status, a.body)
				}
				if got := a.header.Get("X-Ignored-Parameters"); got != tt.want {
					t.Errorf("Prefer %q: X-Ignored-Parameters %q, want %q", prefer, got, tt.want)
				}
			}
		})
	}
	t.Run("P5 many", func(t *testing.T) {
		t.Parallel()
		target := "/v1/filings?" + strings.Repeat("a", 50)
		for i := range 60 {
			target += "&" + strings.Repeat(string(rune('a'+i%26)), 40+i/26)
		}
		got := s.get(t, access.Free, target).header.Get("X-Ignored-Parameters")
		if len(got) > 1100 || !strings.HasSuffix(got, ", ...") {
			t.Errorf("%d bytes: %q", len(got), got)
		}
	})
}

func TestP5_Strict(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	const others = "min_amount, max_amount, min_current_amount, max_current_amount, filing_type, filing_types, " +
		"date_range, month, date_start, date_end, added_since, added_until, categories, " +
		"exclude_filing_types, exclude_categories, exclude_counties, owner, address, holder, exclude_holders, ids, " +
		"property_type, has_property_data, min_equity_percent, foreclosure_filter, min_acres, max_acres, " +
		"bounds_north, bounds_south, bounds_east, bounds_west, near, radius, polygon, has_coordinates, sort_by, sort_order, limit, offset, cursor, fields, generation"
	for _, tt := range []struct{ name, target, prefer, want string }{
		{"nearest", "/v1/filings?limitt=1", "handling=strict", "unknown parameter limitt; did you mean limit?"},
		{"nearest to a legacy name", "/v1/filings?lien_typ=1", "handling=strict", "unknown parameter lien_typ; did you mean filing_type?"},
		{"search's on the list", "/v1/filings?q=x", "handling=strict",
			"unknown parameter q; this endpoint has county, state, city, zip, " + others},
		{"nothing near", "/v1/filings?foo=1", "handling=strict",
			"unknown parameter foo; this endpoint has county, state, city, zip, " + others},
		{"nothing near a long one", "/v1/filings?columns=1", "handling=strict",
			"unknown parameter columns; this endpoint has county, state, city, zip, " + others},
		{"nothing near among few", "/v1/stats/counties?limit=1", "handling=strict", "unknown parameter limit; this endpoint has state, generation"},
		{"case", "/v1/filings?COUNTY=1", "handling=strict", "unknown parameter COUNTY; did you mean county?"},
		{"hyphens and no underscore", "/v1/filings?Min-Amount=1", "handling=strict", "unknown parameter Min-Amount; did you mean min_amount?"},
		{"two edits of six", "/v1/filings?cuonty=1", "handling=strict", "unknown parameter cuonty; did you mean county?"},
		{"swapped letters", "/v1/filings/search?q=a&sortby=x", "handling=strict", "unknown parameter sortby; did you mean sort_by?"},
		{"quoted", "/v1/filings?maxamount=1", `respond-async, Handling="STRICT"; x=y`, "unknown parameter maxamount; did you mean max_amount?"},
		{"before other errors", "/v1/filings?limit=0&monht=1", "handling=strict", "unknown parameter monht; did you mean month?"},
		{"counties", "/v1/stats/counties?stat=FL", "handling=strict", "unknown parameter stat; did you mean state?"},
		{"nothing near one", "/v1/counties?limit=1", "handling=strict", "unknown parameter limit; this endpoint has generation"},
		{"none of the path", "/v1/filings/1?idd=1", "handling=strict", "unknown parameter idd; this endpoint has fields, generation"},
		{"no parameters", "/v1/me?a=1", "handling=strict", "unknown parameter a: this endpoint has none"},
	} {
		t.Run("P5 "+tt.name, func(t *testing.T) {
			t.Parallel()
			a := s.get(t, access.Free, tt.target, "Prefer", tt.prefer)
			if a.status != http.StatusBadRequest || a.document(t).Error.Message != tt.want {
				t.Errorf("%d %s\nwant %s", a.status, a.body, tt.want)
			}
			if got := a.header.Get("Preference-Applied"); got != "handling=strict" {
				t.Errorf("Preference-Applied %q", got)
			}
		})
	}
	a := s.get(t, access.Free, "/v1/filings?limit=1", "Prefer", "handling=strict")
	if a.status != http.StatusOK || a.header.Get("Preference-Applied") != "handling=strict" {
		t.Errorf("strict without an unknown name: %d %s", a.status, a.body)
	}
	if a := s.get(t, access.Free, "/v1/filings?x=1", "Prefer", "handling=lenient", "Prefer", "handling=strict"); a.status != http.StatusOK {
		t.Errorf("the first preference does not count: %d %s", a.status, a.body)
	}
}
