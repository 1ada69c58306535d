package access_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"filings/service/access"
	"filings/service/servicetest"
)

// startSentinel starts a Sentinel that watches a master, under the name filings. It takes none for dead by itself: on a busy
// machine it might be wrong, again and again.
func startSentinel(t *testing.T, master *server) *server {
	t.Helper()
	return startServer(t, fmt.Sprintf("sentinel monitor filings 127.0.0.1 %s 1\nsentinel down-after-milliseconds filings 600000\n",
		master.port), "--sentinel")
}

// TestK8_Failover kills the master of two. Redis promises what the replica has confirmed, so the test waits for that, and
// wants every count that was replied to in the new master.
func TestK8_Failover(t *testing.T) {
	t.Parallel()
	const quick = "save \"\"\nrepl-diskless-sync-delay 0\n"
	master := startServer(t, quick)
	startServer(t, quick+"replicaof 127.0.0.1 "+master.port+"\n")
	servicetest.Until(t, "the replica follows", func() bool {
		return strings.Contains(master.client.Info(t.Context(), "replication").Val(), "state=online")
	})
	sentinel := startSentinel(t, master)
	servicetest.Until(t, "Sentinel knows the replica", func() bool {
		return strings.Contains(sentinel.client.Info(t.Context(), "sentinel").Val(), "slaves=1")
	})

	r := redisAt(t, "redis://"+sentinel.address()+"?master_name=filings")
	key := create(t, r, "ann", access.Enterprise)
	const before, after = 40, 60
	for range before {
		same(t, "before", access.Admitted, admit(t, r, key).Verdict)
	}
	connection := master.client.Conn() // WAIT waits for what its own connection has written
	defer connection.Close()
	must(t, connection.Set(t.Context(), "last", "write", 0).Err())
	confirmed, err := connection.Wait(t.Context(), 1, 10*time.Second).Result()
	must(t, err)
	same(t, "replicas that have everything", int64(1), confirmed)
	master.kill()
	_, err = r.Admit(t.Context(), key)
	wantError(t, err, "admit: key store unavailable")
	must(t, sentinel.client.Do(t.Context(), "SENTINEL", "FAILOVER", "filings").Err())

	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var first access.Admission
	if !servicetest.Poll(ctx, func() bool { first, err = r.Admit(ctx, key); return err == nil }) {
		t.Fatalf("no failover within 20 seconds: %v", err)
	}
	same(t, "what remains after the first one", int64(1000-before-1), first.Remaining)
	for range after - 1 {
		same(t, "after", access.Admitted, admit(t, r, key).Verdict)
	}
	must(t, r.Ping(t.Context()))
	same(t, "used", int64(before+after), show(t, r, "ann").Used)
}

// A Sentinel that watches another Redis is a wrong setting: it will not come to know this one by waiting.
func TestK9_SentinelThatKnowsNoSuchMaster(t *testing.T) {
	t.Parallel()
	sentinel := startSentinel(t, startServer(t, "save \"\"\n"))
	r := redisAt(t, "redis://"+sentinel.address()+"?master_name=others")
	wantOutage(t, operations(r), sentinel.address(), "others")
	wantError(t, r.Ping(t.Context()), access.ErrRefused.Error()+": its Sentinels know no master of that name")
}
