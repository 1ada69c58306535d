package elastic

import (
	"testing"

	"filings/cmd/testservers/servers"
	"filings/index/generation"
	"filings/index/indextest/conformance"
	"filings/mappings"
)

// The suite that every engine must pass, on the real Elasticsearch: once with one shard, and once with three, where
// every order and every count is put together from three responses. On a cluster of several nodes, requests go to all of them.
func TestConformance(t *testing.T) {
	t.Parallel()
	for name, layout := range map[string]struct{ shards, replicas int }{"one shard": {1, 0}, "three shards": {3, 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conformance.Run(t, func(t *testing.T) conformance.Harness {
				s := newTestStore(t)
				s.cfg.Addresses = servers.ElasticsearchNodes(t)
				s.cfg.Shards = layout.shards
				s.cfg.Replicas = min(layout.replicas, len(s.cfg.Addresses)-1)
				s.reopen(t, nil)
				return conformance.Harness{
					Store:   s.Store,
					Advance: s.clock.Advance,
					Again:   func(t *testing.T) generation.Store { return s.again(t, nil) },
					Older: func(t *testing.T) generation.Store {
						older := s.again(t, nil)
						older.Version, older.Oldest = mappings.Oldest-1, 0
						return older
					},
					Lose: func(t *testing.T) { s.remove(t, s.catalogIndex()) },
				}
			})
		})
	}
}
