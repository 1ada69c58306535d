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

// exportForms are what is measured of an export, as parameters and Accept-Encoding.
var exportForms = []struct{ format, coding string }{{"ndjson", "identity"}, {"ndjson", "zstd"}, {"csv", "identity"}, {"parquet", "identity"}}

// measureExports exports everything from both engines while nobody else asks for anything, then again with pages beside it.
func (b *bench) measureExports(ctx context.Context) error {
	embedded := []string{"FILINGS_DATA_DIR=" + filepath.Join(b.dir, "exports")}
	elastic := b.onElasticsearch(b.elasticsearch)
	fmt.Print("\n| export of everything | rows | MB | seconds | rows/s | most memory of the service meanwhile, MB | page of 20, ms, alone and beside another one |\n|---|---|---|---|---|---|---|\n")
	for name, environment := range map[string][]string{"Elasticsearch": elastic, "embedded": embedded} {
		if err := b.measureExportsOf(ctx, name, environment); err != nil {
			return err
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
		alone, err := s.pages(ctx, b.rounds, nil)
		if err != nil {
			return err
		}
		began := time.Now()
		rows, bytes, err := s.export(ctx, f.format, f.coding)
		took := time.Since(began)
		if err != nil {
			return err
		}
		done, failed := make(chan struct{}), error(nil)
		go func() {
			defer close(done)
			_, _, failed = s.export(ctx, f.format, f.coding)
		}()
		beside, err := s.pages(ctx, b.rounds, done)
		if <-done; err != nil || failed != nil {
			return firstError(err, failed)
		}
		fmt.Printf("| %s, %s, %s | %d | %d | %.1f | %.0f | %s | %s, %s |\n", engine, f.format, f.coding, rows, bytes>>20, took.Seconds(),
			float64(rows)/took.Seconds(), s.peak(), ms(quantile(alone, .5)), ms(quantile(beside, .5)))
	}
	return nil
}

// export takes an export of everything, and returns how many rows and bytes it has.
func (s *served) export(ctx context.Context, format, coding string) (rows, bytes int64, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/v1/filings/export?format="+format, http.NoBody)
	if err != nil {
		return 0, 0, err
	}
	req.Header.Set("X-API-Key", s.key)
	req.Header.Set("Accept-Encoding", coding)
	res, err := s.client.Do(req)
	if err != nil {
		return 0, 0, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(res.Body)
		return 0, 0, fmt.Errorf("export: %s: %s", res.Status, text)
	}
	if rows, err = strconv.ParseInt(res.Header.Get("X-Total-Count"), 10, 64); err == nil {
		bytes, err = io.Copy(io.Discard, res.Body)
	}
	return rows, bytes, err
}

// pages requests n different pages, one every 10 ms, or until done, and returns how long they took.
func (s *served) pages(ctx context.Context, n int, done <-chan struct{}) (took []time.Duration, err error) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for i := range n {
		began := time.Now()
		if _, err := s.get(ctx, fmt.Sprintf("/v1/filings?limit=20&offset=%d", i*20)); err != nil {
			return nil, err
		}
		took = append(took, time.Since(began))
		select {
		case <-done:
			return took, nil
		case <-tick.C:
		}
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
