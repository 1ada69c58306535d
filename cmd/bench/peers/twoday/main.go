// Command twoday is a good engineer's work of two days instead of this project: list, search and
// one filing, over HTTPS with keys and quotas in Redis, on Elasticsearch or on PostgreSQL. The
// bench builds it and measures the service beside it.
//
//	twoday -engine elasticsearch|postgresql -address URL -redis URL FILE
//	twoday -engine sqlite -address DATABASE FILE
//
// It loads FILE, plain NDJSON, prints the address at which it then listens, and serves until it is
// told to end; then it deletes its filings. For sqlite it only makes the database, for Datasette to
// serve.
//
// It owns the other side of a comparison, and shares nothing with the service: no query, no mapping, no cache. It is no
// straw man: each engine gets the indexes that its manual recommends for these questions, and exact totals in the fewest
// round trips. It has no more than a comparison needs: no validation, no tiers, no generations.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"os/signal"
	"syscall"

	"github.com/redis/go-redis/v9"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "twoday:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) (err error) {
	flags := flag.NewFlagSet("twoday", flag.ContinueOnError)
	name := flags.String("engine", "", "elasticsearch, postgresql or sqlite")
	address := flags.String("address", "", "where the engine is")
	keys := flags.String("redis", "", "where keys and quotas are")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var e engine
	switch *name {
	case "sqlite":
		return makeDatabase(ctx, *address, flags.Arg(0))
	case "elasticsearch":
		e = newElasticsearch(*address, "filings-bench-peer") // the prefix by which the bench deletes its indices
	case "postgresql":
		e, err = newPostgreSQL(ctx, *address, "filings_bench_peer")
	default:
		err = fmt.Errorf("-engine %q must be elasticsearch, postgresql or sqlite", *name)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.end(context.WithoutCancel(ctx))) }()
	if err := e.load(ctx, flags.Arg(0)); err != nil {
		return fmt.Errorf("load: %w", err)
	}
	options, err := redis.ParseURL(*keys)
	if err != nil {
		return err
	}
	s := &service{engine: e, redis: redis.NewClient(options)}
	if err := s.createKey(ctx); err != nil {
		return err
	}
	server := httptest.NewUnstartedServer(s.routes())
	server.StartTLS()
	defer server.Close()
	fmt.Println(server.URL)
	<-ctx.Done()
	return nil
}
