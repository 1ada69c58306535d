package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"filings/index"
	"filings/index/elastic"
	"filings/index/elastic/client"
	"filings/index/generation"
)

const (
	oldestElasticsearch = 8 // major version
	// diskFull is where Elasticsearch puts no new shards on a node by default: a load could not begin.
	diskFull = 85 // percent
)

const nothingLoaded = "no generation is live: load filings with `filings load`"

// engine checks the engine, and the live generation in it.
func (c *checkup) engine(ctx context.Context) {
	if len(c.Settings.ElasticsearchURL) == 0 {
		if _, err := os.Stat(c.Settings.DataDir); errors.Is(err, fs.ErrNotExist) {
			c.warn("generation", nothingLoaded)
			return
		}
	}
	store, closer, err := c.OpenEngine(c.Settings)
	if err != nil {
		c.fail("engine", "%v", err)
		return
	}
	defer closer.Close()
	if es, ok := store.(*elastic.Store); !ok {
		c.ok("engine", "embedded, in FILINGS_DATA_DIR, since FILINGS_ELASTICSEARCH_URL is empty")
	} else if health, err := es.Health(ctx); err != nil {
		c.noElasticsearch(err)
		return
	} else {
		c.addresses(ctx)
		c.elasticsearch(health)
	}
	live, err := store.Live(ctx)
	if err == nil {
		err = index.Probe(ctx, live)
	}
	// a cluster may refuse terms (search.allow_expensive_queries) or groups (search.max_buckets)
	if err == nil && live.Generation() != "" {
		few := index.Where(index.Contains{Text: "zq"})
		if _, err = live.Rows(ctx, index.Query{Where: few, Sort: index.DefaultSort, Limit: 1}); err == nil {
			_, err = live.Groups(ctx, few, index.GroupQuery{Dimensions: []index.Dimension{index.ByCounty, index.ByMonth},
				Limit: 1})
		}
	}
	switch {
	case err != nil:
		c.fail("generation", "%v", Explain(c.Settings, err))
	case live.Generation() == "":
		c.warn("generation", nothingLoaded)
	default:
		begun, _ := generation.ParseName(c.Settings.Index, live.Generation())
		c.ok("generation", "%s is live, %s old, and of a version that this program reads", live.Generation(),
			c.now().Sub(begun).Round(time.Minute))
	}
	if hold, err := store.Hold(ctx); err == nil && hold != nil {
		c.warn("loads", "%v", hold)
	}
	c.otherGenerations(ctx, store)
	c.withheld(ctx, store)
}

// withheld counts the filings that loads leave out, and names entries of which some is still kept.
func (c *checkup) withheld(ctx context.Context, store generation.Store) {
	list, err := store.Withheld(ctx)
	if err != nil {
		c.fail("withheld", "%v", Explain(c.Settings, err))
		return
	}
	var unfinished []int
	for _, e := range list.Entries {
		if !e.Complete && e.Active(c.now().UTC().Format(time.DateOnly)) {
			unfinished = append(unfinished, e.Number)
		}
	}
	loads, err := store.Loads(ctx)
	if loads = generation.OnlyLoads(loads); err == nil && len(loads) > 0 && len(list.Entries) > 0 {
		c.ok("withheld", "%d entries; the last load has left out %d records", len(list.Entries), loads[0].Withheld)
	}
	if len(unfinished) > 0 {
		c.warn("withheld", "of the entries %v not all is taken out yet: add them again, or load (see `filings "+
			"withhold list`)", unfinished)
	}
}

// otherGenerations warns of each generation besides the live one that this program could serve, and
// that cannot be searched.
func (c *checkup) otherGenerations(ctx context.Context, store generation.Store) {
	generations, err := store.Generations(ctx)
	if err != nil {
		return // the look at the live one said so
	}
	for _, g := range generations {
		if g.Live || !g.Sealed || ctx.Err() != nil {
			continue
		}
		if err := Searchable(ctx, store, g.Name); err != nil && !errors.Is(err, generation.ErrVersion) {
			c.warn("generation", "%s, which is not live, cannot be searched: requests that pin it fail, and a rollback "+
				"to it is refused: %v", g.Name, Explain(c.Settings, err))
		}
	}
}

// Searchable returns an error unless a generation can be searched.
func Searchable(ctx context.Context, store generation.Store, name string) error {
	r, err := store.Open(ctx, name)
	if err == nil {
		err = index.Probe(ctx, r)
	}
	return err
}

func (c *checkup) noElasticsearch(err error) {
	if errors.Is(err, client.ErrCredentials) {
		c.fail("elasticsearch",
			"it refuses the credentials: see FILINGS_ELASTICSEARCH_USERNAME and _PASSWORD, or _API_KEY")
		return
	}
	c.fail("elasticsearch", "%v", Explain(c.Settings, err))
}

// addresses checks each of several addresses: as long as one answers, requests succeed, and another may be down unseen.
func (c *checkup) addresses(ctx context.Context) {
	addresses := c.Settings.ElasticsearchURL
	if len(addresses) == 1 {
		return
	}
	for i, address := range addresses {
		single := c.Settings
		single.ElasticsearchURL = []string{address}
		store, _, err := c.OpenEngine(single)
		if err == nil {
			_, err = store.Live(ctx)
		}
		if errors.Is(err, index.ErrUnavailable) {
			c.warn("elasticsearch", "address %d of %d in FILINGS_ELASTICSEARCH_URL: %v", i+1, len(addresses), err)
		}
	}
}

// elasticsearch judges the state of the cluster.
func (c *checkup) elasticsearch(health elastic.Health) {
	text := fmt.Sprintf("%s %s, data nodes: %d, status %s", health.Product, health.Version, health.DataNodes,
		health.Status)
	var major, minor int
	_, err := fmt.Sscanf(health.Version, "%d.%d", &major, &minor)
	switch {
	case err != nil, health.Product != elastic.OpenSearch && major < oldestElasticsearch:
		c.fail("elasticsearch", "version %q: must be Elasticsearch %d or later, or OpenSearch", health.Version,
			oldestElasticsearch)
	case health.Status == "red":
		c.fail("elasticsearch", "%s: a shard has no copy", text)
	case !tested(health.Product, major, minor):
		c.warn("elasticsearch",
			"%s: this program was tested on Elasticsearch 8.15 to 8.19, OpenSearch 2.19 and 3, and tried on "+
				"Elasticsearch 9.1", text)
	default:
		c.ok("elasticsearch", "%s", text)
	}
	if len(health.Lacks) > 0 {
		c.fail("privileges", "the credentials lack %s", strings.Join(health.Lacks, ", "))
	} else if health.Product == elastic.OpenSearch {
		c.ok("privileges", "OpenSearch does not say what the credentials may do: a load finds out")
	} else {
		c.ok("privileges", "loads may create, fill and swap %s-*", c.Settings.Index)
	}
	if c.Settings.IndexReplicas >= health.DataNodes {
		c.warn("replicas",
			"FILINGS_INDEX_REPLICAS=%d requires %d data nodes, and there are only %d: add nodes, or set it to %d",
			c.Settings.IndexReplicas, c.Settings.IndexReplicas+1, health.DataNodes, max(0, health.DataNodes-1))
	}
	c.disks(health)
}

// tested reports whether the program's tests run on such a server (rule X49).
func tested(product string, major, minor int) bool {
	if product == elastic.OpenSearch {
		return major == 2 && minor >= 19 || major == 3
	}
	return major == 8 && minor >= 15
}

func (c *checkup) disks(health elastic.Health) {
	if len(health.Blocked) > 0 {
		c.fail("disk", "Elasticsearch has blocked writes to %s, since a disk was full: free some space",
			strings.Join(health.Blocked, ", "))
	}
	for _, d := range health.Disks {
		used := 100 - 100*d.Available/d.Total
		if used >= diskFull {
			c.warn("disk",
				"node %s: %d %% used; by default, Elasticsearch allocates no shard above %d %%: free some space",
				d.Node, used, diskFull)
		} else {
			c.ok("disk", "node %s: %d %% used, %s left", d.Node, used, humanize.IBytes(uint64(max(0, d.Available))))
		}
	}
}
