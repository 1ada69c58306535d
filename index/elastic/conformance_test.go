package elastic

import (
	"testing"

	"filings/cmd/testservers/servers"
	"filings/index/generation"
	"filings/index/indextest/conformance"
)

// The suite that every engine must pass, on the real Elasticsearch. On a cluster of several nodes,
// requests go to all of them.
func TestConformance(t *testing.T) {
	t.Parallel()
	t.Run("one shard", func(t *testing.T) { conforms(t, 1, 0) })
}

// The same with three shards, where every order and every count is put together from three
// responses.
func TestConformance_Shards(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "shards")
	conforms(t, 3, 1)
}

// conforms runs the suite over stores of so many shards, each with so many replicas where there are
// nodes for them.
func conforms(t *testing.T, shards, replicas int) {
	conformance.Run(t, func(t *testing.T) conformance.Harness {
		s := newTestStore(t)
		s.cfg.Addresses = servers.ElasticsearchNodes(t)
		s.cfg.Shards = shards
		s.cfg.Replicas = min(replicas, len(s.cfg.Addresses)-1)
		s.reopen(t, nil)
		return conformance.Harness{
			Store:   s.Store,
			Advance: s.clock.Advance,
			Again:   func(t *testing.T) generation.Store { return s.again(t, nil) },
			Older: func(t *testing.T) generation.Store {
				older := s.again(t, nil)
				older.Version--
				return older
			},
			Lose: func(t *testing.T) { s.remove(t, s.catalogIndex()) },
		}
	})
}
