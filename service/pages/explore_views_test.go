package pages_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestExplore_World: what lies on both sides of 180° is in one piece, and the whole world has all filings.
func TestExplore_World(t *testing.T) {
	t.Parallel()
	e := explore(t, "#map=8/52/180&in_view=true")
	e.use(e.site.Key)
	_, want := e.in("Aleutians West, AK")
	if total := e.total(); total != want || want == 0 || e.counted() != want {
		t.Errorf("%d filings around 180°, %d on the map, want %d", total, e.counted(), want)
	}
	west, east := `[...document.querySelectorAll("#map [data-count]")].map((c) => c.getBoundingClientRect().x)`, `document.querySelector("#map").getBoundingClientRect()`
	if got := e.Value(`String(` + west + `.every((x) => x > ` + east + `.left && x < ` + east + `.right))`); got != "true" {
		t.Error("some are drawn outside of the map")
	}
	e.Screenshot("180")
	e.act(func() { e.Value(`location.hash = "#map=2/35/-90&in_view=true"`) })
	if _, want = e.in(""); e.total() != want || e.counted() != want {
		t.Errorf("%d filings in the world, %d on the map, want %d", e.total(), e.counted(), want)
	}
	e.Screenshot("world")
}

// TestExplore_Keyboard: a filing is opened and closed without a mouse, and the focus comes back.
func TestExplore_Keyboard(t *testing.T) {
	t.Parallel()
	e := explore(t, "#map=11/31.4/-100.5&county=Tom+Green")
	e.use(e.site.Key)
	const point, row = "#map .point", "#table tbody button"
	for _, opener := range []string{point, row} {
		e.Value(fmt.Sprintf("document.querySelector(%q).focus(), ''", opener))
		e.Press(kb.Enter)
		e.Wait(`document.activeElement.id === "filing-title"`)
		e.Press(kb.Escape)
		e.Wait(fmt.Sprintf(`document.querySelector("#filing").hidden && document.activeElement === document.querySelector(%q)`, opener))
	}
	const unnamed = `[...document.querySelectorAll("input, select, button, a, [tabindex='0']")]
		.filter((c) => !(c.labels?.length || c.ariaLabel || c.textContent.trim() || c.id === "map" || c.closest("[hidden]"))).map((c) => c.outerHTML).join()`
	if got := e.Value(unnamed); got != "" {
		t.Errorf("without a name are %s", got)
	}
}

// TestExplore_Windows: the page fits into a narrow window, also with what is beside the map open, and is dark for who likes it so.
func TestExplore_Windows(t *testing.T) {
	t.Parallel()
	e := explore(t, "#map=9/28.5/-81.3")
	e.use(e.site.Key)
	const overflow = `String(document.documentElement.scrollWidth - document.documentElement.clientWidth)`
	e.Value(`for (const d of document.querySelectorAll("#side details")) d.open = true; ""`)
	e.Wait(`document.querySelector("#bars li") && document.querySelector("#days li")`)
	for _, width := range []int64{1200, 360} {
		e.resize(width, 800)
		if got := e.Value(overflow); got != "0" {
			t.Errorf("in a window %d wide the page is %s pixels wider", width, got)
		}
		if got := e.Value(`String(document.documentElement.scrollHeight > document.documentElement.clientHeight)`); width == 1200 && got != "false" {
			t.Error("the page is higher than the window, in which its parts scroll")
		}
		e.Screenshot("light-" + strconv.FormatInt(width, 10))
	}
	e.resize(1280, 1000)
	light := e.Value("getComputedStyle(document.body).backgroundColor")
	e.Dark()
	e.Do(chromedp.Poll[chromedp.Void]("getComputedStyle(document.body).backgroundColor !== " + strconv.Quote(light)))
	e.Screenshot("dark")
	checkQuiet(e)
}
