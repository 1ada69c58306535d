package pages_test

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"filings/service/params"
)

// TestExplore looks around as a person with a key does.
func TestExplore(t *testing.T) {
	t.Parallel()
	e := explore(t, "")
	e.Screenshot("1-no-key")
	e.use(e.site.Key)
	all, placed := e.in("")
	if total, counted := e.total(), e.counted(); total != all || counted < placed*9/10 || counted > placed {
		t.Errorf("%d filings, %d on the map; want %d, and most of %d", total, counted, all, placed)
	}
	e.Screenshot("2-country")
	checkQuota(e)
	checkNext(e)
	checkCurl(e)
	e.act(func() { e.Click("#in-view") })
	checkSplit(e)
	e.Screenshot("3-city")
	checkPoint(e)
	checkSecret(e)
	checkQuiet(e)
}

// checkQuota: what is left of the quota is shown.
func checkQuota(e *explorer) {
	if got := e.Text("#quota"); !regexp.MustCompile(`^Enterprise · 99,99\d of 100,000 requests left$`).MatchString(got) {
		e.t.Errorf("quota %q", got)
	}
}

// checkNext: the table turns its pages, and the map stays.
func checkNext(e *explorer) {
	first, counted := e.ids(), e.counted()
	e.Click("#next")
	e.waitIdle()
	second := e.ids()
	if len(first) != 100 || len(second) != 100 || first[0] == second[0] || e.counted() != counted {
		e.t.Errorf("page 1 %v, page 2 %v, %d then %d on the map", first, second, counted, e.counted())
	}
	e.Click("#previous")
	e.waitIdle()
	if again := e.ids(); !slices.Equal(again, first) {
		e.t.Errorf("page 1 was %v, and is %v", first, again)
	}
}

// checkCurl: the line that the page shows for its request returns what the table shows.
func checkCurl(e *explorer) {
	e.Click("#requests summary")
	e.Screenshot("2-requests")
	line := e.Text(`[data-request="list"]`)
	m := regexp.MustCompile(`^curl -H "X-API-Key: \$KEY" '(https://[^']*)'$`).FindStringSubmatch(line)
	if m == nil {
		e.t.Fatalf("line %q", line)
	}
	ids := e.fetchIDs(m[1])
	if shown := e.ids(); !slices.Equal(ids, shown) {
		e.t.Errorf("%s returns %v, the table shows %v", m[1], ids, shown)
	}
	e.Click("#requests summary")
}

// checkSplit: the largest cell falls apart when it is clicked, until there are points.
func checkSplit(e *explorer) {
	const largest = `[...document.querySelectorAll("#map .circle")].sort((a, b) => b.dataset.count - a.dataset.count)[0]`
	for e.Value(`String(document.querySelectorAll("#map .point").length > 2 && document.querySelectorAll("#map .circle").length > 0)`) != "true" || e.total() > 300 {
		before := e.total()
		e.act(func() { e.Value(largest + `.click(), ""`) })
		if total := e.total(); total >= before || total == 0 || e.counted() < total {
			e.t.Fatalf("zoomed from %d filings to %d, %d on the map and around it", before, total, e.counted())
		}
	}
}

// checkPoint: a point opens its filing, with all fields of the tier that have a value.
func checkPoint(e *explorer) {
	e.act(func() { e.Click("#map .point") })
	e.Wait(`!document.querySelector("#filing").hidden && document.activeElement.id === "filing-title"`)
	e.Screenshot("4-filing")
	fields := strings.Fields(e.Value(`[...document.querySelectorAll("#filing [data-field]")].map((f) => f.dataset.field).join(" ")`))
	want := []string{}
	for name, value := range e.filing(e.Text(`#filing [data-field="id"] dd`)) {
		if text := string(value); text != "null" && text != "[]" {
			want = append(want, name)
		}
	}
	if slices.Sort(fields); !slices.Equal(fields, slices.Sorted(slices.Values(want))) {
		e.t.Errorf("fields %v, want %v", fields, want)
	}
	id := e.Text(`#filing [data-field="id"] dd`)
	if hash := e.Value("location.hash"); !strings.Contains(hash, "filing="+id) {
		e.t.Errorf("filing %s is open, the address is %s", id, hash)
	}
	e.act(func() { e.Click("#filing button") })
	e.Wait(`document.querySelector("#filing").hidden`)
}

// checkSecret: the key is kept for the tab, and nowhere else that outlives the page or can be looked at.
func checkSecret(e *explorer) {
	for _, where := range []string{"location.href", "document.cookie", "JSON.stringify(localStorage)", "document.documentElement.outerHTML",
		`[...document.querySelectorAll("input")].map((i) => i.value).join()`, "JSON.stringify(history.state)"} {
		if got := e.Value("String(" + where + ")"); strings.Contains(got, e.site.Key[8:]) {
			e.t.Errorf("the key is in %s", where)
		}
	}
	if got := e.Value("JSON.stringify(sessionStorage)"); got != `{"filings-key":"`+e.site.Key+`"}` {
		e.t.Errorf("the tab keeps %s", got)
	}
	for _, where := range []string{"document.cookie", "localStorage.length || ''"} {
		if got := e.Value("String(" + where + ")"); got != "" {
			e.t.Errorf("%s: %s", where, got)
		}
	}
}

// checkQuiet: the page sent no request to another server, and the browser reported no problem.
func checkQuiet(e *explorer) {
	u, err := url.Parse(e.site.Address)
	if err != nil {
		e.t.Fatal(err)
	}
	if hosts := e.Hosts(); !slices.Equal(hosts, []string{u.Host}) {
		e.t.Errorf("the page requested %q", hosts)
	}
	if problems := e.Problems(); len(problems) > 0 {
		e.t.Errorf("problems:\n%s", strings.Join(problems, "\n"))
	}
}

// TestExplore_Hostile: what strangers have written is text, wherever it is shown; an id keeps its digits.
func TestExplore_Hostile(t *testing.T) {
	t.Parallel()
	e := explore(t, "#map=11/31.4/-100.5&county=Tom+Green")
	e.use(e.site.Key)
	if got := e.Text("#table tbody th"); got != hostileOwner {
		t.Errorf("the table shows %q", got)
	}
	e.act(func() { e.Click("#map .point") })
	id := e.Text(`#filing [data-field="id"] dd`)
	if got := e.Text("#filing-title"); got != hostileOwner || id != strconv.Itoa(hostileID) {
		t.Errorf("the panel shows %q of filing %s", got, id)
	}
	e.Screenshot("panel")
	if got := e.Value(`document.title + document.querySelectorAll("img, main script").length`); got != "Filings explorer0" {
		t.Errorf("it became markup: %s", got)
	}
	checkQuiet(e)
}

// TestExplore_Filters: a filter narrows map and table alike, and a link brings it back.
func TestExplore_Filters(t *testing.T) {
	t.Parallel()
	e := explore(t, "")
	checkForm(e)
	e.use(e.site.Key)
	all := e.total()
	e.act(func() { e.Type("#filter-county", "Orange, CA") })
	want, placed := e.in("Orange, CA")
	if total, counted := e.total(), e.counted(); total != want || counted != placed || total >= all {
		t.Errorf("%d of %d filings, %d on the map, want %d and %d", total, all, counted, want, placed)
	}
	if other := e.Value(`[...document.querySelectorAll("#table tbody tr")].filter((row) => !row.textContent.includes("Orange, CA")).map((row) => row.textContent).join()`); other != "" {
		t.Errorf("the table has %s", other)
	}
	e.act(func() { e.Click(`#filters [value="land"]`) })
	e.act(func() { e.Click(`#filters [value="commercial"]`) })
	hash := e.Value("location.hash")
	if !strings.Contains(hash, "county=Orange%2C+CA") || !strings.Contains(hash, "categories=") {
		t.Errorf("address %s", hash)
	}
	narrowed, shown := e.total(), e.ids()
	e.act(func() {
		e.Value(`document.querySelector("#filters [type=reset]").focus(), ""`)
		e.Press(kb.Enter) // as a reader does: a script's click ends in another order
	})
	if total := e.total(); total != all || narrowed >= want {
		t.Errorf("%d without filters, %d before; %d with two", total, all, narrowed)
	}
	e.act(func() { e.Value("location.hash = " + strconv.Quote(hash)) })
	if again := e.ids(); e.total() != narrowed || !slices.Equal(again, shown) {
		t.Errorf("the link shows %d filings %v, it was made of %d %v", e.total(), again, narrowed, shown)
	}
	checkQuiet(e)
}

// checkForm: the form has every filter of the list but those that the map and the table give, under its current name.
func checkForm(e *explorer) {
	var want []string
	for _, p := range params.New("", nil).Rows(params.List) {
		given := strings.HasPrefix(p.Name, "bounds_") || slices.Contains([]string{"limit", "offset", "cursor", "generation", "fields", "sort_by", "sort_order"}, p.Name)
		if !given {
			want = append(want, p.Name)
		}
	}
	slices.Sort(want)
	got := e.Value(`[...new Set([...document.querySelector("#filters").elements].map((c) => c.name).filter(Boolean))].sort().join()`)
	if got != strings.Join(want, ",") {
		e.t.Errorf("the form has %s, want %v", got, want)
	}
}
