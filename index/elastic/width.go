package elastic

import (
	"context"
	"fmt"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// Width returns how many searches of the live generation Elasticsearch can work on at once: the search threads of the nodes
// that have a copy of it, shared by its shards, since a search takes a thread for each. 0 before the first load.
func (s *Store) Width(ctx context.Context) (_ int, err error) {
	defer wrap(&err, "asking how many searches can run at once")
	live, err := s.Live(ctx)
	if err != nil || live.Generation() == "" {
		return 0, err
	}
	var copies struct{ Shards [][]struct{ Node string } }
	err = s.c.ReadInto(ctx, &copies, esapi.SearchShardsRequest{
		Index: []string{live.Generation()}, FilterPath: []string{"shards.node"},
	})
	if err != nil {
		return 0, err
	}
	var nodes struct {
		Nodes map[string]struct {
			Pools struct{ Search struct{ Size int } } `json:"thread_pool"`
		}
	}
	err = s.c.ReadInto(ctx, &nodes, esapi.NodesInfoRequest{
		Metric: []string{"thread_pool"}, FilterPath: []string{"nodes.*.thread_pool.search.size"},
	})
	if err != nil {
		return 0, err
	}
	threads, counted := 0, map[string]bool{}
	for _, shard := range copies.Shards {
		for _, copied := range shard {
			if !counted[copied.Node] {
				counted[copied.Node] = true
				threads += nodes.Nodes[copied.Node].Pools.Search.Size
			}
		}
	}
	if threads == 0 {
		return 0, fmt.Errorf("no node has search threads and a copy of %s", live.Generation())
	}
	return threads / len(copies.Shards), nil
}
