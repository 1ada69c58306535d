package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"filings/cmd/testservers/servers"
	"filings/service/access"
	"filings/service/servicetest"
)

// exportRows is how many filings tests export: more than the system takes off the service's hands before a client reads.
const exportRows = 5000

// exporting loads so many filings into what the processes serve, and returns a client whose connections take few bytes that
// it does not read.
func (f *fleet) exporting(t *testing.T) *http.Client {
	t.Helper()
	file := filepath.Join(t.TempDir(), "filings.ndjson")
	text := newFixture(t).must(t, "", "generate", "--count", strconv.Itoa(exportRows), "--seed", "1")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	runProgram(t, f.environment, "reindex", file)
	transport := f.client.Transport.(*http.Transport).Clone()
	transport.DisableKeepAlives, transport.DisableCompression = true, true
	transport.DialContext = (&net.Dialer{Control: func(_, _ string, raw syscall.RawConn) (err error) {
		return errors.Join(raw.Control(func(fd uintptr) { err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 64<<10) }), err)
	}}).DialContext
	c := &http.Client{Transport: transport}
	for i := range f.processes {
		eventually(t, "the filings are live", func() bool {
			res := f.export(t, c, i, f.key.Load().(string), http.MethodHead)
			_ = res.Body.Close()
			return res.Header.Get("X-Total-Count") == strconv.Itoa(exportRows)
		})
	}
	return c
}

// export sends a request for an export to a process, and returns the response before its body was read.
func (f *fleet) export(t *testing.T, c *http.Client, process int, key, method string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, f.processes[process%len(f.processes)].api+"/v1/filings/export", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", key)
	res, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// sentExport is what the log says of an export.
type sentExport struct {
	User, Outcome string
	Rows          *int64
	Price, Total  int64
}

// exports returns what the process has logged of exports.
func (p *process) exports() (all []sentExport) {
	for line := range strings.Lines(p.output.String()) {
		var e sentExport
		if json.Unmarshal([]byte(line), &e) == nil && e.Rows != nil {
			all = append(all, e)
		}
	}
	return all
}

// check checks what an export cost: its rows in begun hundreds, counted from the first or, of one that broke off, what is left
// of the whole price behind the whole hundreds that were not sent.
func (e sentExport) check(t *testing.T) {
	t.Helper()
	if want := max(1, (e.Total+99)/100-(e.Total-*e.Rows)/100); e.Price != want || (*e.Rows == e.Total) != (e.Outcome == "whole") && e.Outcome != "client" {
		t.Errorf("%s: %d rows of %d cost %d, want %d", e.Outcome, *e.Rows, e.Total, e.Price, want)
	}
}

// TestX7_FleetExports: 50 clients of five accounts export from four processes at once, hang up at random, and try again until the
// quota has too little. What counts is what the logs say was sent, to the request.
func TestX7_FleetExports(t *testing.T) {
	servers.Nightly(t, "fleets")
	const accounts, quota = 5, 300
	settings := []string{"FILINGS_PRO_BURST=1000000", "FILINGS_EXPORTS=50", fmt.Sprintf("FILINGS_PRO_DAILY_QUOTA=%d", quota)}
	onEachStore(t, fleetSize, access.Enterprise, settings, func(t *testing.T, f *fleet) {
		c, users, keys := f.exporting(t), []string{}, []string{}
		for i := range accounts {
			users = append(users, fmt.Sprint(f.user, "-", i))
			keys = append(keys, runProgram(t, f.environment, "keys", "create", "--user", users[i], "--tier", "pro"))
		}
		if url := f.setting("FILINGS_REDIS_URL"); url != "" {
			t.Cleanup(func() {
				for _, user := range users {
					deleteUser(t, url, user)
				}
			})
		}
		var mu sync.Mutex
		seen, tries := map[string]int64{}, int64(0)
		var group sync.WaitGroup
		for i := range 50 {
			r := rand.New(rand.NewPCG(7, uint64(i)))
			group.Go(func() {
				what := ""
				for n := i; what != "too little" && !t.Failed(); n++ {
					what = f.tryExport(t, c, n/accounts, keys[i%accounts], r)
					mu.Lock()
					seen[what]++
					tries++
					mu.Unlock()
				}
			})
		}
		group.Wait()
		t.Log(seen)
		sent, outcomes := map[string]int64{}, map[string]int64{}
		for _, p := range f.processes {
			eventually(t, "no export is in progress", func() bool { return strings.Contains(p.metrics(t), "\nfilings_exports_in_progress 0\n") })
			p.stop(t)
			for _, e := range p.exports() {
				e.check(t)
				sent[e.User] += e.Price
				outcomes[e.Outcome]++
			}
		}
		t.Log(sent, outcomes)
		counted := map[string]int64{}
		for _, user := range users {
			f.user = user
			if counted[user] = f.used(t); counted[user] > quota {
				t.Errorf("%s used %d of %d", user, counted[user], quota)
			}
		}
		if !maps.Equal(sent, counted) {
			t.Errorf("sent %v, counted %v", sent, counted)
		}
		begun := seen["whole"] + seen["hung up"] // who hangs up near the end may be sent the whole
		if begun != outcomes["whole"]+outcomes["client"] || len(outcomes) != 2 || seen["whole"] > outcomes["whole"] || begun+seen["busy"]+50 != tries {
			t.Errorf("clients saw %v, the logs have %v", seen, outcomes)
		}
	})
}

// tryExport exports once: to the end, or as far as a client comes that hangs up somewhere. It returns how it ended.
func (f *fleet) tryExport(t *testing.T, c *http.Client, process int, key string, r *rand.Rand) string {
	res := f.export(t, c, process, key, http.MethodGet)
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(res.Body)
		for part, what := range map[string]string{"another export of this account": "busy", "nothing was taken": "too little", "quota is used up": "too little"} {
			if res.StatusCode == http.StatusTooManyRequests && strings.Contains(string(text), part) {
				return what
			}
		}
		t.Errorf("%d %s", res.StatusCode, text)
		return "refused"
	}
	if r.IntN(4) > 0 {
		_, _ = io.CopyN(io.Discard, res.Body, r.Int64N(exportRows*500))
		return "hung up"
	}
	if n, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Errorf("after %d bytes: %v", n, err)
	}
	return "whole"
}

// setting returns the value of a setting of the fleet's, or "".
func (f *fleet) setting(name string) (value string) {
	for _, s := range f.environment {
		if n, v, _ := strings.Cut(s, "="); n == name {
			value = v
		}
	}
	return value
}

// store opens the fleet's key store by a clock that is ahead.
func (f *fleet) store(t *testing.T, ahead time.Duration) access.Store {
	t.Helper()
	now := func() time.Time { return time.Now().Add(ahead) }
	limits := servicetest.Limits()
	if url := f.setting("FILINGS_REDIS_URL"); url != "" {
		s, err := access.OpenRedis(access.RedisConfig{URL: url, Limits: limits, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	s, err := access.OpenEmbedded(filepath.Join(f.setting("FILINGS_DATA_DIR"), "access.db"), limits, now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// TestX8_KilledExport: a process that is killed in the middle of an export gives nothing back, and its account's lease ends by
// itself: then another process exports for the account.
func TestX8_KilledExport(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "kills")
	onEachStore(t, 2, access.Enterprise, nil, func(t *testing.T, f *fleet) {
		c, key := f.exporting(t), f.key.Load().(string)
		before := f.used(t)
		begun := time.Now()
		res := f.export(t, c, 0, key, http.MethodGet)
		if _, err := res.Body.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		killed := time.Now()
		_ = f.processes[0].cmd.Process.Kill()
		<-f.processes[0].ended
		if n, err := io.Copy(io.Discard, res.Body); err == nil {
			t.Errorf("%d bytes, and no error", n)
		}
		// The lease was taken or renewed before the kill, and less than 60 seconds of it are left.
		most := access.LeaseTime - time.Since(killed) + time.Second // it is in whole seconds
		wait := retryAfter(f.export(t, c, 1, key, http.MethodGet))
		if least := access.LeaseTime - time.Since(begun); wait < least || wait > most {
			t.Errorf("another process while the lease lasts: try again in %s, want %s to %s", wait, least, most)
		}
		if paid := f.used(t) - before; paid != exportRows/100 {
			t.Errorf("%d requests paid", paid)
		}
		later := f.store(t, access.LeaseTime+time.Since(killed))
		if left, err := later.AcquireLease(t.Context(), f.user, "later"); err != nil || left > 0 {
			t.Fatalf("the lease does not end: %v", err)
		}
		if err := later.Release(t.Context(), f.user, "later"); err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, f.export(t, c, 1, key, http.MethodGet).Body); err != nil || n < exportRows {
			t.Errorf("another process then: %d bytes, %v", n, err)
		}
	})
}

// retryAfter returns in how long a refused export may be tried again; 0 if it was not refused so.
func retryAfter(res *http.Response) time.Duration {
	seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
	if res.StatusCode != http.StatusTooManyRequests || err != nil {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// TestX6_RedisKilled: Redis is killed in the middle of exports. One that is read on comes whole. What a client that hangs up
// was not sent cannot be given back, and the log says how much that is. Redis comes back with what was paid, neither more nor
// less, and with the leases, which end by themselves.
func TestX6_RedisKilled(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "kills")
	r := startOwnRedis(t)
	f := newFleet(t, 1, "reads", access.Enterprise, "FILINGS_REDIS_URL="+r.url())
	c, p := f.exporting(t), f.processes[0]
	leaves := runProgram(t, f.environment, "keys", "create", "--user", "leaves", "--tier", "enterprise")
	before := f.used(t)
	bodies := map[string]*bufio.Reader{}
	for _, key := range []string{f.key.Load().(string), leaves} {
		res := f.export(t, c, 0, key, http.MethodGet)
		bodies[key] = bufio.NewReader(res.Body)
		if _, err := bodies[key].Peek(1); err != nil {
			t.Fatal(res.Status, err)
		}
		if key == leaves {
			r.kill()
			_ = res.Body.Close()
		}
	}
	text, err := io.ReadAll(bodies[f.key.Load().(string)])
	if rows := strings.Count(string(text), "\n"); err != nil || rows != exportRows {
		t.Errorf("%d rows, %v", rows, err)
	}
	eventually(t, "both are over", func() bool { return len(p.exports()) == 2 })
	paid := map[string]sentExport{}
	for _, e := range p.exports() {
		e.check(t)
		paid[e.User] = e
	}
	if paid["reads"].Outcome != "whole" || paid["leaves"].Outcome != "client" {
		t.Errorf("the log says %+v", paid)
	}
	lost := exportRows/100 - paid["leaves"].Price
	eventually(t, "the log says what was not given back", func() bool {
		return lost > 0 && strings.Contains(p.output.String(), `"msg":"quota not refunded"`) &&
			strings.Contains(p.output.String(), fmt.Sprintf(`"requests":%d`, lost))
	})
	if n := strings.Count(p.output.String(), "lease of an export not released"); n != 2 {
		t.Errorf("the log names %d leases", n)
	}
	r.start(t)
	for user, want := range map[string]int64{"reads": before + exportRows/100, "leaves": exportRows / 100} {
		if f.user = user; f.used(t) != want {
			t.Errorf("%s paid %d, want %d", user, f.used(t), want)
		}
	}
	eventually(t, "the service has Redis again", func() bool {
		a, err := f.send(t.Context(), 0, leaves)
		return err == nil && a.status == http.StatusOK
	})
	if wait := retryAfter(f.export(t, c, 0, leaves, http.MethodGet)); wait <= 0 || wait > access.LeaseTime {
		t.Errorf("while the lease lasts: try again in %s", wait)
	}
	later := f.store(t, access.LeaseTime)
	if left, err := later.AcquireLease(t.Context(), "leaves", "later"); err != nil || left > 0 {
		t.Errorf("the lease does not end: %v", err)
	}
}

// TestStop_Export: SIGTERM cuts an export that does not end within the time of a request. What was not sent is given back
// before the process ends, and one that is read meanwhile comes whole.
func TestStop_Export(t *testing.T) {
	t.Parallel()
	const limit = 5 * time.Second
	f := newFleet(t, 1, "u", access.Enterprise, "FILINGS_REQUEST_TIMEOUT="+limit.String())
	c := f.exporting(t)
	p, reads := f.processes[0], runProgram(t, f.environment, "keys", "create", "--user", "reads", "--tier", "enterprise")
	before := f.used(t)
	stuck := f.export(t, c, 0, f.key.Load().(string), http.MethodGet)
	moving := bufio.NewReader(f.export(t, f.client, 0, reads, http.MethodGet).Body)
	if _, err := moving.Peek(1); err != nil {
		t.Fatal(err)
	}
	p.signal(t)
	began := time.Now()
	if n, err := io.Copy(io.Discard, moving); err != nil || n == 0 {
		t.Errorf("read meanwhile: %d bytes, %v", n, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	select {
	case err := <-p.ended:
		if took := time.Since(began); err != nil || took < limit-time.Second || took > limit+drainTime {
			t.Errorf("it ended after %s: %v", took, err)
		}
	case <-ctx.Done():
		t.Fatal("it did not end")
	}
	if n, err := io.Copy(io.Discard, stuck.Body); err == nil {
		t.Errorf("the other: %d bytes, and no error", n)
	}
	exports := p.exports()
	if len(exports) != 2 || exports[0].Outcome != "whole" || exports[1].Outcome != "stopped" || exports[1].User != "u" {
		t.Fatalf("the log says %+v", exports)
	}
	exports[1].check(t)
	if paid := f.used(t) - before; paid != exports[1].Price || paid == exportRows/100 {
		t.Errorf("%d requests paid for %d rows", paid, *exports[1].Rows)
	}
}
