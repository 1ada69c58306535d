package apitest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/elastic"
	"filings/index/embedded"
	"filings/index/generation"
	"filings/index/indextest"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
)

// keeping is a site over a store of its own, whose generations a test makes, swaps and prunes.
type keeping struct {
	*site
	store generation.Store
	clock *indextest.Clock // of the store
}

// pass lets time pass on all clocks.
func (k keeping) pass(d time.Duration) {
	k.site.clock.Advance(d)
	k.clock.Advance(d)
}

// eachStore runs f over a service on each engine.
func eachStore(t *testing.T, f func(t *testing.T, k keeping)) {
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		store, err := embedded.Open(embedded.Config{Dir: t.TempDir(), Index: "filings"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		clock := indextest.NewClock(time.Now())
		store.Now = clock.Now
		f(t, keeping{newSite(t, caching{store}), store, clock})
	})
	t.Run("elasticsearch", func(t *testing.T) {
		t.Parallel()
		store, _ := ownElastic(t)
		clock := indextest.NewClock(time.Now())
		store.Now = clock.Now
		f(t, keeping{newSite(t, caching{store}), store, clock})
	})
}

// ownElastic returns a store of the test's own in Elasticsearch, and its name.
func ownElastic(t *testing.T) (store *elastic.Store, name string) {
	t.Helper()
	own := elasticStores{stores: map[dataset]*elastic.Store{}, url: servers.Elasticsearch(t), prefix: "kept-" + strconv.FormatUint(rand.Uint64(), 36)}
	store, err := elastic.Open(elastic.Config{Addresses: []string{own.url}, Index: own.prefix, Shards: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := own.delete(); err != nil {
			t.Error(err)
		}
	})
	return store, own.prefix
}

// load makes filings live, and returns the id of their generation.
func (k keeping) load(t *testing.T, filings []*index.Filing) (name, id string) {
	t.Helper()
	name, err := indextest.Load(t.Context(), k.store, slices.Values(filings))
	if err != nil {
		t.Fatal(err)
	}
	return name, index.GenerationID(name)
}

func (k keeping) prune(t *testing.T, name string) {
	t.Helper()
	lock, err := k.store.Lock(t.Context(), generation.Run{Holder: "test", Started: time.Now().UTC(), Phase: "pruning"})
	if err != nil {
		t.Fatal(err)
	}
	if err := lock.Delete(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	if err := lock.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// pinned returns path with a generation.
func pinned(path, id string) string {
	if strings.Contains(path, "?") {
		return path + "&generation=" + id
	}
	return path + "?generation=" + id
}

// readsFilings reports whether the responses of a path come from filings.
func readsFilings(path string) bool { return !ofAccount(path) && path != "/v1/generations" }

func wantGone(t *testing.T, what string, a response, id, live string) {
	t.Helper()
	want := "the generation " + id + " is not kept; the live one is " + live + ", and /v1/generations lists all that are kept"
	if a.status != http.StatusGone || a.document(t).Error.Code != "generation_gone" || a.document(t).Error.Message != want {
		t.Errorf("%s: %d %s\nwant 410 and %q", what, a.status, a.body, want)
	}
	for _, name := range []string{"X-Generation", "ETag"} {
		if got := a.header.Get(name); got != "" {
			t.Errorf("%s: %s %q", what, name, got)
		}
	}
	if got := a.header.Get("Cache-Control"); got != "private, no-cache" {
		t.Errorf("%s: Cache-Control %q", what, got)
	}
}

func TestX1_Header(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, k keeping) {
		_, id := k.load(t, fixture(t))
		want := func(what string, a response, status int, id string) {
			t.Helper()
			if got := a.header.Get("X-Generation"); a.status != status || got != id {
				t.Errorf("%s: %d with X-Generation %q, want %d with %q", what, a.status, got, status, id)
			}
		}
		for path := range paths {
			if ofAccount(path) {
				continue
			}
			a := k.get(t, access.Free, path)
			want(path, a, 200, id)
			want("HEAD "+path, k.do(t, http.MethodHead, access.Free, path), 200, id)
			if tag := a.header.Get("ETag"); tag != "" {
				want("304 of "+path, k.get(t, access.Free, path, "If-None-Match", tag), 304, id)
			}
		}
		want("404", k.get(t, access.Free, "/v1/filings/77"), 404, id)
		want("404 of a county", k.get(t, access.Free, "/v1/counties/Nowhere/months"), 404, id)
		want("legacy", k.get(t, access.Free, "/v1/liens/1"), 200, id)
		want("400", k.get(t, access.Free, "/v1/filings?limit=0"), 400, "")
		want("401", k.get(t, "", "/v1/filings"), 401, "")
		want("me", k.get(t, access.Free, "/v1/me"), 200, "")
		want("no path", k.get(t, access.Free, "/v1/nothing"), 404, "")
	})
}

func TestX1_HeaderOfFailures(t *testing.T) {
	t.Parallel()
	s := newSite(t, newFaulty(oracle(fixture(t)), index.ErrUnavailable), func(c *service.Config) { c.CORSOrigins = []string{"*"} })
	a := s.get(t, access.Free, "/v1/filings", "Origin", "https://a.example")
	if got := a.header.Get("X-Generation"); a.status != 500 || got != "20260315-000000.000000" {
		t.Errorf("%d with X-Generation %q", a.status, got)
	}
	if exposed := a.header.Get("Access-Control-Expose-Headers"); !strings.Contains(exposed, "X-Generation") {
		t.Errorf("exposed: %s", exposed)
	}
}

func TestX1_BeforeTheFirstLoad(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, k keeping) {
		for path := range paths {
			if a := k.get(t, access.Free, path); len(a.header.Values("X-Generation")) != 0 {
				t.Errorf("%s: X-Generation %q", path, a.header.Values("X-Generation"))
			}
		}
		if a := k.get(t, access.Free, "/v1/generations"); a.status != 200 || a.body != `{"data":[]}` {
			t.Errorf("%d %s", a.status, a.body)
		}
		a := k.get(t, access.Free, "/v1/filings?generation=20261122-051422.061847")
		if a.status != 410 || a.document(t).Error.Message != "the generation 20261122-051422.061847 is not kept, and there is no live one yet" {
			t.Errorf("%d %s", a.status, a.body)
		}
	})
}

func TestX1_Generations(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, k keeping) {
		var names, ids []string
		for n := range 3 {
			name, id := k.load(t, many(t, n+1))
			names, ids = append(names, name), append(ids, id)
		}
		want := func(when string, live int, which ...int) {
			t.Helper()
			a := k.get(t, access.Free, "/v1/generations")
			var items []string
			for _, i := range which {
				created, err := time.Parse(index.GenerationLayout, ids[i])
				if err != nil {
					t.Fatal(err)
				}
				text, _ := json.Marshal(created)
				items = append(items, fmt.Sprintf(`{"id":%q,"createdAt":%s,"filings":%d,"live":%v}`, ids[i], text, i+1, i == live))
			}
			if diff := cmp.Diff(`{"data":[`+strings.Join(items, ",")+`]}`, a.body); diff != "" {
				t.Errorf("%s (-want +got)\n%s", when, diff)
			}
			if got := a.header.Get("X-Generation"); got != ids[live] {
				t.Errorf("%s: X-Generation %s, want %s", when, got, ids[live])
			}
		}
		want("loaded", 2, 2, 1, 0)
		if err := k.store.Swap(t.Context(), names[2], names[0]); err != nil {
			t.Fatal(err)
		}
		want("rolled back, with the list of a moment ago", 0, 2, 1, 0)
		k.prune(t, names[1])
		k.pass(time.Second)
		want("pruned", 0, 2, 0)
	})
}

// TestX2_Pinned: whatever is loaded and rolled back, a pinned request has the answer that it had, on every endpoint that
// reads filings, until its generation is pruned.
func TestX2_Pinned(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, k keeping) {
		first, id := k.load(t, fixture(t))
		before := map[string]response{}
		for path := range paths {
			before[path] = k.get(t, access.Pro, path)
		}
		same := func(when string) {
			t.Helper()
			for path, want := range before {
				if !readsFilings(path) {
					continue
				}
				a := k.get(t, access.Pro, pinned(path, id))
				if a.status != 200 || moving.ReplaceAllString(a.body, "") != moving.ReplaceAllString(want.body, "") {
					t.Errorf("%s, %s: %d %s\nwant %s", when, path, a.status, a.body, want.body)
				}
				if got := a.header.Get("ETag"); got != want.header.Get("ETag") {
					t.Errorf("%s, %s: tag %s, want %s", when, path, got, want.header.Get("ETag"))
				}
				if got := a.header.Get("X-Generation"); got != id {
					t.Errorf("%s, %s: X-Generation %s, want %s", when, path, got, id)
				}
			}
		}
		same("live")
		second, live := k.load(t, many(t, 3))
		if a := k.get(t, access.Pro, "/v1/filings"); a.header.Get("X-Generation") != live || len(a.ids(t)) != 3 {
			t.Errorf("not pinned: %v of %s, want 3 of %s", a.ids(t), a.header.Get("X-Generation"), live)
		}
		same("after a swap")
		if a := k.get(t, access.Pro, pinned("/v1/filings", live)); len(a.ids(t)) != 3 { // though the list was read before it came
			t.Errorf("pinned at once: %s", a.body)
		}
		if err := k.store.Swap(t.Context(), second, first); err != nil {
			t.Fatal(err)
		}
		same("after a rollback")
		if err := k.store.Swap(t.Context(), first, second); err != nil {
			t.Fatal(err)
		}
		same("after another swap")
		if a := k.get(t, access.Pro, pinned("/v1/liens", id)); len(a.ids(t)) != 9 {
			t.Errorf("legacy: %s", a.body)
		}
		k.prune(t, first)
		k.pass(time.Second)
		for path := range paths {
			if readsFilings(path) {
				wantGone(t, path, k.get(t, access.Pro, pinned(path, id), "If-None-Match", before[path].header.Get("ETag")), id, live)
			}
		}
	})
}

// TestX2_PrunedMeanwhile: in the second before the service sees that a generation was pruned, the embedded engine reads on,
// and Elasticsearch has nothing to read. Nothing is a 500, and nothing comes from another generation.
func TestX2_PrunedMeanwhile(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, k keeping) {
		first, id := k.load(t, fixture(t))
		if a := k.get(t, access.Pro, pinned("/v1/filings", id)); a.status != 200 {
			t.Fatalf("%d %s", a.status, a.body)
		}
		_, live := k.load(t, many(t, 3))
		if a := k.get(t, access.Pro, pinned("/v1/filings", id)); a.status != 200 { // which has seen the load
			t.Fatalf("%d %s", a.status, a.body)
		}
		k.prune(t, first)
		a := k.get(t, access.Pro, pinned("/v1/filings?county=orange", id))
		if _, reads := k.store.(*embedded.Store); reads {
			if a.status != 200 || len(a.ids(t)) != 3 || a.header.Get("X-Generation") != id {
				t.Errorf("%d %s", a.status, a.body)
			}
		} else {
			wantGone(t, "pruned meanwhile", a, id, live)
		}
		k.pass(time.Second)
		wantGone(t, "a second later", k.get(t, access.Pro, pinned("/v1/filings?county=orange", id)), id, live)
		if a := k.get(t, access.Pro, "/v1/filings"); len(a.ids(t)) != 3 {
			t.Errorf("not pinned: %s", a.body)
		}
	})
}

func TestX2_Unknown(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	for _, id := range []string{"20260314-235959.999999", "20260315-000000.000001", "20991231-000000.000000", "00010101-000000.000000"} {
		wantGone(t, id, s.get(t, access.Free, "/v1/filings/1?generation="+id), id, "20260315-000000.000000")
	}
	if used := s.used(t, "user-free"); used != 4 {
		t.Errorf("%d requests counted, want 4", used)
	}
}

func TestX2_Malformed(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	for _, id := range []string{"1", "live", "20260315", "20260315-000000", "20260315-000000.0", "20260315-000000,000000", "2026-03-15T00:00:00Z",
		"20261315-000000.000000", "20260230-000000.000000", "filings-20260315-000000.000000-v1", "20260315-000000.0000000", "../20260315-000000.000000"} {
		a := s.get(t, access.Free, "/v1/filings?generation="+id)
		want := fmt.Sprintf("generation must be the id of a generation such as 20261122-051422.061847, not %q", id)
		if a.status != http.StatusBadRequest || a.document(t).Error.Message != want {
			t.Errorf("%s: %d %s\nwant %s", id, a.status, a.body, want)
		}
	}
	if a := s.get(t, access.Free, "/v1/filings?generation=&limit=1"); a.status != http.StatusOK {
		t.Errorf("empty: %d %s", a.status, a.body)
	}
	if a := s.get(t, access.Free, "/v1/filings?generation=20260315-000000.000000&generation=20260315-000000.000000"); a.status != http.StatusBadRequest {
		t.Errorf("twice: %d %s", a.status, a.body)
	}
	for _, path := range []string{"/v1/me", "/v1/generations"} {
		if a := s.get(t, access.Free, path+"?generation=1"); a.status != 200 || a.header.Get("X-Ignored-Parameters") != "generation" {
			t.Errorf("%s: %d %v", path, a.status, a.header)
		}
	}
}

// TestX2_Caching: what was pinned may be used again for an hour without a request, unless it moves with the clock.
func TestX2_Caching(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	const id, kept, asked = "20260315-000000.000000", "private, max-age=3600", "private, no-cache"
	for target, want := range map[string]string{
		"/v1/filings": asked, pinned("/v1/filings", id): kept, pinned("/v1/filings/1", id): kept, pinned("/v1/counties", id): kept,
		pinned("/v1/coverage", id): kept, pinned("/v1/filings?date_range=30", id): asked, pinned("/v1/filings?month=2026-03", id): kept,
		pinned("/v1/stats", id): asked, pinned("/v1/filings/77", id): asked, pinned("/v1/filings?limit=0", id): asked, "/v1/generations": asked,
	} {
		a := s.get(t, access.Free, target)
		if got := a.header.Get("Cache-Control"); got != want {
			t.Errorf("%s: %d, Cache-Control %q, want %q", target, a.status, got, want)
		}
		if tag := a.header.Get("ETag"); tag != "" {
			if a = s.get(t, access.Free, target, "If-None-Match", tag); a.status != 304 || a.header.Get("Cache-Control") != want {
				t.Errorf("304 of %s: %d, Cache-Control %q, want %q", target, a.status, a.header.Get("Cache-Control"), want)
			}
		}
	}
	a := s.get(t, access.Free, pinned("/v1/filings/77", id), "If-None-Match", "*")
	if a.status != 404 || a.header.Get("Cache-Control") != asked {
		t.Errorf("any of nothing: %d, Cache-Control %q", a.status, a.header.Get("Cache-Control"))
	}
}

// TestX2_GoneIsNotRetried: a request that pins its generation never gets another one's answer.
func TestX2_GoneIsNotRetried(t *testing.T) {
	t.Parallel()
	live, _ := oracle(fixture(t)).Live(t.Context())
	s := newSite(t, servicetest.Still{Reader: pinnedGone{goneReader{live}}})
	const id = "20260315-000000.000000"
	for path := range paths {
		if readsFilings(path) {
			wantGone(t, path, s.get(t, access.Free, pinned(path, id)), id, id)
		}
	}
}

// pinnedGone is a generation that is listed, and gone when it is read.
type pinnedGone struct{ goneReader }

func (pinnedGone) Generation() string { return "filings-20260315-000000.000000-v1" }
