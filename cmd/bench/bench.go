package main

import "sync/atomic"

// bench is one run.
type bench struct {
	elasticsearch, redis string
	dir                  string // everything temporary
	program              string // the built program
	data                 string // the filings, NDJSON
	rounds               int
	times                int
	expensive            atomic.Int64 // filters used up by measureExpensive
}

// benchIndex keeps these generations apart from whatever else is in that Elasticsearch.
const benchIndex = "filings-bench"

func (b *bench) onElasticsearch(address string) []string {
	return []string{"FILINGS_ELASTICSEARCH_URL=" + address, "FILINGS_INDEX=" + benchIndex, "FILINGS_INDEX_REPLICAS=0"}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
