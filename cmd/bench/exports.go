package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// exportForms are the measured forms of an export, as parameters and Accept-Encoding.
var exportForms = []struct{ format, coding string }{{"ndjson", "identity"}, {"ndjson", "zstd"}, {"csv", "identity"}, {"parquet", "identity"}}

// turnsDuring is how often pages are requested alone and then during an export: other work of the
// machine hits both.
const turnsDuring = 10

// measureExports exports everything from both engines while nobody else asks for anything, then again with pages at the same time.
func (b *bench) measureExports(ctx context.Context) error {
	fmt.Print("\n| export of everything | rows | MB | rows/s | most memory of the service meanwhile, MB | page of 20, ms, alone and beside another one | times that |\n|---|---|---|---|---|---|---|\n")
	for _, e := range []struct {
		name        string
		environment []string
	}{
		{"Elasticsearch", b.onElasticsearch(b.elasticsearch)},
		{"embedded", []string{"FILINGS_DATA_DIR=" + filepath.Join(b.dir, "exports")}},
	} {
		if err := b.measureExportsOf(ctx, e.name, e.environment); err != nil {
			return firstError(err, b.deleteIndices(ctx))
		}
	}
	return b.deleteIndices(ctx)
}

func (b *bench) measureExportsOf(ctx context.Context, engine string, environment []string) (err error) {
	if _, err := b.load(ctx, b.data, environment...); err != nil {
		return err
	}
	folder := "exports"
	s, err := b.serve(ctx, folder, append(environment, "FILINGS_CACHE_SIZE="+smallCache)...)
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, s.stop()) }()
	for _, f := range exportForms {
		began := time.Now()
		rows, bytes, err := s.export(ctx, f.format, f.coding)
		took := time.Since(began)
		if err != nil {
			return err
		}
		alone, during, err := s.duringExports(ctx, f.format, f.coding, b.rounds)
		if err != nil {
			return err
		}
		a, w := quantile(alone, .5), quantile(during, .5)
		fmt.Printf("| %s, %s, %s | %d | %d | %.0f | %s | %s, %s | %.2f |\n", engine, f.format, f.coding, rows, bytes>>20,
			float64(rows)/took.Seconds(), s.peak(), ms(a), ms(w), float64(w)/float64(a))
	}
	return nil
}

// duringExports requests n pages alone and n during exports, in turns, and returns how long they took. Each export is read to
// its end, and the next one begins where there are pages to come.
func (s *served) duringExports(ctx context.Context, format, coding string, n int) (alone, during []time.Duration, err error) {
	each := max(1, n/turnsDuring)
	for turn := range turnsDuring {
		if alone, err = s.pages(ctx, alone, 2*turn*each, each); err != nil {
			return nil, nil, err
		}
		first, err := s.openExport(ctx, format, coding)
		if err != nil {
			return nil, nil, err
		}
		enough, done := make(chan struct{}), make(chan error, 1)
		go func() { done <- s.exportUntil(ctx, first, enough, format, coding) }()
		during, err = s.pages(ctx, during, (2*turn+1)*each, each)
		close(enough)
		if err = firstError(err, <-done); err != nil {
			return nil, nil, err
		}
	}
	return alone, during, nil
}

// exportUntil takes one export after the other, each to its end, until enough is closed.
func (s *served) exportUntil(ctx context.Context, res *http.Response, enough <-chan struct{}, format, coding string) error {
	for {
		_, err := io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		if err != nil {
			return err
		}
		select {
		case <-enough:
			return nil
		default:
		}
		if res, err = s.openExport(ctx, format, coding); err != nil {
			return err
		}
	}
}

// export takes an export of everything, and returns how many rows and bytes it has.
func (s *served) export(ctx context.Context, format, coding string) (rows, bytes int64, err error) {
	res, err := s.openExport(ctx, format, coding)
	if err != nil {
		return 0, 0, err
	}
	defer res.Body.Close()
	if rows, err = strconv.ParseInt(res.Header.Get("X-Total-Count"), 10, 64); err == nil {
		bytes, err = io.Copy(io.Discard, res.Body)
	}
	return rows, bytes, err
}

// openExport begins an export of everything.
func (s *served) openExport(ctx context.Context, format, coding string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/v1/filings/export?format="+format, http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("X-API-Key", s.key)
	req.Header.Set("Accept-Encoding", coding)
	res, err := s.client.Do(req)
	if err != nil || res.StatusCode == http.StatusOK {
		return res, err
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	return nil, fmt.Errorf("export: %s: %s", res.Status, text)
}

// pages requests n different pages, one every 10 ms, and appends how long they took.
func (s *served) pages(ctx context.Context, took []time.Duration, from, n int) ([]time.Duration, error) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for i := range n {
		began := time.Now()
		if _, err := s.get(ctx, fmt.Sprintf("/v1/filings?limit=20&offset=%d", (from+i)*20)); err != nil {
			return nil, err
		}
		took = append(took, time.Since(began))
		<-tick.C
	}
	return took, nil
}

// peak returns the most memory that the service has had, in MB.
func (s *served) peak() string {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid)) // Linux; elsewhere there is no figure
	for line := range strings.Lines(string(status)) {
		if kb, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(kb), " kB"))
			return strconv.Itoa(n >> 10)
		}
	}
	return "?"
}
