package main

import (
	"fmt"
	"io"
	"iter"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/elastic"
	"filings/index/embedded"
	"filings/index/indextest/conformance"
	"filings/reindexer/record"
	"filings/reindexer/source"
)

// realQueries is how many random queries each engine gets.
const realQueries = 60

// Both engines return what the oracle does on the filings of a file. Its rejects are left out.
func TestRealFilings(t *testing.T) {
	file := os.Getenv(conformance.FilingsVariable)
	if file == "" {
		t.Skipf("left out: %s names no file of filings", conformance.FilingsVariable)
	}
	t.Run("embedded", func(t *testing.T) {
		store, err := embedded.Open(embedded.Config{Dir: t.TempDir(), Index: "filings"})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		conformance.Real(t, conformance.Harness{Store: store}, filingsOf(t, file), realQueries)
	})
	t.Run("elasticsearch", func(t *testing.T) {
		address := servers.Elasticsearch(t)
		name := fmt.Sprintf("real-%d", time.Now().UnixNano())
		t.Cleanup(func() { servers.DeleteIndices(t, address, name) })
		store, err := elastic.Open(elastic.Config{Addresses: []string{address}, Index: name, Shards: 1})
		if err != nil {
			t.Fatal(err)
		}
		conformance.Real(t, conformance.Harness{Store: store}, filingsOf(t, file), realQueries)
	})
}

// filingsOf returns the good records of a file.
func filingsOf(t *testing.T, file string) iter.Seq[*index.Filing] {
	return func(yield func(*index.Filing) bool) {
		all, err := source.Find(t.Context(), []source.Input{{Name: file}}, source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		in, err := all[0].Open(t.Context(), new(atomic.Int64))
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		parser, f := record.New(record.Rules{}), new(index.Filing)
		for {
			row, err := in.Next()
			if err == io.EOF {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if parser.Parse(row.Value, row.Fault, f).Reason == "" && !yield(f) {
				return
			}
		}
	}
}
