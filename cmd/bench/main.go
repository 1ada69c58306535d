// Command bench measures loads and pages on the real servers that cmd/testservers finds, and prints tables in Markdown.
//
//	testservers -- bench [-data FILE] [-count N] [-times N] [-rounds N] [-long TIME] [WHAT…]
//
// Without names it measures all of these:
//
//	load      loads, into both engines
//	changes   loads that work out changes, and that do not; changes of everything read
//	mapping   files of counties read by a mapping, in each form, and loaded into Elasticsearch
//	pages     pages of 20 beside the same requests sent to Elasticsearch
//	new       pages of filters that were never requested beside one search for each
//	answers   responses from the cache
//	fields    pages with all fields and with some
//	clusters  map clusters beside bare aggregations
//	groups    groups beside bare aggregations, and from the cache
//	expensive the requests that cost most
//	offsets   pages deep in every order, cold and warm
//	crawls    everything in pages of 100, in every order, by offsets and by cursor, from both engines
//	embedded  pages, offsets and expensive requests of the embedded engine
//	exports   exports of everything from both engines, in each form, and pages beside them
//	regions   pages of circles and polygons beside boxes with as many filings, of both engines
//	tokens    time of the service for requests with a token beside those with a key, of both engines
//	fair      an account beside eight free ones that send nothing but the most expensive groups, of both engines
//	owners    owners as somebody types them, and misspelled names, of both engines; PostgreSQL with pg_trgm completes the same
//
// and these only by name, since they take long, or need more than the servers:
//
//	peers     answers of others to the same requests: a service of two days on Elasticsearch and PostgreSQL, Datasette
//	memory    the most memory of the service under requests never made before, with and without Go's limit
//	growth    a few pages with 0.5, 2 and 8 million synthetic filings, up to -largest
//
// -times N repeats the data N times, with N times as many different owners, ids and case numbers.
//
// Every result of the service stands beside that of bare Elasticsearch for the very same bytes,
// measured in turns in the same run: on a shared machine only the ratio means something. A proxy
// between the two records the requests of the service to Elasticsearch (record.go); the bench then
// sends the recorded requests without the service.
//
// Without -data it measures synthetic filings. It runs the program as users do, built from this checkout, and leaves
// nothing behind. It owns how figures are taken, and knows the program by its commands and its API alone.
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
	"strings"
	"syscall"
	"time"

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

// names are the topics.
var names = []string{"load", "changes", "mapping", "pages", "new", "answers", "fields", "clusters", "groups", "expensive", "offsets", "crawls", "embedded", "exports", "regions", "tokens", "fair", "owners", "peers", "memory", "growth"}

func run(ctx context.Context, args []string) (err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	data := flags.String("data", "", "file of filings to measure with; by default synthetic ones")
	count := flags.Int("count", 500_000, "number of synthetic filings")
	rounds := flags.Int("rounds", 200, "requests of each kind, one after the other")
	times := flags.Int("times", 1, "how often to repeat the data, but for load")
	largest := flags.Int("largest", sizes[len(sizes)-1], "most filings that growth is measured with")
	long := flags.Duration("long", 5*time.Minute, "how long memory is measured with each limit")
	if err := flags.Parse(args); err != nil {
		return err
	}
	for _, name := range flags.Args() {
		if !slices.Contains(names, name) {
			return fmt.Errorf("%q must be one of %s", name, strings.Join(names, ", "))
		}
	}
	nodes := os.Getenv(servers.ElasticsearchVariable)
	first, _, _ := strings.Cut(nodes, ",")
	b := &bench{
		elasticsearch: first,
		nodes:         nodes,
		redis:         os.Getenv(servers.RedisVariable),
		data:          *data,
		rounds:        *rounds,
		times:         *times,
	}
	if b.elasticsearch == "" || b.redis == "" {
		return fmt.Errorf("%s and %s must be set: run it by `make bench`", servers.ElasticsearchVariable, servers.RedisVariable)
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
	if slices.Contains(flags.Args(), "growth") {
		return b.measureGrowth(ctx, *largest)
	}
	if b.data == "" {
		if err := b.generate(ctx, *count); err != nil {
			return err
		}
	}
	selected := func(what string) bool { return flags.NArg() == 0 || slices.Contains(flags.Args(), what) }
	byName := func(what string) bool { return slices.Contains(flags.Args(), what) }
	if selected("load") {
		if err := b.measureLoads(ctx); err != nil {
			return err
		}
	}
	if selected("changes") {
		if err := b.measureChanges(ctx); err != nil {
			return err
		}
	}
	if selected("mapping") {
		if err := b.measureMappings(ctx); err != nil {
			return err
		}
	}
	if b.times > 1 {
		large := filepath.Join(b.dir, "repeated.ndjson")
		if err := repeat(b.data, large, b.times); err != nil {
			return fmt.Errorf("repeat the data: %w", err)
		}
		b.data = large
	}
	if slices.ContainsFunc([]string{"pages", "new", "answers", "fields", "clusters", "groups", "expensive", "offsets"}, selected) {
		if err := b.measureElastic(ctx, selected); err != nil {
			return err
		}
	}
	if selected("embedded") {
		if err := b.measureEmbedded(ctx); err != nil {
			return err
		}
	}
	if selected("crawls") {
		if err := b.measureCrawls(ctx); err != nil {
			return err
		}
	}
	if selected("exports") {
		if err := b.measureExports(ctx); err != nil {
			return err
		}
	}
	if selected("regions") {
		if err := b.measureRegions(ctx); err != nil {
			return err
		}
	}
	if selected("tokens") {
		if err := b.measureTokens(ctx); err != nil {
			return err
		}
	}
	if selected("fair") {
		if err := b.measureFair(ctx); err != nil {
			return err
		}
	}
	if selected("owners") {
		if err := b.measureOwners(ctx); err != nil {
			return err
		}
	}
	if byName("peers") {
		if err := b.measurePeers(ctx); err != nil {
			return err
		}
	}
	if byName("memory") {
		return b.measureMemory(ctx, *long)
	}
	return nil
}

// measureElastic loads the data once and measures the selected requests on it.
func (b *bench) measureElastic(ctx context.Context, selected func(string) bool) (err error) {
	defer func() { err = firstError(err, b.deleteIndices(ctx)) }()
	if _, err := b.load(ctx, b.data, b.onElasticsearch(b.elasticsearch)...); err != nil {
		return err
	}
	s, stop, err := b.services(ctx)
	defer func() { err = firstError(err, stop()) }()
	if err != nil {
		return err
	}
	a, err := b.look(ctx, s.uncached)
	if err != nil {
		return err
	}
	if selected("offsets") { // first: the results are meant for empty caches
		err = b.measureOffsets(ctx, s.uncached, a)
	}
	if err == nil && selected("pages") {
		err = b.measurePages(ctx, s, a)
	}
	if err == nil && selected("new") {
		err = b.measureNewPages(ctx, s, a)
	}
	if err == nil && selected("answers") {
		err = b.measureAnswers(ctx, s, a)
	}
	if err == nil && selected("fields") {
		err = b.measureFields(ctx, s, a)
	}
	if err == nil && selected("clusters") {
		err = b.measureClusters(ctx, s, a)
	}
	if err == nil && selected("groups") {
		err = b.measureGroups(ctx, s)
	}
	if err == nil && selected("expensive") {
		err = b.measureExpensive(ctx, s.uncached, a)
	}
	return err
}

// measureEmbedded loads the data into the embedded engine and measures pages of it.
func (b *bench) measureEmbedded(ctx context.Context) (err error) {
	folder := "FILINGS_DATA_DIR=" + filepath.Join(b.dir, "embedded")
	if _, err := b.load(ctx, b.data, folder); err != nil {
		return err
	}
	s, err := b.serve(ctx, "embedded", "FILINGS_CACHE_SIZE=0")
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, s.stop()) }()
	a, err := b.look(ctx, s)
	if err != nil {
		return err
	}
	fmt.Print("\n| embedded engine, page of 20 | ms the first time | ms, median |\n|---|---|---|\n")
	for _, p := range a.pages() {
		t := s.round(p)
		took := make([]time.Duration, warmUp+b.rounds)
		for i := range took {
			if took[i], err = t.send(i); err != nil {
				return err
			}
		}
		fmt.Printf("| %s | %s | %s |\n", p.name, ms(took[0]), ms(quantile(took[warmUp:], .5)))
	}
	if err := b.measureOffsets(ctx, s, a); err != nil {
		return err
	}
	return b.measureExpensive(ctx, s, a)
}
