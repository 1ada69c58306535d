package access_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"filings/cmd/testservers/servers"
	"filings/service/access"
	"filings/service/servicetest"
)

// server is a redis-server of a test's own, on a free port of the loopback interface.
type server struct {
	cmd    *exec.Cmd
	port   string
	client *redis.Client
}

// startServer starts one, with the lines of a configuration file, which it may rewrite. Without redis-server on the PATH
// the test is left out.
func startServer(t *testing.T, lines string, options ...string) *server {
	t.Helper()
	program := servers.Program(t, "redis-server")
	l := listen(t)
	_, port, _ := net.SplitHostPort(l.Addr().String())
	must(t, l.Close())
	folder := t.TempDir()
	file := filepath.Join(folder, "redis.conf")
	must(t, os.WriteFile(file, []byte("bind 127.0.0.1\nport "+port+"\ndir "+folder+"\n"+lines), 0o600))
	s := &server{cmd: exec.Command(program, append([]string{file}, options...)...), port: port}
	s.client = redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + port, ReadTimeout: time.Minute})
	must(t, s.cmd.Start())
	t.Cleanup(func() {
		s.kill()
		_ = s.client.Close()
	})
	servicetest.Until(t, "redis-server responds", func() bool { return s.client.Ping(t.Context()).Err() == nil })
	return s
}

func (s *server) address() string { return "127.0.0.1:" + s.port }

func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// TestK9_RedisThatCannotCount is what Redis itself refuses: a store that cannot count is not ready.
func TestK9_RedisThatCannotCount(t *testing.T) {
	t.Parallel()
	s := startServer(t, "save \"\"\nmaxmemory-policy noeviction\n")
	r := redisAt(t, "redis://"+s.address())
	key := create(t, r, "ann", access.Enterprise)
	for _, test := range []struct {
		code         string
		wrong, right []any
	}{
		{"OOM", []any{"CONFIG", "SET", "maxmemory", "1"}, []any{"CONFIG", "SET", "maxmemory", "0"}},
		{"NOREPLICAS", []any{"CONFIG", "SET", "min-replicas-to-write", "1"}, []any{"CONFIG", "SET", "min-replicas-to-write", "0"}},
		{"READONLY", []any{"REPLICAOF", "127.0.0.1", "9"}, []any{"REPLICAOF", "NO", "ONE"}},
	} {
		must(t, s.client.Do(t.Context(), test.wrong...).Err())
		_, err := r.Admit(t.Context(), access.Key(key), 1)
		wantError(t, err, "it replied "+test.code)
		wantError(t, r.Ping(t.Context()), "ping: key store unavailable: it replied "+test.code)
		must(t, s.client.Do(t.Context(), test.right...).Err())
		same(t, test.code+" no more", access.Admitted, admit(t, r, key).Verdict)
		must(t, r.Ping(t.Context()))
	}
}
