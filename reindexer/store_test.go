package reindexer

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/elastic"
	"filings/index/embedded"
	"filings/index/generation"
	"filings/index/indextest"
	"filings/reindexer/source"
)

// onEngines runs a test on a fresh store of each engine.
func onEngines(t *testing.T, test func(t *testing.T, store generation.Store)) {
	t.Helper()
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		test(t, embeddedStore(t))
	})
	t.Run("elasticsearch", func(t *testing.T) {
		t.Parallel()
		test(t, elasticStore(t))
	})
}

// onEitherEngine does so for a test of what a load does on any engine: on Elasticsearch in `make nightly` alone.
func onEitherEngine(t *testing.T, test func(t *testing.T, store generation.Store)) {
	t.Helper()
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		test(t, embeddedStore(t))
	})
	t.Run("elasticsearch", func(t *testing.T) {
		t.Parallel()
		servers.Nightly(t, "loads")
		test(t, elasticStore(t))
	})
}

func embeddedStore(t testing.TB) generation.Store {
	t.Helper()
	store, err := embedded.Open(embedded.Config{Dir: t.TempDir(), Index: "filings", Now: testClock().Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

func elasticStore(t testing.TB) generation.Store {
	t.Helper()
	address := servers.Elasticsearch(t)
	name := "reindexer-" + strings.ToLower(rand.Text()[:10])
	store, err := elastic.Open(elastic.Config{Addresses: []string{address}, Index: name, Shards: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { deleteIndices(t, address, name) })
	return store
}

// deleteIndices deletes what a test made. It lists the names first: wildcards may be forbidden for deleting.
func deleteIndices(t testing.TB, address, prefix string) {
	t.Helper()
	response, err := http.Get(address + "/_cat/indices/" + prefix + "*?h=index&expand_wildcards=all")
	if err != nil {
		t.Error(err)
		return
	}
	defer response.Body.Close()
	names, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
		return
	}
	for name := range strings.FieldsSeq(string(names)) {
		request, err := http.NewRequest(http.MethodDelete, address+"/"+name, nil)
		if err != nil {
			t.Error(err)
			return
		}
		if response, err := http.DefaultClient.Do(request); err != nil || response.StatusCode != http.StatusOK {
			t.Errorf("deleting %s: %v %v", name, response, err)
		}
	}
}

func testClock() *indextest.Clock { return indextest.NewClock(noon) }

// config is a load of a text into a store.
func config(t testing.TB, store generation.Store, text string) Config {
	t.Helper()
	return Config{
		Store: store, Inputs: inputs(write(t, "in.ndjson", text)), MaxShrink: 10, Keep: 2, KeepChanges: 30,
		Holder: "test, process 1", Now: testClock().Now,
	}
}

// mustRun runs a load that must succeed.
func mustRun(t testing.TB, cfg Config) Report {
	t.Helper()
	report, err := Run(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// live returns the owners of the live filings by id, "" for none.
func live(t testing.TB, store generation.Store) map[int64]string {
	t.Helper()
	ctx := context.Background()
	generations, err := store.Generations(ctx)
	if err != nil {
		t.Fatal(err)
	}
	got := map[int64]string{}
	name := liveOf(generations).Name
	if name == "" {
		return got
	}
	reader, err := store.Open(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	page, err := reader.Rows(ctx, index.Query{Sort: index.DefaultSort, Limit: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range page.Records {
		var f struct {
			ID    int64
			Owner string
		}
		if err := json.Unmarshal(row, &f); err != nil {
			t.Fatal(err)
		}
		got[f.ID] = f.Owner
	}
	return got
}

// generationNames lists all generations, the newest first, the live one marked by a star, unsealed ones by a question
// mark.
func generationNames(t testing.TB, store generation.Store) (names []string) {
	t.Helper()
	generations, err := store.Generations(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range generations {
		name := g.Name
		if g.Live {
			name += "*"
		}
		if !g.Sealed {
			name += "?"
		}
		names = append(names, name)
	}
	return names
}

// owned returns a line for each id with an owner, a day, an amount and a county.
func owned(owner string, ids ...int) string {
	var b strings.Builder
	for _, id := range ids {
		day := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, id%90)
		fmt.Fprintf(&b, `{"id":%d,"county":"%s","owner":"%s","filingAmount":%d.25,"filingDate":"%s"}`+"\n",
			id, []string{"Orange, FL", "Kings, NY"}[id%2], owner, id, day.Format(time.DateOnly))
	}
	return b.String()
}

// upTo returns the numbers from 1 to n.
func upTo(n int) (ids []int) {
	for i := range n {
		ids = append(ids, i+1)
	}
	return ids
}

// inputs are sources without options.
func inputs(names ...string) []Input {
	all, err := Inputs(names, nil)
	if err != nil {
		panic(err) // of no option
	}
	return all
}

// mappedBy are sources with a mapping.
func mappedBy(name, text string, names ...string) []Input {
	all, m := inputs(names...), &Mapping{Name: name, Text: text}
	for i := range all {
		all[i].Mapping = m
	}
	return all
}

// formed are sources in a form.
func formed(form source.Form, names ...string) []Input {
	all := inputs(names...)
	for i := range all {
		all[i].Form = form
	}
	return all
}

func namesOf(all []Input) (names []string) {
	for _, input := range all {
		names = append(names, input.Name)
	}
	return names
}
