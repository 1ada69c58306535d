package main

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"filings/cmd/testservers/servers"
)

const (
	postgresImage   = "postgres"
	postgresVersion = "17"
	// postgresUser is the superuser of a server that is started here, without a password.
	postgresUser = "postgres"
	// debianPostgres is where Debian keeps the programs of each release, off the PATH.
	debianPostgres = "/usr/lib/postgresql/*/bin"
)

// postgresKind is PostgreSQL: in Docker, else the programs of this machine.
func postgresKind(h host) kind {
	return kind{
		name:     "PostgreSQL",
		variable: servers.PostgresVariable,
		timeout:  60 * time.Second,
		probe:    probePostgres,
		providers: []provider{
			inDocker(container{
				repository:  postgresImage,
				tag:         postgresVersion,
				environment: []string{"POSTGRES_HOST_AUTH_METHOD=trust"},
				scheme:      "postgres",
				user:        url.User(postgresUser),
				port:        "5432/tcp",
			}, h),
			{origin: "postgres", start: localPostgres},
		},
	}
}

// probePostgres is the probe of a PostgreSQL at a postgres:// address. Its errors repeat nothing of the address.
func probePostgres(ctx context.Context, address string) (string, error) {
	config, err := pgconn.ParseConfig(address)
	if err != nil {
		return "", errors.New("it is not an address of PostgreSQL")
	}
	connection, err := pgconn.ConnectConfig(ctx, config)
	var repeats *pgconn.ConnectError
	if errors.As(err, &repeats) {
		err = repeats.Unwrap()
	}
	if err != nil {
		return "", err
	}
	defer connection.Close(ctx)
	version, _, _ := strings.Cut(connection.ParameterStatus("server_version"), " ")
	return version, nil
}

// localPostgres makes a database in a temporary folder and starts a server on it, which listens on the loopback
// interface only.
func localPostgres(ctx context.Context) (*server, error) {
	programs, err := postgresPrograms(debianPostgres)
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "testservers-postgres-")
	if err != nil {
		return nil, err
	}
	s, err := startPostgres(ctx, programs, folder, port)
	if err != nil {
		os.RemoveAll(folder)
	}
	return s, err
}

func startPostgres(ctx context.Context, programs, folder string, port int) (*server, error) {
	as, err := unprivileged(folder)
	if err != nil {
		return nil, err
	}
	data := filepath.Join(folder, "data")
	program := func(ctx context.Context, name string, arguments ...string) *exec.Cmd {
		command := exec.CommandContext(ctx, filepath.Join(programs, name), arguments...)
		command.Dir, command.SysProcAttr = folder, &syscall.SysProcAttr{Credential: as}
		return command
	}
	// Nothing is kept, so that nothing need be synced.
	err = runTool(program(ctx, "initdb", "--pgdata", data, "--username", postgresUser, "--auth", "trust",
		"--encoding", "UTF8", "--locale", "C", "--no-sync"))
	if err != nil {
		return nil, err
	}
	s, err := startServer(program(context.Background(), "postgres", "-D", data, "-F", "-h", "127.0.0.1",
		"-p", strconv.Itoa(port), "-c", "unix_socket_directories=", "-c", "dynamic_shared_memory_type=mmap",
		"-c", "shared_buffers=512MB"), // of which it takes the part that it uses; the bench measures it too
		"postgres://"+postgresUser+"@127.0.0.1:"+strconv.Itoa(port), folder)
	if err != nil {
		return nil, err
	}
	// Killed, it would leave a segment of shared memory behind.
	kill := s.stop
	s.stop = func() {
		_ = runTool(program(context.Background(), "pg_ctl", "stop", "-D", data, "-m", "immediate", "-t", "10")) // or killed
		kill()
	}
	return s, nil
}

// postgresPrograms returns the folder of PostgreSQL's programs: that of the PATH, else the newest release that pattern
// finds.
func postgresPrograms(pattern string) (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		path, err = filepath.EvalSymlinks(path)
		return filepath.Dir(path), err
	}
	found, err := filepath.Glob(filepath.Join(pattern, "initdb"))
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", absent("initdb is neither on the PATH nor in %s (Debian package postgresql)", pattern)
	}
	newest := slices.MaxFunc(found, func(a, b string) int { return cmp.Compare(postgresRelease(a), postgresRelease(b)) })
	return filepath.Dir(newest), nil
}

// postgresRelease returns the 15 of …/15/bin/initdb.
func postgresRelease(path string) float64 {
	release, _ := strconv.ParseFloat(filepath.Base(filepath.Dir(filepath.Dir(path))), 64) // 0: older than all
	return release
}

// unprivileged makes folder that of the user who is to run PostgreSQL, which refuses to run as root: nil for this one.
func unprivileged(folder string) (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	as, err := user.Lookup(postgresUser)
	if err != nil {
		as, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, err
	}
	uid, uidErr := strconv.ParseUint(as.Uid, 10, 32)
	gid, gidErr := strconv.ParseUint(as.Gid, 10, 32)
	if err := errors.Join(uidErr, gidErr); err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, os.Chown(folder, int(uid), int(gid))
}
