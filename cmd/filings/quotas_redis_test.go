package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"filings/cmd/testservers/servers"
	"filings/service/access"
)

// ownRedis is a redis-server of a test's own, which it may kill. It writes and syncs before it replies, as
// docker-compose.yml sets it up.
type ownRedis struct {
	cmd    *exec.Cmd
	port   string
	folder string
	args   []string
	client *redis.Client
}

// startOwnRedis starts one, with options besides. Without redis-server on the PATH the test is left out: one in a container cannot be killed
// and started again on its folder from here.
func startOwnRedis(t *testing.T, args ...string) *ownRedis {
	t.Helper()
	servers.Program(t, "redis-server")
	_, port, _ := net.SplitHostPort(freeAddress(t))
	r := &ownRedis{port: port, folder: t.TempDir(), args: args}
	r.client = redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + port})
	t.Cleanup(func() { _ = r.client.Close() })
	r.start(t)
	return r
}

func (r *ownRedis) url() string { return "redis://127.0.0.1:" + r.port }

// start starts it on its port and folder, and waits until it responds.
func (r *ownRedis) start(t *testing.T) {
	t.Helper()
	r.cmd = exec.Command("redis-server", append([]string{"--bind", "127.0.0.1", "--port", r.port, "--dir", r.folder,
		"--save", "", "--appendonly", "yes", "--appendfsync", "always"}, r.args...)...)
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.kill)
	eventually(t, "redis-server responds", func() bool { return r.client.Ping(t.Context()).Err() == nil })
}

// kill ends it as a power cut would, but for what the operating system has not written yet.
func (r *ownRedis) kill() {
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait()
}

// calls returns how often it was sent a command, and how often a script sent it.
func (r *ownRedis) calls(t *testing.T, command string) int64 {
	t.Helper()
	text, err := r.client.Info(t.Context(), "commandstats").Result()
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^cmdstat_` + command + `:calls=(\d+)`).FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseInt(m[1], 10, 64)
	return n
}

// K8: a request of the API costs Redis exactly one EVALSHA, whether it is admitted, refused or unknown.
func TestK8_OneScriptARequest(t *testing.T) {
	t.Parallel()
	r := startOwnRedis(t)
	f := newFleet(t, 2, "u", access.Free, "FILINGS_REDIS_URL="+r.url(), "FILINGS_FREE_BURST=1000", "FILINGS_FREE_LIFETIME_QUOTA=20")
	send := func(process int, key string, want int) {
		t.Helper()
		if got, err := f.send(t.Context(), process, key); err != nil || got.status != want {
			t.Errorf("%d (%v), want %d", got.status, err, want)
		}
	}
	key := f.key.Load().(string)
	send(0, key, http.StatusOK) // the first time Redis has to learn the script
	shaBefore, textBefore := r.calls(t, "evalsha"), r.calls(t, "eval")
	for i := range 30 {
		if i < 19 {
			send(i, key, http.StatusOK)
		} else {
			send(i, key, http.StatusTooManyRequests)
		}
		send(i, "ak_live_00000000000000000000000000000000", http.StatusUnauthorized)
	}
	if sha, text := r.calls(t, "evalsha")-shaBefore, r.calls(t, "eval")-textBefore; sha != 60 || text != 0 {
		t.Errorf("60 requests cost %d EVALSHA and %d EVAL", sha, text)
	}
}

// K8: what Redis has counted survives that Redis is killed in the middle of traffic. Every client has one request in
// flight, so of each client Redis counted at most one request whose response was lost; and the service responded to
// each of these with a 500, since it admits no request without Redis.
func TestK8_RedisKilled(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "kills")
	const connections, before, after = 16, 300, 300
	r := startOwnRedis(t)
	f := newFleet(t, fleetSize, "u", access.Free, "FILINGS_REDIS_URL="+r.url(), "FILINGS_FREE_BURST=1000000",
		"FILINGS_FREE_LIFETIME_QUOTA=1000000")
	var admitted, failed atomic.Int64
	var group sync.WaitGroup
	killed := make(chan struct{})
	for i := range connections {
		group.Go(func() {
			for n := i; admitted.Load() < before+after; n++ {
				got, err := f.send(t.Context(), n, f.key.Load().(string))
				switch {
				case err != nil:
					t.Errorf("client %d: %v", i, err)
					return
				case got.status == http.StatusOK:
					if admitted.Add(1) == before {
						r.kill()
						close(killed)
					}
				case got.status == http.StatusInternalServerError:
					failed.Add(1)
					<-killed
				default:
					t.Errorf("client %d: %d %s", i, got.status, got.code)
					return
				}
			}
		})
	}
	select {
	case <-killed:
	case <-time.After(testTimeout):
		t.Fatalf("only %d admitted, %d failed", admitted.Load(), failed.Load())
	}
	r.start(t)
	group.Wait()
	used, got := f.used(t), admitted.Load()
	t.Logf("%d admitted, %d counted, %d failed", got, used, failed.Load())
	if lost := used - got; lost < 0 || lost > min(failed.Load(), connections) {
		t.Errorf("counted %d, clients got %d, %d failed: of an outage at most %d may be lost", used, got, failed.Load(), connections)
	}
	if got < before+after {
		t.Errorf("only %d admitted: the service did not come back", got)
	}
}

// K5: by Redis's clock, four processes together never admit more than a burst at once and its refill. How long the test
// takes only widens the bound: processes that counted apart would be four times over it.
func TestK5_FleetBurst(t *testing.T) {
	servers.Nightly(t, "fleets")
	const burst, requests = 200, 10
	url, user := servers.Redis(t), "fleet-"+rand.Text()
	t.Cleanup(func() { deleteUser(t, url, user) })
	f := newFleet(t, fleetSize, user, access.Pro, "FILINGS_REDIS_URL="+url, fmt.Sprintf("FILINGS_PRO_BURST=%d", burst), "FILINGS_PRO_DAILY_QUOTA=1000000")
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	clock := redis.NewClient(options)
	defer clock.Close()
	began := clock.Time(context.Background()).Val()
	var left [clients]int
	count := f.flood(t, nil, func(client int, _ reply) bool {
		left[client]++
		return left[client] == requests
	})
	elapsed := clock.Time(context.Background()).Val().Sub(began)
	most := burst + int64(elapsed.Seconds()*burst)
	t.Logf("%d of %d requests admitted in %v, at most %d", count.total, clients*requests, elapsed, most)
	if count.total > most || count.total < burst {
		t.Errorf("%d admitted in %v, want %d to %d", count.total, elapsed, burst, most)
	}
	if got := count.total + count.refused["rate_limit_exceeded"]; got != clients*requests {
		t.Errorf("%d admitted or over the burst, of %d: %v", got, clients*requests, count.refused)
	}
	if admitted := f.admissions(t); admitted != count.total {
		t.Errorf("the processes admitted %d, the clients got %d", admitted, count.total)
	}
}
