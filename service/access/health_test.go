package access_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/cmd/testservers/servers"
	"filings/service/access"
	"filings/service/servicetest"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	store, err := access.OpenRedis(access.RedisConfig{URL: servers.Redis(t), Limits: servicetest.Limits()})
	if err != nil {
		t.Fatal(err)
	}
	got, err := store.Health(t.Context())
	if err != nil || got.Version == "" || got.Eviction == "" || got.UsedMemory == 0 || got.Clock.IsZero() || got.Replica || got.Cluster {
		t.Errorf("%+v %v", got, err)
	}
	_ = store.Close()
	if _, err := store.Health(t.Context()); !errors.Is(err, access.ErrUnavailable) {
		t.Errorf("a closed store: %v", err)
	}
}

// The reply of Redis 7 to INFO, cut to what matters.
func TestHealth_Read(t *testing.T) {
	t.Parallel()
	const bad = "# Server\r\nredis_version:7.4.1\r\n# Memory\r\nused_memory:90\r\nmaxmemory:100\r\nmaxmemory_policy:allkeys-lru\r\n" +
		"# Persistence\r\nrdb_last_bgsave_status:ok\r\naof_enabled:1\r\naof_last_write_status:err\r\n# Replication\r\nrole:slave\r\n# Cluster\r\ncluster_enabled:1\r\n"
	want := access.Health{Version: "7.4.1", Replica: true, Cluster: true, AppendOnly: true, DiskFails: true, MaxMemory: 100, UsedMemory: 90, Eviction: "allkeys-lru"}
	if diff := cmp.Diff(want, access.HealthOf(bad)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	const good = "rdb_last_bgsave_status:ok\r\naof_enabled:0\r\naof_last_write_status:ok\r\nrole:master\r\ncluster_enabled:0\r\n"
	if diff := cmp.Diff(access.Health{}, access.HealthOf(good)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if !access.HealthOf("rdb_last_bgsave_status:err").DiskFails {
		t.Error("a snapshot that failed is not seen")
	}
}
