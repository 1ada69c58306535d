package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
)

// exitFailed and exitUsage are testservers' own exit codes; all others are the command's.
const (
	exitFailed = 1
	exitUsage  = 2
)

// host is the machine that testservers runs on.
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

// Systems take no port below 32768 for a connection (Linux from there on, others from 49152), but a service may listen on a low one.
const firstPort, portEnd = 20_000, 32_768

// freePort returns a port of the loopback interface that was free a moment ago. It is none that a connection may take before the server
// does: while a server starts, its probe connects again and again, and once in thousands of times to itself, from the server's port.
func freePort() (port int, err error) {
	for range 100 {
		port = firstPort + rand.IntN(portEnd-firstPort)
		var listener net.Listener
		if listener, err = net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			return port, listener.Close()
		}
	}
	return 0, err
}
