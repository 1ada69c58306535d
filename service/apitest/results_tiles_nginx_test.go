package apitest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
	"filings/service/webtest"
)

// mapConfig is nginx in front of a service, with pages of its own: it adds the key, so that the page has none, and keeps tiles, as
// docs/api/webmaps.md has it.
const mapConfig = `daemon off; master_process off; error_log error.log; pid nginx.pid;
events {}
http {
	log_format tiles '$uri $status'; access_log off; types { text/html html; text/javascript mjs; text/css css; }
	client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
	ssl_certificate %[1]s; ssl_certificate_key %[2]s;
	proxy_cache_path tiles keys_zone=tiles:1m max_size=1g inactive=30d;
	server {
		listen %[4]s ssl;
		location / { root page; }
		location /maplibre/ { alias %[5]s/; }
		location /v1/tiles {
			proxy_pass https://%[3]s;
			proxy_set_header Host $http_host;
			proxy_set_header X-API-Key %[6]s;
			proxy_cache $cache; proxy_cache_valid 200 204 30d; proxy_cache_lock on;
			proxy_ignore_headers Cache-Control Vary;
			set $cache tiles;
			if ($uri = /v1/tiles.json) { set $cache off; }
			access_log requests.log tiles;
		}
	}
}
`

// mapPage is a page with a map by MapLibre, which counts what it draws, and says what went wrong. LINES are those of
// docs/api/webmaps.md.
const mapPage = `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Map</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="/maplibre/maplibre-gl.css"><div id="map" style="width:900px;height:600px"></div>
<script type="module">
import * as maplibregl from "/maplibre/maplibre-gl.mjs";
window.errors = [];
window.drawn = new Set();
const circle = (id, layer, radius) => ({ id, type: "circle", source: "filings", "source-layer": layer, paint: { "circle-radius": radius } });
const radius = ["+", 6, ["ln", ["get", "count"]]];
window.map = new maplibregl.Map({ container: "map", center: [-81.4, 28.5], zoom: 8, fadeDuration: 0, attributionControl: false,
	style: { version: 8, sources: { filings: { type: "vector", url: location.origin + "/v1/tiles.json" } }, layers: [
		circle("points", "filings", 4), circle("clusters", "clusters", radius), circle("cells", "cells", radius)] } });
LINES
map.on("error", (event) => errors.push(String(event.error)));
map.once("idle", () => { window.ready = true; });
window.drag = async (moves) => {
	for (const [x, y, zoom] of moves) {
		const idle = new Promise((seen) => map.once("idle", seen));
		map.panBy([x, y], { animate: false });
		if (zoom) map.jumpTo({ zoom: map.getZoom() + zoom });
		map.triggerRepaint();
		await idle;
		const layers = [...new Set(map.queryRenderedFeatures().map((feature) => feature.layer.id))].sort().join();
		drawn.add(layers);
		if (layers.includes("points") && layers !== "points") errors.push("side by side: " + layers);
	}
};
</script>
`

// mapLines returns the sample of docs/api/webmaps.md that has a text.
func mapLines(t *testing.T, has string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/api/webmaps.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range regexp.MustCompile("(?s)```text\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		if strings.Contains(block[1], has) {
			return block[1]
		}
	}
	t.Fatalf("no sample has %s", has)
	return ""
}

// pageOfMap returns mapPage with the lines of the documents that have these texts.
func pageOfMap(t *testing.T, has ...string) string {
	t.Helper()
	lines := ""
	for _, text := range has {
		lines += mapLines(t, text)
	}
	return strings.Replace(mapPage, "LINES\n", lines, 1)
}

// startMap starts nginx with the page in front of l until the test ends. It returns the page's address, and the file with a line for each request
// of a tile that it responded to.
func startMap(t *testing.T, l *servicetest.Listener, key string) (page, log string) {
	t.Helper()
	modules, folder, address := servers.NodeModules(t, "maplibre-gl"), t.TempDir(), freeAddress(t)
	if err := os.Mkdir(filepath.Join(folder, "page"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "page", "index.html"), []byte(pageOfMap(t, "choose")), 0o600); err != nil {
		t.Fatal(err)
	}
	certificate, private := l.Files(t)
	startNginx(t, folder, fmt.Sprintf(mapConfig, certificate, private, l.Address, address, filepath.Join(modules, "maplibre-gl", "dist"), key), address)
	return "https://" + address, filepath.Join(folder, "requests.log")
}

// dragged are 80 moves: there and back, and nearer now and then.
func dragged() (moves [][3]int) {
	for i := range 80 {
		x, y := []int{120, 120, 90, 0, -120, -120, -90, 0}[i%8], []int{0, 30, 60, 90, 0, -30, -60, -80}[i%8]
		zoom := 0
		if i%20 == 19 {
			zoom = []int{1, 1, -1, -1}[i/20]
		}
		moves = append(moves, [3]int{x, y, zoom})
	}
	return moves
}

// TestX35_MapLibre: MapLibre draws the tiles without an error. Behind an nginx that keeps them, a drag of 80 moves costs each tile once, and
// a second visitor costs what tells where the tiles are.
func TestX35_MapLibre(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "proxies")
	servers.Program(t, servers.Browser)
	s := newSite(t, oracle(synthesized(3000)))
	l := servicetest.ListenTLS(t, s.App)
	address, log := startMap(t, l, s.Keys[access.Pro])
	moves, err := json.Marshal(dragged())
	if err != nil {
		t.Fatal(err)
	}
	var browser webtest.Browser
	t.Cleanup(browser.Close)
	var all, first []string
	for visitor := range 2 {
		before := s.used(t, "user-pro")
		p := browser.Open(t, address)
		p.Wait("window.ready || (window.errors ?? []).length")
		drawn := p.Value(`String(map.queryRenderedFeatures().length)`)
		p.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("drag(%s)", moves), chromedp.EvalAwaitPromise))
		p.Screenshot(fmt.Sprint(visitor))
		slow := func(problem string) bool { return strings.Contains(problem, "GL Driver Message (OpenGL, Performance") } // without a graphics card
		problems := slices.DeleteFunc(p.Problems(), slow)
		if layers := p.Value(`[...drawn].sort().join(" or ")`); !strings.Contains(layers, "clusters") || !strings.Contains(layers, "points") {
			t.Errorf("the views have %s", layers)
		}
		if got := p.Value(`errors.join("\n")`); got != "" || len(problems) > 0 || drawn == "0" {
			t.Errorf("visitor %d: %s drawn, errors %s, problems %q", visitor, drawn, got, problems)
		}
		used := s.used(t, "user-pro") - before
		var logged []string
		servicetest.Until(t, "nginx has written its log", func() bool {
			text, err := os.ReadFile(log)
			logged = strings.Fields(strings.ReplaceAll(string(text), " ", "="))
			return err == nil && len(logged)-len(all) >= max(int(used), len(first)+1)
		})
		tiles := slices.DeleteFunc(slices.Clone(logged[len(all):]), func(line string) bool { return !strings.Contains(line, ".mvt=") })
		all = logged
		for _, line := range tiles {
			if !strings.HasSuffix(line, "=200") && !strings.HasSuffix(line, "=204") {
				t.Error(line)
			}
		}
		sent := len(tiles)
		slices.Sort(tiles)
		tiles = slices.Compact(tiles)
		t.Logf("visitor %d: %d requests for %d tiles, %d of the quota; %s points of the first view", visitor, sent, len(tiles), used, drawn)
		switch {
		case visitor == 0 && (used != int64(len(tiles)+1) || len(tiles) < 4):
			t.Errorf("%d tiles and their address cost %d requests", len(tiles), used)
		case visitor == 1 && (used != 1 || !slices.Equal(tiles, first)):
			t.Errorf("the second visitor costs %d requests, and sees %d tiles of %d", used, len(tiles), len(first))
		}
		first = tiles
	}
}

// openElsewhere opens a page with a map on an origin of its own, whose tiles are of l, by a
// token with these filters. It has the lines of the documents that have these texts, and new
// tokens at /token.
func (s *site) openElsewhere(t *testing.T, l *servicetest.Listener, filters string, has ...string) *webtest.Page {
	t.Helper()
	maplibre := http.FileServer(http.Dir(filepath.Join(servers.NodeModules(t, "maplibre-gl"), "maplibre-gl", "dist")))
	files, page := http.NewServeMux(), ""
	other := httptest.NewServer(files)
	t.Cleanup(other.Close)
	token := func() string {
		return s.get(t, access.Pro,
			"/v1/tokens?endpoints=tiles&visitor_burst=25&expires_in=600&origin="+other.URL+filters).body
	}
	files.Handle("/maplibre/", http.StripPrefix("/maplibre/", maplibre))
	files.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, page) })
	files.HandleFunc("/token", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, token()) })
	var made struct{ Data struct{ Token string } }
	if err := json.Unmarshal([]byte(token()), &made); err != nil || made.Data.Token == "" {
		t.Fatal(err)
	}
	address := `"https://localhost:8443/v1/tiles.json?token=` + made.Data.Token + `"`
	page = strings.Replace(pageOfMap(t, has...), `location.origin + "/v1/tiles.json"`, address, 1)
	page = strings.ReplaceAll(page, "localhost:8443", l.Address)
	p := webtest.Open(t, other.URL)
	p.Wait("window.ready || (window.errors ?? []).length")
	return p
}

// TestX35_MapLibreToken: a page on another origin draws tiles with a token that is in the address of tiles.json alone. No preflight is sent,
// each tile costs one request, and only what the token selects is drawn.
func TestX35_MapLibreToken(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "proxies")
	servers.Program(t, servers.Browser)
	s := &site{Site: servicetest.New(t, oracle(synthesized(3000)), servicetest.Options{})}
	l := servicetest.ListenTLS(t, s.App)
	p := s.openElsewhere(t, l, "&filing_type=Tax+Lien", "choose")
	p.Do(chromedp.Evaluate[chromedp.Void]("drag([[0, 0, 3], [150, 90, 0], [-150, -90, 0]])", chromedp.EvalAwaitPromise))
	drawn := p.Value(`[...new Set(map.queryRenderedFeatures().map((f) => f.properties.filingType ?? "cluster"))].sort().join()`)
	if got := p.Value(`errors.join("\n")`); got != "" || drawn != "Tax Lien" {
		t.Errorf("%q drawn, errors %s", drawn, got)
	}
	log := s.Log.String()
	tiles := strings.Count(log, `"route":"/v1/tiles/:generation/:z/:x/:y.mvt"`)
	if used := s.used(t, "user-pro"); tiles < 2 || used != int64(tiles+2) {
		t.Errorf("%d tiles, their address and the token cost %d requests", tiles, used)
	}
	if regexp.MustCompile(`OPTIONS|preflight|"status":[345]|ak_pub_`).MatchString(log) {
		t.Errorf("a preflight, a refusal or a token: %s", log)
	}
}

// forgetful keeps the live generation alone.
type forgetful struct{ *lineage }

func (e forgetful) Kept(ctx context.Context, id string) ([]index.Generation, error) {
	kept, err := e.lineage.Kept(ctx, id)
	return slices.DeleteFunc(kept, func(g index.Generation) bool { return !g.Live }), err
}

func (e forgetful) Pin(ctx context.Context, id string) (index.Reader, error) {
	live, err := e.Live(ctx)
	if err == nil && index.GenerationID(live.Generation()) != id {
		return nil, index.ErrGone
	}
	return live, err
}

// TestX35_OpenMap: a map that stays open goes on after a load, and after the end of its token, by the lines of
// docs/api/webmaps.md: each costs one request for the addresses of the tiles.
func TestX35_OpenMap(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "proxies")
	servers.Program(t, servers.Browser)
	filings, e := synthesized(3000), &lineage{}
	generation := e.promote(filings[:1500])
	s := newSite(t, forgetful{e})
	p := s.openElsewhere(t, servicetest.ListenTLS(t, s.App), "", "choose", "renew")
	address := p.Value(`map.getSource("filings").tiles[0]`)
	for i, change := range []func(){
		func() { generation = e.promote(filings[1500:]) },
		func() { s.clock.Advance(time.Hour) }, // the token has ended
		func() { generation = e.promote(filings[:1000]) },
	} {
		change()
		s.clock.Advance(2 * time.Second)
		p.Value(`map.jumpTo({ zoom: map.getZoom() + 1 }), ""`)
		p.Wait(fmt.Sprintf(`(window.address = map.getSource("filings")?.tiles?.[0] ?? "").includes(%q) && address !== %q &&
			map.areTilesLoaded() && map.queryRenderedFeatures().length > 0`, generation, address))
		address = p.Value("address")
		got := p.Value(`errors.filter((e) => !/\((401|410)\)/.test(e)).join() +
			[map.getCenter().lng.toFixed(1), map.getZoom()]`)
		if want := fmt.Sprintf("-81.4,%d", 9+i); got != want {
			t.Errorf("%d: errors, or another view: %s", i, got)
		}
		if sets := strings.Count(s.Log.String(), `"route":"/v1/tiles.json"`); sets != i+2 {
			t.Errorf("%d: %d requests for the addresses of tiles", i, sets)
		}
	}
}

// TestP15_MapView: the lines of docs/api/webmaps.md for clusters request the box of each view,
// past ±180 degrees and at each end of the zooms too.
func TestP15_MapView(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "proxies")
	servers.Program(t, servers.Browser)
	s := newSite(t, oracle(fixture(t)), func(c *service.Config) { c.CORSOrigins = []string{"*"} })
	l := servicetest.ListenTLS(t, s.App)
	p := s.openElsewhere(t, l, "")
	lines := strings.ReplaceAll(mapLines(t, "clusters?"), "localhost:8443", l.Address)
	prelude := fmt.Sprintf(`window.shown = null;
		const headers = { "X-API-Key": %q }, show = (answer) => (shown = answer);`, s.Keys[access.Pro])
	p.Do(chromedp.Evaluate[chromedp.Void](prelude + lines))
	for _, view := range []struct {
		center string
		zoom   float64
		want   string
	}{
		{"[180, 52]", 7, "4"}, {"[-180, 52]", 7, "4"}, {"[179.9, 52]", 7, "4"}, {"[-179.9, 52]", 7, "4"},
		{"[540, 52]", 7, "4"},
		{"[-81.4, 28.5]", 9, "1"}, {"[278.6, 28.5]", 9, "1"}, {"[-81.4, 28.5]", 22, "1"}, {"[0, 0]", 0, "6"},
		{"[180, 0]", 0, "6"},
	} {
		s.clock.Advance(time.Second)
		p.Value(fmt.Sprintf(`shown = null, map.jumpTo({ center: %s, zoom: %v }), ""`, view.center, view.zoom))
		p.Wait("shown")
		if got := p.Value(`String(shown.data?.total ?? shown.error.message)`); got != view.want {
			t.Errorf("%s at zoom %v: %s, want %s", view.center, view.zoom, got, view.want)
		}
	}
}
