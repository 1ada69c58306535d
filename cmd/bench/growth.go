package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/sync/errgroup"

	"filings/cmd/bench/peers"
)

// neverAgain is a round that does not come to its end.
const neverAgain = 1 << 30

// sizes are the numbers of synthetic filings that growth is measured with.
var sizes = []int{500_000, 2_000_000, 8_000_000}

// measureGrowth measures the same pages with more and more filings, up to largest, in both engines.
func (b *bench) measureGrowth(ctx context.Context, largest int) error {
	fmt.Print("\n| filings | load, s | first page, ms, median | deep page | search | box | new name | new box | new county and amount | stats | cached page | owners as typed, p99 | a misspelled name, p99 of what it takes more | memory of the service, MiB |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, n := range sizes {
		if n > largest {
			break
		}
		if err := b.generate(ctx, n); err != nil {
			return err
		}
		if err := b.growOnElasticsearch(ctx, n); err != nil {
			return err
		}
		if err := b.growEmbedded(ctx, n); err != nil {
			return err
		}
		if err := os.Remove(b.data); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) growOnElasticsearch(ctx context.Context, n int) (err error) {
	defer func() { err = firstError(err, b.deleteIndices(ctx)) }()
	return b.grow(ctx, fmt.Sprintf("%d, Elasticsearch", n), "grown", b.onElasticsearch(b.nodes)...)
}

func (b *bench) growEmbedded(ctx context.Context, n int) (err error) {
	folder := "grown-embedded"
	defer func() { err = firstError(err, os.RemoveAll(filepath.Join(b.dir, folder))) }()
	return b.grow(ctx, fmt.Sprintf("%d, embedded", n), folder, "FILINGS_DATA_DIR="+filepath.Join(b.dir, folder))
}

// grow loads the data and prints a row about it.
func (b *bench) grow(ctx context.Context, name, folder string, environment ...string) (err error) {
	l, err := b.load(ctx, b.data, environment...)
	if err != nil {
		return err
	}
	s, err := b.serve(ctx, folder, environment...)
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, s.stop()) }()
	a, err := b.look(ctx, s)
	if err != nil {
		return err
	}
	if err := b.warm(ctx, s, a); err != nil {
		return err
	}
	asked, err := a.questions(b.data)
	if err != nil {
		return err
	}
	row := []string{name, fmt.Sprintf("%.0f", l.seconds)}
	pages := a.pages()
	var targets []target
	for _, i := range []int{0, 5, 2, 4} {
		p := pages[i]
		p.offset += round * p.step // the warm-up has left the pages before these in the cache
		targets = append(targets, s.round(p))
	}
	for _, q := range asked {
		if q.New {
			targets = append(targets, s.requests(http.StatusOK, neverAgain, func(req *fasthttp.Request, i int) { req.SetRequestURI(s.url + q.Path(i)) }))
		}
	}
	targets = append(targets,
		s.requests(http.StatusOK, 1, func(req *fasthttp.Request, _ int) { req.SetRequestURI(s.url + "/v1/stats") }),
		s.requests(http.StatusOK, 1, func(req *fasthttp.Request, _ int) { req.SetRequestURI(s.url + pages[0].at(0)) }))
	for _, t := range targets {
		took := make([]time.Duration, warmUp+b.rounds)
		for i := range took {
			if took[i], err = t.send(i); err != nil {
				return err
			}
		}
		row = append(row, ms(quantile(took[warmUp:], .5)))
	}
	_, people, err := ownersIn(b.data)
	if err != nil {
		return err
	}
	_, typed, err := s.typed(ctx, people[:typedNames])
	if err != nil {
		return err
	}
	more, err := s.corrected(ctx, people[typedNames:])
	if err != nil {
		return err
	}
	row = append(row, ms(quantile(typed, .99)), ms(quantile(more, .99)))
	memory, err := residentBytes(s.cmd.Process.Pid)
	fmt.Printf("| %s | %d |\n", strings.Join(row, " | "), memory>>20)
	return err
}

// residentBytes returns the memory of a process.
func residentBytes(pid int) (int64, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0, err
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	return pages * int64(os.Getpagesize()), err
}

// measureMemory makes requests that were never made before over 8 connections, for so long, of a service that keeps to a
// limit of memory and, in turns, of one that has none; and prints the most that each ever had.
func (b *bench) measureMemory(ctx context.Context, long time.Duration) (err error) {
	defer func() { err = firstError(err, b.deleteIndices(ctx)) }()
	fmt.Print("\n| engine | memory at most, MiB, with Go's limit and without | of it beside the caches' 256 | requests/s | ms, median | ms, p99 | median with the limit / without | CPU of the service a request, ms |\n|---|---|---|---|---|---|---|---|\n")
	for _, engine := range []struct {
		name, folder string
		environment  []string
	}{
		{"Elasticsearch", "memory-elasticsearch", b.onElasticsearch(b.elasticsearch)},
		{"embedded", "memory-embedded", []string{"FILINGS_DATA_DIR=" + filepath.Join(b.dir, "memory-embedded")}},
	} {
		row, err := b.measureMemoryOf(ctx, engine.folder, long, engine.environment...)
		if err != nil {
			return fmt.Errorf("%s: %w", engine.name, err)
		}
		fmt.Printf("| %s | %s |\n", engine.name, row)
	}
	return nil
}

// memoryTurn is how long each of the two is asked at a time.
const memoryTurn = 5 * time.Second

func (b *bench) measureMemoryOf(ctx context.Context, folder string, long time.Duration, environment ...string) (row string, err error) {
	if _, err := b.load(ctx, b.data, environment...); err != nil {
		return "", err
	}
	var both []*served
	defer func() {
		for _, s := range both {
			err = firstError(err, s.stop())
		}
	}()
	for _, limit := range []string{"", "off"} { // "": as the service has it by itself
		s, err := b.serve(ctx, folder, append(environment, "GOMEMLIMIT="+limit)...)
		if err != nil {
			return "", err
		}
		both = append(both, s)
	}
	a, err := b.look(ctx, both[0])
	if err != nil {
		return "", err
	}
	asked, err := a.questions(b.data)
	if err != nil {
		return "", err
	}
	asked = slices.DeleteFunc(asked, func(q peers.Question) bool { return !q.New })
	var next atomic.Int64 // of both: neither sends Elasticsearch a request of the other's
	var took [2][]time.Duration
	for range long / memoryTurn {
		for i, s := range both {
			one, err := s.during(ctx, memoryTurn, func() string {
				n := int(next.Add(1))
				return asked[n%len(asked)].Path(n / len(asked))
			})
			if err != nil {
				return "", err
			}
			took[i] = append(took[i], one...)
		}
	}
	of := func(what func(i int) string) string { return what(0) + ", " + what(1) }
	var cpu [2]time.Duration
	for i, s := range both {
		if cpu[i], err = cpuOf(s.cmd.Process.Pid); err != nil {
			return "", err
		}
		cpu[i] /= time.Duration(max(1, len(took[i])))
	}
	peak, err := strconv.Atoi(both[0].peak())
	return fmt.Sprintf("%s | %d | %s | %s | %s | %.2f | %s",
		of(func(i int) string { return both[i].peak() }), peak-256,
		of(func(i int) string { return fmt.Sprintf("%.0f", float64(len(took[i]))/long.Seconds()) }),
		of(func(i int) string { return ms(quantile(took[i], .5)) }),
		of(func(i int) string { return ms(quantile(took[i], .99)) }),
		quantile(took[0], .5).Seconds()/quantile(took[1], .5).Seconds(),
		of(func(i int) string { return ms(cpu[i]) })), err
}

// during sends requests over 8 connections, and returns how long each response took.
func (s *served) during(ctx context.Context, long time.Duration, path func() string) (all []time.Duration, err error) {
	t := s.requests(http.StatusOK, 1, func(req *fasthttp.Request, _ int) { req.SetRequestURI(s.url + path()) })
	var mu sync.Mutex
	var g errgroup.Group
	began := time.Now()
	for range 8 {
		g.Go(func() error {
			var own []time.Duration
			for time.Since(began) < long && ctx.Err() == nil {
				one, err := t.send(0)
				if err != nil {
					return err
				}
				own = append(own, one)
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, own...)
			return ctx.Err()
		})
	}
	return all, g.Wait()
}
