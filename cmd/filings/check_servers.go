package main

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"filings/index"
	"filings/index/elastic"
	"filings/index/generation"
	"filings/service/access"
)

const (
	elasticsearchLeast = 8
	// diskFull is where Elasticsearch puts no new shards on a node by default: a load could not begin.
	diskFull = 85 // percent
	// memoryFull is where a Redis with a limit is close to refusing to count.
	memoryFull = 90 // percent
	// clockApart is how far the clocks of this machine and of Redis may be apart: X-RateLimit-Reset and the day's end
	// go by the latter.
	clockApart = 2 * time.Second
)

// engine looks at the engine, and at what is live in it.
func (c *checkup) engine(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, c.s.RequestTimeout)
	defer cancel()
	if len(c.s.ElasticsearchURL) == 0 {
		if _, err := os.Stat(c.s.DataDir); errors.Is(err, fs.ErrNotExist) {
			c.warn("generation", "nothing was loaded yet: `filings reindex` does")
			return
		}
	}
	store, closer, err := openStore(c.s, slog.New(slog.DiscardHandler))
	if err != nil {
		c.fail("engine", "%v", err)
		return
	}
	defer closer.Close()
	if es, ok := store.(*elastic.Store); !ok {
		c.ok("engine", "embedded, in FILINGS_DATA_DIR, since FILINGS_ELASTICSEARCH_URL is empty")
	} else if facts, err := es.Health(ctx); err != nil {
		c.noElasticsearch(err)
		return
	} else {
		c.addresses(ctx)
		c.elasticsearch(facts)
	}
	live, err := store.Live(ctx)
	switch {
	case err != nil:
		c.fail("generation", "%v", explain(c.s, err))
	case live.Generation() == "":
		c.warn("generation", "nothing was loaded yet: `filings reindex` does")
	default:
		begun, _ := generation.ParseName(c.s.Index, live.Generation())
		c.ok("generation", "%s is live, %s old, and of a version that this program reads", live.Generation(), c.now().Sub(begun).Round(time.Minute))
	}
}

func (c *checkup) noElasticsearch(err error) {
	if errors.Is(err, elastic.ErrCredentials) {
		c.fail("elasticsearch", "it does not take the credentials: see FILINGS_ELASTICSEARCH_USERNAME and _PASSWORD, or _API_KEY")
		return
	}
	c.fail("elasticsearch", "%v", explain(c.s, err))
}

// addresses looks at each of several addresses: as long as one answers, nobody notices that another does not.
func (c *checkup) addresses(ctx context.Context) {
	all := c.s.ElasticsearchURL
	if len(all) == 1 {
		return
	}
	for i, address := range all {
		one := c.s
		one.ElasticsearchURL = []string{address}
		store, _, err := openStore(one, slog.New(slog.DiscardHandler))
		if err == nil {
			_, err = store.Live(ctx)
		}
		if errors.Is(err, index.ErrUnavailable) {
			c.warn("elasticsearch", "address %d of %d in FILINGS_ELASTICSEARCH_URL: %v", i+1, len(all), err)
		}
	}
}

// elasticsearch judges what the cluster tells.
func (c *checkup) elasticsearch(facts elastic.Health) {
	major, _, _ := strings.Cut(facts.Version, ".")
	if n, err := strconv.Atoi(major); err != nil || n < elasticsearchLeast {
		c.fail("elasticsearch", "version %q: %d or later is wanted", facts.Version, elasticsearchLeast)
	} else if facts.Status == "red" {
		c.fail("elasticsearch", "version %s, data nodes: %d, status red: a shard has no copy", facts.Version, facts.DataNodes)
	} else {
		c.ok("elasticsearch", "version %s, data nodes: %d, status %s", facts.Version, facts.DataNodes, facts.Status)
	}
	if len(facts.Lacks) > 0 {
		c.fail("privileges", "the credentials lack %s", strings.Join(facts.Lacks, ", "))
	} else {
		c.ok("privileges", "loads may create, fill and swap %s-*", c.s.Index)
	}
	if c.s.IndexReplicas >= facts.DataNodes {
		c.warn("replicas", "FILINGS_INDEX_REPLICAS=%d wants %d data nodes, and there are only %d: add nodes, or set it to %d",
			c.s.IndexReplicas, c.s.IndexReplicas+1, facts.DataNodes, max(0, facts.DataNodes-1))
	}
	c.disks(facts)
}

func (c *checkup) disks(facts elastic.Health) {
	if len(facts.Blocked) > 0 {
		c.fail("disk", "Elasticsearch lets nobody write to %s, since a disk was full: free some space", strings.Join(facts.Blocked, ", "))
	}
	for _, d := range facts.Disks {
		used := 100 - 100*d.Available/d.Total
		if used >= diskFull {
			c.warn("disk", "node %s: %d %% used; by default, Elasticsearch begins no shard above %d %%: free some space", d.Node, used, diskFull)
		} else {
			c.ok("disk", "node %s: %d %% used, %s left", d.Node, used, humanize.IBytes(uint64(max(0, d.Available))))
		}
	}
}

// keyStore looks at where keys and counters are.
func (c *checkup) keyStore(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, c.s.RequestTimeout)
	defer cancel()
	if c.s.RedisURL == "" {
		if _, err := os.Stat(filepath.Join(c.s.DataDir, "access.db")); errors.Is(err, fs.ErrNotExist) {
			c.ok("key store", "embedded, in FILINGS_DATA_DIR; it is made when it is first used")
			return
		}
	}
	store, err := openAccess(c.s)
	if err != nil {
		c.fail("key store", "%v", err)
		return
	}
	defer store.Close()
	if err := store.Ping(ctx); err != nil {
		c.fail("key store", "%v", explain(c.s, err))
		return
	}
	redis, ok := store.(*access.Redis)
	if !ok {
		c.ok("key store", "embedded, in FILINGS_DATA_DIR, since FILINGS_REDIS_URL is empty")
		return
	}
	asked := c.now()
	facts, err := redis.Facts(ctx)
	if err != nil {
		c.warn("key store", "it answers, but does not tell of its state: %v", err)
		return
	}
	c.redis(facts, asked)
}

// redis judges what Redis tells, when it was asked for it.
func (c *checkup) redis(facts access.Facts, asked time.Time) {
	c.ok("key store", "Redis, version %s", facts.Version)
	c.redisWrites(facts)
	if facts.AppendOnly {
		c.ok("persistence", "appendonly is on")
	} else {
		c.warn("persistence", "appendonly is off, so a crash of Redis loses counts, new keys and revocations: set appendonly yes")
	}
	if facts.Eviction == "noeviction" {
		c.ok("eviction", "maxmemory-policy is noeviction")
	} else {
		c.warn("eviction", "maxmemory-policy is %s, so a full Redis may throw away keys and counts: set it to noeviction", facts.Eviction)
	}
	// The answer was on its way for a while: only what lies outside of that time is a difference.
	apart := max(asked.Sub(facts.Clock), facts.Clock.Sub(c.now()), 0)
	if apart > clockApart {
		c.warn("clock", "this machine and Redis are %s apart, and quotas go by Redis: set both by NTP", apart.Round(time.Millisecond))
	} else {
		c.ok("clock", "this machine and Redis agree")
	}
}

// redisWrites looks at what would keep Redis from counting.
func (c *checkup) redisWrites(facts access.Facts) {
	switch {
	case facts.Replica:
		c.fail("writing", "it is a replica and takes no writes: FILINGS_REDIS_URL must name the primary")
	case facts.Cluster:
		c.fail("writing", "it is a node of Redis Cluster, which is not supported")
	case facts.DiskFails:
		c.fail("writing", "its last write to disk failed, and it may refuse to count: look at its disk and log")
	case facts.MaxMemory > 0 && 100*facts.UsedMemory/facts.MaxMemory >= memoryFull:
		c.warn("writing", "%s of maxmemory %s is used; full, it refuses to count", humanize.IBytes(uint64(facts.UsedMemory)), humanize.IBytes(uint64(facts.MaxMemory)))
	default:
		c.ok("writing", "it is a primary, and its disk and memory have room")
	}
}
