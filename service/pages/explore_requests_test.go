package pages_test

import (
	"fmt"
	"net/url"
	"os/exec"
	"slices"
	"strconv"
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
	servers.Nightly(t, "browser")
	e := explore(t, "")
	e.Resize(1280, 1000)
	e.use(e.site.Key)
	sent := 0
	expect := func(what string, want ...string) {
		t.Helper()
		got := e.sent(sent)
		sent += len(got)
		for i, path := range got {
			got[i] = kind(t, path)
		}
		slices.Sort(got) // some go at once
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	expect("a key", "list", "world", "facets", "facets")
	e.act(func() { e.Click("#table tbody button") })
	expect("a filing of the table: how many its owner has", "list")
	e.act(func() { e.Click("#filing button") })
	expect("the filing closed")
	e.Click("#next")
	e.waitIdle()
	expect("a page", "list")
	zoom := func(to string) { e.act(func() { e.Click("#map .leaflet-control-zoom-" + to) }) }
	zoom("in")
	expect("a view", "tile", "tile", "tile")
	zoom("out")
	zoom("in")
	expect("what was in view before")
	view := func(at string) { e.act(func() { e.Value(`location.hash = "#map=` + at + `"`) }) }
	view("8/33.8/-117.6&offset=100")
	expect("nearer in a tile that has each filing")
	view("10/33.8/-117.6&offset=100")
	expect("nearer than that tile is sharp", "tile")
	view("11/33.8/-117.9&offset=100")
	expect("nearer in the next one")
	e.Value(`document.querySelector("#filter-county").focus(), ""`)
	e.Wait(`document.querySelectorAll("#offers-county option").length > 0`)
	expect("a reader who stays in the field of the county", "counties")
	e.act(func() { e.Type("#filter-county", "Nowhere, TX") })
	expect("a county without filings", "list")
	e.act(func() { e.Type("#filter-county", unplacedCounty) })
	expect("a county without places", "list")
	e.act(func() { e.Type("#filter-county", "Kenedy, TX") })
	expect("a county whose filings fit into a page", "list")
	e.act(func() { e.Type("#filter-county", "Orange") })
	expect("a county with many", "list", "world", "tile", "tile", "facets")
	if got := e.Text("#requests summary"); got != "Requests · 19 counted since the key was typed" || sent != 19 {
		t.Errorf("%q after %d", got, sent)
	}
}

// TestExplore_FirstView: what a reader first sees takes few requests of the key, and few bytes.
func TestExplore_FirstView(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	e := explore(t, "")
	e.use(e.site.Key)
	const most = 400_000
	bytes := e.number(`String(performance.getEntries().reduce((sum, { transferSize = 0 }) => sum + transferSize, 0))`)
	if sent := e.sent(0); len(sent) > 8 || bytes > most || bytes < most/4 {
		t.Errorf("it sent %q, and loaded %d bytes", sent, bytes)
	}
}

// TestExplore_MovedWhileAsked: what the filters select is of no view, so a view that changes while it is asked for costs nothing.
func TestExplore_MovedWhileAsked(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	for hash, want := range map[string][]string{
		"":                           {"list", "world", "facets", "facets", "tile", "tile", "tile"},
		"#map=4/39/-96&in_view=true": {"list", "list", "facets", "facets", "tile", "tile", "tile", "world"},
	} {
		t.Run(hash, func(t *testing.T) {
			t.Parallel()
			g := &gate{arrived: make(chan struct{}, 1)}
			e := explore(t, hash, g.guard)
			held := make(chan struct{})
			g.set(false, held)
			e.Type("#key-text", e.site.Key)
			<-g.arrived
			before := e.Value("location.hash")
			e.Click("#map .leaflet-control-zoom-in")
			e.Wait("location.hash !== " + strconv.Quote(before))
			g.set(false, nil)
			close(held)
			e.waitIdle()
			zoom := e.number(`location.hash.match(/map=(\d+)/)[1]`) - 2 // of tiles of 1,024 pixels
			sent := e.sent(0)
			var got []string
			for _, path := range sent {
				got = append(got, kind(t, path))
			}
			slices.Sort(got[2:]) // the last ones go at once
			if !slices.Equal(got, want) || !slices.ContainsFunc(sent, func(path string) bool { return strings.Contains(path, fmt.Sprintf("/%d/", zoom)) }) {
				t.Errorf("it sent %q", sent)
			}
		})
	}
}

// kind tells what a request of the page is for.
func kind(t *testing.T, path string) string {
	t.Helper()
	u, err := url.Parse(path)
	switch {
	case err != nil:
		t.Fatal(err)
	case u.Path == "/v1/filings/clusters" && u.Query().Get("bounds_north") == "90":
		return "world"
	case u.Path == "/v1/filings/clusters":
		return "cell"
	case strings.HasPrefix(u.Path, "/v1/tiles/"):
		return "tile"
	case u.Path == "/v1/filings/groups" && strings.Contains(u.Query().Get("by"), ","):
		return "facets"
	case u.Path == "/v1/filings":
		return "list"
	}
	return strings.TrimPrefix(u.Path, "/v1/")
}

// TestExplore_OlderLink: a link to a page that is not there any more shows the last one.
func TestExplore_OlderLink(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	for _, more := range []string{"", "&in_view=true"} {
		e := explore(t, "#map=2/0/0&offset=1000000"+more)
		e.use(e.site.Key)
		e.Wait(`document.querySelector("#table tbody tr")`)
		e.waitIdle()
		got := e.Value(`document.querySelector("#status").textContent + " " + document.querySelector("#next").disabled`)
		if last := len(e.filings); more == "" && !strings.HasSuffix(strings.ReplaceAll(got, ",", ""), fmt.Sprintf("shown: %d–%d true", last-1-(last-1)%100+1, last)) {
			t.Errorf("of %d filings: %s", last, got)
		}
		if sent := e.sent(0); len(sent) > 12 {
			t.Errorf("it sent %q", sent)
		}
	}
}

// TestExplore_Typing: filters apply while they are typed, after a pause, and not before a value can be whole. Counties that
// there are are offered, and nothing that there is not; a further filing type is offered behind the first one.
func TestExplore_Typing(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	e := explore(t, "")
	e.use(e.site.Key)
	if got := e.Value(`[...document.querySelectorAll("#filters [placeholder]")].map((c) => c.name).join()`); got != "" {
		t.Errorf("placeholders: %s", got)
	}
	for name, want := range map[string]string{"city": "As addresses have it.", "min_amount": "In dollars, as in 5,000.", "max_amount": "In dollars, as in 5,000."} {
		if got := e.Value(`document.querySelector("#help-` + name + `").textContent`); got != want {
			t.Errorf("the help for %s: %q", name, got)
		}
	}
	e.Value(`document.querySelector("#filter-county").focus(), ""`)
	e.Wait(`document.querySelectorAll("#offers-county option").length > 0`)
	if got, want := offers(e, "county"), countiesOf(e); !slices.Equal(got, want) {
		t.Errorf("the counties are %q, offered are %q", want, got)
	}
	sent := len(e.sent(0))
	e.Insert("Kened")
	if got := e.Value(`document.querySelector("#results").ariaBusy`); got != "false" {
		t.Error("the beginning of a county's name is asked for")
	}
	e.act(func() { e.Insert("y, TX") })
	if got := e.sent(sent); len(got) != 1 || e.total() != 4 {
		t.Errorf("typing sent %q, the table has %d", got, e.total())
	}
	e.act(func() { e.Type("#filter-county", "Kenedy, TX; Orange, CA") })
	if want, _ := e.in("Orange, CA"); e.total() != 4+want || !slices.Contains(offers(e, "county"), "Kenedy, TX;Orange, FL") {
		t.Errorf("two counties have %d filings, want %d; offered are %q", e.total(), 4+want, offers(e, "county"))
	}
	e.act(func() { e.Type("#filter-county", "Orange") })
	e.Do(chromedp.SendKeys(chromedp.CSS("#filter-filing_types"), "Lis Pendens,"))
	e.Wait(`document.querySelectorAll("#offers-filing_types option").length > 0`)
	if got := offers(e, "filing_types"); !slices.Contains(got, "Lis Pendens,Tax Lien") {
		t.Errorf("for a second filing type %q", got)
	}
	e.Type("#filter-filing_types", "Lis Pendens")
	e.waitIdle()
	if got := e.Value(`[...document.querySelectorAll("#table tbody tr")].filter((r) => r.textContent.includes("Lis Pendens")).length + ""`); got != e.Value(`document.querySelectorAll("#table tbody tr").length + ""`) {
		t.Errorf("%s rows are of the filing type", got)
	}
}

// TestExplore_Offers: filing types and cities are offered of what the other filters select, once the focus stays in their
// field; passing through costs nothing, and an answer serves both fields for types.
func TestExplore_Offers(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	e := explore(t, "#county=Orange%2C+CA")
	e.use(e.site.Key)
	sent := len(e.sent(0))
	e.Value(`for (const name of ["city", "filing_types", "date_start"]) document.querySelector("#filter-" + name).focus(); ""`)
	stay := func(name string) []string {
		e.Value(`document.querySelector("#filter-` + name + `").focus(), ""`)
		e.Wait(`document.querySelectorAll("#offers-` + name + ` option").length > 0`)
		return offers(e, name)
	}
	in := func(field index.Field) (all []string) {
		for _, f := range e.filings {
			if f.Text(index.County) == "Orange, CA" && f.Text(field) != "" {
				all = append(all, f.Text(field))
			}
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	if got, want := stay("filing_types"), in(index.FilingType); !slices.Equal(got, want) || len(want) < 2 {
		t.Errorf("types %q, want %q", got, want)
	}
	e.act(func() { e.Type("#filter-filing_types", "Tax Lien") })
	e.Value(`document.querySelector("#filter-filing_type").closest("details").open = true, ""`)
	if got, want := stay("filing_type"), in(index.FilingType); !slices.Equal(got, want) {
		t.Errorf("with a type, types %q, want %q", got, want)
	}
	if got := stay("city"); len(got) < 2 || len(got) >= len(in(index.PropertyAddress)) {
		t.Errorf("cities %q", got)
	}
	got := e.sent(sent)
	for i, path := range got {
		got[i] = kind(t, path)
	}
	if want := []string{"list", "filings/groups"}; !slices.Equal(got, want) {
		t.Errorf("it sent %q, want %q", got, want)
	}
}

// TestExplore_LeftAndEntered: a field that is left and entered again asks for its values once, however long they take.
func TestExplore_LeftAndEntered(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	g := &gate{arrived: make(chan struct{}, 2)}
	e := explore(t, "", g.guard)
	e.use(e.site.Key)
	sent, held := len(e.sent(0)), make(chan struct{})
	g.set(false, held)
	e.Value(`for (const name of ["city", "county", "city"]) document.querySelector("#filter-" + name).focus(); ""`)
	<-g.arrived
	e.Value(`new Promise((later) => setTimeout(() => later(""))) // timers that were due with the first one have run`)
	close(held)
	e.Wait(`document.querySelectorAll("#offers-city option").length > 0`)
	if got := e.sent(sent); len(got) != 1 {
		t.Errorf("it sent %q", got)
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
	servers.Nightly(t, "browser")
	for _, tool := range []string{"curl", "openssl", "sh"} {
		servers.Program(t, tool)
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
