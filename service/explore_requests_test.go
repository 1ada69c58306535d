package service_test

import (
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"filings/cmd/testservers/servers"
	"filings/index"
)

// TestExplore_Requests: a free key has a hundred requests for life. The page sends none that it can do without, and says
// how many it sent.
func TestExplore_Requests(t *testing.T) {
	t.Parallel()
	e := explore(t, "")
	e.Do(chromedp.EmulateViewport(1280, 1000))
	e.use(e.site.Key)
	sent := 0
	expect := func(what string, want ...string) {
		t.Helper()
		got := e.sent(sent)
		sent += len(got)
		for i, path := range got {
			got[i] = kind(t, path)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	expect("a key", "list", "world", "map")
	e.act(func() { e.Click("#table tbody button") })
	expect("a filing of the table")
	e.act(func() { e.Click("#filing button") })
	expect("the filing closed")
	e.Click("#next")
	e.waitIdle()
	expect("a page", "list")
	e.act(func() { e.Click("#map .leaflet-control-zoom-in") })
	expect("a view", "map")
	e.act(func() { e.Type("#filter-county", "Nowhere, TX") })
	expect("a county without filings", "counties", "list")
	e.act(func() { e.Type("#filter-county", unplacedCounty) })
	expect("a county without places", "list")
	e.act(func() { e.Type("#filter-county", "Kenedy, TX") })
	expect("a county whose filings fit into a page", "list", "map")
	e.act(func() { e.Type("#filter-county", "Orange") })
	expect("a county with many", "list", "world", "map")
	if got := e.Text("#requests summary"); got != "Requests · 13 counted since the key was typed" || sent != 13 {
		t.Errorf("%q after %d", got, sent)
	}
}

// kind tells what a request of the page is for.
func kind(t *testing.T, path string) string {
	t.Helper()
	u, err := url.Parse(path)
	switch {
	case err != nil:
		t.Fatal(err)
	case u.Path == "/v1/filings/clusters" && u.Query().Get("zoom") == "0":
		return "world"
	case u.Path == "/v1/filings/clusters":
		return "map"
	case u.Path == "/v1/filings":
		return "list"
	}
	return strings.TrimPrefix(u.Path, "/v1/")
}

// TestExplore_Typing: filters apply while they are typed, after a pause, and not before a value can be whole. Counties and
// filing types that there are are offered, and nothing that there is not.
func TestExplore_Typing(t *testing.T) {
	t.Parallel()
	e := explore(t, "")
	e.use(e.site.Key)
	if got := e.Value(`[...document.querySelectorAll("#filters [placeholder]")].map((c) => c.name).join()`); got != "" {
		t.Errorf("placeholders: %s", got)
	}
	if got := e.Value(`document.querySelector("#help-city").textContent`); got != "City." {
		t.Errorf("the help for a city: %q", got)
	}
	e.Value(`document.querySelector("#filter-county").focus(), ""`)
	e.Wait(`document.querySelectorAll("#offers-county option").length > 0`)
	if got, want := offers(e, "county"), countiesOf(e); !slices.Equal(got, want) {
		t.Errorf("the counties are %q, offered are %q", want, got)
	}
	sent := len(e.sent(0))
	typed := func(text string) { e.Do(chromedp.SendKeys(chromedp.CSS("#filter-county"), text)) }
	typed("Kened")
	if got := e.Value(`document.querySelector("#results").ariaBusy`); got != "false" {
		t.Error("the beginning of a county's name is asked for")
	}
	e.act(func() { typed("y, TX") })
	if got := e.sent(sent); len(got) != 2 || e.total() != 4 {
		t.Errorf("typing sent %q, the table has %d", got, e.total())
	}
	e.act(func() { e.Type("#filter-county", "Orange") })
	types := offers(e, "filing_types")
	if !slices.Contains(types, "Tax Lien") || !slices.Contains(types, "Lis Pendens") || !slices.Equal(types, offers(e, "filing_type")) {
		t.Errorf("filing types %q", types)
	}
	e.Do(chromedp.SendKeys(chromedp.CSS("#filter-filing_types"), "Lis Pendens,"))
	if got := offers(e, "filing_types"); !slices.Contains(got, "Lis Pendens,Tax Lien") {
		t.Errorf("for a second filing type %q", got)
	}
	e.Type("#filter-filing_types", "Lis Pendens")
	e.waitIdle()
	if got := e.Value(`[...document.querySelectorAll("#table tbody tr")].filter((r) => r.textContent.includes("Lis Pendens")).length + ""`); got != e.Value(`document.querySelectorAll("#table tbody tr").length + ""`) {
		t.Errorf("%s rows are of the filing type", got)
	}
}

func offers(e *explorer, name string) []string {
	return strings.Split(e.Value(`[...document.querySelectorAll("#offers-`+name+` option")].map((o) => o.value).join("|")`), "|")
}

// countiesOf returns the counties that there are.
func countiesOf(e *explorer) (all []string) {
	for _, f := range e.filings {
		all = append(all, f.Text(index.County))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestExplore_Curl: the lines that the page shows work in a shell, with a certificate that nobody else vouches for.
func TestExplore_Curl(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"curl", "openssl", "sh"} {
		if _, err := exec.LookPath(tool); err != nil {
			servers.Lack(t, "no %s on the PATH", tool)
		}
	}
	e := explore(t, "")
	e.use(e.site.Key)
	e.act(func() { e.Type("#filter-county", "Kenedy, TX") })
	e.Click("#requests summary")
	list := e.Text(`[data-request="list"]`)
	for trust, want := range map[string]bool{e.Text(`[data-request="trust"]`): true, ":": false} {
		shell := exec.CommandContext(t.Context(), "sh", "-c", trust+"\n"+list)
		shell.Dir = t.TempDir()
		shell.Env = append(shell.Environ(), "KEY="+e.site.Key)
		body, err := shell.Output()
		if ok := err == nil && strings.Contains(string(body), `"id":800003`); ok != want {
			t.Errorf("%s\n%s\n%v: %s", trust, list, err, body)
		}
	}
}
