package pages_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/embedded"
	"filings/index/indextest"
	"filings/index/indextest/edges"
	"filings/service"
	"filings/service/webtest"
)

const (
	// hostileID has more digits than a number of JavaScript.
	hostileID    = 9007199254740993
	hostileOwner = `<img src=x onerror="document.title='run'">`
)

// hostile is a filing whose text wants to be markup, the only one within a hundred miles.
func hostile() *index.Filing {
	return edges.Filing(hostileID, edges.Values{
		index.CreatedAt: edges.Day("2026-01-01"), index.County: "Tom Green, TX", index.Owner: hostileOwner, index.PropertyAddress: `"><script>alert(1)</script>`,
		index.Latitude: 31.4, index.Longitude: -100.5, index.FilingAmount: 1234.5,
	})
}

// browser is the one of all tests of this package.
var browser webtest.Browser

// engine is what the services of all tests of this package read: its filings are loaded once.
var engine struct {
	dir     string
	open    func() (*embedded.Store, error)
	filings []*index.Filing
}

func TestMain(m *testing.M) {
	engine.open = sync.OnceValues(loadEngine)
	code := m.Run()
	browser.Close()
	if engine.dir != "" {
		if store, err := engine.open(); err == nil {
			_ = store.Close()
		}
		_ = os.RemoveAll(engine.dir)
	}
	os.Exit(code)
}

func loadEngine() (store *embedded.Store, err error) {
	engine.filings = slices.Concat(webtest.Synthetic(), []*index.Filing{hostile()}, unplaced(), stack())
	if engine.dir, err = os.MkdirTemp("", "pages-"); err != nil {
		return nil, err
	}
	if store, err = embedded.Open(embedded.Config{Dir: engine.dir, Index: "filings"}); err != nil {
		return nil, err
	}
	_, err = indextest.Load(context.Background(), store, slices.Values(engine.filings))
	return store, err
}

// now is Sunday noon.
var now = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)

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
	servers.Program(t, servers.Browser)
	store, err := engine.open()
	if err != nil {
		t.Fatal(err)
	}
	site := webtest.StartOver(t, store, options...)
	p := browser.Open(t, site.Address+"/explore"+hash)
	p.Wait(`document.querySelector("#filters input") && document.querySelector(".state")`)
	return &explorer{p, t, site, engine.filings}
}

// use types a key and waits for what it shows.
func (e *explorer) use(key string) {
	e.t.Helper()
	e.Type("#key-text", key)
	e.waitIdle()
}

// waitIdle waits until every request has its response, and the page shows them.
func (e *explorer) waitIdle() {
	e.t.Helper()
	e.Wait(`document.querySelector("#results").ariaBusy === "false"`)
}

// act waits until the address of the page differs from what it was before an act, and the page shows the responses.
func (e *explorer) act(act func()) {
	e.t.Helper()
	before := e.Value("location.hash")
	act()
	e.Wait("location.hash !== " + strconv.Quote(before))
	e.waitIdle()
}

// resize gives the window another size and waits until what the map shows then is shown.
func (e *explorer) resize(width, height int64) {
	e.t.Helper()
	e.Resize(width, height)
	e.waitIdle()
}

// total returns the number of filings that the page says there are; of those in view, where it shows only them.
func (e *explorer) total() int {
	e.t.Helper()
	e.Wait(`/ filings?|No filings/.test(document.querySelector("#status").textContent)`)
	return e.number(`document.querySelector("#status").textContent.match(/^[\d,]*/)[0].replaceAll(",", "") || "0"`)
}

// counted returns the sum of the numbers on the map.
func (e *explorer) counted() int {
	e.t.Helper()
	return e.number(`String([...document.querySelectorAll("#map [data-count]")].reduce((sum, c) => sum + Number(c.dataset.count), 0))`)
}

// in returns how many filings there are of the counties whose name begins so, and how many have a place on the map.
func (e *explorer) in(county string) (all, placed int) {
	for _, f := range e.filings {
		if !strings.HasPrefix(f.Text(index.County), county) {
			continue
		}
		if all++; f.Has(index.Latitude) {
			placed++
		}
	}
	return all, placed
}

// sent returns the requests to the API that the page has sent, as paths with queries, in order, from the nth on.
func (e *explorer) sent(n int) (paths []string) {
	for _, address := range e.Requests() {
		if path, ok := strings.CutPrefix(address, e.site.Address); ok && strings.HasPrefix(path, "/v1/") {
			paths = append(paths, path)
		}
	}
	return paths[n:]
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

// fetch sends a GET for an address of the service as another client does.
func (e *explorer) fetch(address string) (header http.Header, body string) {
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
	if res.StatusCode != http.StatusOK {
		e.t.Fatalf("%s: %d", address, res.StatusCode)
	}
	text, err := io.ReadAll(res.Body)
	if err != nil {
		e.t.Fatal(err)
	}
	return res.Header, string(text)
}

// filing returns the fields of a filing as the service has them.
func (e *explorer) filing(id string) (fields map[string]json.RawMessage) {
	e.t.Helper()
	var one struct{ Data map[string]json.RawMessage }
	if _, body := e.fetch(e.site.Address + "/v1/filings/" + id); json.Unmarshal([]byte(body), &one) != nil {
		e.t.Fatalf("filing %s: %s", id, body)
	}
	return one.Data
}

// fetchIDs returns the ids of the filings at an address of the service, in order.
func (e *explorer) fetchIDs(address string) (ids []string) {
	e.t.Helper()
	var page struct{ Data []struct{ ID json.Number } }
	if _, body := e.fetch(address); json.Unmarshal([]byte(body), &page) != nil {
		e.t.Fatalf("%s: %s", address, body)
	}
	for _, f := range page.Data {
		ids = append(ids, f.ID.String())
	}
	return ids
}
