package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"filings/cmd/testservers/servers"
)

const (
	soakVariable    = "TEST_SOAK" // how long TestSoak runs, as in 30m
	soakConnections = 300
	soakFailures    = 50 // requests that fail before an outage ends

	// What may grow between the first quarter of the time and its end, when caches, pools and heap have their size.
	soakMemory     = 1.5 // times, and 64 MiB
	soakGoroutines = 1.5 // times, and 100
)

// soak is a run of mixed traffic, with all going on at once that goes on in production.
type soak struct {
	*fleet
	gate    *gate    // in front of Elasticsearch
	files   []string // of the two data sets
	traffic *traffic
}

// TestSoak serves mixed traffic from several hundred connections on two processes, real Elasticsearch and Redis, while
// data sets are swapped and rolled back, keys rotated, and Elasticsearch is away once. Every answer has to be, whole, what
// the oracle says of one of the two data sets; every refusal has to have its reason. It runs by `make soak`.
//
// The outage is that of a gate in front of Elasticsearch which breaks all connections: a shared server cannot be
// restarted, and to the service the one looks like the other.
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
	var warm []processFigures
	for round := 0; ctx.Err() == nil; round++ {
		s.operate(ctx, t, round)
		if warm == nil && time.Since(began) > long/4 {
			warm = s.figures(t)
			s.outage(ctx, t)
		}
	}
	last := s.figures(t) // at the end of the traffic: its connections are still open
	<-ended
	if warm == nil {
		t.Fatal("too short: not one round of operations within a quarter of the time")
	}
	t.Logf("%v, %d connections, %d processes\n%s", long, soakConnections, len(s.processes), s.traffic.table())
	for i := range last {
		t.Logf("process %d: %s, then %s", i, warm[i], last[i])
		if last[i].bytes > warm[i].bytes*soakMemory+64<<20 || last[i].goroutines > warm[i].goroutines*soakGoroutines+100 {
			t.Errorf("process %d has grown", i)
		}
	}
	s.traffic.verdict(t)
	for _, p := range s.processes {
		p.stop(t)
	}
}

// newSoak loads the first data set and starts the processes.
func newSoak(t *testing.T) *soak {
	t.Helper()
	address, redisURL := servers.Elasticsearch(t), servers.Redis(t)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	s := &soak{gate: newGate(t, u.Host), files: loadFiles(t, 2)}
	name, user, dir := "soak-"+strings.ToLower(rand.Text()), "soak-"+rand.Text(), t.TempDir()
	limited := user + "-limited"
	t.Cleanup(func() {
		servers.DeleteIndices(t, address, name)
		forgetUser(t, redisURL, user)
		forgetUser(t, redisURL, limited)
	})
	s.fleet = &fleet{user: user, environment: []string{"FILINGS_DATA_DIR=" + dir, "FILINGS_REDIS_URL=" + redisURL,
		"FILINGS_ELASTICSEARCH_URL=" + u.Scheme + "://" + s.gate.address, "FILINGS_INDEX=" + name, "FILINGS_INDEX_REPLICAS=0",
		"FILINGS_CACHE_SIZE=16MiB", "FILINGS_LOG_LEVEL=info", "FILINGS_ENTERPRISE_DAILY_QUOTA=1000000000",
		"FILINGS_ENTERPRISE_BURST=1000000"}}
	runProgram(t, s.environment, "reindex", s.files[0])
	for range 2 {
		s.processes = append(s.processes, startProcess(t, s.environment...))
	}
	s.client = crowdClient(t, dir)
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

// outage takes Elasticsearch away until requests have failed, and gives it back.
func (s *soak) outage(ctx context.Context, t *testing.T) {
	before := s.traffic.failed.Load()
	s.traffic.away.Store(true)
	s.gate.setCut(true)
	for ctx.Err() == nil && s.traffic.failed.Load() < before+soakFailures {
		_ = s.figures(t) // operators look at their metrics
	}
	s.gate.setCut(false)
	for ctx.Err() == nil && s.refusing(t) { // each process finds out by itself, within three seconds
	}
	back := s.traffic.answered.Load()
	for ctx.Err() == nil && s.traffic.answered.Load() < back+10*soakConnections {
		_ = s.figures(t)
	}
	s.traffic.away.Store(false) // every connection has been answered several times since
}

// refusing reports whether a process does not ask Elasticsearch.
func (s *soak) refusing(t *testing.T) bool {
	for _, p := range s.processes {
		if !strings.Contains(string(get(t.Context(), t, http.DefaultClient, p.operations+"/metrics", "")), "\nfilings_engine_breaker_state 0\n") {
			return true
		}
	}
	return false
}

// processFigures are what a process says of itself.
type processFigures struct{ bytes, goroutines float64 }

func (f processFigures) String() string {
	return fmt.Sprintf("%.0f MiB and %.0f goroutines", f.bytes/(1<<20), f.goroutines)
}

func (s *soak) figures(t *testing.T) []processFigures {
	t.Helper()
	var all []processFigures
	for _, p := range s.processes {
		text := string(get(t.Context(), t, http.DefaultClient, p.operations+"/metrics", ""))
		value := func(name string) float64 {
			m := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindStringSubmatch(text)
			if m == nil {
				t.Fatalf("/metrics has no %s", name)
			}
			v, _ := strconv.ParseFloat(m[1], 64)
			return v
		}
		all = append(all, processFigures{value("process_resident_memory_bytes"), value("go_goroutines")})
	}
	return all
}
