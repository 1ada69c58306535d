package pages_test

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unicode"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"filings/cmd/testservers/servers"
)

// session is how a reader looks around for two minutes, with a move of the map every second and a half: nearer to Orlando, around
// there, to Tampa, back to the country, to Los Angeles, and north. Letters are arrow keys, by 80 pixels, or 240 where they are large.
const session = "rd+r+rd+RD++l++LRULLDDRRUUrdLLD----+l+ldRURD-----Ll+Lu+u+r+rU++RLURRDDLLUrd----l"

// TestExplore_Session: the reader needs at most a quarter of the requests of a map that asks for each view, which sends one a move.
// The first moves, to where nothing has been seen yet, cost most. TEST_SESSION=80 makes all of them.
func TestExplore_Session(t *testing.T) {
	t.Parallel()
	moves, part := 24, .6
	switch os.Getenv("TEST_SESSION") {
	case "":
	case "80":
		moves, part = len(session), .25
	default:
		t.Fatal("TEST_SESSION must be 80")
	}
	e := explore(t, "")
	e.Resize(1280, 1000)
	e.use(e.site.Key)
	first := 2 // of the list and the whole country
	e.Value(`document.querySelector("#map").focus(), ""`)
	keys := map[rune]string{'r': kb.ArrowRight, 'l': kb.ArrowLeft, 'u': kb.ArrowUp, 'd': kb.ArrowDown, '+': "=", '-': "-"}
	for _, move := range session[:moves] {
		var far chromedp.Modifier
		if unicode.IsUpper(move) {
			far = chromedp.ModifierShift
		}
		e.act(func() { e.Do(chromedp.KeyEvent(keys[unicode.ToLower(move)], chromedp.KeyModifiers(far))) })
	}
	sent := len(slices.DeleteFunc(e.sent(0), func(path string) bool { return kind(t, path) == "facets" }))
	t.Logf("%d moves sent %d requests, after %d for the first view", moves, sent-first, first)
	if before := moves + 3; float64(sent) > part*float64(before) {
		t.Errorf("%d requests; a map that asks for each view sends %d", sent, before)
	}
	e.Screenshot("end")
}

// TestExplore_Kept: the browser keeps tiles: when the page is loaded again, they are there, and are not counted.
func TestExplore_Kept(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	e := explore(t, "")
	// The browser keeps nothing of a server whose certificate is wrong, as a test's is. A proxy has it without one.
	behind, err := url.Parse(e.site.Address)
	if err != nil {
		t.Fatal(err)
	}
	var tiles atomic.Int64
	proxy := httputil.NewSingleHostReverseProxy(behind)
	proxy.Transport = &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // the test's own
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/tiles/") {
			tiles.Add(1)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	e.Do(chromedp.Navigate(front.URL + "/explore#map=6/28.5/-81.4"))
	e.Wait(`document.querySelector("#filters input") && document.querySelector(".state")`)
	e.use(e.site.Key)
	shown, first := e.counted(), int(tiles.Load())
	if got, want := e.Text("#requests summary"), fmt.Sprintf("Requests · %d counted since the key was typed", first+4); first < 1 || shown == 0 || got != want {
		t.Errorf("%s, want %s", got, want)
	}
	e.Do(chromedp.Reload())
	e.Wait(`document.querySelector("#status")?.textContent`)
	e.waitIdle()
	if e.counted() != shown || int(tiles.Load()) != first {
		t.Errorf("loaded again: %d on the map, which had %d, and %d tiles after %d", e.counted(), shown, tiles.Load(), first)
	}
	if got := e.Text("#requests summary"); got != "Requests · 4 counted since the key was typed" {
		t.Error(got)
	}
	if got, want := e.Text("#quota"), fmt.Sprintf("Enterprise · %s of 100,000 requests left", grouped(100_000-first-8)); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
