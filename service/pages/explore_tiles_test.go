package pages_test

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"filings/cmd/testservers/servers"
	"filings/service"
	"filings/service/pages"
)

// TestExplore_Tiles: with a base map the page loads tiles from its origin alone, and credits it; without one it loads nothing from
// elsewhere, as the other tests see.
func TestExplore_Tiles(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 256, 256))); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var asked []string
	tiles := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.URL.String()+" from "+r.Referer())
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write(picture.Bytes())
	}))
	t.Cleanup(tiles.Close)
	host := strings.TrimPrefix(tiles.URL, "https://")
	e := explore(t, "#map=11/31.4/-100.5", func(c *service.Config) {
		c.Tiles = pages.Tiles{URL: tiles.URL + "/{z}/{x}/{y}.png?key=k", Attribution: "© Some <b>Mappers</b>, https://example.com/licence"}
	})
	e.Wait(`[...document.querySelectorAll("#map .leaflet-tile")].some((tile) => tile.complete && tile.naturalWidth === 256)`)
	mu.Lock()
	defer mu.Unlock()
	want := regexp.MustCompile(`^/\d+/\d+/\d+\.png\?key=k from ` + regexp.QuoteMeta(e.site.Address) + `/$`)
	if i := slices.IndexFunc(asked, func(a string) bool { return !want.MatchString(a) }); i >= 0 {
		t.Errorf("requested was %s", asked[i])
	}
	if got := e.Text("#map .leaflet-control-attribution"); !strings.Contains(got, "© Some <b>Mappers</b>, example.com | ") && !strings.HasSuffix(got, "© Some <b>Mappers</b>, example.com") {
		t.Errorf("attribution %q", got)
	}
	if got := e.Value(`document.querySelector("#map .leaflet-control-attribution a[href^='https://example']").href`); got != "https://example.com/licence" {
		t.Errorf("its link %q", got)
	}
	for path, allowed := range map[string]bool{"/explore": true, "/docs": false, "/explore/explore.js": false} {
		header, _ := e.fetch(e.site.Address + path)
		policy := header.Get("Content-Security-Policy")
		if strings.Contains(policy, "img-src 'self' https://"+host+" data:;") != allowed || strings.Count(policy, "https:") > 1 {
			t.Errorf("%s: %s", path, policy)
		}
	}
	if hosts := e.Hosts(); len(hosts) != 2 || !slices.Contains(hosts, host) {
		t.Errorf("the page requested %q", hosts)
	}
	if problems := e.Problems(); len(problems) > 0 {
		t.Errorf("problems:\n%s", strings.Join(problems, "\n"))
	}
	e.Screenshot("tiles")
}
