package pages_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/serving"
	"filings/service"
)

// choose picks an option of a select.
func choose(e *explorer, selector, value string) {
	e.t.Helper()
	e.Value(fmt.Sprintf(`{ const s = document.querySelector(%q); s.focus(); s.value = %q; s.dispatchEvent(new Event("change")); } ""`, selector, value))
}

// TestExplore_Holders: who holds most in a county, written as people write it: by filings and by dollars, with a press to filter.
func TestExplore_Holders(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	e := explore(t, "")
	e.use(e.site.Key)
	e.act(func() { e.Type("#filter-county", "orange county,ca") })
	inCounty := func(f *index.Filing) bool { return countyOf(f) == "Orange, CA" }
	holderOf := func(f *index.Filing) string { return f.Text(index.FilingHolder) }
	want := e.groups("No holder", holderOf, inCounty)
	if in, _ := e.in("Orange, CA"); e.total() != in || len(want) < 3 {
		t.Fatalf("%d filings, want %d, of %d holders", e.total(), in, len(want))
	}
	e.Value(`document.querySelector("#groups summary").focus(), ""`)
	e.Press(kb.Enter)
	e.Wait(`document.querySelector("#bars li")`)
	group(e, "holder")
	if got, _ := bars(e); !slices.Equal(got, want[:min(50, len(want))]) {
		t.Errorf("the holders are %q, want %q", got, want)
	}
	sent := len(e.sent(0))
	redrawn(e, func() { choose(e, "#groups-sort", "sum") })
	if got := e.sent(sent); len(got) != 1 || !strings.Contains(got[0], "limit=1000") {
		t.Errorf("another order sent %q", got)
	}
	if got, _ := bars(e); slices.Equal(got, want[:min(50, len(want))]) {
		t.Errorf("by sums they are %q", got)
	}
	e.Screenshot("holders")
	first := e.Value(`document.querySelector("#bars button").dataset.key`)
	press(e, first)
	held := 0
	for _, f := range e.filings {
		if inCounty(f) && holderOf(f) == first {
			held++
		}
	}
	if _, pressed := bars(e); !slices.Equal(pressed, []string{first}) || e.total() != held || e.Value(`document.querySelector("#filter-holder").value`) != first {
		t.Errorf("pressed are %q, of %d filings, want %d", pressed, e.total(), held)
	}
	checkQuiet(e)
}

// TestExplore_Owners: what was filed for an owner, however the name is written; and who the owners are.
func TestExplore_Owners(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	e := explore(t, "")
	e.use(e.site.Key)
	group(e, "owner")
	first := e.Value(`document.querySelector("#bars button").dataset.key`)
	of := 0
	for _, f := range e.filings {
		if index.OwnerKeyOf(f.Text(index.Owner)) == index.OwnerKeyOf(first) {
			of++
		}
	}
	e.act(func() { e.Type("#filter-owner", strings.ToLower(strings.ReplaceAll(first, " ", "  "))+".") })
	if e.total() != of || of < 1 {
		t.Errorf("%d filings of %s, want %d", e.total(), first, of)
	}
	checkQuiet(e)
}

// TestExplore_GroupsInView: with "Only in map view" the groups are those of the view, and follow it.
func TestExplore_GroupsInView(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	e := explore(t, "#map=9/28.5/-81.3&in_view=true")
	e.use(e.site.Key)
	group(e, "filing_type")
	inView := func() int {
		return e.number(`String([...document.querySelectorAll("#bars .count")].reduce((sum, c) => sum + Number(c.firstChild.data.replaceAll(",", "")), 0))`)
	}
	if got := inView(); got != e.total() || got == 0 || !strings.Contains(e.Text("#groups-status"), "in the map’s view") {
		t.Errorf("%d in groups, %d in view; %s", got, e.total(), e.Text("#groups-status"))
	}
	before := e.total()
	e.act(func() { e.Value(`location.hash = "#map=6/28.5/-81.3&in_view=true"`) })
	e.Wait(fmt.Sprintf(`[...document.querySelectorAll("#bars .count")].reduce((sum, c) => sum + Number(c.firstChild.data.replaceAll(",", "")), 0) === %d`, e.total()))
	if e.total() <= before {
		t.Errorf("%d in view of more, %d before", e.total(), before)
	}
}

// TestExplore_Back: Back goes back by what was seen: a filter, an order, a page, a filing; and not by moves of the map.
func TestExplore_Back(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	e := explore(t, "")
	e.use(e.site.Key)
	all := e.ids()
	e.act(func() { e.Type("#filter-county", "Orange") })
	county := e.ids()
	e.act(func() { e.Click(`#table [data-sort="filingAmount"] button`) })
	sorted := e.ids()
	e.act(func() { e.Click("#map .leaflet-control-zoom-in") })
	e.act(func() { e.Click("#next") })
	paged := e.ids()
	e.act(func() { e.Click("#table tbody button") })
	e.Wait(`!document.querySelector("#filing").hidden`)
	for i, want := range [][]string{paged, sorted, county, all} {
		e.act(func() { e.Value(`history.back(), ""`) })
		e.Wait(`document.querySelector("#filing").hidden`)
		if got := e.ids(); !slices.Equal(got, want) {
			t.Errorf("step %d shows %v, want %v", i+1, got, want)
		}
	}
	if got := e.Value(`document.querySelector("#filter-county").value + document.querySelector("#sort").value`); got != "record_date DESC" {
		t.Errorf("the form has %q", got)
	}
	e.act(func() { e.Value(`history.forward(), ""`) })
	if got := e.ids(); !slices.Equal(got, county) {
		t.Errorf("forward shows %v, want %v", got, county)
	}
}

// TestExplore_Tab: the key outlives a reload, which the page says, and no more; forgotten it is gone.
func TestExplore_Tab(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	e := explore(t, "#county=Kenedy%2C+TX")
	if got := e.Text("#hint"); !strings.Contains(got, "This tab keeps it") {
		t.Errorf("it says %q", got)
	}
	e.use(e.site.Key)
	if got := e.Value(`document.activeElement.id`); got != "term" || e.Text("#kept") != "Key kept in this tab" {
		t.Errorf("the focus is on %q; it says %q", got, e.Text("#kept"))
	}
	want := e.ids()
	e.Do(chromedp.Navigate("data:text/html,"), chromedp.Navigate(e.site.Address+"/explore#county=Kenedy%2C+TX"))
	e.Wait(`document.querySelectorAll("#table tr[data-id]").length > 0`)
	if got := e.ids(); !slices.Equal(got, want) {
		t.Errorf("after a reload %v, want %v", got, want)
	}
	e.Click("#forget")
	e.Wait(`document.activeElement.id === "key-text" && sessionStorage.length === 0`)
}

// TestExplore_Hands: an amount as people write it, a skip link, and a focus that stays where it was.
func TestExplore_Hands(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	e := explore(t, "")
	e.use(e.site.Key)
	e.act(func() { e.Type("#filter-min_amount", " $50,000 ") })
	many := 0
	for _, f := range e.filings {
		if amount, ok := f.Number(index.FilingAmount); ok && amount >= 50_000 {
			many++
		}
	}
	if e.total() != many || many == 0 || !strings.Contains(e.Value("location.hash"), "min_amount=50000") {
		t.Errorf("%d filings, want %d: %s", e.total(), many, e.Value("location.hash"))
	}
	e.Value(`document.activeElement.blur(), ""`)
	hash := e.Value("location.hash")
	e.Value(`document.querySelector("#skip").focus(), ""`)
	e.Press(kb.Enter)
	e.Wait(`document.activeElement === document.querySelector("#results .scroll")`)
	if got := e.Value("location.hash"); got != hash {
		t.Errorf("the skip link leads to %s", got)
	}
	e.act(func() { e.Type("#filter-min_amount", "") })
	e.act(func() { e.Type("#filter-county", "Orange") })
	for e.Value(`String(document.querySelector("#next").disabled)`) == "false" {
		e.Value(`document.querySelector("#next").focus(), ""`)
		e.act(func() { e.Press(kb.Enter) })
	}
	if got := e.Value(`document.activeElement.id`); got != "previous" {
		t.Errorf("on the last page the focus is on %q", got)
	}
	columns := strings.Split(e.Value(`[...document.querySelectorAll("#table thead th")].slice(0, 4).map((h) => h.textContent).join()`), ",")
	if want := []string{"Owner", "Amount", "Recorded", "Type"}; !slices.Equal(columns, want) {
		t.Errorf("the first columns are %q", columns)
	}
	const seen = `String(document.querySelector('#table [data-sort="filingDate"]').getBoundingClientRect().right <= document.querySelector("#results").getBoundingClientRect().right)`
	if e.Value(seen) != "true" {
		t.Error("at 1280 pixels the recording date is not seen")
	}
}

// anOwner returns an owner of two long words, as one filing has it.
func anOwner(e *explorer) (name, first, second string) {
	e.t.Helper()
	for _, f := range e.filings {
		if words := strings.Fields(f.Text(index.Owner)); len(words) == 2 && len(words[0]) > 6 && len(words[1]) > 4 && !strings.ContainsAny(f.Text(index.Owner), ",.&'") {
			return f.Text(index.Owner), strings.ToLower(words[0]), strings.ToLower(words[1])
		}
	}
	e.t.Fatal("no filing has such an owner")
	return "", "", ""
}

// TestX27_ExploreOwners: owners are offered while a name is typed, in whatever order, and one that is picked filters.
func TestX27_ExploreOwners(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	e := explore(t, "")
	e.use(e.site.Key)
	name, first, second := anOwner(e)
	sent := len(e.sent(0))
	e.Value(`document.querySelector("#filter-owner").focus(), ""`)
	e.Insert(second[:4] + " " + first[:5])
	e.Wait(`document.querySelectorAll("#offers-owner option").length > 0`)
	if got := e.sent(sent); len(got) != 1 || kind(t, got[0]) != "owners" || e.Value(`document.querySelector("#results").ariaBusy`) != "false" {
		t.Errorf("typing sent %q", got)
	}
	if got := e.Value(`[...document.querySelectorAll("#offers-owner option")].map((o) => o.value.toLowerCase()).join("|")`); !strings.Contains(got, first) {
		t.Errorf("for %s %s are offered", name, got)
	}
	if got := e.Value(`document.querySelector("#offers-owner option").label`); !strings.Contains(got, second[:4]+" "+first[:5]) {
		t.Errorf("a browser compares with %q", got)
	}
	e.act(func() { // as a browser does when an offer is picked
		e.Value(`{ const owner = document.querySelector("#filter-owner"); owner.value = document.querySelector("#offers-owner option").value;
			owner.dispatchEvent(new Event("input", { bubbles: true })); } ""`)
	})
	if e.total() < 1 || !strings.Contains(e.Value("location.hash"), "owner=") {
		t.Errorf("%d filings of who was picked: %s", e.total(), e.Value("location.hash"))
	}
	checkQuiet(e)
}

// TestX29_ExploreMeant: a term that nothing contains shows what has its words, and proposes the owner; with the owner as the filter
// there are table, map and file again.
func TestX29_ExploreMeant(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	e := explore(t, "")
	e.use(e.site.Key)
	name, first, second := anOwner(e)
	e.act(func() { e.term(second + " " + first[:3] + first[4:]) })
	if got := e.Text("#meant"); !strings.HasPrefix(got, "No filing contains “"+second) || !strings.Contains(got, first+" for ") || e.total() < 1 {
		t.Fatalf("it says %q of %d", got, e.total())
	}
	if got := e.Value(`String(document.querySelector("#start").disabled)`); got != "true" {
		t.Error("a file would have nothing")
	}
	checkAxe(e, "meant")
	e.Screenshot("meant")
	button := fmt.Sprintf(`[...document.querySelectorAll("#meant button")].find((b) => b.textContent === %q)`, name)
	e.act(func() { e.Value(button + `.click(), ""`) })
	of := 0
	for _, f := range e.filings {
		if index.OwnerKeyOf(f.Text(index.Owner)) == index.OwnerKeyOf(name) {
			of++
		}
	}
	if got := e.Value(`document.querySelector("#filter-owner").value + document.querySelector("#term").value + document.activeElement.id`); e.total() != of || got != name+"term" {
		t.Errorf("%d filings, want %d; the form has %q", e.total(), of, got)
	}
	if got := e.Value(`String(document.querySelector("#meant").hidden)`); got != "true" {
		t.Error("it still proposes")
	}
	checkQuiet(e)
}

// older is an engine whose generation was loaded before owners were kept.
type older struct{ index.Engine }

func (e older) Live(ctx context.Context) (index.Reader, error) {
	r, err := e.Engine.Live(ctx)
	return olderReader{r}, err
}

func (e older) Pin(ctx context.Context, id string) (index.Reader, error) {
	r, err := e.Engine.Pin(ctx, id)
	return olderReader{r}, err
}

type olderReader struct{ index.Reader }

func (olderReader) Nearest(context.Context, []string) ([][]string, error) {
	return nil, index.ErrNoOwners
}

// TestX29_ExploreOlder: where a generation knows no words, a term that finds nothing finds nothing.
func TestX29_ExploreOlder(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	e := explore(t, "", func(c *service.Config) {
		c.Engine, _ = serving.New(older{stored()}, serving.Config{}) // without a registry nothing can fail
	})
	e.use(e.site.Key)
	e.act(func() { e.term("nobodyiscalledso") })
	if got := e.Text("#status"); got != "No filings: clear or change a filter." || e.Value(`String(document.querySelector("#trouble").hidden)`) != "true" {
		t.Errorf("it says %q, and %q", got, e.Value(`document.querySelector("#trouble").textContent`))
	}
}
