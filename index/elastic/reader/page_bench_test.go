package reader

import (
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"filings/index"
	"filings/index/cache"
	"filings/index/elastic/client"
	"filings/index/elastic/elastictest"
)

// BenchmarkRows measures what a page of 20 costs, from the query to its records, without a network.
func BenchmarkRows(b *testing.B) {
	hit := `{"_index":"filings-20260101-000000.000000-v1","_id":"1","_score":null,"_source":` +
		string(index.AppendRecord(nil, elastictest.Filings(1)[0])) + `,"sort":[1,2]}`
	page := []byte(`{"took":1,"timed_out":false,"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},` +
		`"hits":{"max_score":null,"hits":[` + strings.Repeat(hit+",", 19) + hit + `]}}`)
	network := elastictest.RoundTrip(func(r *http.Request) (*http.Response, error) {
		return elastictest.Response(r, 200, page), nil
	})
	c, err := client.Open(client.Config{Addresses: []string{"http://search.example:9200"}, Wrap: network.Over()})
	if err != nil {
		b.Fatal(err)
	}
	r, least := New(c, "g", cache.New(1<<20)), 1000.0
	q := index.Query{
		Where: index.Where(index.InCounty("orange, fl"), index.Range{Field: index.FilingAmount, Min: &least}),
		Sort:  index.DefaultSort, Limit: 20,
	}
	b.ReportAllocs()
	for b.Loop() {
		if page, err := r.Rows(b.Context(), q); err != nil || len(page.Records) != 20 {
			b.Fatal(err)
		}
	}
}

// BenchmarkFiling measures the reads of one filing that Elasticsearch has: eight clients on two cores.
func BenchmarkFiling(b *testing.B) {
	const filings = 20_000
	r := testReader(b, 1, elastictest.Filings(filings))
	later := url.Values{"realtime": {"false"}}
	for _, bb := range []struct {
		name, path string
		query      url.Values
	}{
		{"_doc", "_doc", nil},
		{"_doc, realtime=false", "_doc", later},
		{"_doc, filter_path=_source", "_doc", url.Values{"filter_path": {"_source"}}},
		{"_source", "_source", nil},
		{"_source, realtime=false", "_source", later},
		{"_source, preference=_local", "_source", url.Values{"preference": {"_local"}}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetParallelism(4)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					id := strconv.Itoa(1 + rand.IntN(filings)) //nolint:gosec // no secret
					must(b, r.c, http.MethodGet, "/"+r.generation+"/"+bb.path+"/"+id, bb.query, nil)
				}
			})
		})
	}
}
