// Command bench measures loads and pages on the real servers that cmd/testservers finds, and prints tables in Markdown.
//
//	testservers -- bench [-data FILE] [-count N] [-rounds N] [load] [pages]
//
// Every figure of the service stands beside that of bare Elasticsearch for the very same bytes, taken in turns in the
// same run: on a shared machine only the ratio means something. What the service sends to Elasticsearch is not guessed:
// a proxy between the two records it (record.go), and the recorded requests are then sent without the service.
//
// Without -data it measures made-up filings. It runs the program as anybody would, built from this checkout, and leaves
// nothing behind.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"filings/cmd/testservers/servers"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is one run.
type bench struct {
	elasticsearch, redis string
	dir                  string // everything temporary
	program              string // the built program
	data                 string // the filings, NDJSON
	rounds               int
}

func run(ctx context.Context, args []string) (err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	data := flags.String("data", "", "file of filings to measure with; by default made-up ones")
	count := flags.Int("count", 500_000, "number of made-up filings")
	rounds := flags.Int("rounds", 200, "requests of each kind")
	if err := flags.Parse(args); err != nil {
		return err
	}
	b := &bench{
		elasticsearch: os.Getenv(servers.ElasticsearchVariable),
		redis:         os.Getenv(servers.RedisVariable),
		data:          *data,
		rounds:        *rounds,
	}
	if b.elasticsearch == "" || b.redis == "" {
		return fmt.Errorf("%s and %s are wanted: run it by `make bench`", servers.ElasticsearchVariable, servers.RedisVariable)
	}
	if b.dir, err = os.MkdirTemp("", "filings-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	b.program = filepath.Join(b.dir, "filings")
	build := exec.CommandContext(ctx, "go", "build", "-o", b.program, "./cmd/filings")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("build the program: %w", err)
	}
	if b.data == "" {
		if err := b.generate(ctx, *count); err != nil {
			return err
		}
	}
	if flags.NArg() == 0 || slices.Contains(flags.Args(), "load") {
		if err := b.measureLoads(ctx); err != nil {
			return err
		}
	}
	if flags.NArg() == 0 || slices.Contains(flags.Args(), "pages") {
		return b.measurePages(ctx)
	}
	return nil
}

// generate makes the filings to measure with.
func (b *bench) generate(ctx context.Context, count int) error {
	b.data = filepath.Join(b.dir, "filings.ndjson")
	out, err := os.Create(b.data)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, b.program, "generate", "--count", fmt.Sprint(count))
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("generate filings: %w", err)
	}
	return out.Close()
}
