package elastic

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"filings/index/elastic/elastictest"
)

// TestSlots: a search runs on one thread of a copy of each shard, and a copy is on one node.
func TestSlots(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	var nodes struct {
		Nodes map[string]struct {
			Pools map[string]struct{ Size int } `json:"thread_pool"`
		}
	}
	if err := json.Unmarshal(must(t, s.c, http.MethodGet, "/_nodes/thread_pool", nil, nil), &nodes); err != nil {
		t.Fatal(err)
	}
	slots, err := s.Slots(t.Context())
	found := false
	for _, node := range nodes.Nodes {
		found = found || slots == node.Pools["search"].Size
	}
	if err != nil || slots < 1 || !found {
		t.Errorf("of one shard without copies: %d, %v, want the search threads of one of %+v", slots, err, nodes)
	}

	node := func(role, threads string) string {
		return `{"roles":["` + role + `","ingest"],"thread_pool":{"search":{"size":` + threads + `}}}`
	}
	cluster := func(nodes ...string) string {
		for i := range nodes {
			nodes[i] = `"` + string(rune('a'+i)) + `":` + nodes[i]
		}
		return `{"nodes":{` + strings.Join(nodes, ",") + `}}`
	}
	three := cluster(node("data", "13"), node("data_content", "13"), node("data", "13"), node("master", "4"))
	for _, test := range []struct {
		name, nodes      string
		shards, replicas int
		want             int // 0: an error
	}{
		{"one shard", three, 1, 0, 13},
		{"one shard, two copies", three, 1, 1, 26},
		{"more copies than nodes", three, 1, 5, 39},
		{"two shards, two copies", three, 2, 1, 19},
		{"two shards on one node", cluster(node("data", "13")), 2, 0, 6},
		{"the smaller nodes", cluster(node("data", "13"), node("data", "7"), node("data_hot", "1")), 1, 0, 7},
		{"no node with data", cluster(node("master", "4")), 1, 0, 0},
		{"no nodes", `{}`, 1, 1, 0},
	} {
		net := &elastictest.Faults{}
		net.Always("_nodes", elastictest.Respond(http.StatusOK, test.nodes))
		of := s.again(t, net)
		of.storage.shards, of.storage.replicas = test.shards, test.replicas
		slots, err := of.Slots(t.Context())
		if slots != test.want || (err == nil) != (test.want > 0) {
			t.Errorf("%s: %d, %v, want %d", test.name, slots, err, test.want)
		}
	}
	net := &elastictest.Faults{}
	net.Always("_nodes", elastictest.Respond(http.StatusForbidden,
		`{"error":{"type":"security_exception","reason":"unauthorized"},"status":403}`))
	if _, err := s.again(t, net).Slots(t.Context()); err == nil || !strings.Contains(err.Error(), "unauthorized") {
		t.Errorf("without the privilege: %v", err)
	}
}
