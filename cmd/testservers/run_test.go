package main

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/cmd/testservers/servers"
)

func TestRun(t *testing.T) {
	t.Parallel()
	real := func(s *script) provider { return s.provider("A", "w://a", nil) }
	none := func(s *script) provider { return s.provider("A", "", absent("no A here")) }
	imitated := func(s *script) provider {
		r := s.provider("A", "w://a", nil)
		r.imitation = true
		return r
	}
	const leftOut = "LEFT OUT: every test that needs Widget"
	for _, test := range []struct {
		name        string
		provider    func(s *script) provider
		environment map[string]string
		command     string
		code        int
		out         string
		printed     []string // what standard error has, in this order
		notes       []string
	}{
		{name: "the command's own exit code", provider: real, command: "exit 7", code: 7, notes: []string{"start A", "stop A"}},
		{name: "a command that a signal ended", provider: real, command: "kill -TERM $$", code: 143, notes: []string{"start A", "stop A"}},
		{name: "the address", provider: real, command: "echo $TEST_WIDGET_URL", out: "w://a\n", notes: []string{"start A", "stop A"}},
		{name: "no standard input", provider: real, command: "cat", notes: []string{"start A", "stop A"}},
		{
			name: "left out, said before and after", provider: none, command: "echo between >&2; echo \"<$TEST_WIDGET_URL>\"",
			out: "<>\n", printed: []string{leftOut, "between", leftOut}, notes: []string{"start A"},
		},
		{
			name: "required", provider: none, environment: map[string]string{servers.RequireVariable: "1"}, command: "echo ran",
			code: 1, printed: []string{leftOut, "REQUIRE_SERVICES=1: not running sh"}, notes: []string{"start A"},
		},
		{
			name: "an imitation", provider: imitated, command: "echo $TEST_WIDGET_URL",
			out: "w://a\n", printed: []string{"IMITATED:", "IMITATED:"}, notes: []string{"start A", "stop A"},
		},
		{
			name: "an imitation where the real one is required", provider: imitated,
			environment: map[string]string{servers.RequireVariable: "1"}, command: "echo ran",
			code: 1, printed: []string{"IMITATED:", "REQUIRE_SERVICES=1: not running sh"}, notes: []string{"start A", "stop A"},
		},
		{
			name: "an address in the environment that is dead", provider: real,
			environment: map[string]string{"TEST_WIDGET_URL": "w://dead"}, command: "echo ran",
			code: 1, printed: []string{"Widget: the address in TEST_WIDGET_URL: no answer from w://dead"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, h := &script{}, newStage(test.environment)
			code := runBeside([]kind{s.kind(test.provider(s))}, []string{"sh", "-c", test.command}, h.host)
			if code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			if diff := cmp.Diff(test.out, h.out.String()); diff != "" {
				t.Errorf("standard output (-want +got):\n%s", diff)
			}
			rest := h.errors.String()
			for _, want := range test.printed {
				_, after, found := strings.Cut(rest, want)
				if !found {
					t.Fatalf("standard error lacks %q in its place:\n%s", want, h.errors)
				}
				rest = after
			}
			if diff := cmp.Diff(test.notes, s.notes); diff != "" {
				t.Errorf("what was started and stopped (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRunUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"--"}, {"--help"}, {"-nodes", "0", "--", "true"}, {"-nodes", "three", "--", "true"}, {"-restart"}, {"-unknown", "--", "true"}, {"-engine", "opensearch", "--", "true"}} {
		h := newStage(nil)
		if code := run(args, h.host); code != exitUsage || !strings.HasPrefix(h.errors.String(), "usage:") {
			t.Errorf("%q: exit code %d, printed %q", args, code, h.errors)
		}
	}
}

func TestRunUnknownCommand(t *testing.T) {
	t.Parallel()
	h := newStage(nil)
	if code := runBeside(nil, []string{"no-such-command"}, h.host); code != 127 {
		t.Errorf("exit code %d, want 127", code)
	}
	h = newStage(nil)
	if code := runBeside(nil, []string{t.TempDir()}, h.host); code != 126 {
		t.Errorf("a folder: exit code %d, want 126", code)
	}
}

// A signal reaches the command, which may end in its own way.
func TestRunPassesSignalsOn(t *testing.T) {
	t.Parallel()
	h := newStage(nil)
	h.stdout = writerFunc(func(p []byte) { h.raise <- syscall.SIGINT }) // the command is ready
	command := `trap 'exit 42' INT; echo ready; while :; do sleep 0.01; done`
	if code := runBeside(nil, []string{"sh", "-c", command}, h.host); code != 42 {
		t.Errorf("exit code %d, want 42", code)
	}
}

// A signal while the servers come up stops them, and the command does not run.
func TestRunInterruptedWhileStarting(t *testing.T) {
	t.Parallel()
	s, h := &script{}, newStage(nil)
	k := s.kind(s.provider("A", "w://dead", nil))
	k.timeout = grace
	dead := k.probe
	k.probe = func(ctx context.Context, address string) (string, error) {
		select {
		case h.raise <- syscall.SIGTERM:
		default:
		}
		return dead(ctx, address)
	}
	if code := runBeside([]kind{k}, []string{"echo", "ran"}, h.host); code != 143 {
		t.Errorf("exit code %d, want 143", code)
	}
	if diff := cmp.Diff([]string{"start A", "stop A"}, s.notes); diff != "" {
		t.Errorf("what was started and stopped (-want +got):\n%s", diff)
	}
	if got := h.out.String(); got != "" {
		t.Errorf("the command ran: %q", got)
	}
}

// Whatever is wrong with an address, its password is not printed.
func TestRunKeepsPasswords(t *testing.T) {
	t.Parallel()
	for _, variable := range []string{servers.ElasticsearchVariable, servers.RedisVariable, servers.PostgresVariable} {
		for _, address := range []string{
			"http://me:hunter2@127.0.0.1:1", "redis://me:hunter2@127.0.0.1:1", "http://me:hunter2@%zz", "redis://me:hunter2@%zz",
			"postgres://me:hunter2@127.0.0.1:1/db", "postgres://me:hunter2@%zz",
		} {
			h := newStage(map[string]string{variable: address})
			for _, k := range kinds(h.host, cluster{engine: usualEngine, nodes: 1}) {
				if k.variable != variable {
					continue
				}
				k.timeout = time.Nanosecond
				if code := runBeside([]kind{k}, []string{"true"}, h.host); code != exitFailed {
					t.Errorf("%s=%s: exit code %d", variable, address, code)
				}
			}
			if strings.Contains(h.errors.String(), "hunter2") {
				t.Errorf("printed the password: %s", h.errors)
			}
		}
	}
}

// Beside the real servers, wherever they come from, through the whole of run.
func TestRunBesideRealServers(t *testing.T) {
	t.Parallel()
	h := newStage(map[string]string{
		servers.ElasticsearchVariable: servers.Elasticsearch(t),
		servers.RedisVariable:         servers.Redis(t),
		servers.PostgresVariable:      servers.Postgres(t),
		servers.RequireVariable:       "1",
	})
	code := run([]string{"--", "sh", "-c", "exit 5"}, h.host)
	if code != 5 {
		t.Errorf("exit code %d, want 5; %s", code, h.errors)
	}
	for _, want := range []string{"testservers: Elasticsearch 8.", "testservers: Redis ", "testservers: PostgreSQL "} {
		if !strings.Contains(h.errors.String(), want) {
			t.Errorf("standard error lacks %q:\n%s", want, h.errors)
		}
	}
}

type writerFunc func(p []byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}
