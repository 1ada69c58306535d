package service_test

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"filings/index"
	"filings/index/serving"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
)

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

// TestExplore_Limited: when the quota is used up, the page says so and for how long.
func TestExplore_Limited(t *testing.T) {
	t.Parallel()
	l := servicetest.Limits()
	l[access.Pro] = access.Limit{Quota: 2, Burst: 100}
	store, err := access.OpenEmbedded(filepath.Join(t.TempDir(), "access.db"), l, func() time.Time { return now }) // not at midnight
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	key, err := store.Create(t.Context(), "reader", access.Pro, "test")
	if err != nil {
		t.Fatal(err)
	}
	e := explore(t, "", func(c *service.Config) { c.Access = store })
	e.use(key)
	if got := e.Text("#quota"); e.total() == 0 || got != "Pro · 0 of 2 requests left" {
		t.Errorf("quota %q", got)
	}
	e.Click("#next")
	e.waitIdle()
	got := e.Text("#trouble p")
	if !regexp.MustCompile(`^Too many requests: the daily request quota is used up: it resets at midnight UTC\. Wait \d+ (s|minutes|hours)\.$`).MatchString(got) {
		t.Errorf("429: %q", got)
	}
	if e.counted() != 0 || len(e.ids()) != 0 {
		t.Error("the response before it is shown as if it were the latest")
	}
}

// gate is an engine that can be made to fail, and to hold requests back.
type gate struct {
	index.Engine
	mu      sync.Mutex
	fails   bool
	held    chan struct{} // closed when requests may go on; nil: they may
	arrived chan struct{} // has one for each request that is held
}

func (g *gate) Live(ctx context.Context) (index.Reader, error) {
	g.mu.Lock()
	fails, held := g.fails, g.held
	g.mu.Unlock()
	if fails {
		return nil, index.ErrUnavailable
	}
	if held != nil {
		g.arrived <- struct{}{}
		<-held
	}
	return g.Engine.Live(ctx)
}

func (g *gate) set(fails bool, held chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.fails, g.held = fails, held
}

// guard is an option that puts g in front of the engine.
func (g *gate) guard(c *service.Config) {
	g.Engine = plain{c.Engine}
	c.Engine, _ = serving.New(g, serving.Config{}) // without a registry nothing can fail
}

// plain is a served engine as one that can be served.
type plain struct{ *serving.Engine }

func (p plain) Live(ctx context.Context) (index.Reader, error) { return p.Engine.Live(ctx) }

// TestExplore_Failed: a failure of the service is shown with the number of the request, and trying again helps once it
// is over.
func TestExplore_Failed(t *testing.T) {
	t.Parallel()
	g := &gate{}
	e := explore(t, "", g.guard)
	g.set(true, nil)
	e.use(e.site.Key)
	got := e.Text("#trouble p")
	if !regexp.MustCompile(`^The service failed \(500\): the service cannot answer at the moment; try again later\. Request req_[0-9a-f]{32}\.$`).MatchString(got) {
		t.Errorf("500: %q", got)
	}
	g.set(false, nil)
	e.Click("#trouble button")
	if e.total() == 0 {
		t.Error("trying again shows nothing")
	}
}

// TestExplore_Stale: a response that comes after a later request is not shown.
func TestExplore_Stale(t *testing.T) {
	t.Parallel()
	g := &gate{arrived: make(chan struct{}, 2)}
	e := explore(t, "", g.guard)
	e.use(e.site.Key)
	held := make(chan struct{})
	g.set(false, held)
	e.Type("#filter-county", "Orange")
	<-g.arrived
	<-g.arrived // table and map
	g.set(false, nil)
	e.Click("#next") // the second page of what is not there yet
	e.waitIdle()
	want, shown := e.in("Orange"), e.ids()
	if total, counted := e.total(), e.counted(); total != want || counted != want || len(shown) != min(25, want-25) {
		t.Errorf("%d filings in view, %d on the map, want %d; on the second page %v", total, counted, want, shown)
	}
	close(held)
	e.Value(`fetch("openapi.json").then(() => "came after them")`)
	if again := e.ids(); !slices.Equal(again, shown) {
		t.Errorf("the table had %v, and has %v", shown, again)
	}
}
