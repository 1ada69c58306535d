package elastic

import (
	"testing"

	"filings/index"
	"filings/index/indextest"
)

// The suite that every engine must pass, on the real Elasticsearch: once with one shard, and once with three, where
// every order and every count is put together from three answers.
func TestConformance(t *testing.T) {
	t.Parallel()
	for name, shards := range map[string]int{"one shard": 1, "three shards": 3} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			indextest.Run(t, func(t *testing.T) indextest.Harness {
				s := newTestStore(t)
				s.cfg.Shards = shards
				s.Store = s.again(t, nil)
				return indextest.Harness{
					Store:   s.Store,
					Advance: s.clock.advance,
					Again:   func(t *testing.T) index.Store { return s.again(t, nil) },
				}
			})
		})
	}
}
