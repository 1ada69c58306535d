package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"

	"filings/cmd/testservers/servers"
)

// grace is how long the command may go on after the first signal. `go test` ends at once.
const grace = 10 * time.Second

// runBeside is run with these kinds of servers.
func runBeside(kinds []kind, args []string, h host) int {
	found, code := find(kinds, h)
	defer found.stop()
	if code != 0 {
		return code
	}
	missing := found.missing()
	for _, line := range missing {
		h.say("%s", line)
	}
	if len(missing) > 0 && h.getenv(servers.RequireVariable) == "1" {
		h.say("%s=1: not running %s", servers.RequireVariable, args[0])
		return exitFailed
	}
	code = execute(args, found.environment(), h)
	for _, line := range missing {
		h.say("%s", line)
	}
	return code
}

// find finds servers of all kinds. Its code is not 0 if it failed, or if a signal came first.
func find(kinds []kind, h host) (findings, int) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	type result struct {
		found findings
		err   error
	}
	done := make(chan result, 1)
	go func() {
		found, err := findAll(ctx, kinds, h)
		done <- result{found, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			h.say("%v", r.err)
			return r.found, exitFailed
		}
		return r.found, 0
	case s := <-h.signals:
		cancel()
		return (<-done).found, exitBySignal(s)
	}
}

// execute runs the command in a process group of its own, passes signals on to it, and leaves none of the group behind.
// The command has no standard input: a group in the background may not read from a terminal.
func execute(args, environment []string, h host) int {
	command := exec.Command(args[0], args[1:]...)
	command.Env = append(command.Environ(), environment...)
	command.Stdout, command.Stderr = h.stdout, h.stderr
	p, err := start(command)
	if err != nil {
		h.say("%v", err)
		if errors.Is(err, exec.ErrNotFound) {
			return 127
		}
		return 126
	}
	defer p.kill()
	var timeout <-chan time.Time
	for {
		select {
		case <-p.done:
			return p.exitCode()
		case s := <-h.signals:
			p.signal(s)
			if timeout == nil {
				timeout = time.After(grace)
			}
		case <-timeout:
			p.signal(syscall.SIGKILL)
		}
	}
}

// exitBySignal is the exit code of a program that s ended.
func exitBySignal(s os.Signal) int {
	if number, ok := s.(syscall.Signal); ok {
		return 128 + int(number)
	}
	return exitFailed
}
