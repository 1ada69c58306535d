package elastic

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"filings/index/elastic/elastictest"
)

func TestWidth(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	if width, err := s.Width(t.Context()); width != 0 || err != nil {
		t.Errorf("before the first load: %d, %v", width, err)
	}
	swap(t, s.Store, "", s.bare(t, 1))
	var nodes struct {
		Nodes map[string]struct {
			Pools map[string]struct{ Size int } `json:"thread_pool"`
		}
	}
	if err := json.Unmarshal(must(t, s.c, http.MethodGet, "/_nodes/thread_pool", nil, nil), &nodes); err != nil {
		t.Fatal(err)
	}
	width, err := s.Width(t.Context())
	found := false
	for _, node := range nodes.Nodes {
		found = found || width == node.Pools["search"].Size
	}
	if err != nil || width < 1 || !found {
		t.Errorf("of one shard without copies: %d, %v, want the search threads of one of %+v", width, err, nodes)
	}

	const six = `{"nodes":{"a":{"thread_pool":{"search":{"size":13}}},"b":{"thread_pool":{"search":{"size":13}}},` +
		`"c":{"thread_pool":{"search":{"size":13}}},"d":{"thread_pool":{"search":{"size":7}}},"master":{"thread_pool":{"search":{"size":4}}}}}`
	for _, test := range []struct {
		name, shards string
		want         int // 0: an error
	}{
		{"one shard, two copies", `{"shards":[[{"node":"a"},{"node":"b"}]]}`, 26},
		{"two shards, two copies", `{"shards":[[{"node":"a"},{"node":"b"}],[{"node":"c"},{"node":"d"}]]}`, 23},
		{"two shards on one node", `{"shards":[[{"node":"a"}],[{"node":"a"}]]}`, 6},
		{"a node that came since", `{"shards":[[{"node":"new"}]]}`, 0},
		{"no shard", `{"shards":[]}`, 0},
	} {
		net := &elastictest.Faults{}
		net.Always("_search_shards", elastictest.Respond(http.StatusOK, test.shards))
		net.Always("_nodes", elastictest.Respond(http.StatusOK, six))
		width, err := s.again(t, net).Width(t.Context())
		if width != test.want || (err == nil) != (test.want > 0) {
			t.Errorf("%s: %d, %v, want %d", test.name, width, err, test.want)
		}
	}
	net := &elastictest.Faults{}
	net.Always("_nodes", elastictest.Respond(http.StatusForbidden, `{"error":{"type":"security_exception","reason":"unauthorized"},"status":403}`))
	if _, err := s.again(t, net).Width(t.Context()); err == nil || !strings.Contains(err.Error(), "unauthorized") {
		t.Errorf("without the privilege: %v", err)
	}
}
