package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"

	"filings/cmd/testservers/servers"
	"filings/service/access"
)

const (
	fleetSize = 4   // processes that share a quota
	clients   = 200 // at once, all of them together
)

// fleet is several processes of the service on one key store, and one account in it.
type fleet struct {
	environment []string
	processes   []*process
	client      *http.Client
	user        string
	key         atomic.Value // the account's key, of type string
}

// onEachStore runs a test on a fleet over each key store. Settings are variables besides those of the store.
func onEachStore(t *testing.T, size int, tier access.Tier, settings []string, test func(t *testing.T, f *fleet)) {
	t.Run("redis", func(t *testing.T) {
		url, user := servers.Redis(t), "fleet-"+rand.Text()
		t.Cleanup(func() { deleteUser(t, url, user) })
		test(t, newFleet(t, size, user, tier, append([]string{"FILINGS_REDIS_URL=" + url}, settings...)...))
	})
	t.Run("embedded", func(t *testing.T) {
		test(t, newFleet(t, size, "u", tier, settings...))
	})
}

// newFleet starts so many processes, the first one alone: it makes the certificate that all of them show.
func newFleet(t *testing.T, size int, user string, tier access.Tier, settings ...string) *fleet {
	t.Helper()
	dir := t.TempDir()
	f := &fleet{user: user, environment: append([]string{"FILINGS_DATA_DIR=" + dir, "FILINGS_REQUEST_TIMEOUT=60s"}, settings...)}
	for range size {
		p := newProcess(f.environment...)
		if p.start(t); len(f.processes) == 0 {
			p.listens(t)
		}
		f.processes = append(f.processes, p)
	}
	for _, p := range f.processes[1:] {
		p.listens(t)
	}
	f.client = client(t, filepath.Join(dir, "cert.pem"))
	f.key.Store(runProgram(t, f.environment, "keys", "create", "--user", user, "--tier", string(tier)))
	return f
}

// deleteUser deletes what a test left in the shared Redis.
func deleteUser(t *testing.T, url, user string) {
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	ctx, client := context.Background(), redis.NewClient(options)
	defer client.Close()
	hash := client.HGet(ctx, "filings:account:"+user, "hash").Val()
	names := client.Keys(ctx, "filings:usage:"+user+":*").Val()
	client.Del(ctx, append(names, "filings:account:"+user, "filings:key:"+hash, "filings:days:"+user, "filings:lease:"+user)...)
	client.ZRem(ctx, "filings:accounts", user)
}

// reply is a response, as far as it concerns keys and quotas.
type reply struct {
	status int
	code   string // of a refusal
	header http.Header
	closes bool // Connection: close
}

// send sends one request of the account to a process.
func (f *fleet) send(ctx context.Context, process int, key string) (reply, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.processes[process%len(f.processes)].api+"/v1/me", nil)
	if err != nil {
		return reply{}, err
	}
	req.Header.Set("X-API-Key", key)
	res, err := f.client.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer res.Body.Close()
	var body struct{ Error any }
	err = json.NewDecoder(res.Body).Decode(&body)
	code, _ := body.Error.(string)
	return reply{res.StatusCode, code, res.Header, res.Close}, err
}

// counts are numbers of responses: those of status 200 by the day that they counted for, refusals by their code.
type counts struct {
	mu       sync.Mutex
	admitted map[string]int64 // by X-RateLimit-Reset
	refused  map[string]int64
	total    int64 // admitted
}

func (c *counts) add(r reply) (total int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.status == http.StatusOK {
		c.admitted[r.header.Get("X-RateLimit-Reset")]++
		c.total++
		return c.total
	}
	c.refused[r.code]++
	return 0
}

// flood sends requests from all clients at once, from each until enough says so. At the n-th admitted request, it runs
// steps[n].
func (f *fleet) flood(t *testing.T, steps map[int64]func(), enough func(client int, r reply) bool) *counts {
	t.Helper()
	count := &counts{admitted: map[string]int64{}, refused: map[string]int64{}}
	var group sync.WaitGroup
	for i := range clients {
		group.Go(func() {
			for n := i; ; n++ {
				r, err := f.send(t.Context(), n, f.key.Load().(string))
				if err != nil {
					t.Errorf("client %d: %v", i, err)
					return
				}
				checkReply(t, r)
				if step := steps[count.add(r)]; step != nil {
					step()
				}
				if enough(i, r) {
					return
				}
			}
		})
	}
	group.Wait()
	return count
}

// checkReply checks status, code and headers of a response against each other (rules K6, K7).
func checkReply(t *testing.T, r reply) {
	after, remaining := r.header.Get("Retry-After"), r.header.Get("X-RateLimit-Remaining")
	seconds, _ := strconv.Atoi(after)
	ok := false
	switch {
	case r.status == http.StatusOK:
		ok = after == "" && remaining != ""
	case r.status == http.StatusUnauthorized:
		ok = r.code == "invalid_api_key" && remaining == ""
	case r.status == http.StatusTooManyRequests && r.code == "lifetime_limit_exceeded":
		ok = after == "" && remaining == "0"
	case r.status == http.StatusTooManyRequests && r.code == "rate_limit_exceeded" && remaining == "0":
		ok = seconds >= 1 && seconds <= 24*60*60
	case r.status == http.StatusTooManyRequests && r.code == "rate_limit_exceeded":
		ok = after == "1" // the burst
	}
	if !ok {
		t.Errorf("%d %s with Retry-After %q, %q remaining", r.status, r.code, after, remaining)
	}
}

// used is what the account's counter says.
func (f *fleet) used(t *testing.T) int64 {
	t.Helper()
	var account access.Account
	if err := json.Unmarshal([]byte(runProgram(t, f.environment, "keys", "show", "--user", f.user, "--json")), &account); err != nil {
		t.Fatal(err)
	}
	return account.Used
}

// admissions is how many requests all processes admitted, by their metrics.
func (f *fleet) admissions(t *testing.T) (sum int64) {
	t.Helper()
	for _, p := range f.processes {
		text := p.metrics(t)
		for _, m := range regexp.MustCompile(`(?m)^filings_admissions_total\{.*verdict="admitted".*\} (\d+)$`).FindAllStringSubmatch(text, -1) {
			n, _ := strconv.ParseInt(m[1], 10, 64)
			sum += n
		}
	}
	return sum
}

// rotate replaces the account's key. The old one is unknown to every process on the very next request (rule K2).
func (f *fleet) rotate(t *testing.T) {
	old := f.key.Load().(string)
	f.key.Store(runProgram(t, f.environment, "keys", "rotate", "--user", f.user))
	for i := range f.processes {
		if r, err := f.send(t.Context(), i, old); err != nil || r.status != http.StatusUnauthorized {
			t.Errorf("K2: process %d responds to a rotated key with %d (%v)", i, r.status, err)
		}
	}
}

// breakOff sends a whole request, and closes the connection without reading the response.
func (f *fleet) breakOff(process int) error {
	p := f.processes[process%len(f.processes)]
	conn, err := f.dial(p)
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "GET /v1/me HTTP/1.1\r\nHost: localhost\r\nX-API-Key: %s\r\n\r\n", f.key.Load())
	return err
}

// dial opens a connection of its own.
func (f *fleet) dial(p *process) (io.ReadWriteCloser, error) {
	return dialTLS(f.client, strings.TrimPrefix(p.api, "https://"))
}
