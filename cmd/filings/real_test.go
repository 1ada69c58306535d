package main

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"testing"
	"time"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/elastic"
	"filings/index/embedded"
	"filings/index/indextest/conformance"
	"filings/reindexer"
)

// realQuestions is how many random questions each engine is asked.
const realQuestions = 60

// Both engines answer as the oracle does on the filings of a file. Its rejects are left out.
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
		conformance.Real(t, conformance.Harness{Store: store}, filingsOf(t, file), realQuestions)
	})
	t.Run("elasticsearch", func(t *testing.T) {
		address := servers.Elasticsearch(t)
		name := fmt.Sprintf("real-%d", time.Now().UnixNano())
		t.Cleanup(func() { servers.DeleteIndices(t, address, name) })
		store, err := elastic.Open(elastic.Config{Addresses: []string{address}, Index: name, Shards: 1})
		if err != nil {
			t.Fatal(err)
		}
		conformance.Real(t, conformance.Harness{Store: store}, filingsOf(t, file), realQuestions)
	})
}

func filingsOf(t *testing.T, file string) iter.Seq[*index.Filing] {
	return func(yield func(*index.Filing) bool) {
		for f, err := range reindexer.Read(t.Context(), file) {
			var reject *reindexer.Reject
			switch {
			case errors.As(err, &reject):
			case err != nil:
				t.Fatal(err)
			case !yield(f):
				return
			}
		}
	}
}
