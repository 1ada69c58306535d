package reader

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"testing"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/cache"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
	"filings/index/elastic/elastictest"
	"filings/index/sidecar"
	"filings/mappings"
)

// testClient returns a client of the real Elasticsearch.
func testClient(t testing.TB) *client.Client { return clientThrough(t, nil) }

// clientThrough returns a client of the real Elasticsearch through a faulty network.
func clientThrough(t testing.TB, faults *elastictest.Faults) *client.Client {
	t.Helper()
	c, err := client.Open(client.Config{Addresses: []string{servers.Elasticsearch(t)}, Wrap: faults.Wrap})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// readerOver returns a reader of a network that a test makes up.
func readerOver(t *testing.T, network elastictest.RoundTrip) *Reader {
	t.Helper()
	c, err := client.Open(client.Config{
		Addresses: []string{"http://search.example:9200"}, Wrap: network.Over(), RetryFor: 4 * client.FirstPause,
	})
	if err != nil {
		t.Fatal(err)
	}
	return New(c, "g", cache.New(1<<20))
}

// testReader returns a reader of a new index with filings, made without the help of the engine's
// store: what reading does must not depend on how well loading works.
func testReader(t testing.TB, shards int, filings []*index.Filing) *Reader {
	t.Helper()
	c := testClient(t)
	name := "reading-" + strconv.FormatUint(rand.Uint64(), 36)
	t.Cleanup(func() {
		for _, path := range []string{"/" + name, "/" + document.SidecarIndex(name, sidecar.Kept)} {
			request := elastictest.Request{Method: http.MethodDelete, Path: path}
			if err := c.Write(context.Background(), nil, request); err != nil {
				t.Error(err)
			}
		}
	})
	parts, err := mappings.Body(map[string]any{
		"number_of_shards": shards, "number_of_replicas": 0, "refresh_interval": "-1",
	})
	if err != nil {
		t.Fatal(err)
	}
	if servers.OpenSearch(t) { // package elastic leaves it out there too
		delete(parts["mappings"].(map[string]any), "_source")
	}
	body, err := json.Marshal(parts)
	if err != nil {
		t.Fatal(err)
	}
	must(t, c, http.MethodPut, "/"+name, nil, body)
	load(t, c, name, filings)

	return New(c, name, cache.New(1<<20))
}

// load writes filings, and the sidecar of them.
func load(t testing.TB, c *client.Client, name string, filings []*index.Filing) {
	t.Helper()
	var bulk []byte
	var fingerprint index.Fingerprint
	actions := sidecar.NewActions()
	for i, f := range filings {
		bulk = fmt.Appendf(bulk, `{"index":{"_id":"%d"}}`+"\n", f.ID)
		bulk, fingerprint = document.Append(bulk, f)
		actions.Put(fingerprint)
		bulk = append(bulk, '\n')
		if len(bulk) > 4<<20 || i == len(filings)-1 {
			send(t, c, name, bulk)
			bulk = bulk[:0]
		}
	}
	none := func(func(index.Fingerprint, error) bool) {}
	err := sidecar.Write(t.Context(), none, actions, nil, func(section string, chunk int, data []byte) error {
		body, err := json.Marshal(document.Chunk{Data: data})
		bulk = fmt.Appendf(bulk, `{"index":{"_id":%q}}`+"\n%s\n", document.ChunkID(section, chunk), body)
		return err
	})
	if err := errors.Join(err, actions.Close()); err != nil {
		t.Fatal(err)
	}
	kept := document.SidecarIndex(name, sidecar.Kept)
	must(t, c, http.MethodPut, "/"+kept, nil, []byte(`{"mappings":{"enabled":false}}`))
	send(t, c, kept, bulk)
	must(t, c, http.MethodPost, "/"+name+"/_refresh", nil, nil)
}

func send(t testing.TB, c *client.Client, name string, bulk []byte) {
	t.Helper()
	response := must(t, c, http.MethodPost, "/"+name+"/_bulk", url.Values{"filter_path": {"errors,items.*.error"}}, bulk)
	if !bytes.Contains(response, []byte(`"errors":false`)) {
		t.Fatalf("loading: %.500s", response)
	}
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

func texts(records []index.Record) []string {
	s := make([]string, len(records))
	for i, r := range records {
		s[i] = string(r)
	}
	return s
}
