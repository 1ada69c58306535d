package pages_test

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"filings/cmd/testservers/servers"
	"filings/index"
)

// bars returns the bars as they read, and which of them are pressed.
func bars(e *explorer) (all, pressed []string) {
	e.t.Helper()
	const text = `[...document.querySelectorAll("#bars .bar-of")].map((bar) => [...bar.children].map((part) => part.textContent).join("|"))`
	const set = `[...document.querySelectorAll("#bars [aria-pressed=true]")].map((bar) => bar.dataset.key)`
	return split(e.Value(text + `.join("\n")`)), split(e.Value(set + `.join("\n")`))
}

func split(lines string) []string {
	return slices.DeleteFunc(strings.Split(lines, "\n"), func(line string) bool { return line == "" })
}

// groups returns the bars of what is selected, in the order of the service.
func (e *explorer) groups(none string, key func(*index.Filing) string, selected func(*index.Filing) bool) (all []string) {
	type group struct {
		key     string
		filings int
		amounts int
		cents   float64
	}
	var found []*group
	for _, f := range e.filings {
		if !selected(f) {
			continue
		}
		i := slices.IndexFunc(found, func(g *group) bool { return g.key == key(f) })
		if i < 0 {
			i = len(found)
			found = append(found, &group{key: key(f)})
		}
		found[i].filings++
		if amount, ok := f.Number(index.FilingAmount); ok {
			found[i].amounts++
			found[i].cents += math.Round(amount * 100)
		}
	}
	slices.SortFunc(found, func(a, b *group) int { return cmp.Or(b.filings-a.filings, cmp.Compare(a.key, b.key)) })
	for _, g := range found {
		sum := "no amounts"
		if g.amounts > 0 {
			sum = dollars(g.cents)
		}
		all = append(all, fmt.Sprintf("%s|%s filing%s|%s", cmp.Or(g.key, none), grouped(g.filings), map[bool]string{false: "s"}[g.filings == 1], sum))
	}
	return all
}

// dollars writes an amount as the page does.
func dollars(cents float64) string {
	whole := fmt.Sprintf("%.0f", math.Floor(math.Abs(cents)/100))
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	sign := map[bool]string{true: "-"}[cents < 0]
	return fmt.Sprintf("%s$%s.%02.0f", sign, whole, math.Mod(math.Abs(cents), 100))
}

func countyOf(f *index.Filing) string { return f.Text(index.County) }
func typeOf(f *index.Filing) string   { return f.Text(index.FilingType) }
func anyFiling(*index.Filing) bool    { return true }

// press presses a bar.
func press(e *explorer, key string) {
	e.t.Helper()
	e.act(func() {
		e.Value(fmt.Sprintf(`[...document.querySelectorAll("#bars button")].find((bar) => bar.dataset.key === %q).click(), ""`, key))
	})
}

// redrawn acts and waits until there are other bars: those of before may have the same number.
func redrawn(e *explorer, act func()) {
	e.t.Helper()
	const first = `document.querySelector("#bars li")`
	e.Value(`window.barBefore = ` + first + `, ""`)
	act()
	e.Wait(first + ` && ` + first + ` !== barBefore`)
}

// group opens the bars, or shows others.
func group(e *explorer, by string) {
	e.t.Helper()
	redrawn(e, func() {
		e.Value(fmt.Sprintf(`{
			document.querySelector("#groups").open = true;
			const by = document.querySelector("#groups-by"), other = by.value !== %q;
			by.value = %[1]q;
			if (other) by.dispatchEvent(new Event("change"));
		} ""`, by))
	})
}

// TestExplore_Groups: the bars are the groups of what the other filters select, with counts and sums; a press filters by one,
// and another press does not any more.
func TestExplore_Groups(t *testing.T) {
	t.Parallel()
	e := explore(t, "")
	e.use(e.site.Key)
	e.Click("#groups summary")
	e.Wait(`document.querySelector("#bars li")`)
	want := e.groups("No county", countyOf, anyFiling)
	e.Screenshot("county")
	if got, _ := bars(e); !slices.Equal(got, want[:min(50, len(want))]) {
		t.Errorf("the counties are %q, want %q", got, want)
	}
	checkAll(e, want)
	press(e, "Orange, CA")
	all, placed := e.in("Orange, CA")
	if _, pressed := bars(e); !slices.Equal(pressed, []string{"Orange, CA"}) || e.total() != all || e.counted() != placed {
		t.Errorf("pressed are %q, of %d filings, %d on the map", pressed, e.total(), e.counted())
	}
	inCounty := func(f *index.Filing) bool { return countyOf(f) == "Orange, CA" }
	group(e, "filing_type")
	if got, _ := bars(e); !slices.Equal(got, e.groups("No filing type", typeOf, inCounty)) {
		t.Errorf("the types in the county are %q", got)
	}
	press(e, "Tax Lien")
	press(e, "Lis Pendens")
	if _, pressed := bars(e); len(pressed) != 2 || e.Value(`document.querySelector("#filter-filing_types").value`) != "Tax Lien,Lis Pendens" {
		t.Errorf("two types: pressed are %q", pressed)
	}
	e.Screenshot("types")
	press(e, "Tax Lien")
	press(e, "Lis Pendens")
	group(e, "month")
	months, _ := bars(e)
	dated := slices.DeleteFunc(slices.Clone(months), func(bar string) bool { return strings.HasPrefix(bar, "No recording date|") })
	if !slices.IsSortedFunc(dated, func(a, b string) int { return cmp.Compare(b, a) }) || len(dated) < 2 || !slices.Equal(dated, months[:len(dated)]) {
		t.Errorf("months %q", months)
	}
	press(e, months[0][:7])
	if count := strings.Fields(strings.Split(months[0], "|")[1])[0]; count != fmt.Sprint(e.total()) {
		t.Errorf("%q selects %d", months[0], e.total())
	}
	press(e, months[0][:7])
	group(e, "county")
	press(e, "Orange, CA")
	if _, pressed := bars(e); len(pressed) != 0 || e.total() != len(e.filings) {
		t.Errorf("pressed are %q, of %d filings", pressed, e.total())
	}
	checkQuiet(e)
}

// TestExplore_ReadWhole: filings of several pages that are read whole come in one order, also if the first page came in another before,
// and are printed, and each of them opened, without a request.
func TestExplore_ReadWhole(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	counties := []string{"Duval, FL", "Hillsborough, FL", "Miami-Dade, FL", "Orange, CA", "Pinellas, FL"}
	e := explore(t, "#in_view=true&county="+url.QueryEscape(strings.Join(counties, ";")))
	e.use(e.site.Key)
	e.act(func() { e.Click(`#table [data-sort="filingAmount"] button`) })
	e.act(func() { e.Click("#in-view") })
	if n := e.total(); n <= 100 || n > 300 {
		t.Fatalf("%d filings are not for the test", n)
	}
	sent := len(e.sent(0))
	group(e, "filing_type")
	selected := func(f *index.Filing) bool { return slices.Contains(counties, countyOf(f)) }
	want := e.groups("No filing type", typeOf, selected)
	if got, _ := bars(e); !slices.Equal(got, want) || len(e.sent(sent)) > 0 {
		t.Errorf("the types are %q, want %q; it sent %q", got, want, e.sent(sent))
	}
	total := fmt.Sprint(e.total())
	e.Value(`window.print = () => {
		const rows = [...document.querySelectorAll("#table tr[data-id]")];
		window.paper = String(new Set(rows.map((row) => row.dataset.id)).size);
	}; ""`)
	e.Click("#print")
	e.Wait(`window.paper`)
	if got := e.Value(`paper`); got != total || len(e.sent(sent)) > 0 {
		t.Errorf("%s filings of %s are printed; it sent %q", got, total, e.sent(sent))
	}
	shown := e.ids()
	i := slices.IndexFunc(e.filings, func(f *index.Filing) bool {
		return selected(f) && !slices.Contains(shown, fmt.Sprint(f.ID))
	})
	e.Value(fmt.Sprintf(`location.hash += "&filing=%d"`, e.filings[i].ID))
	e.Wait(`!document.querySelector("#filing").hidden`)
	ofOne := func(path string) bool { return strings.HasPrefix(path, "/v1/filings/") }
	if got := e.sent(sent); slices.ContainsFunc(got, ofOne) {
		t.Errorf("a filing of another page: it sent %q", got)
	}
}

// checkAll: all groups show when they are asked for.
func checkAll(e *explorer, want []string) {
	e.t.Helper()
	if len(want) <= 50 {
		e.t.Fatalf("%d groups are too few for the test", len(want))
	}
	e.Click("#all-bars")
	if got, _ := bars(e); !slices.Equal(got, want) || e.Value(`document.activeElement.dataset.key`) != strings.Split(want[50], "|")[0] {
		e.t.Errorf("all counties are %q, want %q", got, want)
	}
}

// TestExplore_GroupsRequests: bars are of what the facets have, or are asked for when they are opened, again when other filters change what they show, and
// not when the map moves, a page turns, or one of them is pressed.
func TestExplore_GroupsRequests(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	e := explore(t, "")
	e.use(e.site.Key)
	sent := len(e.sent(0))
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
	group(e, "county")
	expect("bars opened, of what the facets have")
	e.act(func() { e.Click("#map .leaflet-control-zoom-in") })
	expect("a view", "tile", "tile", "tile")
	e.Click("#next")
	e.waitIdle()
	expect("a page", "list")
	e.Click("#all-bars")
	e.Value(`[...document.querySelectorAll("#bars button")].find((bar) => bar.dataset.key === "Kenedy, TX").focus(), ""`)
	e.act(func() { e.Press(kb.Enter) })
	expect("a bar", "list")
	if got := e.Value(`document.activeElement.dataset.key + " " + document.activeElement.ariaPressed`); got != "Kenedy, TX true" {
		t.Errorf("the focus is on %s", got)
	}
	e.act(func() { e.term("owner 2") })
	expect("a term", "filings/search", "filings/groups")
	if got, _ := bars(e); len(got) != 1 || !strings.HasPrefix(got[0], "Kenedy, TX|1 filing|") {
		t.Errorf("with a term the bars are %q", got)
	}
	e.Click("#groups summary")
	e.act(func() { e.term("") })
	expect("bars closed, and what was shown before")
	e.Click("#groups summary")
	e.Wait(`document.querySelectorAll("#bars li").length > 1`)
	expect("bars opened again, of what was counted before")
}
