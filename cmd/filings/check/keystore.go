package check

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"

	"filings/service/access"
)

const (
	// memoryFull is where a Redis with a limit is close to refusing to count.
	memoryFull = 90 // percent
	// clockApart is how far the clocks of this machine and of Redis may be apart: X-RateLimit-Reset and the end of the
	// day follow the clock of Redis.
	clockApart = 2 * time.Second
)

// Keys returns an error unless a key store can admit requests: Ping, and the checks at a start.
func Keys(ctx context.Context, store access.Store) error {
	if err := store.Ping(ctx); err != nil {
		return err
	}
	if redis, ok := store.(*access.Redis); ok {
		// A node of Redis Cluster may hold by chance the names that Ping uses. A Redis that does
		// not show its state is none.
		if health, err := redis.Health(ctx); err == nil && health.Cluster {
			return access.ErrCluster
		}
	}
	return nil
}

// keyStore checks the store of keys and counters.
func (c *checkup) keyStore(ctx context.Context) {
	if c.Settings.RedisURL == "" {
		if !c.inFolder("access.db") && c.inFolder(access.HadAccountsFile) {
			c.fail("key store", "%v", access.ErrEmptied)
			return
		}
		if !c.inFolder("access.db") {
			c.ok("key store", "embedded, in FILINGS_DATA_DIR: the program creates it when it first needs it")
			return
		}
	}
	store, err := c.OpenKeys(c.Settings)
	if err != nil {
		c.fail("key store", "%v", err)
		return
	}
	defer store.Close()
	if err := Keys(ctx, store); err != nil {
		c.fail("key store", "%v", Explain(c.Settings, err))
		return
	}
	redis, ok := store.(*access.Redis)
	if !ok {
		c.ok("key store", "embedded, in FILINGS_DATA_DIR, since FILINGS_REDIS_URL is empty")
		return
	}
	requested := c.now()
	health, err := redis.Health(ctx)
	if err != nil {
		c.warn("key store", "it answers, but does not show its state: %v", err)
		return
	}
	c.redis(health, requested)
}

// inFolder reports whether the data folder has a file of that name.
func (c *checkup) inFolder(name string) bool {
	_, err := os.Stat(filepath.Join(c.Settings.DataDir, name))
	return !errors.Is(err, fs.ErrNotExist)
}

// redis judges the state of Redis, which was requested at the time requested.
func (c *checkup) redis(health access.Health, requested time.Time) {
	c.ok("key store", "Redis, version %s", health.Version)
	c.redisWrites(health)
	if health.AppendOnly {
		c.ok("persistence", "appendonly is on")
	} else {
		c.warn("persistence",
			"appendonly is off, so a crash of Redis loses counts, new keys and revocations: set appendonly yes")
	}
	if health.Eviction == "noeviction" {
		c.ok("eviction", "maxmemory-policy is noeviction")
	} else {
		c.warn("eviction", "maxmemory-policy is %s, so a full Redis may evict keys and counts: set it to noeviction",
			health.Eviction)
	}
	// The response took a while: only the part outside of that time is a difference.
	apart := max(requested.Sub(health.Clock), health.Clock.Sub(c.now()), 0)
	if apart > clockApart {
		c.warn("clock", "this machine and Redis are %s apart, and quotas follow the clock of Redis: set both by NTP",
			apart.Round(time.Millisecond))
	} else {
		c.ok("clock", "this machine and Redis agree")
	}
}

// redisWrites looks for obstacles to counting in Redis.
func (c *checkup) redisWrites(health access.Health) {
	switch {
	case health.Replica: // one that takes writes loses them
		c.fail("writing", "it is a replica: FILINGS_REDIS_URL must name the primary, or its Sentinels")
	case health.DiskFails:
		c.fail("writing", "its last write to disk failed, and it may refuse to count: look at its disk and log")
	case health.MaxMemory > 0 && 100*health.UsedMemory/health.MaxMemory >= memoryFull:
		c.warn("writing", "%s of maxmemory %s is used; full, it refuses to count",
			humanize.IBytes(uint64(health.UsedMemory)), humanize.IBytes(uint64(health.MaxMemory)))
	default:
		c.ok("writing", "it is a primary, and its disk and memory have room")
	}
}
