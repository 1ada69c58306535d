package apitest

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"filings/service/access"
)

// FuzzCounty: a county in a path is found, unknown or refused, never a failure; and escaped in another way it is the same
// one.
func FuzzCounty(f *testing.F) {
	for _, seed := range []string{"Orange", "orange%2C%20FL", "A%2fB, FL", "%c0%af", "%zz", "..", "%2e%2e", "+", "%00", "É", ";a=b", "%E2%80%A8"} {
		f.Add(seed)
	}
	s := newSite(f, oracle(fixture(f)))
	f.Fuzz(func(t *testing.T, raw string) {
		if raw == "" || strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '/' || r == '?' || r == '#' }) {
			return // not in one segment of a path
		}
		a := s.get(t, access.Pro, "/v1/counties/"+raw+"/months")
		if a.status != http.StatusOK && a.status != http.StatusNotFound && a.status != http.StatusBadRequest {
			t.Fatalf("%q: %d %s", raw, a.status, a.body)
		}
		county, err := url.PathUnescape(raw)
		if (err != nil) && a.status != http.StatusBadRequest {
			t.Fatalf("%q: %d, but net/url says %v", raw, a.status, err)
		}
		if err != nil || a.status == http.StatusBadRequest {
			return
		}
		var escaped strings.Builder
		for _, b := range []byte(county) {
			escaped.WriteString("%" + strings.ToUpper(string("0123456789abcdef"[b>>4])+string("0123456789abcdef"[b&15])))
		}
		again := s.get(t, access.Pro, "/v1/counties/"+escaped.String()+"/months")
		if again.status != a.status || again.header.Get("ETag") != a.header.Get("ETag") {
			t.Fatalf("%q: %d %s, escaped %d %s", raw, a.status, a.body, again.status, again.body)
		}
	})
}
