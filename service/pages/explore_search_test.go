package pages_test

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"filings/cmd/testservers/servers"
	"filings/index"
)

// matching returns how many filings contain a term, how many of them have a place, and how many are in a county.
func (e *explorer) matching(term, county string) (all, placed, in int) {
	for _, f := range e.filings {
		fields := []index.Field{index.Owner, index.PropertyAddress, index.CaseNumber, index.County}
		if !slices.ContainsFunc(fields, func(field index.Field) bool { return strings.Contains(strings.ToLower(f.Text(field)), term) }) {
			continue
		}
		if all++; f.Has(index.Latitude) {
			placed++
		}
		if f.Text(index.County) == county {
			in++
		}
	}
	return all, placed, in
}

// TestExplore_Search: a term narrows table and map, filters stay applied beside it, and a link brings all of it back.
func TestExplore_Search(t *testing.T) {
	t.Parallel()
	e := explore(t, "")
	e.use(e.site.Key)
	sent := len(e.sent(0))
	e.act(func() { e.Type("#term", "  TRUST ") })
	all, placed, in := e.matching("trust", "Orange, CA")
	if e.total() != all || e.counted() != placed || in == 0 {
		t.Errorf("%d filings, %d on the map; want %d and %d", e.total(), e.counted(), all, placed)
	}
	if got := e.sent(sent); len(got) != (all+99)/100 || all > 300 || slices.ContainsFunc(got, func(path string) bool { return kind(t, path) != "filings/search" }) {
		t.Errorf("a term for %d filings sent %q", all, got)
	}
	e.Screenshot("term")
	e.act(func() { e.Type("#filter-county", "Orange, CA") })
	hash, shown := e.Value("location.hash"), e.ids()
	if e.total() != in || !strings.Contains(hash, "q=TRUST") {
		t.Errorf("%d filings in the county, want %d: %s", e.total(), in, hash)
	}
	e.act(func() { e.term("") })
	if want, _ := e.in("Orange, CA"); e.total() != want || strings.Contains(e.Value("location.hash"), "q=") {
		t.Errorf("%d filings without the term, want %d", e.total(), want)
	}
	e.act(func() { e.Value("location.hash = " + strconv.Quote(hash)) })
	if again := e.ids(); !slices.Equal(again, shown) || e.Value(`document.querySelector("#term").value`) != "TRUST" {
		t.Errorf("the link shows %v, it was made of %v", again, shown)
	}
	e.act(func() { e.term(strings.Repeat("x", 201)) })
	if got := e.Text("#trouble p"); !strings.HasPrefix(got, "Check your filters: the search must ") || e.Value(`document.querySelector("#term").ariaInvalid`) != "true" {
		t.Errorf("a long term: %q", got)
	}
}

// term enters a text in the search box.
func (e *explorer) term(text string) {
	e.Value(`{ const term = document.querySelector("#term"); term.value = ` + strconv.Quote(text) + `; for (const name of ["input", "change"]) term.dispatchEvent(new Event(name)); } ""`)
}

// TestExplore_TermTyped: a term is asked for while it is typed, but not its first two letters, of which there are too many.
func TestExplore_TermTyped(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	e := explore(t, "")
	e.use(e.site.Key)
	sent := len(e.sent(0))
	e.Value(`document.querySelector("#term").focus(), ""`)
	e.Press("t")
	e.Press("r")
	if e.Value(`document.querySelector("#results").ariaBusy`) != "false" || strings.Contains(e.Value("location.hash"), "q=") {
		t.Error("two letters are asked for")
	}
	e.act(func() { e.Press("u") })
	if got := e.sent(sent); len(got) != 1 || !strings.Contains(got[0], "q=tru") {
		t.Errorf("typing sent %q", got)
	}
	e.act(func() { e.Type("#term", "tr") })
	if all, _, _ := e.matching("tr", ""); e.total() != all {
		t.Errorf("two letters that are entered find %d, want %d", e.total(), all)
	}
}

// TestX37_ExploreSort: the heads of four columns sort, again in the other direction, and a list has all five sorts, with a term and
// without one.
func TestX37_ExploreSort(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	e := explore(t, "")
	e.use(e.site.Key)
	sorted := func() string {
		return e.Value(`[...document.querySelectorAll("#table [aria-sort]")].map((h) => h.textContent + " " + h.ariaSort).join()`)
	}
	const heads = `[...document.querySelectorAll("#table thead button")].map((b) => b.textContent).join()`
	if got := e.Value(heads); got != "Owner,Amount,Recorded" || sorted() != "Recorded descending" {
		t.Errorf("%q sort, and the table is by %q", got, sorted())
	}
	e.act(func() { e.Click(`#table [data-sort="filingAmount"] button`) })
	if got, want := e.ids(), e.fetchIDs(e.site.Address+"/v1/filings?sort_by=filing_amount&limit=100"); sorted() != "Amount descending" || !slices.Equal(got, want) {
		t.Errorf("without a term the table is by %q, and has %v, want %v", sorted(), got, want)
	}
	e.act(func() { e.Type("#term", "trust") })
	if sorted() != "Amount descending" {
		t.Errorf("with a term the table is by %q", sorted())
	}
	e.act(func() { e.Click(`#table [data-sort="filingDate"] button`) })
	e.Value(`document.querySelector('#columns [value="currentAmount"]').click(), ""`)
	sent := len(e.sent(0))
	head := func(field string) { e.act(func() { e.Click(`#table [data-sort="` + field + `"] button`) }) }
	for _, step := range []struct{ field, sorted, by, order string }{
		{"filingAmount", "Amount descending", "filing_amount", "DESC"},
		{"filingAmount", "Amount ascending", "filing_amount", "ASC"},
		{"owner", "Owner ascending", "property_owner", "ASC"},
		{"currentAmount", "Current amount descending", "current_amount", "DESC"},
		{"filingDate", "Recorded descending", "record_date", "DESC"},
		{"filingDate", "Recorded ascending", "record_date", "ASC"},
	} {
		head(step.field)
		if got, want := e.ids(), e.searched("trust", step.by, step.order); sorted() != step.sorted || !slices.Equal(got, want) {
			t.Errorf("%v: the table is by %q, and has %v, want %v", step, sorted(), got, want)
		}
	}
	e.act(func() {
		e.Value(`{ const sort = document.querySelector("#sort"); sort.value = "created_at ASC"; sort.dispatchEvent(new Event("change")); } ""`)
	})
	hash, shown := e.Value("location.hash"), e.ids()
	if !slices.Equal(shown, e.searched("trust", "created_at", "ASC")) || sorted() != "" {
		t.Errorf("by the time of adding: %v, %q", shown, sorted())
	}
	if got := e.sent(sent); len(got) != 5 { // two were there before
		t.Errorf("7 orders sent %q", got)
	}
	e.Value(`document.querySelector('#table [data-sort="owner"] button').focus(), ""`)
	e.act(func() { e.Press(kb.Enter) })
	if got := e.Value(`document.activeElement.closest("[data-sort]")?.ariaSort ?? "the focus is gone"`); got != "ascending" {
		t.Errorf("after a key: %s", got)
	}
	e.Screenshot("sorted")
	e.act(func() { e.Value("location.hash = " + strconv.Quote(hash)) })
	if got := e.ids(); !slices.Equal(got, shown) {
		t.Errorf("the link shows %v, it was made of %v", got, shown)
	}
	checkQuiet(e)
}

// searched returns the ids of the first page of a search.
func (e *explorer) searched(term, by, order string) []string {
	e.t.Helper()
	query := url.Values{"q": {term}, "sort_by": {by}, "sort_order": {order}, "limit": {"100"}}
	return e.fetchIDs(e.site.Address + "/v1/filings/search?" + query.Encode())
}
