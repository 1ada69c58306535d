package service_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"filings/service/webtest"
)

// TestDocs reads the documentation as a person does: opens it, types a key, requests filings, sees them.
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
	p.Screenshot("4-response")

	u, err := url.Parse(s.Address)
	if err != nil {
		t.Fatal(err)
	}
	if hosts := p.Hosts(); !slices.Equal(hosts, []string{u.Host}) {
		t.Errorf("the page requested %q", hosts)
	}
	if problems := p.Problems(); len(problems) > 0 {
		t.Errorf("problems:\n%s", strings.Join(problems, "\n"))
	}
}
