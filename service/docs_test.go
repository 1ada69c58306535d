package service_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"filings/service/access"
	"filings/service/webtest"
)

// TestDocs_Served: the page and what it loads need no key, and may load nothing from elsewhere.
func TestDocs_Served(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(nil))
	page := s.get(t, "", "/docs")
	loaded := []string{"docs"}
	for _, m := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(page.body, -1) {
		loaded = append(loaded, m[1])
	}
	if len(loaded) < 6 || strings.Contains(page.body, "<style") || regexp.MustCompile(`<script[^>]*>[^<]`).MatchString(page.body) {
		t.Errorf("the page loads %q: %s", loaded, page.body)
	}
	for _, path := range loaded {
		a := s.get(t, "", "/"+path, "Accept-Encoding", "gzip")
		if a.status != http.StatusOK || a.header.Get("Content-Encoding") != "gzip" || a.header.Get("Cache-Control") != "public, no-cache" {
			t.Errorf("%s: %d %v", path, a.status, a.header)
		}
		policy := a.header.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; script-src 'self';") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
			t.Errorf("%s: %q", path, policy)
		}
		if again := s.get(t, "", "/"+path, "If-None-Match", a.header.Get("ETag")); again.status != http.StatusNotModified {
			t.Errorf("%s with its tag: %d", path, again.status)
		}
		if a.header.Get("Strict-Transport-Security") == "" || a.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", path, a.header)
		}
	}
	for _, path := range []string{"/docs/", "/docs/x", "/docs/swagger-ui.css.gz", "/docs/../v1/me", "/Docs"} {
		if a := s.get(t, "", path); a.status != http.StatusUnauthorized {
			t.Errorf("%s without a key: %d", path, a.status)
		}
		if a := s.get(t, access.Free, path); a.status != http.StatusNotFound {
			t.Errorf("%s with a key: %d", path, a.status)
		}
	}
}

// TestDocs reads the documentation as a person does: opens it, types a key, asks for filings, sees them.
func TestDocs(t *testing.T) {
	t.Parallel()
	s := webtest.Start(t)
	p := webtest.Open(t, s.Address+"/docs")
	p.Wait(`document.querySelectorAll(".opblock").length > 10`)
	p.Screenshot("1-operations")
	const search = "#operations-filings-searchFilings "
	p.Click(".btn.authorize")
	p.Do(chromedp.SendKeys(chromedp.CSS(".auth-container input"), s.Key))
	p.Screenshot("2-authorize")
	p.Click(".auth-btn-wrapper .authorize")
	p.Click(".auth-btn-wrapper .btn-done")
	p.Click(search + ".opblock-summary-control")
	p.Do(chromedp.WaitVisible(chromedp.CSS(search + ".execute")))
	p.Screenshot("3-parameters")
	p.Click(search + ".execute")
	const live = search + ".live-responses-table "
	if status := p.Text(live + "tbody .response-col_status"); !strings.HasPrefix(status, "200") {
		t.Errorf("status %s", status)
	}
	if body := p.Text(live + ".highlight-code"); !strings.Contains(body, `"county"`) || !strings.Contains(body, `"tier": "enterprise"`) {
		t.Errorf("body %s", body)
	}
	p.Screenshot("4-answer")

	u, err := url.Parse(s.Address)
	if err != nil {
		t.Fatal(err)
	}
	if hosts := p.Hosts(); !slices.Equal(hosts, []string{u.Host}) {
		t.Errorf("the page asked %q", hosts)
	}
	if problems := p.Problems(); len(problems) > 0 {
		t.Errorf("problems:\n%s", strings.Join(problems, "\n"))
	}
}
