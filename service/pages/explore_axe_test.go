package pages_test

import (
	"fmt"
	"testing"
)

// TestExplore_Axe: axe-core finds nothing, in a wide and a narrow window, light and dark, with all
// of the page open.
func TestExplore_Axe(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			e := explore(t, "#map=9/26.9/-97.6&county=Kenedy%2C+TX") // few filings: axe-core looks at each of them
			e.use(e.site.Key)
			e.resize(width, 1000)
			for _, scheme := range []string{"light", "dark"} {
				if scheme == "dark" {
					e.Dark()
				}
				for _, part := range pageParts {
					part.open(e)
					checkAxe(e, scheme+", "+part.name)
					e.Screenshot(scheme + "-" + part.name)
				}
			}
			e.act(func() { e.Click("#filters [type=reset]") })
			checkAxe(e, "all filings")
			e.Screenshot("all")
		})
	}
}

// pageParts open what the page can show, one after the other.
var pageParts = []struct {
	name string
	open func(*explorer)
}{
	{"unfolded", func(e *explorer) {
		e.Value(`for (const d of document.querySelectorAll("details")) d.open = true; ""`)
		e.Wait(`document.querySelector("#bars li") && document.querySelector("#days li")`)
	}},
	{"term", func(e *explorer) { e.act(func() { e.term("owner") }) }},
	{"trouble", func(e *explorer) { e.act(func() { e.Type("#filter-min_amount", "much") }) }},
	{"place", func(e *explorer) {
		e.act(func() {
			e.Value(`{ const c = document.querySelector("#filter-min_amount"); c.value = ""; c.dispatchEvent(new Event("change", { bubbles: true })); } ""`)
		})
		e.Click("#map .circle")
		e.Wait(`!document.querySelector("#place").hidden`)
	}},
	{"filing", func(e *explorer) { e.act(func() { e.Click("#place li button") }) }},
	{"closed", func(e *explorer) {
		e.act(func() { e.Click("#filing button") })
		e.Click("#place button")
		e.act(func() { e.term("") })
	}},
}

// checkAxe: axe-core finds nothing.
func checkAxe(e *explorer, what string) {
	e.t.Helper()
	for _, finding := range e.Findings(e.t) {
		e.t.Errorf("%s: %s", what, finding)
	}
}
