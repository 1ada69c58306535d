package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"filings/cmd/testservers/servers"
	"filings/service/servicetest"
)

const (
	soakVariable    = "TEST_SOAK" // how long TestSoak runs, as in 30m
	soakConnections = 300
	soakRecovery    = 5 * time.Second // within which a process calls Elasticsearch again once that responds

	// The most growth from the first quarter of the time to its end, when caches, pools and heap have their size.
	soakMemory     = 1.5 // times, and 64 MiB
	soakGoroutines = 1.5 // times, and 100
)

// soak is a run of mixed traffic, with all going on at once that goes on in production.
type soak struct {
	*fleet
	elasticsearch string   // its address
	files         []string // of the two data sets
	traffic       *traffic
}

// soakEnds are how Elasticsearch ends in the course of a run: as by the kernel when memory is short, and as by an
// operator who restarts it.
var soakEnds = []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM}

// TestSoak serves mixed traffic from several hundred connections on two processes, real Elasticsearch and Redis, while
// data sets are swapped and rolled back, keys rotated, and Elasticsearch is killed and restarted. Every response has to be,
// whole, that of the oracle for one of the two data sets; every refusal has to have its reason. It runs by `make soak`,
// which has an Elasticsearch that starts again when it is killed.
func TestSoak(t *testing.T) {
	long, err := time.ParseDuration(os.Getenv(soakVariable))
	if err != nil {
		t.Skipf("left out: %s is not set to a duration; `make soak` sets it", soakVariable)
	}
	s := newSoak(t)
	ctx, stop := context.WithTimeout(t.Context(), long)
	defer stop()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.traffic.run(ctx, t, s.fleet)
	}()
	began := time.Now()
	var warm []usage
	ends := 0
	for round := 0; ctx.Err() == nil; round++ {
		s.operate(ctx, t, round)
		if ends < len(soakEnds) && time.Since(began) > long*time.Duration(ends+1)/4 {
			if ends == 0 {
				warm = s.usage(t)
			}
			if s.restart(ctx, t, soakEnds[ends]) {
				ends++
			}
		}
	}
	last := s.usage(t) // at the end of the traffic: its connections are still open
	<-ended
	if ends < len(soakEnds) {
		t.Fatalf("too short: Elasticsearch ended and was back %d times, want %d", ends, len(soakEnds))
	}
	t.Logf("%v, %d connections, %d processes, %d swaps, %d rotations\n%s", long, soakConnections, len(s.processes),
		s.traffic.swaps.Load(), s.traffic.rotations.Load()/2, s.traffic.table())
	for i := range last {
		t.Logf("process %d: %s, then %s", i, warm[i], last[i])
		if last[i].bytes > warm[i].bytes*soakMemory+64<<20 || last[i].goroutines > warm[i].goroutines*soakGoroutines+100 {
			t.Errorf("process %d has grown", i)
		}
	}
	s.traffic.check(t)
	for _, p := range s.processes {
		p.stop(t)
	}
}

// newSoak loads the first data set and starts the processes.
func newSoak(t *testing.T) *soak {
	t.Helper()
	address, redisURL := servers.Elasticsearch(t), servers.Redis(t)
	s := &soak{elasticsearch: address, files: loadFiles(t, 2)}
	name, user, dir := "soak-"+strings.ToLower(rand.Text()), "soak-"+rand.Text(), t.TempDir()
	limited := user + "-limited"
	t.Cleanup(func() {
		servers.DeleteIndices(t, address, name)
		deleteUser(t, redisURL, user)
		deleteUser(t, redisURL, limited)
	})
	s.fleet = &fleet{user: user, environment: []string{"FILINGS_DATA_DIR=" + dir, "FILINGS_REDIS_URL=" + redisURL,
		"FILINGS_ELASTICSEARCH_URL=" + address, "FILINGS_INDEX=" + name, "FILINGS_INDEX_REPLICAS=0",
		"FILINGS_CACHE_SIZE=16MiB", "FILINGS_LOG_LEVEL=info", "FILINGS_ENTERPRISE_DAILY_QUOTA=1000000000",
		"FILINGS_ENTERPRISE_BURST=1000000"}}
	runProgram(t, s.environment, "reindex", s.files[0])
	for range 2 {
		s.processes = append(s.processes, startProcess(t, s.environment...))
	}
	s.client = client(t, filepath.Join(dir, "cert.pem"))
	s.key.Store(runProgram(t, s.environment, "keys", "create", "--user", user, "--tier", "enterprise"))
	s.traffic = newTraffic(t, s.files, runProgram(t, s.environment, "keys", "create", "--user", limited, "--tier", "free"))
	return s
}

// operate does what operators do in a day: the other data set is loaded, or the one before made live again, and the key
// replaced.
func (s *soak) operate(ctx context.Context, t *testing.T, round int) {
	if round%3 == 2 {
		runProgram(t, s.environment, "rollback")
	} else {
		runProgram(t, s.environment, "reindex", "--max-shrink", "100", s.files[(round+1)%2])
	}
	s.traffic.swaps.Add(1)
	if ctx.Err() == nil {
		s.traffic.rotations.Add(1)
		s.key.Store(runProgram(t, s.environment, "keys", "rotate", "--user", s.user))
		s.traffic.rotations.Add(1)
	}
}

// restart ends Elasticsearch, which then starts again, and waits until all is as it was. It reports whether that came
// before the end of ctx.
func (s *soak) restart(ctx context.Context, t *testing.T, by syscall.Signal) bool {
	t.Helper()
	began := time.Now()
	s.traffic.away.Store(true)
	servers.End(t, s.elasticsearch, "_local", by)
	servicetest.Poll(ctx, func() bool { return !s.ready(ctx) })
	servicetest.Poll(ctx, func() bool { return s.ready(ctx) })
	returned := time.Now()
	if !servicetest.Poll(ctx, func() bool { return !s.refusing(t) }) { // each process finds out by itself
		return false
	}
	recovered := time.Since(returned)
	t.Logf("Elasticsearch, ended by %v, was away for %.1f s; the processes called it again %.1f s later", by, returned.Sub(began).Seconds(), recovered.Seconds())
	if recovered > soakRecovery {
		t.Errorf("that is more than %v", soakRecovery)
	}
	back := s.traffic.responses.Load()
	servicetest.Poll(ctx, func() bool {
		_ = s.usage(t) // operators look at their metrics
		return s.traffic.responses.Load() >= back+10*soakConnections
	})
	s.traffic.away.Store(false) // every connection has had several responses since
	return true
}

// ready reports whether Elasticsearch responds and has all its primary shards.
func (s *soak) ready(ctx context.Context) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.elasticsearch+"/_cluster/health?wait_for_status=yellow&timeout=1s", http.NoBody)
	if err != nil {
		return false
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// refusing reports whether a process does not call Elasticsearch.
func (s *soak) refusing(t *testing.T) bool {
	for _, p := range s.processes {
		if !strings.Contains(p.metrics(t), "\nfilings_engine_breaker_state 0\n") {
			return true
		}
	}
	return false
}

// usage is what a process uses, by its metrics.
type usage struct{ bytes, goroutines float64 }

func (u usage) String() string {
	return fmt.Sprintf("%.0f MiB and %.0f goroutines", u.bytes/(1<<20), u.goroutines)
}

func (s *soak) usage(t *testing.T) []usage {
	t.Helper()
	var all []usage
	for _, p := range s.processes {
		text := p.metrics(t)
		value := func(name string) float64 {
			m := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindStringSubmatch(text)
			if m == nil {
				t.Fatalf("/metrics has no %s", name)
			}
			v, _ := strconv.ParseFloat(m[1], 64)
			return v
		}
		all = append(all, usage{value("process_resident_memory_bytes"), value("go_goroutines")})
	}
	return all
}
