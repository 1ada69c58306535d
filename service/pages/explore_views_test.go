package pages_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"filings/cmd/testservers/servers"
	"filings/index"
)

// TestExplore_World: what lies on both sides of 180° is in one piece, and the whole world has all filings.
func TestExplore_World(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
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
	servers.Nightly(t, "browser")
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

// TestExplore_KeyboardThroughMap: Tab goes from circle to circle that the map shows, and on behind the map. One that lies outside moved the map when it
// got the focus, whose circles were drawn anew, so that the focus was back at the beginning, for ever.
func TestExplore_KeyboardThroughMap(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	e := explore(t, "#map=4/37/-95")
	e.use(e.site.Key)
	e.resize(360, 640)
	hash, circles := e.Value("location.hash"), 0
	e.Value(`document.querySelector("#map").focus(), ""`)
	const at = `(() => {
		const held = document.activeElement, box = held.getBoundingClientRect(), map = document.querySelector("#map").getBoundingClientRect();
		const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
		if (!held.dataset.count) return held.id || held.className;
		return x < map.left || x > map.right || y < map.top || y > map.bottom ? "a circle outside" : "a circle";
	})()`
	for {
		e.Press(kb.Tab)
		if got := e.Value(at); got == "a circle" && circles < 100 {
			circles++
		} else if got != "leaflet-control-zoom-in" || circles == 0 {
			t.Fatalf("the focus is at %s after %d circles", got, circles)
		} else {
			break
		}
	}
	if got := e.Value("location.hash"); got != hash {
		t.Errorf("Tab has moved the map from %s to %s", hash, got)
	}
	if outside := e.Value(`String(document.querySelectorAll("#map [data-count][aria-hidden]").length)`); outside == "0" {
		t.Error("all circles are in view: this test does not see what it is for")
	}
}

// TestExplore_Windows: the page fits into a narrow window, also with what is beside the map open, and is dark for who likes it so.
func TestExplore_Windows(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	e := explore(t, "#map=9/28.5/-81.3")
	e.use(e.site.Key)
	const overflow = `String(document.documentElement.scrollWidth - document.documentElement.clientWidth)`
	e.Value(`for (const d of document.querySelectorAll("#side details")) d.open = true; ""`)
	e.Wait(`document.querySelector("#bars li") && document.querySelector("#days li")`)
	for _, width := range []int64{1200, 360, 320} {
		e.resize(width, 800)
		if got := e.Value(overflow); got != "0" {
			t.Errorf("in a window %d wide the page is %s pixels wider", width, got)
		}
		if got := e.Value(`String(document.documentElement.scrollHeight > document.documentElement.clientHeight)`); width == 1200 && got != "false" {
			t.Error("the page is higher than the window, in which its parts scroll")
		}
		e.Screenshot("light-" + strconv.FormatInt(width, 10))
		for _, column := range []string{"filingAmount", "filingDate", "filingAmount"} { // also backwards, where the first column is at the left
			if got := e.Value(fmt.Sprintf(`(() => {
				const held = document.querySelector("#table [data-sort=%s] button");
				document.activeElement.blur();
				held.focus();
				const { left, right, top } = held.getBoundingClientRect();
				const there = document.elementFromPoint((left + right) / 2, top + 8);
				return there === held ? "" : `+"`${left} to ${right}, where ${there?.outerHTML.slice(0, 80)} is`"+`;
			})()`, column)); got != "" {
				t.Errorf("%d: the head of %s has the focus and does not show: %s", width, column, got)
			}
		}
	}
	e.resize(1280, 1000)
	light := e.Value("getComputedStyle(document.body).backgroundColor")
	e.Dark()
	e.Do(chromedp.Poll[chromedp.Void]("getComputedStyle(document.body).backgroundColor !== " + strconv.Quote(light)))
	e.Screenshot("dark")
	checkQuiet(e)
}

// TestX12_ExploreDays: the bars of one or two months are their days, exact to the filing, whether groups or the filings themselves tell.
// A day less is chosen among all of them, and costs no groups.
func TestX12_ExploreDays(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	e := explore(t, "")
	e.use(e.site.Key)
	for _, span := range []struct {
		first, last string
		isMany      bool // more than the page reads whole
	}{{"2026-01-01", "2026-01-31", false}, {"2025-11-01", "2025-12-31", true}} {
		days, total := map[string]int{}, 0
		for _, f := range e.filings {
			if day := f.Text(index.FilingDate); day >= span.first && day <= span.last {
				days[day]++
				total++
			}
		}
		if total > 300 != span.isMany {
			t.Fatalf("%d filings from %s", total, span.first)
		}
		e.act(func() { e.Value(fmt.Sprintf(`location.hash = "#date_start=%s&date_end=%s"`, span.first, span.last)) })
		e.Wait(fmt.Sprintf(`document.querySelector("#time title")?.textContent.startsWith(%q)`, span.first[:8]))
		if diff := cmp.Diff(days, barsOfTime(e)); diff != "" || e.total() != total {
			t.Errorf("%d filings from %s, by day (-want +got):\n%s", e.total(), span.first, diff)
		}
		e.Screenshot("days from " + span.first)
		sent, last := len(e.sent(0)), slices.Max(slices.Collect(maps.Keys(days)))
		e.Value(`document.querySelector('#time [data-part="end-1"]').focus(), ""`)
		e.act(func() { e.Press(kb.ArrowLeft) })
		if e.total() != total-days[last] {
			t.Errorf("%d filings of a day less: %s", e.total(), e.Value("location.hash"))
		}
		if got := e.sent(sent); slices.ContainsFunc(got, func(path string) bool { return strings.Contains(path, "day") }) {
			t.Errorf("a day less sent %q", got)
		}
		if diff := cmp.Diff(days, barsOfTime(e)); diff != "" {
			t.Errorf("among the days from %s (-want +got):\n%s", span.first, diff)
		}
	}
	e.act(func() { e.Click(`#time [data-part="all"]`) })
	e.Wait(`document.querySelector("#time title").textContent.match(/^\d+-\d+:/)`)
}

// barsOfTime returns the filings of each bar that has some.
func barsOfTime(e *explorer) map[string]int {
	all := map[string]int{}
	for _, title := range split(e.Value(`[...document.querySelectorAll("#time title")].map((bar) => bar.textContent).join("\n")`)) {
		key, count, _ := strings.Cut(strings.ReplaceAll(title, ",", ""), ": ")
		if n, _ := strconv.Atoi(strings.Fields(count)[0]); n > 0 {
			all[key] = n
		}
	}
	return all
}

// TestExplore_Seats: the map names cities and, nearer, the seat of each county.
func TestExplore_Seats(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	e := explore(t, "#map=8/29.5/-82.5")
	const names = `[...document.querySelectorAll("#map .city-name")].map((name) => name.textContent)`
	e.Wait(names + `.includes("Gainesville")`)
	if e.Value(`String(`+names+`.includes("Bronson"))`) != "false" {
		t.Error("seats of counties cover the map")
	}
	e.Value(`location.hash = "#map=9/29.5/-82.5"`)
	e.Wait(names + `.includes("Gainesville") && ` + names + `.includes("Bronson")`)
	e.Screenshot("seats")
}
