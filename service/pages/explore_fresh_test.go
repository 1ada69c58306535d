package pages_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/serving"
	"filings/service"
)

// renewed is an engine whose live generation gets another name, as after a load.
type renewed struct {
	index.Engine
	name *atomic.Pointer[string]
}

func (e renewed) Live(ctx context.Context) (index.Reader, error) {
	r, err := e.Engine.Live(ctx)
	if name := e.name.Load(); name != nil && err == nil {
		r = renamed{r, *name}
	}
	return r, err
}

func (e renewed) Kept(ctx context.Context, id string) ([]index.Generation, error) {
	all, err := e.Engine.Kept(ctx, id)
	if name := e.name.Load(); name != nil {
		all = append([]index.Generation{{Name: *name}}, all...)
	}
	return all, err
}

func (e renewed) Pin(ctx context.Context, id string) (index.Reader, error) {
	if name := e.name.Load(); name != nil && id == index.GenerationID(*name) {
		return e.Live(ctx)
	}
	return e.Engine.Pin(ctx, id)
}

type renamed struct {
	index.Reader
	name string
}

func (r renamed) Generation() string { return r.name }

// TestExplore_Fresh: the head says of when the data is, and offers newer data once an answer is of it.
func TestExplore_Fresh(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	var name atomic.Pointer[string]
	e := explore(t, "", func(c *service.Config) {
		c.Engine, _ = serving.New(renewed{stored(), &name}, serving.Config{}) // without a registry nothing can fail
	})
	e.use(e.site.Key)
	if got := e.Text("#fresh"); !strings.HasPrefix(got, "Data of ") {
		t.Errorf("the head says %q", got)
	}
	later := "filings-20990101-120000.000000-v9"
	name.Store(&later)
	for range 28 { // pages: the service looks for another generation once a second
		e.act(func() { e.Click("#next") })
		if strings.HasPrefix(e.Text("#fresh"), "New data of 1 Jan 2099") {
			break
		}
	}
	e.waitIdle()
	e.Click("#fresh")
	e.Wait(`document.querySelector("#fresh").textContent.startsWith("Data of 1 Jan 2099")`)
	e.waitIdle()
	if all, _ := e.in(""); e.total() != all {
		t.Errorf("%d filings of the newer data, want %d", e.total(), all)
	}
	checkQuiet(e)
}

// TestExplore_Gone: when the generation of the tiles is gone, the list is asked for again, which tells the next one.
func TestExplore_Gone(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	e := explore(t, "")
	e.Value(`{
		const whole = fetch;
		let gone = 0, lists = 0;
		window.fetch = async (address, options) => {
			if (/\/v1\/filings\?/.test(address)) lists++;
			const isGone = /\/v1\/tiles\//.test(address) && lists < 2 && gone++ < 20; // not forever
			return isGone ? new Response('{"error":{"message":"gone"}}', { status: 410 }) : whole(address, options);
		};
	} ""`)
	e.use(e.site.Key)
	e.act(func() { e.Click("#map .leaflet-control-zoom-in") })
	var lists int
	for _, path := range e.sent(0) {
		if kind(t, path) == "list" {
			lists++
		}
	}
	if all, _ := e.in(""); lists != 2 || e.total() != all || e.counted() == 0 {
		t.Errorf("%d lists were asked for; %d filings of %d, %d on the map", lists, e.total(), all, e.counted())
	}
}

// TestExplore_KeySearched: a key that is typed or pasted into the search box or a field, or comes with a link, is never sent as a term,
// and Enter in the search box uses it as the key.
func TestExplore_KeySearched(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	e := explore(t, "#q=ak_live_00112233445566778899aabbccddeeff")
	e.Value(`document.querySelector("#term").value = "", document.querySelector("#term").focus(), ""`)
	e.Insert("X-API-Key: " + e.site.Key)
	e.Wait(`document.querySelector('#suggestions [data-kind="key"][aria-selected="true"]')`)
	e.Press(kb.Enter)
	e.Wait(`document.querySelector("#welcome").hidden`)
	e.waitIdle()
	all, _ := e.in("")
	if e.total() != all || e.Value(`document.querySelector("#term").value + location.hash.replace(/^#map=[^&]*/, "")`) != "" {
		t.Errorf("%d filings of %d, at %s", e.total(), all, e.Value("location.hash"))
	}
	e.Insert("ak_li")
	e.Wait(`document.querySelector('#suggestions [data-kind="key"]')`)
	e.Value(`document.querySelector("#filter-owner").focus(), ""`)
	e.Insert("ak_live_00112233")
	e.Value(`new Promise((waited) => setTimeout(() => waited(""), 1000)) // longer than the pause after which a term is asked for`)
	for _, request := range e.Requests() {
		if strings.Contains(request, "ak_") {
			t.Errorf("it sent %s", request)
		}
	}
	checkSecret(e)
}
