package access

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// Health has the properties of a Redis that concern an operator.
type Health struct {
	Version    string
	Replica    bool   // it takes no writes
	Cluster    bool   // it is a node of Redis Cluster
	AppendOnly bool   // it logs every write to disk
	DiskFails  bool   // its last write to disk failed
	MaxMemory  int64  // bytes; 0: no limit
	UsedMemory int64  // bytes
	Eviction   string // maxmemory-policy
	Clock      time.Time
}

// Health reads the state of Redis, and changes nothing. ErrUnavailable, also if this user may not read it.
func (r *Redis) Health(ctx context.Context) (Health, error) {
	text, err := r.client.Info(ctx).Result()
	if err != nil {
		return Health{}, redisFailure("read its state", err)
	}
	clock, err := r.client.Time(ctx).Result()
	if err != nil {
		return Health{}, redisFailure("read its clock", err)
	}
	h := healthOf(text)
	h.Clock = clock
	return h, nil
}

// healthOf reads the reply to INFO: lines of name:value.
func healthOf(text string) Health {
	info := map[string]string{}
	for line := range strings.SplitSeq(text, "\n") {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		info[name] = value
	}
	bytes := func(name string) int64 {
		n, _ := strconv.ParseInt(info[name], 10, 64)
		return n
	}
	return Health{
		Version:    info["redis_version"],
		Replica:    info["role"] == "slave",
		Cluster:    info["cluster_enabled"] == "1",
		AppendOnly: info["aof_enabled"] == "1",
		DiskFails:  info["rdb_last_bgsave_status"] == "err" || info["aof_last_write_status"] == "err",
		MaxMemory:  bytes("maxmemory"),
		UsedMemory: bytes("used_memory"),
		Eviction:   info["maxmemory_policy"],
	}
}
