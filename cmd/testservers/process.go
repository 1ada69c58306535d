package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// leash runs a command as the leader of its process group and kills the whole group as soon as file descriptor 3 ends.
// Its other end is held by testservers alone, so that even a SIGKILL to testservers leaves no process behind.
const leash = `( trap '' HUP INT QUIT TERM; read -r _; kill -KILL 0 ) <&3 >/dev/null 2>&1 & exec "$@" 3<&-`

// process is a running process group.
type process struct {
	command *exec.Cmd
	leash   *os.File      // the end of the leash that we hold
	done    chan struct{} // closed when the group's leader has ended
}

// start starts command, which must not have been started, as a process group on a leash.
func start(command *exec.Cmd) (*process, error) {
	if command.Err != nil {
		return nil, command.Err
	}
	far, near, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer far.Close()
	command.Args = append([]string{"sh", "-c", leash, "sh", command.Path}, command.Args[1:]...)
	command.Path = "/bin/sh"
	command.ExtraFiles = []*os.File{far}
	if command.SysProcAttr == nil {
		command.SysProcAttr = &syscall.SysProcAttr{}
	}
	command.SysProcAttr.Setpgid = true
	if err := command.Start(); err != nil {
		near.Close()
		return nil, err
	}
	p := &process{command: command, leash: near, done: make(chan struct{})}
	go func() {
		command.Wait() // its result is in command.ProcessState
		close(p.done)
	}()
	return p, nil
}

// signal sends s to every process of the group.
func (p *process) signal(s os.Signal) {
	if number, ok := s.(syscall.Signal); ok {
		syscall.Kill(-p.command.Process.Pid, number) // an error means that no process is left
	}
}

// kill ends every process of the group and waits for the leader. As long as the leash holds, a process of the group is
// alive, and its number cannot have been given to another group.
func (p *process) kill() {
	p.signal(syscall.SIGKILL)
	<-p.done
	p.leash.Close()
}

// exitCode returns the exit code of a leader that has ended, as a shell does: 128 and the number of the signal that
// ended it.
func (p *process) exitCode() int {
	if status, ok := p.command.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return p.command.ProcessState.ExitCode()
}

// A server is a server that was started.
type server struct {
	address string
	ended   <-chan error // gets the reason if the server ends by itself
	output  string       // the file that it writes to; "" for none
	stop    func()       // ends it and removes its traces
}

// startServer starts command, which serves at address, with its output in a file in folder. Stopping it removes folder.
func startServer(command *exec.Cmd, address, folder string) (*server, error) {
	output, err := os.Create(filepath.Join(folder, "output"))
	if err != nil {
		return nil, err
	}
	defer output.Close()
	name := filepath.Base(command.Path)
	command.Dir, command.Stdout, command.Stderr = folder, output, output
	p, err := start(command)
	if err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() {
		<-p.done
		ended <- fmt.Errorf("%s ended with code %d: %s", name, p.exitCode(), closingLines(output.Name()))
	}()
	return &server{address: address, ended: ended, output: output.Name(), stop: func() {
		p.kill()
		os.RemoveAll(folder)
	}}, nil
}

// closingLines returns the last few lines of a file as one line, for an error.
func closingLines(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], " | ")
}

// execTool runs a program to its end. Its error has the first lines of its output, where Maven and javac describe the
// error.
func execTool(ctx context.Context, program string, arguments ...string) error {
	return runTool(exec.CommandContext(ctx, program, arguments...))
}

// runTool is execTool for a command.
func runTool(command *exec.Cmd) error {
	command.WaitDelay = time.Second // for a grandchild that keeps the output open
	output, err := command.CombinedOutput()
	if err == nil {
		return nil
	}
	text := strings.ReplaceAll(string(output), "\x1b[0m", "") // which Maven prints even without colors
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return fmt.Errorf("%s: %w: %s", filepath.Base(command.Path), err, strings.Join(lines[:min(2, len(lines))], " | "))
}
