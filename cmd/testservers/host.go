package main

import (
	"fmt"
	"io"
	"net"
	"os"
)

// exitFailed and exitUsage are testservers' own exit codes; all others are the command's.
const (
	exitFailed = 1
	exitUsage  = 2
)

// host is what testservers gets from the machine that it runs on.
type host struct {
	getenv  func(name string) string
	stdout  io.Writer
	stderr  io.Writer
	signals <-chan os.Signal
}

// say writes one line to standard error.
func (h host) say(format string, values ...any) {
	fmt.Fprintf(h.stderr, "testservers: "+format+"\n", values...)
}

// freePort returns a port of the loopback interface that was free a moment ago. If another process takes it before the
// server does, the server ends with an error.
func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
