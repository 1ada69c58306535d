package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"filings/cmd/testservers/servers"
)

// startFamily starts a group of a leader and a child that ignore signals, and returns a reader that ends when all of the
// group has ended: each process holds the writing end.
func startFamily(t *testing.T) (*process, *bufio.Reader) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	command := exec.Command("sh", "-c", `trap '' TERM INT HUP; sleep 600 & echo started; wait; sleep 600`)
	command.Stdout = w
	p, err := start(command)
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(p.kill)
	reader := bufio.NewReader(r)
	if line, err := reader.ReadString('\n'); err != nil || line != "started\n" {
		t.Fatalf("the group says %q, %v", line, err)
	}
	return p, reader
}

func TestKillEndsTheGroup(t *testing.T) {
	t.Parallel()
	p, output := startFamily(t)
	p.signal(syscall.SIGTERM) // which the group ignores
	p.kill()
	if _, err := io.ReadAll(output); err != nil { // returns only when no process of the group is left
		t.Error(err)
	}
	if got, want := p.exitCode(), 128+int(syscall.SIGKILL); got != want {
		t.Errorf("exit code %d, want %d", got, want)
	}
}

// When testservers is killed, the system closes its end of the leash.
func TestLeashEndsTheGroup(t *testing.T) {
	t.Parallel()
	p, output := startFamily(t)
	p.leash.Close()
	if _, err := io.ReadAll(output); err != nil {
		t.Error(err)
	}
	<-p.done
}

func TestStartServer(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "server")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := startServer(exec.Command("sh", "-c", `seq 9; echo "port is taken" >&2; exit 3`), "w://x", folder)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := (<-s.ended).Error(), "sh ended with code 3: 6 | 7 | 8 | 9 | port is taken"; got != want {
		t.Errorf("its end: %q, want %q", got, want)
	}
	s.stop()
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("its folder is still there: %v", err)
	}
}

func TestExecTool(t *testing.T) {
	t.Parallel()
	if err := execTool(t.Context(), "true"); err != nil {
		t.Error(err)
	}
	err := execTool(t.Context(), "sh", "-c", "printf '\\033[0mone\\n'; echo two >&2; echo three; exit 4")
	if err == nil || err.Error() != "sh: exit status 4: one | two" {
		t.Errorf("got %v", err)
	}
}

// The redis-server of this machine responds, keeps to the loopback interface, and is gone when stopped.
func TestLocalRedis(t *testing.T) {
	t.Parallel()
	servers.Program(t, "redis-server")
	h := newStage(nil)
	k := redisKind(h.host)
	k.providers = k.providers[1:2]
	found, err := findAll(t.Context(), []kind{k}, h.host)
	defer found.stop()
	if err != nil || found[0].address == "" {
		t.Fatalf("got %v, %v", found, err)
	}
	if version, err := probeRedis(t.Context(), found[0].address); err != nil || !strings.HasPrefix(version, "7.") {
		t.Errorf("version %q, %v", version, err)
	}
	if !strings.HasPrefix(found[0].address, "redis://127.0.0.1:") {
		t.Errorf("it listens at %s", found[0].address)
	}
	found.stop()
	if version, err := probeRedis(t.Context(), found[0].address); err == nil {
		t.Errorf("a stopped server says version %s", version)
	}
}

// The programs of this machine make a PostgreSQL, also for root, that responds, keeps to the loopback interface, and is
// gone with its folder when stopped.
func TestLocalPostgres(t *testing.T) {
	t.Parallel()
	servers.Slow(t, "initdb")
	if _, err := postgresPrograms(debianPostgres); err != nil {
		servers.Lack(t, "%v", err)
	}
	h := newStage(nil)
	k := postgresKind(h.host)
	k.providers = k.providers[1:]
	found, err := findAll(t.Context(), []kind{k}, h.host)
	defer found.stop()
	if err != nil || found[0].address == "" {
		t.Fatalf("got %v, %v", found, err)
	}
	if version, err := probePostgres(t.Context(), found[0].address); err != nil || version == "" {
		t.Errorf("version %q, %v", version, err)
	}
	if !strings.HasPrefix(found[0].address, "postgres://postgres@127.0.0.1:") {
		t.Errorf("it listens at %s", found[0].address)
	}
	found.stop()
	if version, err := probePostgres(t.Context(), found[0].address); err == nil {
		t.Errorf("a stopped server says version %s", version)
	}
}

// Off the PATH the newest release counts: 15 is newer than 9.6.
func TestPostgresPrograms(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("PATH", folder)
	pattern := filepath.Join(folder, "*", "bin")
	if _, err := postgresPrograms(pattern); !errors.Is(err, errAbsent) {
		t.Errorf("none: error %v, want errAbsent", err)
	}
	for _, release := range []string{"9.6", "15"} {
		bin := filepath.Join(folder, release, "bin")
		if err := os.MkdirAll(bin, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(bin, "initdb"), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := postgresPrograms(pattern); err != nil || got != filepath.Join(folder, "15", "bin") {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestImitatedRedis(t *testing.T) {
	t.Parallel()
	s, err := imitatedRedis(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.stop()
	if version, err := probeRedis(t.Context(), s.address); err != nil || version != "" {
		t.Errorf("version %q, %v; want none", version, err)
	}
}

func TestFreePort(t *testing.T) {
	t.Parallel()
	port, err := freePort()
	if err != nil || port < firstPort || port >= portEnd {
		t.Errorf("got %s, %v", strconv.Itoa(port), err)
	}
}

// A program that a signal ended starts again; one that ended by itself does not.
func TestAgain(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "program")
	script := "#!/bin/sh\necho x >>$0.runs\ncase $(wc -l <$0.runs) in 1) kill -KILL $$ ;; 2) kill -TERM $$ ;; 3) exit 137 ;; esac\nexit 3\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	p, err := start(again(program))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	<-p.done
	runs, err := os.ReadFile(program + ".runs")
	if got := strings.Count(string(runs), "x"); got != 4 || p.exitCode() != 3 || err != nil {
		t.Errorf("%d runs, exit code %d, %v; want 4 and 3", got, p.exitCode(), err)
	}
}
