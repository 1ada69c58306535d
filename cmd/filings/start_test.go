package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/serving"
	"filings/service/access"
)

// threads is an engine whose server has so many search threads; 0: it does not say.
type threads struct {
	index.Engine
	n int
}

func (e threads) Slots(context.Context) (int, error) {
	if e.n == 0 {
		return 0, index.ErrUnavailable
	}
	return e.n, nil
}

// If Elasticsearch does not say how many calls it can work on, the service starts, and its log names the setting.
func TestFit(t *testing.T) {
	t.Parallel()
	for n, isQuiet := range map[int]bool{26: true, 0: false} {
		engine, err := serving.New(threads{n: n}, serving.Config{})
		if err != nil {
			t.Fatal(err)
		}
		var log strings.Builder
		fit(t.Context(), engine, time.Second, slog.New(slog.NewTextHandler(&log, nil)))
		if (log.Len() == 0) != isQuiet || !isQuiet && !strings.Contains(log.String(), "FILINGS_ENGINE_CALLS") {
			t.Errorf("%d threads: the log says %q", n, &log)
		}
	}
}

// await tries for as long as it is told, and no longer for what no time mends.
func TestAwait(t *testing.T) {
	t.Parallel()
	down := fmt.Errorf("ping: %w", access.ErrUnavailable)
	for _, test := range []struct {
		name    string
		timeout time.Duration
		up      time.Duration // when the server responds
		err     error         // until then
		took    time.Duration
		want    error
	}{
		{"up", time.Minute, 0, down, 0, nil},
		{"up in a moment", time.Minute, 10 * time.Second, down, 10 * time.Second, nil},
		{"never up", 30 * time.Second, time.Hour, down, 30 * time.Second, down},
		{"Elasticsearch", 30 * time.Second, time.Hour, index.ErrUnavailable, 30 * time.Second, index.ErrUnavailable},
		{"tried once", 0, time.Hour, down, 0, down},
		{"wrong password", time.Minute, time.Hour, access.ErrRefused, 0, access.ErrRefused},
		{"Redis Cluster", time.Minute, time.Hour, access.ErrCluster, 0, access.ErrCluster},
		{"anything else", time.Minute, time.Hour, io.EOF, 0, io.EOF},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				err := await(t.Context(), test.timeout, slog.New(slog.DiscardHandler), func(context.Context) error {
					if time.Since(began) >= test.up {
						return nil
					}
					return test.err
				})
				if took := time.Since(began); !errors.Is(err, test.want) || (err == nil) != (test.want == nil) || took != test.took {
					t.Errorf("%v after %s, want %v after %s", err, took, test.want, test.took)
				}
			})
		})
	}
}

// startWaiting runs the service with a Redis that is not there, and returns its operations listener once that responds.
func startWaiting(t *testing.T, settings ...string) (p *process, redis string) {
	t.Helper()
	redis = freeAddress(t)
	operations := freeAddress(t)
	p = &process{output: new(output), ended: make(chan error, 1), site: site{operations: "http://" + operations}}
	p.cmd = programCommand(append([]string{"FILINGS_LISTEN=127.0.0.1:0", "FILINGS_REDIRECT_LISTEN=off", "FILINGS_OPERATIONS_LISTEN=" + operations,
		"FILINGS_DATA_DIR=" + t.TempDir(), "FILINGS_LOG_FORMAT=json", "FILINGS_REDIS_URL=redis://:secret@" + redis}, settings...), "serve")
	p.cmd.Stdout, p.cmd.Stderr = p.output, p.output
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	go func() { p.ended <- p.cmd.Wait() }()
	eventually(t, "/livez", func() bool { return p.status("/livez") == http.StatusOK })
	eventually(t, "it says that it waits", func() bool { return strings.Contains(p.output.String(), "waiting for a server") })
	if got := p.status("/readyz"); got != http.StatusServiceUnavailable {
		t.Errorf("/readyz is %d without Redis", got)
	}
	return p, redis
}

// status returns the status of a path of the operations listener; 0: it does not respond.
func (s site) status(path string) int {
	res, err := http.Get(s.operations + path)
	if err != nil {
		return 0
	}
	_ = res.Body.Close()
	return res.StatusCode
}

// A service that starts before its servers lives, is not ready, and begins once they are up.
func TestStart_BeforeItsServers(t *testing.T) {
	t.Parallel()
	program := servers.Program(t, "redis-server")
	p, address := startWaiting(t)
	_, port, _ := strings.Cut(address, ":")
	server := exec.Command(program, "--bind", "127.0.0.1", "--port", port, "--dir", t.TempDir(), "--save", "", "--requirepass", "secret")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	eventually(t, "serving", func() bool { return strings.Contains(p.output.String(), `"msg":"serving"`) })
	eventually(t, "/readyz", func() bool { return p.status("/readyz") == http.StatusOK })
	p.stop(t)
}

// A service whose servers do not come ends as it would without waiting, and nothing that it says shows their addresses.
func TestStart_ServersThatNeverCome(t *testing.T) {
	t.Parallel()
	p, address := startWaiting(t, "FILINGS_START_TIMEOUT=1s")
	err := <-p.ended
	var exit *exec.ExitError
	if out := p.output.String(); !errors.As(err, &exit) || exit.ExitCode() != exitFailed || !strings.HasSuffix(out,
		"filings: ping: key store unavailable: connection refused (look at the Redis of FILINGS_REDIS_URL)\n") ||
		strings.Contains(out, "secret") || strings.Contains(out, address) {
		t.Errorf("%v\n%s", err, out)
	}
}

// SIGTERM ends a service that waits at once, with code 0.
func TestStart_Stopped(t *testing.T) {
	t.Parallel()
	p, _ := startWaiting(t)
	p.stop(t)
	if out := p.output.String(); strings.Contains(out, "filings:") || strings.Contains(out, `"serving"`) {
		t.Error(out)
	}
}

// A fault that no time mends ends the service at once, with one line.
func TestStart_Refused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		args []string
		user string
		path string
		want string
	}{
		{"user", nil, "nobody:secret@", "", "filings: ping: key store unavailable to this program: it replied WRONGPASS (look at the Redis of FILINGS_REDIS_URL)\n"},
		{"database", nil, "", "/99", "filings: ping: key store unavailable to this program: it replied ERR (look at the Redis of FILINGS_REDIS_URL)\n"},
		{"cluster", []string{"--cluster-enabled", "yes"}, "", "", "filings: ping: key store unavailable to this program: it is a node of Redis Cluster, which is not supported: " +
			"name one Redis, or its Sentinels (look at the Redis of FILINGS_REDIS_URL)\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := startOwnRedis(t, test.args...)
			f := newFixture(t)
			f.settings.RedisURL, f.settings.StartTimeout = "redis://"+test.user+"127.0.0.1:"+r.port+test.path, time.Hour
			if code, _, errs := f.run(t.Context(), "", "serve"); code != exitFailed || errs != test.want {
				t.Errorf("exit code %d\n%s", code, errs)
			}
		})
	}
}

// A node of Redis Cluster that has all slots admits requests, until another one joins.
func TestStart_OneNodeCluster(t *testing.T) {
	t.Parallel()
	r := startOwnRedis(t, "--cluster-enabled", "yes")
	if err := r.client.ClusterAddSlotsRange(t.Context(), 0, 16383).Err(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the cluster is up", func() bool { return r.client.Set(t.Context(), "a", "b", 0).Err() == nil })
	f := newFixture(t)
	f.settings.RedisURL = r.url()
	want := "key store unavailable to this program: it is a node of Redis Cluster, which is not supported: name one Redis, or its Sentinels"
	if code, _, errs := f.run(t.Context(), "", "serve"); code != exitFailed || !strings.HasPrefix(errs, "filings: "+want) {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	if code, out, _ := f.run(t.Context(), "", "check"); code != exitFailed || !strings.Contains(out, "fail  key store       "+want) {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// K9: a service whose Redis comes back empty says so, at the API, at /readyz, in the log and in `filings check`, also after
// a restart. An account that is created again makes it ready.
func TestK9_RedisComesBackEmpty(t *testing.T) {
	t.Parallel()
	r := startOwnRedis(t)
	f := newFleet(t, 2, "ann", access.Free, "FILINGS_REDIS_URL="+r.url())
	key := f.key.Load().(string)
	send := func(process int, key string, want int) {
		t.Helper()
		if got, err := f.send(t.Context(), process, key); err != nil || got.status != want {
			t.Errorf("process %d: %d (%v), want %d", process, got.status, err, want)
		}
	}
	send(0, key, http.StatusOK)
	send(1, key, http.StatusOK)
	if err := r.client.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	send(0, key, http.StatusInternalServerError)
	restarted := startProcess(t, f.environment...)
	for _, p := range []*process{f.processes[0], restarted} {
		if got := p.status("/readyz"); got != http.StatusServiceUnavailable {
			t.Errorf("/readyz is %d", got)
		}
		if out := p.output.String(); !strings.Contains(out, "it had accounts and has none: restore its backup, or create the accounts again") {
			t.Errorf("the log does not say what to do: %s", out)
		}
	}
	check := programCommand(f.environment, "check")
	if out, err := check.Output(); err == nil || !strings.Contains(string(out), "fail  key store       ping: key store unavailable: it had accounts and has none") {
		t.Errorf("check: %v\n%s", err, out)
	}
	for _, command := range []string{"show --user ann", "rotate --user ann", "revoke --user ann", "tier --user ann --tier pro", "list", "list --json"} {
		out, err := programCommand(f.environment, append([]string{"keys"}, strings.Fields(command)...)...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "it had accounts and has none: restore its backup") {
			t.Errorf("keys %s: %v\n%s", command, err, out)
		}
	}
	again := runProgram(t, f.environment, "keys", "create", "--user", "ann", "--tier", "free")
	send(0, again, http.StatusOK)
	send(0, key, http.StatusUnauthorized)
	if got := restarted.status("/readyz"); got != http.StatusOK {
		t.Errorf("/readyz is %d after an account was created", got)
	}
}

// K9: the same of the embedded store, whose file was deleted while the service was down.
func TestK9_EmbeddedStoreDeleted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.must(t, "", "keys", "create", "--user", "ann", "--tier", "free")
	f.must(t, "", "check") // sees the account
	for _, name := range []string{"access.db", "access.db-wal", "access.db-shm"} {
		if err := os.Remove(filepath.Join(f.settings.DataDir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if code, out, _ := f.run(t.Context(), "", "check"); code != exitFailed || !strings.Contains(out, "fail  key store") {
		t.Errorf("check: exit code %d\n%s", code, out)
	}
}
