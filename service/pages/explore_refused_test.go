package pages_test

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/indextest"
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
	if got := e.Text("#trouble p"); got != "The key was not accepted: the API key is not valid, or was revoked." {
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
	if got := e.Text("#trouble p"); !strings.HasPrefix(got, "Check your filters: minimum amount must be a number") {
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

// limited opens the explorer with an account of a tier that has a limit of its own, and uses its key. Options change the
// configuration last.
func limited(t *testing.T, tier access.Tier, limit access.Limit, clock func() time.Time, options ...func(*service.Config)) *explorer {
	t.Helper()
	l := servicetest.Limits()
	l[tier] = limit
	store, err := access.OpenEmbedded(filepath.Join(t.TempDir(), "access.db"), l, clock)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	key, err := store.Create(t.Context(), "reader", tier, "test")
	if err != nil {
		t.Fatal(err)
	}
	e := explore(t, "", append([]func(*service.Config){func(c *service.Config) { c.Access = store }}, options...)...)
	e.use(key)
	return e
}

// TestExplore_Limited: when the quota of the day or of a lifetime is used up, the page says which, and what helps.
func TestExplore_Limited(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	for tier, want := range map[access.Tier]struct{ left, trouble string }{
		access.Pro: {"Pro · 0 of 2 requests left", `^The account has used up its 2 requests of today\. There are new ones at midnight UTC: ` +
			`in \d+ (s|minutes|hours), at 1?\d:\d\d [AP]M here\. Until then, use the key of another account\.$`},
		access.Free: {"Free · 0 of 2 requests left", `^The account has used up its 2 requests, which are for life: waiting does not help\. ` +
			`Have it upgraded, or use the key of another account\.$`},
	} {
		t.Run(string(tier), func(t *testing.T) {
			t.Parallel()
			e := limited(t, tier, access.Limit{Quota: 2, Burst: 100}, func() time.Time { return now }) // not at midnight
			if got := e.Text("#quota"); e.total() == 0 || !strings.HasPrefix(got, want.left) {
				t.Errorf("quota %q", got)
			}
			e.act(func() { e.Type("#filter-city", "Fernmere") })
			if got := e.Text("#trouble p"); !regexp.MustCompile(want.trouble).MatchString(got) {
				t.Errorf("429: %q", got)
			}
			if e.counted() != 0 || len(e.ids()) != 0 || !strings.HasPrefix(e.Text("#quota"), want.left) {
				t.Error("the response before it is shown as if it were the latest")
			}
			e.Screenshot("trouble")
			if got := e.Text("#trouble button"); got != "Use another key" {
				t.Errorf("it offers %q", got)
			}
			e.Click("#trouble button")
			e.use(e.site.Key) // of another store: refused, but it could be typed
			if got := e.Text("#trouble p"); !strings.HasPrefix(got, "The key was not accepted: ") {
				t.Errorf("another key: %q", got)
			}
		})
	}
}

// hurried is a key store in which no time passes, but after each refusal a minute: whatever comes next after a request of a
// burst of 1 is refused, and what is sent again is not, however busy the machine is.
type hurried struct {
	access.Store
	clock *indextest.Clock
}

func (s hurried) Admit(ctx context.Context, c access.Credential, n int64) (access.Admission, error) {
	a, err := s.Store.Admit(ctx, c, n)
	if a.Verdict == access.BurstExceeded {
		s.clock.Advance(time.Minute)
	}
	return a, err
}

// TestExplore_Burst: what a burst refuses is sent again by itself, after a note; it needs no click.
func TestExplore_Burst(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	clock := indextest.NewClock(now)
	e := limited(t, access.Free, access.Limit{Quota: 100, Burst: 1}, clock.Now, func(c *service.Config) { c.Access = hurried{c.Access, clock} })
	if all, _ := e.in(""); e.total() != all || e.counted() == 0 || e.Value(`String(document.querySelector("#trouble").hidden)`) != "true" {
		t.Errorf("%d filings, %d on the map", e.total(), e.counted())
	}
	e.Wait(`document.querySelector("#note").hidden`)
	if got, n := e.Text("#quota"), len(e.sent(0)); got != "Free · 96 of 100 requests left; the last question took 4" || n <= 2 {
		t.Errorf("%q after %d requests", got, n)
	}
	e.Value(`window.noted = []; new MutationObserver(() => noted.push(document.querySelector("#note").textContent)).observe(document.querySelector("#note"), { childList: true }); ""`)
	e.Click("#in-view")
	e.Wait(`noted.length > 0`)
	e.waitIdle()
	if got := e.Value(`noted[0]`); got != "Rate limit reached. Continuing in 1 s." {
		t.Errorf("note %q", got)
	}
	if got := e.Text("#quota"); got != "Free · 93 of 100 requests left; the last question took 3" {
		t.Errorf("then %q", got)
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
	g.Engine = stored()
	c.Engine, _ = serving.New(g, serving.Config{}) // without a registry nothing can fail
}

// stored is the engine of explore's service, as one that can be served.
func stored() index.Engine {
	store, _ := engine.open() // explore has opened it
	return store
}

// TestExplore_Failed: a failure of the service is shown with the number of the request, and trying again helps once it
// is over.
func TestExplore_Failed(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	g := &gate{}
	e := explore(t, "", g.guard)
	g.set(true, nil)
	e.use(e.site.Key)
	got := e.Text("#trouble p")
	if !regexp.MustCompile(`^The service failed \(500\): the service is temporarily unavailable; retry in a few seconds\. Request req_[0-9a-f]{32}\.$`).MatchString(got) {
		t.Errorf("500: %q", got)
	}
	g.set(false, nil)
	e.Click("#trouble button")
	if e.total() == 0 {
		t.Error("trying again shows nothing")
	}
}

// TestExplore_Foreign: a page of something in between is said to be that, and so is an answer that was cut.
func TestExplore_Foreign(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	for _, body := range []string{"<html>Log in</html>", `{"data":[{"id":1`} {
		e := explore(t, "")
		e.Value(`window.whole = fetch; window.fetch = async () => new Response(` + strconv.Quote(body) + `); ""`)
		e.use(e.site.Key)
		if got := e.Text("#trouble p"); got != "Unexpected response. A proxy or sign-in page may be in the way." {
			t.Errorf("%s: %q", body, got)
		}
		e.Value(`window.fetch = whole; ""`)
		e.Click("#trouble button")
		if e.total() == 0 {
			t.Error("trying again shows nothing")
		}
	}
}

// TestExplore_Stale: a response that comes after a later request is not shown.
func TestExplore_Stale(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	g := &gate{arrived: make(chan struct{}, 2)}
	e := explore(t, "", g.guard)
	e.use(e.site.Key)
	held := make(chan struct{})
	g.set(false, held)
	e.Type("#filter-county", "Orange")
	<-g.arrived
	<-g.arrived // counties and table
	g.set(false, nil)
	e.act(func() { e.Click(`#filters [value="land"]`) })
	all, _ := e.in("Orange")
	total, shown := e.total(), e.ids()
	if total == 0 || total >= all || len(shown) != min(100, total) {
		t.Errorf("%d filings of %d, in the table %v", total, all, shown)
	}
	close(held)
	e.Value(`fetch("openapi.json").then(() => "came after them")`)
	if again := e.ids(); !slices.Equal(again, shown) {
		t.Errorf("the table had %v, and has %v", shown, again)
	}
}
