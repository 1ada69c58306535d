package apitest

import (
	"net/http"
	"path"
	"regexp"
	"strings"
	"testing"

	"filings/service/access"
)

// TestPages_Served: a page and what it loads need no key, and may load nothing from elsewhere.
func TestPages_Served(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(nil))
	for page, files := range map[string]int{"docs": 18, "explore": 18} {
		body := s.get(t, "", "/"+page).body
		if strings.Contains(body, "<style") || regexp.MustCompile(`<script[^>]*>[^<]|<[^>]* (on\w+|style)=`).MatchString(body) {
			t.Errorf("%s has script or style in it: %s", page, body)
		}
		served := map[string]bool{}
		checkServed(t, s, served, "/"+page)
		if len(served) < files {
			t.Errorf("%s loads only %v", page, served)
		}
	}
	for _, path := range []string{"/docs/", "/docs/x", "/docs/scalar/standalone.js.gz", "/docs/scalar", "/docs/../v1/me", "/Docs", "/explore/", "/explore/leaflet", "/explore.html", "/explore/../v1/me"} {
		if a := s.get(t, "", path); a.status != http.StatusUnauthorized {
			t.Errorf("%s without a key: %d", path, a.status)
		}
		if a := s.get(t, access.Free, path); a.status != http.StatusNotFound {
			t.Errorf("%s with a key: %d", path, a.status)
		}
	}
	if used, err := s.Store.Show(t.Context(), "user-free"); err != nil || used.Used != 0 {
		t.Errorf("counted were %+v, %v: neither pages nor unknown paths do", used, err)
	}
}

// TestPages_Root: who asks for no path is sent to the reference, without a key and without counting.
func TestPages_Root(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(nil))
	for _, tier := range []access.Tier{"", access.Free} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			if a := s.do(t, method, tier, "/"); a.status != http.StatusFound || a.header.Get("Location") != "docs" || a.header.Get("X-RateLimit-Limit") != "" {
				t.Errorf("%s with the key of %q: %d %v", method, tier, a.status, a.header)
			}
		}
	}
	for method, want := range map[string][2]int{http.MethodPost: {401, 405}, "BREW": {401, 405}} {
		if without, with := s.do(t, method, "", "/"), s.do(t, method, access.Free, "/"); [2]int{without.status, with.status} != want {
			t.Errorf("%s without and with a key: %d, %d", method, without.status, with.status)
		}
	}
	for _, path := range []string{"//", "/./x", "/index.html"} { // which pages there are is no secret, everything else is (rule K6)
		if a := s.get(t, "", path); a.status != http.StatusUnauthorized {
			t.Errorf("%s: %d", path, a.status)
		}
	}
}

// loads are the files that a page or a module names: as links, scripts and styles, as modules, as data.
var loads = regexp.MustCompile(`(?:(?:href|src)=|address\()"([^"#]+)"|from "\./([^"]*)"`)

// checkServed checks file and, if it has not seen them yet, all that it loads.
func checkServed(t *testing.T, s *site, seen map[string]bool, file string) {
	if seen[file] || strings.HasPrefix(file, "/v1/") {
		return
	}
	seen[file] = true
	a := s.get(t, "", file, "Accept-Encoding", "gzip")
	if a.status != http.StatusOK || a.header.Get("Content-Encoding") != "gzip" || a.header.Get("Cache-Control") != "public, no-cache" {
		t.Errorf("%s: %d %v", file, a.status, a.header)
		return
	}
	policy := a.header.Get("Content-Security-Policy")
	if file == "/docs" { // what Scalar brings: style alone
		policy = strings.Replace(policy, "style-src 'self' 'unsafe-inline';", "style-src 'self';", 1)
	}
	if !strings.HasPrefix(policy, "default-src 'none'; script-src 'self';") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
		t.Errorf("%s: %q", file, policy)
	}
	if again := s.get(t, "", file, "If-None-Match", a.header.Get("ETag")); again.status != http.StatusNotModified {
		t.Errorf("%s with its tag: %d", file, again.status)
	}
	if a.header.Get("Strict-Transport-Security") == "" || a.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%s: %v", file, a.header)
	}
	html := strings.HasPrefix(a.header.Get("Content-Type"), "text/html")
	if !html && path.Dir(file) != "/explore" {
		return // written by others, who name what they do not load
	}
	base := "/" // of what modules load: they are part of /explore
	if html {
		base = path.Dir(file)
	}
	for _, m := range loads.FindAllStringSubmatch(decoded(t, a), -1) {
		if m[2] != "" {
			checkServed(t, s, seen, path.Join("/explore", m[2]))
		} else {
			link, _, _ := strings.Cut(m[1], "#")
			checkServed(t, s, seen, path.Join(base, link))
		}
	}
}
