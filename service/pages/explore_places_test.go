package pages_test

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/indextest/edges"
)

// unplacedCounty has filings, none of which has a place on the map.
const unplacedCounty = "Loving, TX"

// unplaced returns filings of that county.
func unplaced() (all []*index.Filing) {
	for id := range int64(3) {
		all = append(all, edges.Filing(700_001+id, edges.Values{index.CreatedAt: edges.Day("2026-01-01"), index.County: unplacedCounty, index.FilingAmount: 100.0 + float64(id)}))
	}
	return all
}

// stack returns filings that lie at one point of one county.
func stack() (all []*index.Filing) {
	for id := range int64(4) {
		all = append(all, edges.Filing(800_001+id, edges.Values{
			index.CreatedAt: edges.Day("2026-01-01"), index.County: "Kenedy, TX", index.Owner: fmt.Sprintf("OWNER %d", id), index.Latitude: 26.9, index.Longitude: -97.6,
		}))
	}
	return all
}

// TestExplore_Unplaced: the table has all filings that the filters select, also those that lie nowhere, and the page says
// how many these are; a switch restricts it to the map's view.
func TestExplore_Unplaced(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	e := explore(t, "")
	e.use(e.site.Key)
	all, placed := e.in("")
	said := func(n int, of string) string { return fmt.Sprintf("%s%s without coordinates", grouped(n), of) }
	if got := e.Text("#unplaced"); e.total() != all || got != said(all-placed, "") {
		t.Errorf("%d filings, %q; want %d, %d of them without a place", e.total(), got, all, all-placed)
	}
	e.act(func() { e.Click("#in-view") })
	inView := e.within(e.lastList()) // circles are drawn also around what is in view
	if got := e.Text("#unplaced"); e.total() != inView || inView == 0 || inView >= placed || got != said(all-placed, " of all "+grouped(all)) {
		t.Errorf("in view are %d filings, want %d of %d that have a place, %q", e.total(), inView, placed, got)
	}
	if n := e.counted(); n < inView || n > placed {
		t.Errorf("on the map are %d filings, of %d in view and %d in all", n, inView, placed)
	}
	e.act(func() { e.Type("#filter-county", unplacedCounty) })
	if got := e.Text("#status"); !strings.HasPrefix(got, "No filings in view") || e.Text("#unplaced") != said(3, " of all 3") {
		t.Errorf("in view of %s: %q, %q", unplacedCounty, got, e.Text("#unplaced"))
	}
	e.act(func() { e.Click("#in-view") })
	if got := e.ids(); !slices.Equal(got, []string{"700003", "700002", "700001"}) || e.Text("#unplaced") != said(3, "") || e.counted() != 0 {
		t.Errorf("%s has %v, %q", unplacedCounty, got, e.Text("#unplaced"))
	}
	e.Screenshot("county")
	e.act(func() {
		e.Value(`document.querySelector("#unplaced").focus(), document.querySelector("#unplaced").click(), ""`)
	})
	if got := e.Value(`document.activeElement.id`); got != "unplaced" || e.total() != 3 || !strings.Contains(e.Value("location.hash"), "has_coordinates=false") {
		t.Errorf("listed are %d filings, the focus is on %q, at %s", e.total(), got, e.Value("location.hash"))
	}
	checkQuiet(e)
}

// lastList returns the parameters of the last request for the table.
func (e *explorer) lastList() url.Values {
	e.t.Helper()
	for _, path := range slices.Backward(e.sent(0)) {
		if kind(e.t, path) == "list" {
			u, err := url.Parse(path)
			if err != nil {
				e.t.Fatal(err)
			}
			return u.Query()
		}
	}
	e.t.Fatal("the table was not asked for")
	return nil
}

// within returns how many filings lie within bounds, which are parameters of a request, of the map's view.
func (e *explorer) within(bounds url.Values) (n int) {
	e.t.Helper()
	edge := func(name string) float64 {
		at, err := strconv.ParseFloat(bounds.Get("bounds_"+name), 64)
		if err != nil {
			e.t.Fatalf("the view's %s: %v", name, err)
		}
		return at
	}
	north, south, east, west := edge("north"), edge("south"), edge("east"), edge("west")
	for _, f := range e.filings {
		lat, placed := f.Number(index.Latitude)
		lon, _ := f.Number(index.Longitude)
		if placed && lat >= south && lat <= north && lon >= west && lon <= east {
			n++
		}
	}
	return n
}

// grouped writes a number as the page does.
func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

// TestExplore_Place: the map goes to a county that is filtered, with its borders, and back when it is not any more; filings
// that lie at one point open as a list, where each opens.
func TestExplore_Place(t *testing.T) {
	t.Parallel()
	e := explore(t, "")
	e.use(e.site.Key)
	if got := e.Value(`String(document.querySelectorAll("#map .county").length)`); got != "0" || slices.ContainsFunc(e.Requests(), isCounties) {
		t.Errorf("far away %s counties are drawn", got)
	}
	e.act(func() { e.Type("#filter-county", "Kenedy, TX") })
	e.Wait(`document.querySelectorAll("#map .county").length > 0`)
	if hash := e.Value("location.hash"); !regexp.MustCompile(`^#map=11/26\.(899|900)\d\d/-97\.(599|600)\d\d&`).MatchString(hash) || e.counted() != 4 {
		t.Errorf("the map shows %s, with %d filings", hash, e.counted())
	}
	if n := len(slices.DeleteFunc(e.Requests(), func(r string) bool { return !isCounties(r) })); n != 1 {
		t.Errorf("the counties were loaded %d times", n)
	}
	e.Screenshot("county")
	e.Value(`document.querySelector("#map .circle").focus(), ""`)
	if got := e.Value(`document.activeElement.ariaLabel`); got != "4 filings: list" {
		t.Errorf("the circle is called %q", got)
	}
	e.Press("\r")
	e.Wait(`!document.querySelector("#place").hidden && document.activeElement.id === "place-title"`)
	if got := e.Text("#place"); !strings.HasPrefix(got, "4 filings at one place") || strings.Count(got, "OWNER") != 4 {
		t.Errorf("the list: %q", got)
	}
	e.Screenshot("list")
	before := len(e.sent(0))
	e.Click(`#place [data-id="800003"]`)
	e.Wait(`!document.querySelector("#filing").hidden && document.activeElement.id === "filing-title"`)
	if got := e.Text("#filing-title"); got != "OWNER 2" || len(e.sent(before)) > 1 {
		t.Errorf("%q is open, after %v", got, e.sent(before))
	}
	e.Press("\x1b")
	e.Press("\x1b")
	e.Wait(`document.querySelector("#place").hidden && document.activeElement.closest("#map")`)
	e.act(func() { e.Click("#filters [type=reset]") })
	if _, placed := e.in(""); e.counted() != placed {
		t.Errorf("without a county %d of %d are on the map", e.counted(), placed)
	}
	checkQuiet(e)
}

func isCounties(address string) bool { return strings.HasSuffix(address, "/counties-10m.json") }
