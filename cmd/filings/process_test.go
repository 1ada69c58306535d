package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// process is a service in a process of its own: the test binary as the program, in an environment of its own.
type process struct {
	site
	cmd    *exec.Cmd
	read   *os.File      // what it writes
	copied chan struct{} // closed when all of that is in output
	output *output
	ended  chan error // what Wait returned
}

// output collects what a process writes.
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

// programCommand is a command of the program, to be run in an environment with these settings besides.
func programCommand(environment []string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(append(os.Environ(), asProgram+"=1"), environment...)
	return cmd
}

// runProgram runs one command that has to succeed, in a process of its own, and returns what it printed. It may be
// called from any goroutine.
func runProgram(t *testing.T, environment []string, args ...string) string {
	t.Helper()
	cmd := programCommand(environment, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("filings %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	return strings.TrimSpace(string(out))
}

// startProcess runs the service until the test ends, on ports of its own.
func startProcess(t *testing.T, environment ...string) *process {
	t.Helper()
	p := newProcess(environment...)
	p.run(t)
	return p
}

// newProcess is a process that does not run yet.
func newProcess(environment ...string) *process {
	p := &process{output: new(output), ended: make(chan error, 1)}
	p.cmd = programCommand(append([]string{"FILINGS_LISTEN=127.0.0.1:0", "FILINGS_REDIRECT_LISTEN=127.0.0.1:0",
		"FILINGS_OPERATIONS_LISTEN=127.0.0.1:0", "FILINGS_LOG_FORMAT=json"}, environment...), "serve")
	return p
}

// freeAddress returns an address of the loopback interface that was free a moment ago, for a server that does not say
// which one it got.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// run starts the process and waits until it says where it listens.
func (p *process) run(t *testing.T) {
	t.Helper()
	p.start(t)
	p.listens(t)
}

func (p *process) start(t *testing.T) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stdout, p.cmd.Stderr = write, write
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	p.copied = make(chan struct{})
	go func() {
		err := p.cmd.Wait()
		<-p.copied
		p.ended <- err
	}()
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	p.read = read
}

// listens waits until the process says where it listens.
func (p *process) listens(t *testing.T) {
	t.Helper()
	lines := bufio.NewReader(p.read)
	for p.api == "" {
		line, err := lines.ReadString('\n')
		_, _ = p.output.Write([]byte(line))
		if err != nil {
			t.Fatalf("the service did not start: %s", p.output)
		}
		var record struct{ Msg, API, Operations string }
		if json.Unmarshal([]byte(line), &record) == nil && record.Msg == "serving" {
			_, port, _ := net.SplitHostPort(record.API)
			p.site = site{"https://localhost:" + port, "http://" + record.Operations}
		}
	}
	go func() {
		_, _ = lines.WriteTo(p.output)
		_ = p.read.Close()
		close(p.copied)
	}()
}

// stop ends the process as an orchestrator does; its exit code has to be 0.
func (p *process) stop(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := <-p.ended; err != nil {
		t.Errorf("the service ended with %v:\n%s", err, p.output)
	}
}
