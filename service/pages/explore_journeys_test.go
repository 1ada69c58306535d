package pages_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"filings/cmd/testservers/servers"
	"filings/index"
)

// hand is how a reader acts: by the keyboard alone, or with a pointer.
type hand struct {
	*explorer
	keys bool
}

// to moves the focus or the pointer to what a selector matches.
func (h hand) to(selector string) (x, y float64) {
	h.t.Helper()
	h.Wait(fmt.Sprintf("document.querySelector(%q)?.checkVisibility()", selector))
	if h.keys {
		h.Value(passing)
		defer h.Value(`arrived(), ""`)
		for range 600 {
			if h.Value(fmt.Sprintf("String(document.activeElement.matches(%q))", selector)) == "true" {
				return 0, 0
			}
			h.Press(kb.Tab)
		}
		h.t.Fatalf("Tab does not lead to %s", selector)
	}
	at := strings.Fields(h.Value(fmt.Sprintf(`(() => {
		const found = document.querySelector(%q);
		found.scrollIntoView({ block: "center" });
		const { left, width, top, height } = found.getBoundingClientRect();
		return (left + width / 2) + " " + (top + height / 2);
	})()`, selector)))
	return number(h.t, at[0]), number(h.t, at[1])
}

// passing keeps the page from taking a reader who passes through a field, which takes less than these 300 ms, for one
// who stays: on a busy machine Tab may take longer. What would begin meanwhile begins with arrived.
const passing = `(() => {
	const { setTimeout: begin, clearTimeout: end } = window, held = new Map();
	window.setTimeout = (act, ms, ...of) => {
		if (ms !== 300) return begin(act, ms, ...of);
		const id = begin(() => {}); // a number that no other timer has
		held.set(id, act);
		return id;
	};
	window.clearTimeout = (id) => held.delete(id) || end(id);
	window.arrived = () => {
		window.setTimeout = begin;
		for (const [id, act] of held) begin(() => held.delete(id) && act(), 300);
	};
})(), ""`

// shows reports whether what a selector matches is seen.
func (h hand) shows(selector string) bool {
	h.t.Helper()
	return h.Value(fmt.Sprintf("String(document.querySelector(%q).checkVisibility({ visibilityProperty: true }))", selector)) == "true"
}

// press presses a button, a link or a summary.
func (h hand) press(selector string) {
	h.t.Helper()
	x, y := h.to(selector)
	if h.keys {
		h.Press(kb.Enter)
		return
	}
	h.Do(chromedp.MouseClickXY(x, y))
}

// write types into a field.
func (h hand) write(selector, text string) {
	h.t.Helper()
	x, y := h.to(selector)
	if !h.keys {
		h.Do(chromedp.MouseClickXY(x, y))
	}
	h.Insert(text)
}

// pick picks the suggestion of a kind.
func (h hand) pick(kind string) {
	h.t.Helper()
	h.Wait(fmt.Sprintf(`document.querySelector('#suggestions [data-kind="%s"]')`, kind))
	if !h.keys {
		h.act(func() { h.press(fmt.Sprintf(`#suggestions [data-kind="%s"]`, kind)) })
		return
	}
	for h.Value(`document.querySelector('#suggestions [aria-selected="true"]')?.dataset.kind ?? ""`) != kind {
		h.Press(kb.ArrowDown)
	}
	h.act(func() { h.Press(kb.Enter) })
}

// questions are those that a person with a key and no program has, with what the page may send for each.
var questions = []struct {
	name string
	most int // requests
	ask  func(*testing.T, hand)
}{
	{"who holds most tax liens in a county", 7, askHolder},
	{"a spreadsheet of large ones in this part of town", 8, askRegion},
	{"an owner half remembered", 2, askOwner},
	{"month by month, a picture", 3, askMonths},
	{"which counties are fresh", 1, askFresh},
	{"how many requests are left", 0, func(t *testing.T, h hand) {
		if got := h.Text("#quota"); !strings.Contains(got, "of 100,000 requests left") {
			t.Errorf("the head says %q", got)
		}
	}},
	{"a link to share", 1, askLink},
	{"on paper", 1, askPaper},
}

// TestExplore_Journeys asks the eight questions, by keyboard alone and with a pointer, in a wide and a narrow window.
func TestExplore_Journeys(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	for _, width := range []int64{1280, 390} {
		for _, keys := range []bool{true, false} {
			t.Run(fmt.Sprintf("%d, keys %t", width, keys), func(t *testing.T) {
				t.Parallel()
				e := explore(t, "")
				e.Resize(width, 844)
				e.Do(chromedp.Reload())
				e.Wait(`document.querySelector("#filters input") && document.querySelector(".state")`)
				e.use(e.site.Key)
				t.Logf("first view: %d requests", len(e.sent(0)))
				for _, q := range questions {
					sent := len(e.sent(0))
					q.ask(t, hand{e, keys})
					n := len(e.sent(sent))
					t.Logf("%s: %d requests", q.name, n)
					if n > q.most {
						t.Errorf("%s: %q", q.name, e.sent(sent))
					}
					e.Screenshot(q.name)
					if e.Value(`location.hash.replace(/^#map=[^&]*/, "")`) != "" {
						e.act(func() { e.Value(`location.hash = "#map=4/38/-96"`) })
					}
				}
				checkQuiet(e)
			})
		}
	}
}

func askHolder(t *testing.T, h hand) {
	h.write("#term", "orange fl")
	h.pick("county")
	if !h.shows("#facets") {
		h.press("#filtering > summary")
	}
	h.Wait(`document.querySelector('#facets [data-key="Tax Lien"]') && document.querySelector('#facets [data-kind="holder"]')`)
	h.waitIdle()
	h.act(func() { h.press(`#facets [data-key="Tax Lien"]`) })
	held, unplaced := map[string]int{}, 0
	for _, f := range h.filings {
		if countyOf(f) != "Orange, FL" || typeOf(f) != "Tax Lien" {
			continue
		}
		if f.Text(index.FilingHolder) != "" {
			held[f.Text(index.FilingHolder)]++
		}
		if !f.Has(index.Latitude) {
			unplaced++
		}
	}
	if got, want := h.Text("#unplaced"), fmt.Sprintf("%d without coordinates", unplaced); h.shows("#map") && got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	most := 0
	for _, n := range held {
		most = max(most, n)
	}
	first := h.Value(`document.querySelector('#facets [data-kind="holder"]').dataset.key`)
	if count := h.number(`document.querySelector('#facets [data-kind="holder"] .count').firstChild.data`); held[first] != most || count != most {
		t.Errorf("%s holds %d, it says %d; the most is %d", first, held[first], count, most)
	}
	if h.Value(`String(document.querySelector("#left").scrollHeight > 3000)`) == "true" {
		t.Error("the column is endless")
	}
	if h.Value(`String(innerWidth < 800 && document.querySelector("#filtering").open)`) == "true" {
		h.press("#filtering > summary")
	}
}

func askRegion(t *testing.T, h hand) {
	h.Value(picker)
	if h.Value(`String(document.querySelector("#filtering").open)`) == "false" {
		h.press("#filtering > summary")
	}
	h.act(func() {
		h.write("#filter-min_amount", "$5,000")
		h.Press(kb.Enter)
	})
	h.Wait(`!document.querySelector("main").matches(".glancing")`)
	h.waitIdle()
	if h.Value(`String(innerWidth < 800)`) == "true" {
		h.press("#filtering > summary")
		h.press(`[data-view="map"]`)
		h.waitIdle()
	}
	h.act(func() { h.Value(`location.hash = location.hash.replace(/map=[^&]*/, "map=8/28.4/-81.4"), ""`) })
	h.press("#draw-circle")
	h.Wait(`document.querySelector("#map").matches(".drawing")`)
	if h.keys {
		h.Press(kb.Enter)
		h.act(func() { h.Press(kb.ArrowRight) })
		h.act(func() { h.Press(kb.Enter) })
	} else {
		x, y := h.to("#map")
		h.Do(chromedp.MouseClickXY(x, y))
		h.act(func() { h.Do(chromedp.MouseClickXY(x+90, y)) })
	}
	h.Wait(`/in the region/.test(document.querySelector("#unplaced").textContent)`)
	others := 0
	for _, f := range h.filings {
		if amount, ok := f.Number(index.FilingAmount); ok && amount >= 5000 && !f.Has(index.Latitude) {
			others++
		}
	}
	if got, want := h.Text("#unplaced"), fmt.Sprintf("in the region; %s others of these filters have no place", grouped(others)); got != want || h.total() == 0 {
		t.Errorf("of %d it says %q, want %q", h.total(), got, want)
	}
	h.press("#download > summary")
	h.press("#start")
	if got := downloaded(h.explorer); !strings.HasPrefix(got, fmt.Sprintf("Done: %s filing", grouped(h.total()))) {
		t.Errorf("%d filings: %s", h.total(), got)
	}
	h.press("#download > summary")
	if h.Value(`String(innerWidth < 800)`) == "true" {
		h.press(`[data-view="table"]`)
	}
}

func askOwner(t *testing.T, h hand) {
	name, first, second := anOwner(h.explorer)
	h.write("#term", first+" "+second[:3])
	h.pick("owner")
	of := 0
	for _, f := range h.filings {
		if index.OwnerKeyOf(f.Text(index.Owner)) == index.OwnerKeyOf(name) {
			of++
		}
	}
	if got := h.Text("#chips"); h.total() != of || !strings.Contains(got, "Owner: ") {
		t.Errorf("%d filings of %s, want %d: %s", h.total(), name, of, got)
	}
}

func askMonths(t *testing.T, h hand) {
	months, dated := map[string]int{}, 0
	for _, f := range h.filings {
		if day := f.Text(index.FilingDate); day != "" {
			months[day[:7]]++
			dated++
		}
	}
	sum := `String([...document.querySelectorAll("#time title")].reduce((sum, bar) => sum + Number(bar.textContent.match(/: ([\d,]+)/)[1].replaceAll(",", "")), 0))`
	if got := h.number(sum); got != dated {
		t.Errorf("the bars have %d filings, want %d", got, dated)
	}
	chosen := ""
	for month := range months {
		chosen = max(chosen, month)
	}
	if h.keys {
		h.to(`#time [data-part="end-0"]`)
		h.act(func() { h.Press(kb.End) })
	} else {
		h.to("#time .strip")
		box := strings.Fields(h.Value(`(({ left, width, top }) => {
			const bars = [...document.querySelectorAll("#time title")], i = Math.floor(bars.length / 2);
			return [left + width * (i + 0.5) / bars.length, top + 10, bars[i].textContent.slice(0, 7)].join(" ");
		})(document.querySelector("#time .strip").getBoundingClientRect())`))
		x, y := number(t, box[0]), number(t, box[1])
		chosen = box[2]
		h.act(func() {
			for _, step := range []struct {
				kind input.DispatchMouseEventType
				x    float64
			}{{chromedp.MousePressed, x - 0.5}, {chromedp.MouseMoved, x}, {chromedp.MouseReleased, x}} {
				h.Do(chromedp.MouseEvent(step.kind, step.x, y, chromedp.ButtonLeft))
			}
		})
	}
	if hash := h.Value("location.hash"); h.total() != months[chosen] || !strings.Contains(hash, "date_start="+chosen+"-01") {
		t.Errorf("%d filings of %s, want %d: %s", h.total(), chosen, months[chosen], hash)
	}
	if got := h.Text("#chips"); !strings.Contains(got, "Recorded "+chosen) {
		t.Errorf("chips %q", got)
	}
	h.act(func() { h.press(`#time [data-part="all"]`) })
}

func askFresh(t *testing.T, h hand) {
	h.press("#fresh")
	h.Wait(`document.querySelectorAll("#counties tbody tr").length > 0`)
	newest := map[string]string{}
	for _, f := range h.filings {
		newest[countyOf(f)] = max(newest[countyOf(f)], f.Text(index.FilingDate))
	}
	rows := split(h.Value(`[...document.querySelectorAll("#counties tbody tr")].map((row) => row.cells[0].textContent + "|" + row.cells[2].textContent).join("\n")`))
	for _, row := range rows {
		if county, day, _ := strings.Cut(row, "|"); cmp.Or(newest[county], "–") != day {
			t.Errorf("%s: %s, want %s", county, day, newest[county])
		}
	}
	if len(rows) != len(newest) {
		t.Errorf("%d counties, want %d", len(rows), len(newest))
	}
	h.press("#counties .bar button")
	h.Wait(`document.querySelector("#counties").hidden`)
}

func askLink(t *testing.T, h hand) {
	h.act(func() { h.press("#table tbody button") })
	h.Wait(`!document.querySelector("#filing").hidden`)
	if hash := h.Value("location.hash"); !strings.Contains(hash, "filing=") || strings.Contains(hash, "ak_") {
		t.Errorf("the address is %s", hash)
	}
	h.Value(`navigator.clipboard.writeText = async (text) => { window.copied = text; }; ""`)
	h.press("#filing .content > button")
	h.Wait(`window.copied?.includes("#filing=")`)
	h.act(func() { h.press("#filing .bar button") })
}

func askPaper(t *testing.T, h hand) {
	h.Value(`window.print = () => { window.paper = document.querySelector("#printed").innerText + "|" + document.querySelectorAll("#table tbody tr").length; }; ""`)
	h.press("#print")
	h.Wait(`window.paper`)
	text, rows, _ := strings.Cut(h.Value(`document.querySelector("#printed").textContent + "|" + paper.split("|")[1]`), "|")
	if n, _ := strconv.Atoi(rows); n != 1000 || !slices.ContainsFunc([]string{"All filings"}, func(s string) bool { return strings.Contains(text, s) }) {
		t.Errorf("%s rows below %q", rows, text)
	}
}
