package apitest

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/service"
	"filings/service/access"
)

// moving are the parts of a response that differ from request to request.
var moving = regexp.MustCompile(`"request_id":"[^"]*"|"rate_limit_remaining":\d+`)

func TestP20_LegacyPaths(t *testing.T) {
	t.Parallel()
	onOracle(t, handmade, func(t *testing.T, s *site) {
		for _, tt := range []struct{ legacy, current, successor string }{
			{"/v1/liens", "/v1/filings", "filings"},
			{"/v1/liens?lien_type=tax+lien&limit=2", "/v1/filings?filing_type=tax+lien&limit=2", "filings"},
			{"/v1/liens?limit=0", "/v1/filings?limit=0", "filings"},
			{"/v1/liens/search?q=oak", "/v1/filings/search?q=oak", "../filings/search"},
			{"/v1/liens/search", "/v1/filings/search", "../filings/search"},
			{"/v1/liens/1", "/v1/filings/1", "../filings/1"},
			{"/v1/liens/77", "/v1/filings/77", "../filings/77"},
			{"/v1/liens/x%3E%22", "/v1/filings/x%3E%22", "../filings/x%3E%22"},
			{`/v1/liens/a>b"c`, `/v1/filings/a>b"c`, "../filings/a%3Eb%22c"},
		} {
			old, current := s.get(t, access.Pro, tt.legacy), s.get(t, access.Pro, tt.current)
			if old.status != current.status {
				t.Errorf("%s: status %d, want %d", tt.legacy, old.status, current.status)
			}
			if diff := cmp.Diff(moving.ReplaceAllString(current.body, ""), moving.ReplaceAllString(old.body, "")); diff != "" {
				t.Errorf("%s: (-current +legacy)\n%s", tt.legacy, diff)
			}
			if old.header.Get("ETag") != current.header.Get("ETag") {
				t.Errorf("%s: another ETag", tt.legacy)
			}
			if got := old.header.Get("Deprecation"); got != "@1771977600" {
				t.Errorf("%s: Deprecation %q", tt.legacy, got)
			}
			next := current.header.Get("Link") // rule X65: of its own path
			if want := "<" + tt.successor + `>; rel="successor-version"`; !strings.HasPrefix(old.header.Get("Link"), want) {
				t.Errorf("%s: Link %q, want %q", tt.legacy, old.header.Get("Link"), want)
			}
			if current.header.Get("Deprecation") != "" || strings.Contains(next, "successor") {
				t.Errorf("%s: marked as deprecated", tt.current)
			}
		}
	})
}

func TestP20_LegacyNameIsASetting(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)), func(c *service.Config) { c.LegacyHasDataName = "has_vendor_data" })
	if got := s.get(t, access.Pro, "/v1/filings?has_vendor_data=1").ids(t); len(got) != 4 {
		t.Errorf("has_vendor_data=1 selects %v", got)
	}
	a := s.get(t, access.Pro, "/v1/filings?has_data=1")
	if got := a.header.Get("X-Ignored-Parameters"); a.status != http.StatusOK || got != "has_data" {
		t.Errorf("has_data is not an unknown name: %d, %q", a.status, got)
	}
}

func TestP14_ActiveStatusesAreASetting(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)), func(c *service.Config) { c.ActiveStatuses = []string{"SOLD"} })
	if diff := cmp.Diff([]int64{2}, s.get(t, access.Pro, "/v1/filings?foreclosure_filter=active").ids(t)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
