package apitest

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"filings/cmd/testservers/servers"
	"filings/index/elastic"
	"filings/index/elastic/elastictest"
	"filings/index/embedded"
	"filings/index/generation"
	"filings/index/indextest"
	"filings/service/access"
	"filings/service/servicetest"
)

// onFreshElastic returns a store of a test's own, and what sends Elasticsearch a request.
func onFreshElastic(t *testing.T) (store *elastic.Store, name string, do func(method, path, body string)) {
	t.Helper()
	address, name := servers.Elasticsearch(t), "lost-"+strconv.FormatUint(rand.Uint64(), 36)
	do = func(method, path, body string) {
		t.Helper()
		req, err := http.NewRequest(method, address+"/"+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if res.Body.Close(); res.StatusCode != http.StatusOK {
			t.Fatalf("%s %s: %s", method, path, res.Status)
		}
	}
	store, err := elastic.Open(elastic.Config{Addresses: []string{address}, Index: name, Shards: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		all := elasticStores{url: address, prefix: name, stores: map[dataset]*elastic.Store{"": store}}
		if err := all.delete(); err != nil {
			t.Error(err)
		}
	})
	return store, name, do
}

// breaking is a service over a store whose live generation breaks.
type breaking struct {
	*site
	store generation.Store
}

// check expects every request and /readyz to fail, or none, within the second that a swap takes to be seen.
func (s breaking) check(t *testing.T, when string, fails bool) {
	t.Helper()
	ready := func() response { return send(t, s.Service.Operations(), http.MethodGet, "/readyz") }
	want := http.StatusOK
	if fails {
		want = http.StatusServiceUnavailable
	}
	servicetest.Until(t, fmt.Sprintf("%s: /readyz %d", when, want), func() bool { return ready().status == want })
	for i, path := range []string{"/v1/filings?limit=1", "/v1/stats", "/v1/filings/1", "/v1/filings?city=" + strings.ReplaceAll(when, " ", "+")} {
		a := s.get(t, access.Pro, path)
		if !fails && a.status != http.StatusOK && a.status != http.StatusNotFound {
			t.Errorf("%s: %s: %d %s", when, path, a.status, a.body)
		}
		if fails && i == 3 { // the others may be cached: that is no wrong response
			checkOutage(t, path, a, "service_unavailable")
		}
	}
	if a := ready(); fails && a.body != "index\n" {
		t.Errorf("%s: /readyz %q", when, a.body)
	}
}

func loadFixture(t *testing.T, store generation.Store) string {
	t.Helper()
	name, err := indextest.Load(t.Context(), store, slices.Values(fixture(t)))
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// wantLines expects that the log says so often that data were lost, and that they are back.
func (s breaking) wantLines(t *testing.T, lost, again int) {
	t.Helper()
	text := s.Log.String()
	if n := strings.Count(text, "until an operator repairs the index"); n != lost {
		t.Errorf("the log says %d times that data were lost, want %d:\n%s", n, lost, text)
	}
	if n := strings.Count(text, "a generation is live again"); n != again {
		t.Errorf("the log says %d times that they are back, want %d", n, again)
	}
	if n := strings.Count(text, `"not ready"`); n > lost {
		t.Errorf("the log says %d times that the service is not ready, want %d", n, lost)
	}
}

// TestL7_LostData: lost data are no empty index, on either engine; the log says it once, and what to do.
func TestL7_LostData(t *testing.T) {
	t.Parallel()
	t.Run("elasticsearch", func(t *testing.T) {
		t.Parallel()
		store, _, do := onFreshElastic(t)
		s := breaking{newSite(t, caching{store}), store}
		s.check(t, "before the first load", false)
		name := loadFixture(t, store)
		s.check(t, "loaded", false)
		do(http.MethodDelete, name, "")
		s.check(t, "live index deleted", true)
		s.check(t, "live index still deleted", true)
		s.wantLines(t, 1, 0)
		loadFixture(t, store)
		s.check(t, "loaded again", false)
		s.wantLines(t, 1, 1)
	})
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		store, err := embedded.Open(embedded.Config{Dir: dir, Index: "filings"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		s := breaking{newSite(t, caching{store}), store}
		s.check(t, "before the first load", false)
		name := loadFixture(t, store)
		s.check(t, "loaded", false)
		if err := os.Remove(filepath.Join(dir, "generations", name+".db")); err != nil {
			t.Fatal(err)
		}
		s.check(t, "live file removed", true)
		s.check(t, "live file still removed", true)
		s.wantLines(t, 1, 0)
		loadFixture(t, store)
		s.check(t, "loaded again", false)
		s.wantLines(t, 1, 1)
	})
}

// TestT4_ReadyMeansSearchable: readiness is that of a search on the live generation, which is there and cannot be searched.
func TestT4_ReadyMeansSearchable(t *testing.T) {
	t.Parallel()
	t.Run("closed and red", func(t *testing.T) {
		t.Parallel()
		store, name, do := onFreshElastic(t)
		s := breaking{newSite(t, caching{store}), store}
		live := loadFixture(t, store)
		s.check(t, "loaded", false)
		do(http.MethodPost, live+"/_close", "")
		s.check(t, "closed", true)
		do(http.MethodPost, live+"/_open", "")
		s.check(t, "opened", false)
		version := live[strings.LastIndex(live, "-v")+len("-v"):]
		red := name + "-20300101-000000.000000-v" + version
		do(http.MethodPut, red+"?wait_for_active_shards=0",
			`{"settings": {"number_of_replicas": 0, "index.routing.allocation.require._name": "no such node"}}`)
		elastictest.Enter(t, servers.Elasticsearch(t), name, red)
		if err := store.Swap(t.Context(), live, red); err != nil {
			t.Fatal(err)
		}
		s.check(t, "red", true)
		if err := store.Swap(t.Context(), red, live); err != nil {
			t.Fatal(err)
		}
		s.check(t, "rolled back", false)
		if strings.Contains(s.Log.String(), `"breaker"`) {
			t.Error("probes opened the breaker")
		}
	})
	t.Run("a damaged file", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		open := func() *embedded.Store {
			store, err := embedded.Open(embedded.Config{Dir: dir, Index: "filings"})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = store.Close() })
			return store
		}
		store := open()
		s := breaking{newSite(t, caching{store}), store}
		live := filepath.Join(dir, "generations", loadFixture(t, store)+".db")
		s.check(t, "loaded", false)
		if err := os.Truncate(live, 8192); err != nil {
			t.Fatal(err)
		}
		breaking{newSite(t, caching{open()}), store}.check(t, "cut short before the start", true)
	})
}

// TestT4_ReadyIsCheap: a balancer may check every second, and a check is one search of one row.
func TestT4_ReadyIsCheap(t *testing.T) {
	t.Parallel()
	proxy := newFaultyProxy(t)
	s, _ := newSiteOver(t, proxy, 5*time.Second)
	ready := func() { send(t, s.Service.Operations(), http.MethodGet, "/readyz") }
	ready()
	before := proxy.requests.Load()
	ready()
	if n := proxy.requests.Load() - before; n < 1 || n > 2 { // the second one looks which generation is live, once a second
		t.Errorf("%d requests to Elasticsearch, want a search", n)
	}
}
