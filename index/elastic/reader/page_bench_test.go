package reader

import (
	"net/http"
	"strings"
	"testing"

	"filings/index"
	"filings/index/cache"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
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
	r, least := New(c, "g", document.OwnersSince, cache.New(1<<20)), 1000.0
	q := index.Query{
		Where: index.Where(index.InCounty("orange, fl"), index.Between{Field: index.FilingAmount, Min: &least}),
		Sort:  index.DefaultSort, Limit: 20,
	}
	b.ReportAllocs()
	for b.Loop() {
		if page, err := r.Rows(b.Context(), q); err != nil || len(page.Records) != 20 {
			b.Fatal(err)
		}
	}
}
