// Command testservers runs a command, usually `go test ./...`, with a real Elasticsearch, Redis and PostgreSQL:
//
//	testservers [-light] [-nodes N] [-restart] [-engine PRODUCT:VERSION] -- go test ./...
//
// For each of them it tries its providers, in order: the address that is already in the environment
// (TEST_ELASTICSEARCH_URL, TEST_REDIS_URL, TEST_POSTGRES_URL); a container, for the first two of the image of
// docker-compose.yml, if a Docker engine on this machine answers; a server of this machine's own, which for Elasticsearch
// comes from Maven Central.
// It puts the addresses into the command's environment, where package servers finds them. An address in the environment
// that does not answer is an error, never a reason to try another provider.
//
// With -nodes N, Elasticsearch is a cluster of N nodes, and its address is all of theirs, separated by commas; with -restart,
// a node that is killed starts again with its data, at its address. Either is always of this machine's own, fetched from
// Maven Central: the command is about to kill nodes, which no other process may be using.
//
// With -engine, the tests get that search server instead, such as opensearch:2.19.6, always fetched from Maven Central.
//
// With -light, Elasticsearch compiles its code once and not again for speed: a test run of minutes takes half of its CPU time so.
// Measurements need it without.
//
// It starts nothing that outlives it: servers listen on the loopback interface only, run in process groups and
// temporary folders (or in containers that remove themselves), and end with testservers, also when that is killed.
// Only the unpacked Elasticsearch stays, in the cache folder. Its output is one line a server on standard error; the
// exit code is the command's, or 128 and the number of the signal that ended it.
//
// Where no provider succeeds, the tests that need the server skip, and testservers says so before and after the command.
// With REQUIRE_SERVICES=1 that is a failure instead, and the command does not run; the in-memory imitation of Redis then
// does not count.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	os.Exit(run(os.Args[1:], host{getenv: os.Getenv, stdout: os.Stdout, stderr: os.Stderr, signals: signals}))
}

// run finds the servers, runs the command with them, stops the servers that it started, and returns
// the exit code.
func run(args []string, h host) int {
	flags := flag.NewFlagSet("testservers", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	want := cluster{engine: usualEngine}
	flags.IntVar(&want.nodes, "nodes", 1, "")
	flags.BoolVar(&want.restarts, "restart", false, "")
	flags.BoolVar(&want.light, "light", false, "")
	flags.Func("engine", "", func(text string) (err error) {
		want.engine, err = engineOf(text)
		return err
	})
	if flags.Parse(args) != nil || flags.NArg() == 0 || want.nodes < 1 {
		fmt.Fprintln(h.stderr, "usage: testservers [-light] [-nodes N] [-restart] [-engine PRODUCT:VERSION] -- COMMAND [ARGUMENT…]")
		return exitUsage
	}
	return runBeside(kinds(h, want), flags.Args(), h)
}

// kinds are the kinds of servers that the tests need.
func kinds(h host, want cluster) []kind {
	return []kind{elasticsearchKind(h, want), redisKind(h), postgresKind(h)}
}
