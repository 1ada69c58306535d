package reindexer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/generation"
	"filings/index/indextest"
)

var errInjected = errors.New("injected")

// TestFaults_AtEveryCall lets the first call of a load fail, then the second, and so on until none is left to fail: not
// made, made but its response an error, or with the run cancelled. After each the live generation is the one from before
// or, if the run says so, the new one, and the next run succeeds and leaves nothing behind.
func TestFaults_AtEveryCall(t *testing.T) {
	t.Parallel()
	for _, update := range []bool{false, true} {
		for _, fault := range []string{"not made", "response lost", "cancelled"} {
			t.Run(fmt.Sprintf("update %v, %s", update, fault), func(t *testing.T) {
				t.Parallel()
				real := embeddedStore(t)
				mustRun(t, config(t, real, owned("Ann", 1, 2, 3)))
				every := 1
				if testing.Short() {
					every = 3
				}
				for k, met := 1, true; met; k += every {
					met = faultAt(t, real, k, fault, update)
				}
			})
		}
	}
}

// faultAt lets call k of a load go wrong and reports whether there was one.
func faultAt(t *testing.T, real generation.Store, k int, fault string, update bool) (met bool) {
	t.Helper()
	before := live(t, real)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	calls, at := 0, ""
	due := func(call string) bool {
		// The lock is renewed beside the run, so these calls have no number.
		if call == "Renew" {
			return false
		}
		calls++
		if calls == k {
			met, at = true, call
		}
		return calls == k
	}
	store := &faulty{Store: real}
	switch fault {
	case "not made":
		store.before = func(call string, _ *index.Filing) error { return injectedIf(due(call)) }
	case "response lost":
		store.after = func(call string) error { return injectedIf(due(call)) }
	case "cancelled":
		store.before = func(call string, _ *index.Filing) error {
			if due(call) {
				cancel()
			}
			return nil
		}
	}
	owner := fmt.Sprintf("Bob %d", k)
	cfg := config(t, store, owned(owner, 1, 2, 3, 4))
	cfg.Update = update
	report, err := Run(ctx, cfg)
	what := fmt.Sprintf("call %d, %s, %s", k, at, fault)
	checkFaulty(t, what, real, before, owner, report, err)
	if !met && err != nil {
		t.Errorf("%s: error %v without a fault", what, err)
	}

	store.releaseAll(context.Background())
	cfg.Store = real
	mustRun(t, cfg)
	for _, name := range generationNames(t, real) {
		if strings.HasSuffix(name, "?") {
			t.Errorf("%s: the next run left %s behind", what, name)
		}
	}
	return met
}

func injectedIf(due bool) error {
	if due {
		return errInjected
	}
	return nil
}

// checkFaulty wants the live filings to be those from before if the run failed, else those of owner.
func checkFaulty(t *testing.T, what string, real generation.Store, before map[int64]string, owner string, report Report, err error) {
	t.Helper()
	want := before
	if err == nil {
		want = map[int64]string{1: owner, 2: owner, 3: owner, 4: owner}
	} else if !errors.Is(err, errInjected) && !errors.Is(err, context.Canceled) {
		t.Errorf("%s: error %v, want the one that was injected", what, err)
	}
	if diff := cmp.Diff(want, live(t, real)); diff != "" {
		t.Errorf("%s: error %v, live filings (-want +got):\n%s", what, err, diff)
	}
	if report.Promoted != (err == nil) || (report.Generation != "") != (err == nil) {
		t.Errorf("%s: error %v, report %+v", what, err, report)
	}
}

// TestFaults_OnElasticsearch does the same at the calls that matter most.
func TestFaults_OnElasticsearch(t *testing.T) {
	t.Parallel()
	real := elasticStore(t)
	mustRun(t, config(t, real, owned("Ann", 1, 2, 3)))
	for _, test := range []struct{ call, fault string }{
		{"Put", "not made"}, {"Seal", "response lost"}, {"Promote", "response lost"}, {"Begin", "cancelled"}, {"Promote", "not made"},
	} {
		before := live(t, real)
		ctx, cancel := context.WithCancel(context.Background())
		store := &faulty{Store: real}
		hit := func(call, fault string) error {
			if call != test.call || fault != test.fault {
				return nil
			}
			if fault == "cancelled" {
				cancel()
				return nil
			}
			return errInjected
		}
		store.before = func(call string, _ *index.Filing) error {
			return errors.Join(hit(call, "not made"), hit(call, "cancelled"))
		}
		store.after = func(call string) error { return hit(call, "response lost") }
		report, err := Run(ctx, config(t, store, owned("Bob", 1, 2, 3, 4)))
		cancel()
		checkFaulty(t, test.call+" "+test.fault, real, before, "Bob", report, err)
		if lost := test.call == "Promote" && test.fault == "response lost"; (err == nil) != lost {
			t.Errorf("%s %s: error %v; only a lost response to Promote is no failure", test.call, test.fault, err)
		}
		if names := generationNames(t, real); slices.ContainsFunc(names, func(s string) bool { return strings.HasSuffix(s, "?") }) {
			t.Errorf("%s %s: %v were left behind", test.call, test.fault, names)
		}
	}
}

func TestRun_StopsWhenItsLockIsLost(t *testing.T) {
	t.Parallel()
	real := embeddedStore(t)
	mustRun(t, config(t, real, owned("Ann", 1)))
	store := &faulty{Store: real, before: func(call string, _ *index.Filing) error {
		if call == "Renew" {
			return generation.ErrLockLost
		}
		return nil
	}}
	cfg := config(t, store, "")
	cfg.Inputs = inputs("-")
	silent, writer := io.Pipe() // nothing ever comes: only the loss of the lock ends the run
	defer writer.Close()
	cfg.Stdin = silent
	report, err := Run(context.Background(), cfg)
	if !errors.Is(err, generation.ErrLockLost) || report.Promoted {
		t.Errorf("error %v, report %+v; want ErrLockLost", err, report)
	}
	if got := live(t, real); got[1] != "Ann" {
		t.Errorf("live are %v", got)
	}
}

func TestRun_StopsWhileStandardInputBlocks(t *testing.T) {
	t.Parallel()
	store := embeddedStore(t)
	ctx, cancel := context.WithCancel(context.Background())
	cfg := config(t, store, "")
	cfg.Inputs = inputs("-")
	silent, writer := io.Pipe()
	defer writer.Close()
	cfg.Stdin = silent
	go func() {
		_, _ = io.WriteString(writer, owned("Ann", 1)) // read to its end, so that the next read blocks
		cancel()
	}()
	if _, err := Run(ctx, cfg); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	if got := generationNames(t, store); len(got) != 0 {
		t.Errorf("%v were left behind", got)
	}
}

// loading calls a function when a load begins to read.
type loading struct {
	noProgress
	begin func()
}

func (l loading) Show(s Status) {
	if s.Phase == PhaseLoading {
		l.begin()
	}
}

// TestRun_StopsWhileASourceBlocks: whatever a load waits for, it ends with its context, and the next one can begin.
func TestRun_StopsWhileASourceBlocks(t *testing.T) {
	t.Parallel()
	// mute accepts connections, says so, and does not respond.
	mute := func(t *testing.T, accepted func()) string {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = listener.Close() })
		go func() {
			if conn, err := listener.Accept(); err == nil {
				t.Cleanup(func() { _ = conn.Close() })
				accepted()
			}
		}()
		return listener.Addr().String()
	}
	for name, block := range map[string]func(t *testing.T, cfg *Config, blocks func()){
		"a named pipe": func(t *testing.T, cfg *Config, blocks func()) {
			cfg.Inputs = inputs(filepath.Join(t.TempDir(), "a.ndjson"))
			if err := syscall.Mkfifo(cfg.Inputs[0].Name, 0o600); err != nil {
				t.Fatal(err)
			}
			cfg.Progress = loading{begin: blocks}
		},
		"a server": func(t *testing.T, cfg *Config, blocks func()) {
			cfg.Inputs = inputs("http://" + mute(t, blocks) + "/a.ndjson")
		},
		"a response": func(t *testing.T, cfg *Config, blocks func()) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", "1000000")
				_, _ = io.WriteString(w, owned("Ann", 1))
				_ = http.NewResponseController(w).Flush()
				blocks()
				<-r.Context().Done()
			}))
			t.Cleanup(server.Close)
			cfg.Inputs = inputs(server.URL + "/a.ndjson")
		},
		"a database": func(t *testing.T, cfg *Config, blocks func()) {
			cfg.Inputs, cfg.Query = inputs("postgres://x@"+mute(t, blocks)+"/y?sslmode=disable"), "SELECT 1"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := embeddedStore(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			cfg := config(t, store, "")
			block(t, &cfg, cancel)
			if _, err := Run(ctx, cfg); !errors.Is(err, context.Canceled) || err.Error() != "the load was stopped, and promoted nothing" {
				t.Errorf("error %v, want that of the context", err)
			}
			if run, err := indextest.LastRun(t.Context(), store); err != nil || strings.Contains(run.Error, "context") {
				t.Errorf("kept %+v, %v", run, err)
			}
			mustRun(t, config(t, store, owned("Bob", 2)))
		})
	}
}

// A load that is stopped while it promotes, where nobody can tell what is live then, does not say that it promoted nothing.
func TestRun_StoppedWhilePromoting(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	store := &faulty{Store: embeddedStore(t)}
	store.after = func(call string) error {
		switch {
		case call == "Promote":
			cancel()
			return ctx.Err()
		case call == "Generations" && ctx.Err() != nil:
			return errors.New("injected")
		}
		return nil
	}
	_, err := Run(ctx, config(t, store, owned("Ann", 1)))
	if err == nil || !strings.Contains(err.Error(), "whether it is live could not be read") || strings.Contains(err.Error(), "promoted nothing") {
		t.Errorf("error %v", err)
	}
}

func TestRun_ConflictWhenAnotherGenerationBecameLive(t *testing.T) {
	t.Parallel()
	real := embeddedStore(t)
	first := mustRun(t, config(t, real, owned("Ann", 1)))
	second := mustRun(t, config(t, real, owned("Bob", 1)))
	store := &faulty{Store: real, before: func(call string, _ *index.Filing) error {
		if call == "Seal" { // an operator goes back meanwhile
			return real.Swap(context.Background(), second.Generation, first.Generation)
		}
		return nil
	}}
	if _, err := Run(context.Background(), config(t, store, owned("Carl", 1))); !errors.Is(err, generation.ErrConflict) {
		t.Errorf("error %v, want ErrConflict", err)
	}
	if got := live(t, real); got[1] != "Ann" {
		t.Errorf("live are %v, want those that the operator went back to", got)
	}
}

// TestRun_PruningIsNotTheLoad: a load whose old generations could not be deleted is a good load, and says so in the log.
func TestRun_PruningIsNotTheLoad(t *testing.T) {
	t.Parallel()
	real := embeddedStore(t)
	for range 3 {
		mustRun(t, config(t, real, owned("Ann", 1)))
	}
	store := &faulty{Store: real, before: func(call string, _ *index.Filing) error { return injectedIf(call == "Prune") }}
	var log bytes.Buffer
	cfg := config(t, store, owned("Bob", 1))
	cfg.Keep, cfg.Log = 1, slog.New(slog.NewTextHandler(&log, nil))
	if report := mustRun(t, cfg); !report.Promoted || !strings.Contains(log.String(), "injected") {
		t.Errorf("report %+v, log %s", report, log.String())
	}
}

// away fails the first of each two requests for filings.
type away struct {
	index.Reader
	requests *atomic.Int32
}

func (a away) Filings(ctx context.Context, ids []int64) ([]index.Record, error) {
	if a.requests.Add(1)%2 == 1 {
		return nil, index.ErrUnavailable
	}
	return a.Reader.Filings(ctx, ids)
}

// awayStore opens its generations as such.
type awayStore struct {
	*faulty
	requests *atomic.Int32
}

func (s awayStore) Open(ctx context.Context, name string) (index.Reader, error) {
	r, err := s.faulty.Open(ctx, name)
	return away{r, s.requests}, err
}

// TestL9_UpdateWaits: an update of one filing waits for an engine that is away for a moment, while it looks for what is live and
// while it verifies.
func TestL9_UpdateWaits(t *testing.T) {
	t.Parallel()
	real, requests := indextest.NewMemory().Open(testClock().Now, nil, nil), &atomic.Int32{}
	mustRun(t, config(t, real, owned("Ann", 1, 2)))
	store := &faulty{Store: real, read: func(r index.Reader) index.Reader { return away{r, requests} }}
	cfg := config(t, awayStore{store, requests}, owned("Bob", 2))
	cfg.Update = true
	if report := mustRun(t, cfg); report.Updated != 1 || requests.Load() != 4 {
		t.Errorf("%d requests, report %+v", requests.Load(), report)
	}
}
