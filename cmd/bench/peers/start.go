package peers

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// Servers are where peers keep their data; an empty address says that there is none.
type Servers struct{ Elasticsearch, Redis, Postgres string }

// Start loads the file into all peers that this machine has, and starts them; dir is for their
// files. It names those that it has not, and returns those that it has started even with an error.
func Start(ctx context.Context, at Servers, dir, data string) (all []*Peer, err error) {
	program := filepath.Join(dir, "twoday")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "./cmd/bench/peers/twoday")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("build the peers: %w", err)
	}
	start := func(name, engine, address string) error {
		p, err := startPeer(exec.CommandContext(ctx, program, "-engine", engine, "-address", address, "-redis", at.Redis, data), name)
		if err == nil {
			all = append(all, p)
		}
		return err
	}
	if err := start("two-day service", "elasticsearch", at.Elasticsearch); err != nil {
		return all, err
	}
	if at.Postgres == "" {
		fmt.Print("\nnot measured: PostgreSQL is not installed (Debian package postgresql)\n")
	} else if err := start("PostgreSQL", "postgresql", at.Postgres); err != nil {
		return all, err
	}
	datasette, err := findDatasette(ctx)
	if err != nil {
		fmt.Printf("\nnot measured: Datasette cannot be installed: %v\n", err)
		return all, nil
	}
	database := filepath.Join(dir, "peer.db")
	load := exec.CommandContext(ctx, program, "-engine", "sqlite", "-address", database, data)
	load.Stderr = os.Stderr
	if err := load.Run(); err != nil {
		return all, fmt.Errorf("make Datasette's database: %w", err)
	}
	p, err := startDatasette(ctx, datasette, database)
	if err == nil {
		all = append(all, p)
	}
	return all, err
}

// twoDayKey is the key of the only account of twoday.
const twoDayKey = "ak_live_00000000000000000000000000000000"

// startPeer starts a peer and waits until it prints where it listens.
func startPeer(cmd *exec.Cmd, name string) (*Peer, error) {
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s did not start", name), cmd.Wait())
	}
	return New(name, strings.TrimSpace(line), twoDayKey, &tls.Config{InsecureSkipVerify: true}, func() error {
		return errors.Join(cmd.Process.Signal(syscall.SIGTERM), cmd.Wait())
	}), nil
}
