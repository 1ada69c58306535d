package elastic

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/elastictest"
	"filings/index/generation"
	"filings/index/indextest"
)

// testStore is a store of its own on the real Elasticsearch, with a clock that only moves when a test moves it. What is
// in it is deleted when the test ends.
type testStore struct {
	*Store
	*storage
	cfg   Config
	clock *indextest.Clock
}

// Hold is the Store's: the one of storage, which is nearer, is about a load's process.
func (s testStore) Hold(ctx context.Context) (*generation.Hold, error) { return s.Store.Hold(ctx) }

func newTestStore(t testing.TB) testStore {
	t.Helper()
	c := indextest.NewClock(time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC))
	s := testStore{clock: c, cfg: Config{
		Addresses: servers.ElasticsearchNodes(t),
		Index:     "store-" + strconv.FormatUint(rand.Uint64(), 36),
		Shards:    1,
		Now:       c.Now,
		Logger:    slog.New(slog.NewTextHandler(t.Output(), nil)),
	}}
	s.reopen(t, nil)
	t.Cleanup(func() { s.deleteAll(t) })
	return s
}

// reopen makes s what another process would have, as again does.
func (s *testStore) reopen(t testing.TB, faults *elastictest.Faults) {
	t.Helper()
	s.Store = s.again(t, faults)
	s.storage = s.Store.storage
}

// through is s over a faulty network.
func (s testStore) through(t testing.TB, faults *elastictest.Faults) testStore {
	s.reopen(t, faults)
	return s
}

// again opens the same data as another process would, through a faulty network if faults are given.
func (s testStore) again(t testing.TB, faults *elastictest.Faults) *Store {
	t.Helper()
	return s.with(t, client.Config{Wrap: faults.Wrap})
}

// with is again with changes to the client.
func (s testStore) with(t testing.TB, c client.Config) *Store {
	t.Helper()
	store, err := open(s.cfg, c)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func must(t testing.TB, c *client.Client, method, path string, query url.Values, body []byte) []byte {
	t.Helper()
	var response []byte
	err := c.Write(t.Context(), &response, elastictest.Request{Method: method, Path: path, Query: query, Body: body})
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return response
}

// deleteAll deletes by name: clusters refuse to delete by pattern.
func (s testStore) deleteAll(t testing.TB) {
	ctx := context.Background()
	query := url.Values{"expand_wildcards": {"all"}, "filter_path": {"*.aliases"}}
	var response []byte
	err := s.c.Write(ctx, &response, elastictest.Request{Method: http.MethodGet, Path: "/" + s.alias + "*", Query: query})
	if err != nil {
		t.Error(err)
		return
	}
	var indices map[string]json.RawMessage
	if err := json.Unmarshal(response, &indices); err != nil {
		t.Error(err)
	}
	if len(indices) == 0 {
		return
	}
	names := strings.Join(slices.Collect(maps.Keys(indices)), ",")
	if err := s.c.Write(ctx, nil, elastictest.Request{Method: http.MethodDelete, Path: "/" + names}); err != nil {
		t.Error(err)
	}
}

// lock takes the lock, for as long as the test runs.
func (s testStore) lock(t testing.TB) generation.Lock {
	t.Helper()
	l, err := s.Lock(t.Context(), generation.Run{Holder: "test", Phase: "loading"})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// sealedWith returns a new sealed generation in which every filing has that owner.
func sealedWith(t testing.TB, l generation.Lock, owner string, filings int) string {
	t.Helper()
	b, err := l.Begin(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for id := range filings {
		put(t, b, filing(int64(id+1), owner))
	}
	seal(t, b)
	return b.Generation()
}

func filing(id int64, owner string) *index.Filing {
	f := &index.Filing{ID: id}
	f.SetText(index.County, "Orange, FL")
	f.SetText(index.Owner, owner)
	f.SetNumber(index.FilingAmount, float64(id))
	return f
}

func put(t testing.TB, b generation.Build, f *index.Filing) {
	t.Helper()
	if err := b.Put(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, b generation.Writer, f *index.Filing) {
	t.Helper()
	if _, err := b.Put(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

func seal(t testing.TB, b generation.Build) index.Counts {
	t.Helper()
	sum, err := b.Seal(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// owners returns the owner of each filing of a generation, by id.
func (s testStore) owners(t testing.TB, generation string) map[int64]string {
	t.Helper()
	r, err := s.Open(t.Context(), generation)
	if err != nil {
		t.Fatal(err)
	}
	return ownersOf(t, r)
}

func ownersOf(t testing.TB, r index.Reader) map[int64]string {
	t.Helper()
	page, err := r.Rows(t.Context(), index.Query{Sort: index.DefaultSort, Limit: 5000})
	if err != nil {
		t.Fatal(err)
	}
	owners := map[int64]string{}
	for _, row := range page.Records {
		var f struct {
			ID    int64  `json:"id"`
			Owner string `json:"owner"`
		}
		if err := json.Unmarshal(row, &f); err != nil {
			t.Fatal(err)
		}
		if _, twice := owners[f.ID]; twice {
			t.Errorf("filing %d is there twice", f.ID)
		}
		owners[f.ID] = f.Owner
	}
	return owners
}

// sameOwner is what owners returns of a generation of sealedWith.
func sameOwner(owner string, filings int) map[int64]string {
	m := map[int64]string{}
	for id := range filings {
		m[int64(id+1)] = owner
	}
	return m
}
