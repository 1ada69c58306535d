package access

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// Facts is what Redis tells an operator about itself.
type Facts struct {
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

// Facts asks Redis about itself, and changes nothing. ErrUnavailable, also if it refuses to tell.
func (r *Redis) Facts(ctx context.Context) (Facts, error) {
	text, err := r.client.Info(ctx).Result()
	if err != nil {
		return Facts{}, unavailable("ask for its state", err)
	}
	clock, err := r.client.Time(ctx).Result()
	if err != nil {
		return Facts{}, unavailable("ask for its clock", err)
	}
	f := factsOf(text)
	f.Clock = clock
	return f, nil
}

// factsOf reads what INFO answers: lines of name:value.
func factsOf(text string) Facts {
	info := map[string]string{}
	for line := range strings.SplitSeq(text, "\n") {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		info[name] = value
	}
	bytes := func(name string) int64 {
		n, _ := strconv.ParseInt(info[name], 10, 64)
		return n
	}
	return Facts{
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
