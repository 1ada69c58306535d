package webtest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"filings/cmd/testservers/servers"
)

// audit has the findings of axe-core on the page as it stands, of these impacts, as JSON: a text
// for each element.
const audit = `axe.run(document, {resultTypes: ["violations"]}).then((found) => JSON.stringify(found.violations
	.filter((rule) => %s.includes(rule.impact))
	.flatMap((rule) => rule.nodes.map((node) =>
		rule.id + ": " + node.target.join(" ") + "\n" + node.html.slice(0, 300) + "\n" + node.failureSummary))))`

// Findings returns all that axe-core finds on the page, each with the rule's id, a CSS selector of
// the element, and how to fix it. None is nil. axe-core is of `make tools`; without it the test is
// skipped, and with REQUIRE_SERVICES=1 that is a failure.
func (p *Page) Findings(t testing.TB) []string {
	t.Helper()
	return p.audited(t, `["minor", "moderate", "serious", "critical"]`)
}

// Serious returns of the Findings those that keep people from using the page.
func (p *Page) Serious(t testing.TB) []string {
	t.Helper()
	return p.audited(t, `["serious", "critical"]`)
}

func (p *Page) audited(t testing.TB, impacts string) (findings []string) {
	t.Helper()
	axe, err := os.ReadFile(filepath.Join(servers.NodeModules(t, "axe-core"), "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	// as a debugger: the page's policy forbids a script
	p.Do(chromedp.Evaluate[chromedp.Void](string(axe) + "\n;undefined"))
	if err := json.Unmarshal([]byte(p.Value(fmt.Sprintf(audit, impacts))), &findings); err != nil {
		t.Fatal(err)
	}
	return findings
}
