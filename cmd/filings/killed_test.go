package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/elastic"
	"filings/index/embedded"
	"filings/index/generation"
)

// asProgram makes the test binary the program itself, so that a test has a process to kill.
const asProgram = "TEST_RUN_AS_FILINGS"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// kills is how many loads are killed in each engine: a few in every run, more by `make faults`.
func kills(t *testing.T) int {
	n, err := strconv.Atoi(os.Getenv("TEST_KILLS"))
	if err != nil {
		n = 5
	}
	t.Logf("%d kills", n)
	return n
}

// L7, L8: a load that is killed at any moment leaves a whole, verified generation live, readers see nothing else, and
// the next load succeeds.
func TestL7_KilledLoads(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "kills")
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		killLoads(t, openEmbedded(t, dir), "FILINGS_DATA_DIR="+dir)
	})
	t.Run("elasticsearch", func(t *testing.T) {
		t.Parallel()
		address, name := servers.Elasticsearch(t), fmt.Sprintf("killed-%d", time.Now().UnixNano())
		killLoads(t, openElastic(t, address, name), onElastic(t, address, name)...)
	})
}

// opener opens a store with a clock of its own; nil: the real one.
type opener func(now func() time.Time) (generation.Store, error)

func openEmbedded(t *testing.T, dir string) opener {
	return func(func() time.Time) (generation.Store, error) {
		store, err := embedded.Open(embedded.Config{Dir: dir, Index: "filings"})
		if err == nil {
			t.Cleanup(func() { _ = store.Close() })
		}
		return store, err
	}
}

// openElastic opens the store of an index, which is deleted when the test ends.
func openElastic(t *testing.T, address, name string) opener {
	t.Cleanup(func() { servers.DeleteIndices(t, address, name) })
	return func(now func() time.Time) (generation.Store, error) {
		return elastic.Open(elastic.Config{Addresses: []string{address}, Index: name, Shards: 1, Now: now})
	}
}

// onElastic is the environment of loads into such a store.
func onElastic(t *testing.T, address, name string) []string {
	return []string{"FILINGS_ELASTICSEARCH_URL=" + address, "FILINGS_INDEX=" + name, "FILINGS_INDEX_REPLICAS=0", "FILINGS_DATA_DIR=" + t.TempDir()}
}

// killLoads alternates between two files: one load is killed, the next one runs to its end.
func killLoads(t *testing.T, open opener, environment ...string) {
	store, err := open(nil)
	if err != nil {
		t.Fatal(err)
	}
	files := loadFiles(t, 2)
	began := time.Now()
	load(t, files[0], environment)
	whole := time.Since(began)
	allowed := map[string]bool{seen(t, store): true}
	load(t, files[1], environment)
	waitForLive(t, store, func(s string) bool { return !allowed[s] })
	allowed[seen(t, store)] = true

	ctx, stop := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for ctx.Err() == nil {
				if s := seen(t, store); !allowed[s] {
					t.Errorf("a reader saw %s, which is no whole generation", s)
					return
				}
			}
		})
	}
	defer readers.Wait()
	defer stop()
	moment := rand.New(rand.NewPCG(1, 2))
	for i := range kills(t) {
		victim := command(files[i%2], environment)
		if err := victim.Start(); err != nil {
			t.Fatal(err)
		}
		after := time.Duration(moment.Int64N(int64(whole) * 5 / 4))
		timer := time.AfterFunc(after, func() { _ = victim.Process.Kill() })
		_ = victim.Wait()
		timer.Stop()
		freeLock(t, open)
		load(t, files[i%2], environment)
		checkClean(t, store)
	}
}

// loadFiles makes files of different filings.
func loadFiles(t *testing.T, n int) []string {
	files := make([]string, n)
	for i := range files {
		files[i] = filepath.Join(t.TempDir(), "filings.ndjson")
		text := newFixture(t).must(t, "", "generate", "--count", strconv.Itoa(1500+i), "--seed", strconv.Itoa(i+1))
		if err := os.WriteFile(files[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func command(file string, environment []string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "reindex", "--max-shrink", "100", file) // the files share few filings
	cmd.Env = append(os.Environ(), append(environment, asProgram+"=1", "FILINGS_LOG_LEVEL=error")...)
	return cmd
}

// load runs a load in a process of its own, which has to succeed.
func load(t *testing.T, file string, environment []string) {
	t.Helper()
	cmd := command(file, environment)
	var errs strings.Builder
	cmd.Stderr = &errs
	if out, err := cmd.Output(); err != nil {
		t.Fatalf("load: %v\n%s%s", err, out, errs.String())
	}
}

// seen describes what a reader finds: counts and sums over all filings, which must fit each other.
func seen(t *testing.T, store generation.Store) string {
	t.Helper()
	ctx := t.Context()
	for {
		r, err := store.Live(ctx)
		var stats index.Stats
		var count int64
		var rows index.Page
		if err == nil {
			stats, err = r.Stats(ctx)
		}
		if err == nil {
			count, err = r.Count(ctx, index.Filter{})
		}
		if err == nil {
			rows, err = r.Rows(ctx, index.Query{Sort: index.DefaultSort, Offset: int(count) - 5, Limit: 10})
		}
		if errors.Is(err, index.ErrGone) {
			continue // as the service does
		}
		if err != nil {
			t.Errorf("a reader failed: %v", err)
		}
		return fmt.Sprintf("%d filings, %d counted, %.0f cents, %d in the last rows", stats.Filings, count, stats.SumCents, len(rows.Records))
	}
}

// waitForLive waits until readers see something that suits.
func waitForLive(t *testing.T, store generation.Store, suits func(string) bool) {
	eventually(t, "readers see a swap", func() bool { return suits(seen(t, store)) })
}

// freeLock lets the lock of a killed load expire: a store whose clock is ahead takes it.
func freeLock(t *testing.T, open opener) {
	t.Helper()
	store, err := open(func() time.Time { return time.Now().Add(generation.LockTTL + time.Second) })
	if err != nil {
		t.Fatal(err)
	}
	lock, err := store.Lock(t.Context(), generation.Run{Holder: "the test", Started: time.Now()})
	if err != nil {
		t.Fatalf("the lock of a killed load: %v", err)
	}
	if err := lock.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// checkClean makes sure that the load after a killed one has left nothing of it behind.
func checkClean(t *testing.T, store generation.Store) {
	t.Helper()
	all, err := store.Generations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	live := 0
	for _, g := range all {
		if !g.Sealed {
			t.Errorf("%s was left behind", g.Name)
		}
		if g.Live {
			live++
		}
	}
	if live != 1 || len(all) > 4 {
		t.Errorf("%d generations, %d of them live", len(all), live)
	}
}
