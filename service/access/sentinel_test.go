package access_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"filings/service/access"
	"filings/service/servicetest"
)

// startSentinel starts a Sentinel that watches a master, under the name filings. It takes none for dead by itself: on a busy
// machine it might be wrong, again and again.
func startSentinel(t *testing.T, masterPort, more string) *server {
	t.Helper()
	return startServer(t, fmt.Sprintf("sentinel monitor filings 127.0.0.1 %s 1\nsentinel down-after-milliseconds filings 600000\n",
		masterPort)+more, "--sentinel")
}

// quick is the configuration of a Redis that keeps nothing on disk, and whose replica follows at once.
const quick = "save \"\"\nrepl-diskless-sync-delay 0\n"

// wantFollowed waits until a replica follows master, and sentinel knows it.
func wantFollowed(t *testing.T, master, sentinel *server) {
	t.Helper()
	for what, wait := range map[string]struct {
		of            *server
		section, text string
	}{
		"the replica follows":        {master, "replication", "state=online"},
		"Sentinel knows the replica": {sentinel, "sentinel", "slaves=1"},
	} {
		servicetest.Until(t, what, func() bool {
			return strings.Contains(wait.of.client.Info(t.Context(), wait.section).Val(), wait.text)
		})
	}
}

// wantConfirmed waits until a replica has everything that was written to master.
func wantConfirmed(t *testing.T, master *server) {
	t.Helper()
	connection := master.client.Conn() // WAIT waits for what its own connection has written
	defer connection.Close()
	must(t, connection.Set(t.Context(), "last", "write", 0).Err())
	confirmed, err := connection.Wait(t.Context(), 1, 10*time.Second).Result()
	must(t, err)
	same(t, "replicas that have everything", int64(1), confirmed)
}

// TestK8_Failover kills the master of two. Redis promises what the replica has confirmed, so the test waits for that, and
// wants every count that was replied to in the new master.
func TestK8_Failover(t *testing.T) {
	t.Parallel()
	master := startServer(t, quick)
	startServer(t, quick+"replicaof 127.0.0.1 "+master.port+"\n")
	sentinel := startSentinel(t, master.port, "")
	wantFollowed(t, master, sentinel)

	r := redisAt(t, "redis://"+sentinel.address()+"?master_name=filings")
	key := create(t, r, "ann", access.Enterprise)
	const before, after = 40, 60
	for range before {
		same(t, "before", access.Admitted, admit(t, r, key).Verdict)
	}
	wantConfirmed(t, master)
	master.kill()
	_, err := r.Admit(t.Context(), access.Key(key), 1)
	wantError(t, err, "admit: key store unavailable")
	must(t, sentinel.client.Do(t.Context(), "SENTINEL", "FAILOVER", "filings").Err())

	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var first access.Admission
	if !servicetest.Poll(ctx, func() bool { first, err = r.Admit(ctx, access.Key(key), 1); return err == nil }) {
		t.Fatalf("no failover within 20 seconds: %v", err)
	}
	same(t, "what remains after the first one", int64(1000-before-1), first.Remaining)
	for range after - 1 {
		same(t, "after", access.Admitted, admit(t, r, key).Verdict)
	}
	must(t, r.Ping(t.Context()))
	same(t, "used", int64(before+after), show(t, r, "ann").Used)
}

// TestK8_FailoverOverTLS is the same where Redis, its replica and the Sentinel speak TLS with the program and with each other.
// The program is another process, since what it trusts is fixed when it starts.
func TestK8_FailoverOverTLS(t *testing.T) {
	t.Parallel()
	certificate, key := servicetest.NewTLS(t).Files(t)
	secure := func() (port, lines string) {
		l := listen(t)
		_, port, _ = net.SplitHostPort(l.Addr().String())
		must(t, l.Close())
		return port, fmt.Sprintf("tls-port %s\ntls-cert-file %s\ntls-key-file %s\ntls-ca-cert-file %[2]s\n"+
			"tls-auth-clients no\ntls-replication yes\n", port, certificate, key)
	}
	masterPort, lines := secure()
	master := startServer(t, quick+lines)
	_, lines = secure()
	replica := startServer(t, quick+lines+"replicaof 127.0.0.1 "+masterPort+"\n")
	port, lines := secure()
	sentinel := startSentinel(t, masterPort, lines)
	wantFollowed(t, master, sentinel)

	plain := place{Kind: "redis", At: "redis://" + master.address(), Key: "access-test:"}
	w := worker{
		Place: place{Kind: "redis", At: "rediss://127.0.0.1:" + port + "?master_name=filings", Key: plain.Key},
		Key:   create(t, plain.open(t, sharedLimits(), nil), "ann", access.Free), Pause: 40,
	}
	admitted, err := w.during(t, func() {
		wantConfirmed(t, master)
		master.kill()
		must(t, sentinel.client.Do(t.Context(), "SENTINEL", "FAILOVER", "filings").Err())
	}, "SSL_CERT_FILE="+certificate)
	must(t, err)
	same(t, "admitted", int64(300), admitted)
	plain.At = "redis://" + replica.address()
	same(t, "used", int64(300), show(t, plain.open(t, sharedLimits(), nil), "ann").Used)
}

// A Sentinel that watches another Redis is a wrong setting: it will not come to know this one by waiting.
func TestK9_SentinelThatKnowsNoSuchMaster(t *testing.T) {
	t.Parallel()
	sentinel := startSentinel(t, startServer(t, quick).port, "")
	r := redisAt(t, "redis://"+sentinel.address()+"?master_name=others")
	wantOutage(t, operations(r), sentinel.address(), "others")
	wantError(t, r.Ping(t.Context()), access.ErrRefused.Error()+": its Sentinels know no master of that name")
}
