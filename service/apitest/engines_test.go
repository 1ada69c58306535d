package apitest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
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
	"filings/index/elastic"
	"filings/index/embedded"
	"filings/index/generation"
	"filings/index/indextest"
)

// dataset is one of the sets of filings that tests request.
type dataset string

const (
	handmade dataset = "handmade" // fixture
	plenty   dataset = "plenty"   // many
	varied   dataset = "varied"   // synthetic filings, as the demo has them
	alike    dataset = "alike"    // filings of counties with names that differ little

	separators dataset = "separators" // filings whose values have commas and semicolons
)

func (d dataset) filings(t testing.TB) []*index.Filing {
	switch d {
	case plenty:
		return many(t, plentyFilings)
	case varied:
		return synthesized(400)
	case long:
		filings := many(t, longFilings)
		for _, f := range filings {
			f.SetText(index.AISummary, strings.Repeat("long ", index.MaxLongText/5))
		}
		return filings
	case separators:
		return separated(t)
	case alike:
		return ofCounties(t, "Lee (X), FL", "Lee, FL", "Lee-On-Sea, FL", "Lee, AL", "LEE, FL")
	}
	return fixture(t)
}

// eachEngine runs f over a service on each engine that holds filings, with a cache around it as in production; and
// over the plain loops of the oracle, which keeps the expectations themselves honest.
func eachEngine(t *testing.T, d dataset, f func(t *testing.T, s *site)) {
	t.Run("oracle", func(t *testing.T) {
		t.Parallel()
		f(t, newSite(t, oracle(d.filings(t))))
	})
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		store, err := embedded.Open(embedded.Config{Dir: t.TempDir(), Index: "filings"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		load(t, store, d)
		f(t, newSite(t, caching{store}))
	})
	t.Run("elasticsearch", func(t *testing.T) {
		t.Parallel()
		f(t, newSite(t, caching{onElastic.store(t, d)}))
	})
}

// onOracle runs f over the oracle alone: TestGolden sends the same requests to the engines, and wants the same bytes of each.
func onOracle(t *testing.T, d dataset, f func(t *testing.T, s *site)) {
	t.Helper()
	f(t, newSite(t, oracle(d.filings(t))))
}

// eachEngineNightly runs f over the oracle, and in `make nightly` over each engine.
func eachEngineNightly(t *testing.T, d dataset, f func(t *testing.T, s *site)) {
	t.Run("oracle alone", func(t *testing.T) {
		t.Parallel()
		onOracle(t, d, f)
	})
	t.Run("engines", func(t *testing.T) {
		t.Parallel()
		servers.Nightly(t, "random")
		eachEngine(t, d, f)
	})
}

const (
	plentyFilings = 45
	cacheBytes    = 16 << 20
)

func load(t testing.TB, store generation.Store, d dataset) {
	t.Helper()
	if _, err := indextest.Load(t.Context(), store, slices.Values(d.filings(t))); err != nil {
		t.Fatal(err)
	}
}

// onElastic holds what tests share on the real Elasticsearch, where a load takes seconds: each dataset is loaded once,
// by the first test that needs it, and never changed. TestMain deletes it.
var onElastic elasticStores

type elasticStores struct {
	mu     sync.Mutex
	stores map[dataset]*elastic.Store
	url    string
	prefix string
}

func TestMain(m *testing.M) {
	code := m.Run()
	if err := onElastic.delete(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func (e *elasticStores) store(t testing.TB, d dataset) *elastic.Store {
	t.Helper()
	url := servers.Elasticsearch(t)
	e.mu.Lock()
	defer e.mu.Unlock()
	if s := e.stores[d]; s != nil {
		return s
	}
	if e.stores == nil {
		e.stores, e.url, e.prefix = map[dataset]*elastic.Store{}, url, "service-"+strconv.FormatUint(rand.Uint64(), 36)
	}
	s, err := elastic.Open(elastic.Config{Addresses: []string{url}, Index: e.prefix + "-" + string(d), Shards: 1})
	if err != nil {
		t.Fatal(err)
	}
	load(t, s, d)
	e.stores[d] = s
	return s
}

// delete deletes by name, since clusters refuse to delete by pattern.
func (e *elasticStores) delete() error {
	if e.stores == nil {
		return nil
	}
	var indices map[string]any
	err := e.call(http.MethodGet, e.prefix+"*?expand_wildcards=all&filter_path=*.aliases", &indices)
	for name := range indices {
		err = errors.Join(err, e.call(http.MethodDelete, name, nil))
	}
	return err
}

func (e *elasticStores) call(method, path string, into any) error {
	req, err := http.NewRequestWithContext(context.Background(), method, e.url+"/"+path, http.NoBody)
	if err != nil {
		return err
	}
	client := http.Client{Timeout: time.Minute}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s", method, path, res.Status)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(res.Body).Decode(into)
}
