package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"
)

// sizes are the numbers of synthetic filings that growth is measured with.
var sizes = []int{500_000, 2_000_000, 8_000_000}

// measureGrowth measures the same pages with more and more filings, up to largest, in both engines.
func (b *bench) measureGrowth(ctx context.Context, largest int) error {
	fmt.Print("\n| filings | load, s | first page, ms, median | deep page | search | box | stats | cached page | memory of the service, MiB |\n|---|---|---|---|---|---|---|---|---|\n")
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
	return b.grow(ctx, fmt.Sprintf("%d, Elasticsearch", n), "grown", b.onElasticsearch(b.elasticsearch)...)
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
	row := []string{name, fmt.Sprintf("%.0f", l.seconds)}
	pages := a.pages()
	for _, t := range []target{
		s.round(pages[0]), s.round(pages[5]), s.round(pages[2]), s.round(pages[4]),
		s.requests(http.StatusOK, 1, func(req *fasthttp.Request, _ int) { req.SetRequestURI(s.url + "/v1/stats") }),
		s.requests(http.StatusOK, 1, func(req *fasthttp.Request, _ int) { req.SetRequestURI(s.url + pages[0].at(0)) }),
	} {
		took := make([]time.Duration, warmUp+b.rounds)
		for i := range took {
			if took[i], err = t.send(i); err != nil {
				return err
			}
		}
		row = append(row, ms(quantile(took[warmUp:], .5)))
	}
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
