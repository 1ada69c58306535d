package service_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"filings/index"
	"filings/index/embedded"
	"filings/index/indextest"
	"filings/index/madeup"
	"filings/service"
	"filings/service/webtest"
)

const (
	// hostileID has more digits than a number of JavaScript.
	hostileID    = 9007199254740993
	hostileOwner = `<img src=x onerror="document.title='run'">`
)

// hostile is a filing whose text wants to be markup, the only one within a hundred miles.
func hostile(t *testing.T) *index.Filing {
	return made(t, hostileID, "2026-01-01T00:00:00Z", values{
		index.County: "Tom Green, TX", index.Owner: hostileOwner, index.PropertyAddress: `"><script>alert(1)</script>`,
		index.Latitude: 31.4, index.Longitude: -100.5, index.FilingAmount: 1234.5,
	})
}

// explorer is the page in a browser, with a service on the embedded engine behind it.
type explorer struct {
	*webtest.Page
	t       *testing.T
	site    webtest.Site
	filings []*index.Filing
}

// explore opens the explorer, at a hash, and waits for its form.
func explore(t *testing.T, hash string, options ...func(*service.Config)) *explorer {
	t.Helper()
	filings := []*index.Filing{hostile(t)}
	g := madeup.NewUntil(1, time.Now())
	for range webtest.Filings {
		f := &index.Filing{}
		g.Next(f)
		filings = append(filings, f)
	}
	store, err := embedded.Open(embedded.Config{Dir: t.TempDir(), Index: "filings"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	if _, err := indextest.Load(t.Context(), store, slices.Values(filings)); err != nil {
		t.Fatal(err)
	}
	onEmbedded := func(c *service.Config) { c.Engine = store }
	site := webtest.Start(t, append([]func(*service.Config){onEmbedded}, options...)...)
	p := webtest.Open(t, site.Address+"/explore"+hash)
	p.Wait(`document.querySelector("#filters input") && document.querySelector(".state")`)
	return &explorer{p, t, site, filings}
}

// use types a key and waits for what it shows.
func (e *explorer) use(key string) {
	e.t.Helper()
	e.Type("#key-text", key)
	e.settle()
}

// settle waits until everything that was asked for is answered and shown.
func (e *explorer) settle() {
	e.t.Helper()
	e.Wait(`document.querySelector("#results").ariaBusy === "false"`)
}

// act waits until the address of the page differs from what it was before an act, and what was asked for is shown.
func (e *explorer) act(act func()) {
	e.t.Helper()
	before := e.Value("location.hash")
	act()
	e.Wait("location.hash !== " + strconv.Quote(before))
	e.settle()
}

// total returns the number of filings that the page says are in view.
func (e *explorer) total() int {
	e.t.Helper()
	e.Wait(`/in view|No filings/.test(document.querySelector("#status").textContent)`)
	return e.number(`document.querySelector("#status").textContent.match(/^[\d,]*/)[0].replaceAll(",", "") || "0"`)
}

// counted returns the sum of the numbers on the map.
func (e *explorer) counted() int {
	e.t.Helper()
	return e.number(`String([...document.querySelectorAll("#map [data-count]")].reduce((sum, c) => sum + Number(c.dataset.count), 0))`)
}

func (e *explorer) number(expression string) int {
	e.t.Helper()
	n, err := strconv.Atoi(e.Value(expression))
	if err != nil {
		e.t.Fatal(err)
	}
	return n
}

// ids returns the ids of the filings in the table, in order.
func (e *explorer) ids() []string {
	e.t.Helper()
	return strings.Fields(e.Value(`[...document.querySelectorAll("#table tr[data-id]")].map((row) => row.dataset.id).join(" ")`))
}

// ask asks an address of the service as another client does.
func (e *explorer) ask(address string) answer {
	e.t.Helper()
	pem, err := os.ReadFile(e.site.Certificate)
	if err != nil {
		e.t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(e.t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		e.t.Fatal(err)
	}
	req.Header.Set("X-API-Key", e.site.Key)
	res, err := client.Do(req)
	if err != nil {
		e.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		e.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(body)}
}

// TestExplore looks around as a person with a key does.
func TestExplore(t *testing.T) {
	t.Parallel()
	e := explore(t, "")
	e.Screenshot("1-no-key")
	e.use(e.site.Key)
	if total, counted := e.total(), e.counted(); total < 1000 || counted != total {
		t.Errorf("%d filings in view, %d on the map", total, counted)
	}
	e.Screenshot("2-country")
	checkQuota(e)
	checkNext(e)
	checkCurl(e)
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
	e.settle()
	second := e.ids()
	if len(first) != 25 || len(second) != 25 || first[0] == second[0] || e.counted() != counted {
		e.t.Errorf("page 1 %v, page 2 %v, %d then %d on the map", first, second, counted, e.counted())
	}
	e.Click("#previous")
	e.settle()
	if again := e.ids(); !slices.Equal(again, first) {
		e.t.Errorf("page 1 was %v, and is %v", first, again)
	}
}

// checkCurl: the line that the page shows for its request answers what the table shows.
func checkCurl(e *explorer) {
	e.Click("#requests summary")
	e.Screenshot("2-requests")
	line := e.Text(`[data-request="list"]`)
	m := regexp.MustCompile(`^curl -H "X-API-Key: \$KEY" '(https://[^']*)'$`).FindStringSubmatch(line)
	if m == nil {
		e.t.Fatalf("line %q", line)
	}
	ids := []string{}
	for _, id := range e.ask(m[1]).ids(e.t) {
		ids = append(ids, strconv.FormatInt(id, 10))
	}
	if shown := e.ids(); !slices.Equal(ids, shown) {
		e.t.Errorf("%s answers %v, the table shows %v", m[1], ids, shown)
	}
	e.Click("#requests summary")
}

// checkSplit: the largest cell falls apart when it is clicked, until there are points.
func checkSplit(e *explorer) {
	const largest = `[...document.querySelectorAll("#map .circle")].sort((a, b) => b.dataset.count - a.dataset.count)[0]`
	for e.Value(`String(document.querySelectorAll("#map .point").length > 2 && document.querySelectorAll("#map .circle").length > 0)`) != "true" || e.total() > 300 {
		before := e.total()
		e.act(func() { e.Value(largest + `.click(), ""`) })
		if total := e.total(); total >= before || total == 0 || e.counted() != total {
			e.t.Fatalf("zoomed from %d filings to %d, %d on the map", before, total, e.counted())
		}
	}
}

// checkPoint: a point opens its filing, with all fields of the tier.
func checkPoint(e *explorer) {
	e.act(func() { e.Click("#map .point") })
	e.Wait(`!document.querySelector("#filing").hidden && document.activeElement.id === "filing-title"`)
	e.Screenshot("4-filing")
	fields := strings.Fields(e.Value(`[...document.querySelectorAll("#filing [data-field]")].map((f) => f.dataset.field).join(" ")`))
	want := []string{}
	for _, f := range index.Fields() {
		if f.Info().Tier != index.Hidden {
			want = append(want, f.String())
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

// checkSecret: the key is nowhere that outlives the page or can be looked at.
func checkSecret(e *explorer) {
	for _, where := range []string{"location.href", "document.cookie", "JSON.stringify(localStorage)", "JSON.stringify(sessionStorage)", "document.documentElement.outerHTML",
		`[...document.querySelectorAll("input")].map((i) => i.value).join()`, "JSON.stringify(history.state)"} {
		if got := e.Value("String(" + where + ")"); strings.Contains(got, e.site.Key[8:]) {
			e.t.Errorf("the key is in %s", where)
		}
	}
	for _, where := range []string{"document.cookie", "localStorage.length || ''", "sessionStorage.length || ''"} {
		if got := e.Value("String(" + where + ")"); got != "" {
			e.t.Errorf("%s: %s", where, got)
		}
	}
}

// checkQuiet: the page asked nobody else, and the browser had nothing to say about it.
func checkQuiet(e *explorer) {
	u, err := url.Parse(e.site.Address)
	if err != nil {
		e.t.Fatal(err)
	}
	if hosts := e.Hosts(); !slices.Equal(hosts, []string{u.Host}) {
		e.t.Errorf("the page asked %q", hosts)
	}
	if problems := e.Problems(); len(problems) > 0 {
		e.t.Errorf("problems:\n%s", strings.Join(problems, "\n"))
	}
}

// TestExplore_Hostile: what strangers have written is text, wherever it is shown; an id keeps its digits.
func TestExplore_Hostile(t *testing.T) {
	t.Parallel()
	e := explore(t, "#map=11/31.4/-100.5")
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
	e.use(e.site.Key)
	all := e.total()
	e.act(func() { e.Type("#filter-county", "Orange, CA") })
	want := 0
	for _, f := range e.filings {
		if f.Text(index.County) == "Orange, CA" && f.Has(index.Latitude) {
			want++
		}
	}
	if total, counted := e.total(), e.counted(); total != want || counted != want || total >= all {
		t.Errorf("%d of %d in view, %d on the map, want %d", total, all, counted, want)
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
	e.act(func() { e.Click("#filters [type=reset]") })
	if total := e.total(); total != all || narrowed >= want {
		t.Errorf("%d without filters, %d before; %d with two", total, all, narrowed)
	}
	e.act(func() { e.Value("location.hash = " + strconv.Quote(hash)) })
	if again := e.ids(); e.total() != narrowed || !slices.Equal(again, shown) {
		t.Errorf("the link shows %d filings %v, it was made of %d %v", e.total(), again, narrowed, shown)
	}
	checkQuiet(e)
}

// TestExplore_Refused: what the service refuses is said in words.
func TestExplore_Refused(t *testing.T) {
	t.Parallel()
	e := explore(t, "")
	e.use("ak_live_00000000000000000000000000000000")
	if got := e.Text("#trouble p"); got != "The key was not accepted: the API key in X-API-Key is not valid, or was revoked." {
		t.Errorf("401: %q", got)
	}
	if e.Value("document.activeElement.id") != "key-text" || e.counted() > 0 {
		t.Error("a key cannot be typed at once")
	}
	e.Screenshot("key")
	e.use(e.site.Key)
	if e.total() == 0 || e.Value(`String(document.querySelector("#trouble").hidden)`) != "true" {
		t.Error("a good key does not help")
	}
	e.act(func() { e.Type("#filter-min_amount", "much") })
	if got := e.Text("#trouble p"); !strings.HasPrefix(got, "A filter is not right: min_amount must be ") {
		t.Errorf("400: %q", got)
	}
	if got := e.Value(`[...document.querySelectorAll('[aria-invalid="true"]')].map((c) => c.name).join()`); got != "min_amount" {
		t.Errorf("marked is %q", got)
	}
	e.Screenshot("filter")
	e.act(func() { e.Type("#filter-min_amount", "900000000") })
	if e.total() != 0 || e.counted() != 0 || e.Value(`String(document.querySelector("#trouble").hidden)`) != "true" {
		t.Error("nothing found is not shown as that")
	}
	e.Screenshot("empty")
}

// TestExplore_Windows: the page fits into a narrow window, and is dark for who likes it so.
func TestExplore_Windows(t *testing.T) {
	t.Parallel()
	e := explore(t, "#map=9/28.5/-81.3")
	e.use(e.site.Key)
	const overflow = `String(document.documentElement.scrollWidth - document.documentElement.clientWidth)`
	for _, width := range []int64{1280, 360} {
		e.Resize(width, 800)
		e.Wait(`innerWidth === ` + strconv.FormatInt(width, 10))
		e.settle()
		if got := e.Value(overflow); got != "0" {
			t.Errorf("in a window %d wide the page is %s pixels wider", width, got)
		}
		e.Screenshot("light-" + strconv.FormatInt(width, 10))
	}
	e.Resize(1280, 1000)
	light := e.Value("getComputedStyle(document.body).backgroundColor")
	e.Dark()
	e.Do(chromedp.Poll[chromedp.Void]("getComputedStyle(document.body).backgroundColor !== " + strconv.Quote(light)))
	e.Screenshot("dark")
	checkQuiet(e)
}
