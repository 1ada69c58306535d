package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// output is what a test's host prints. Providers print from several goroutines.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// stage is a host whose environment and signals belong to the test.
type stage struct {
	host
	out, errors *output
	raise       chan<- os.Signal
}

func newStage(environment map[string]string) stage {
	out, errs, signals := &output{}, &output{}, make(chan os.Signal, 2)
	return stage{
		host: host{
			getenv:  func(name string) string { return environment[name] },
			stdout:  out,
			stderr:  errs,
			signals: signals,
		},
		out: out, errors: errs, raise: signals,
	}
}

// printed returns what was printed on standard error, without the seconds.
func (s stage) printed() string {
	return regexp.MustCompile(`, \d+\.\d s\)`).ReplaceAllString(s.errors.String(), ")")
}

// script makes providers that succeed or fail as it says, and notes what happened.
type script struct {
	mu    sync.Mutex
	notes []string
}

func (s *script) note(format string, values ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, fmt.Sprintf(format, values...))
}

// provider returns a provider that fails with err, or starts a server at address.
func (s *script) provider(origin, address string, err error) provider {
	return provider{origin: origin, start: func(context.Context) (*server, error) {
		s.note("start %s", origin)
		if err != nil {
			return nil, err
		}
		return &server{address: address, stop: func() { s.note("stop %s", origin) }}, nil
	}}
}

// kind returns a kind whose servers respond at once, but for those with "dead" in their address.
func (s *script) kind(providers ...provider) kind {
	return kind{
		name:      "Widget",
		variable:  "TEST_WIDGET_URL",
		timeout:   time.Nanosecond,
		providers: providers,
		probe: func(_ context.Context, address string) (string, error) {
			if strings.Contains(address, "dead") {
				return "", errors.New("refused")
			}
			return "1.2", nil
		},
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	imitation := func(r provider) provider {
		r.imitation = true
		return r
	}
	for _, test := range []struct {
		name        string
		providers   func(s *script) []provider
		environment []string
		missing     []string
		notes       []string
		printed     string
	}{
		{
			name: "the first provider that succeeds",
			providers: func(s *script) []provider {
				return []provider{s.provider("A", "", absent("no A here")), s.provider("B", "w://b", nil), s.provider("C", "w://c", nil)}
			},
			environment: []string{"TEST_WIDGET_URL=w://b"},
			notes:       []string{"start A", "start B", "stop B"},
			printed:     "testservers: Widget 1.2 at w://b (B)\n",
		},
		{
			name: "a provider that fails is worth a line",
			providers: func(s *script) []provider {
				return []provider{s.provider("A", "", errors.New("broken")), s.provider("B", "w://b", nil)}
			},
			environment: []string{"TEST_WIDGET_URL=w://b"},
			notes:       []string{"start A", "start B", "stop B"},
			printed:     "testservers: Widget: A failed: broken\ntestservers: Widget 1.2 at w://b (B)\n",
		},
		{
			name: "a server that does not respond is stopped",
			providers: func(s *script) []provider {
				return []provider{s.provider("A", "w://dead", nil), s.provider("B", "w://b", nil)}
			},
			environment: []string{"TEST_WIDGET_URL=w://b"},
			notes:       []string{"start A", "stop A", "start B", "stop B"},
			printed: "testservers: Widget: A failed: no answer from w://dead within 1ns: refused\n" +
				"testservers: Widget 1.2 at w://b (B)\n",
		},
		{
			name: "none",
			providers: func(s *script) []provider {
				return []provider{s.provider("A", "", absent("no A here")), s.provider("B", "", absent("no B here"))}
			},
			missing: []string{"LEFT OUT: every test that needs Widget, for there is none (A: no A here; B: no B here)"},
			notes:   []string{"start A", "start B"},
		},
		{
			name: "an imitation",
			providers: func(s *script) []provider {
				return []provider{s.provider("A", "", absent("no A here")), imitation(s.provider("B", "w://b", nil))}
			},
			environment: []string{"TEST_WIDGET_URL=w://b"},
			missing:     []string{"IMITATED: every test that needs Widget runs on an imitation, for there is no real one (A: no A here)"},
			notes:       []string{"start A", "start B", "stop B"},
			printed:     "testservers: Widget 1.2 at w://b (B)\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, h := &script{}, newStage(nil)
			found, err := findAll(t.Context(), []kind{s.kind(test.providers(s)...)}, h.host)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.environment, found.environment()); diff != "" {
				t.Errorf("environment (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.missing, found.missing()); diff != "" {
				t.Errorf("missing (-want +got):\n%s", diff)
			}
			found.stop()
			if diff := cmp.Diff(test.notes, s.notes); diff != "" {
				t.Errorf("what was started and stopped (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.printed, h.printed()); diff != "" {
				t.Errorf("printed (-want +got):\n%s", diff)
			}
		})
	}
}

// Servers that the command kills are its own.
func TestFindLeavesTheSetAddress(t *testing.T) {
	t.Parallel()
	s, h := &script{}, newStage(map[string]string{"TEST_WIDGET_URL": "w://set"})
	k := s.kind(s.provider("A", "w://a", nil))
	k.own = true
	found, err := findAll(t.Context(), []kind{k}, h.host)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"TEST_WIDGET_URL=w://a"}, found.environment()); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
	for _, want := range []cluster{
		{engine: usualEngine, nodes: 2}, {engine: usualEngine, nodes: 1, restarts: true}, {engine: engine{"opensearch", "2.19.6"}, nodes: 1},
	} {
		if k := elasticsearchKind(h.host, want); !k.own || len(k.providers) != 1 {
			t.Errorf("%+v: own %v, %d providers; want a local one of its own", want, k.own, len(k.providers))
		}
	}
}

func TestFindTakesTheSetAddress(t *testing.T) {
	t.Parallel()
	s, h := &script{}, newStage(map[string]string{"TEST_WIDGET_URL": "w://me:secret@set"})
	found, err := findAll(t.Context(), []kind{s.kind(s.provider("A", "w://a", nil))}, h.host)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"TEST_WIDGET_URL=w://me:secret@set"}, found.environment()); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
	if len(s.notes) > 0 {
		t.Errorf("started %v beside a set address", s.notes)
	}
	if got, want := h.printed(), "testservers: Widget 1.2 at w://me:xxxxx@set (environment)\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

// A server that ends by itself is reported at once, not when the timeout expires.
func TestAwaitSeesTheEnd(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	ended <- errors.New("out of memory")
	s := &script{}
	_, err := s.kind().await(t.Context(), &server{address: "w://dead", ended: ended}, time.Hour)
	if err == nil || err.Error() != "out of memory" {
		t.Errorf("got %v, want its reason", err)
	}
}

// A server that never responds is reported with its last output.
func TestAwaitTellsTheOutput(t *testing.T) {
	t.Parallel()
	output := filepath.Join(t.TempDir(), "output")
	if err := os.WriteFile(output, []byte("starting\nstill starting\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &script{}
	_, err := s.kind().await(t.Context(), &server{address: "w://dead", output: output}, time.Nanosecond)
	want := "no answer from w://dead within 1ns: refused: starting | still starting"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A search that is cancelled stops what it had started.
func TestFindCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s, h := &script{}, newStage(nil)
	k := s.kind(s.provider("A", "w://a", nil), s.provider("B", "w://b", nil))
	k.timeout = time.Hour
	k.probe = func(context.Context, string) (string, error) {
		cancel()
		return "", errors.New("not yet")
	}
	_, err := findAll(ctx, []kind{k}, h.host)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if diff := cmp.Diff([]string{"start A", "stop A"}, s.notes); diff != "" {
		t.Errorf("what was started and stopped (-want +got):\n%s", diff)
	}
}
