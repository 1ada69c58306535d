package pages_test

import (
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/indextest"
)

// TestX34_ExploreDraw: a circle is drawn with the keyboard, and a polygon with a mouse. Both are filters of all that the page shows, in its
// address, and go as filters do.
func TestX34_ExploreDraw(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	e := explore(t, "#map=8/28.5/-81.4")
	e.Resize(1280, 1000)
	e.use(e.site.Key)
	all := e.total()

	e.Value(`document.querySelector("#draw-circle").focus(), ""`)
	e.Press(kb.Enter)
	e.Wait(`document.activeElement.id === "map" && document.querySelector("#map").matches(".drawing")`)
	e.Press(kb.Enter)
	e.act(func() { e.Press(kb.ArrowRight) })
	e.Screenshot("circle-half")
	e.act(func() { e.Press(kb.Enter) })
	circle := e.filters()
	lat, lon, _ := strings.Cut(circle.Get("near"), ",")
	center := index.Point{Latitude: number(t, lat), Longitude: number(t, lon)}
	radius := number(t, circle.Get("radius"))
	if indextest.Distance(center, index.Point{Latitude: 28.5, Longitude: -81.4}) > 600 || radius < 30_000 || radius > 50_000 {
		t.Errorf("80 pixels to the right make %v", circle)
	}
	checkRegion(e, "the circle", all, func(at index.Point) bool { return indextest.Distance(center, at) <= radius })
	e.Screenshot("circle")

	e.Click("#draw-remove")
	e.waitIdle()
	if e.total() != all || len(e.filters()) != 0 || e.Value(`document.querySelectorAll("#map .region").length + document.activeElement.id`) != "0draw-circle" {
		t.Errorf("removed, there are %d of %d filings, and %v", e.total(), all, e.filters())
	}

	e.Click("#draw-polygon")
	for _, at := range [][2]float64{{600, 150}, {900, 150}, {900, 500}, {620, 480}} { // the first is below the words that help
		e.Do(chromedp.MouseClickXY(at[0], at[1]))
	}
	e.Press(kb.Backspace)
	e.Screenshot("polygon-half")
	e.act(func() { e.Click("#draw-done") })
	var p index.Polygon
	for _, corner := range strings.Split(e.filters().Get("polygon"), ";") {
		lat, lon, _ := strings.Cut(corner, ",")
		p.Corners = append(p.Corners, index.Point{Latitude: number(t, lat), Longitude: number(t, lon)})
	}
	if len(p.Corners) != 3 {
		t.Fatalf("three corners make %v", p.Corners)
	}
	checkRegion(e, "the polygon", all, func(at index.Point) bool { return indextest.Covers(p, at) })
	e.Screenshot("polygon")
	hash := e.Value("location.hash")
	e.act(func() { e.Click("#filters [type=reset]") })
	e.act(func() { e.Value("location.hash = " + strconv.Quote(hash)) })
	checkRegion(e, "the polygon of a link", all, func(at index.Point) bool { return indextest.Covers(p, at) })
	e.resize(390, 900)
	e.Dark()
	e.Click("#draw-polygon")
	e.Screenshot("narrow")
	checkAxe(e, "while a polygon is drawn")
	e.Value(`document.querySelector("#map").focus(), ""`)
	e.Press(kb.Escape)
	e.Wait(`!document.querySelector("#map").matches(".drawing") && document.querySelector("#draw-help").hidden`)
	checkQuiet(e)
}

// checkRegion: table and map have the filings at the points that a region has, and the region is drawn.
func checkRegion(e *explorer, what string, all int, has func(index.Point) bool) {
	e.t.Helper()
	want := 0
	for _, f := range e.filings {
		lat, placed := f.Number(index.Latitude)
		if lon, _ := f.Number(index.Longitude); placed && has(index.Point{Latitude: lat, Longitude: lon}) {
			want++
		}
	}
	if total := e.total(); total != want || e.counted() != want || want == 0 || want == all {
		e.t.Errorf("in %s are %d filings, %d on the map, want %d", what, total, e.counted(), want)
	}
	if got := e.Value(`document.querySelectorAll("#map .region:not(.sketch)").length + ""`); got != "1" {
		e.t.Errorf("%s: %s regions are drawn", what, got)
	}
}

// filters are those of the page's address.
func (e *explorer) filters() url.Values {
	e.t.Helper()
	values, err := url.ParseQuery(strings.ReplaceAll(strings.TrimPrefix(e.Value("location.hash"), "#"), ";", "%3B"))
	if err != nil {
		e.t.Fatal(err)
	}
	values.Del("map")
	return values
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
