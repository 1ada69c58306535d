package reader

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/cache"
	"filings/index/elastic/document"
	"filings/index/elastic/elastictest"
	"filings/index/elastic/search"
	"filings/index/indextest"
)

// Stats are exact with few and with many buckets in a response, and with several shards.
func TestA1_StatsAreExact(t *testing.T) {
	t.Parallel()
	filings := elastictest.Filings(400)
	o := indextest.NewOracle("made", filings)
	for _, shards := range []int{1, 3} {
		for _, buckets := range []int{search.Usual.Buckets, 2} {
			t.Run(fmt.Sprintf("%d shards, %d buckets", shards, buckets), func(t *testing.T) {
				t.Parallel()
				r := testReader(t, shards, filings)
				r.limits.Buckets = buckets
				checkStats(t, r, o)
				want := index.NewCounts()
				for _, f := range filings {
					want.Count(index.HeldOf(f), 1)
				}
				got, err := index.CountsOf(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				if diff := want.Diff(got); diff != nil {
					t.Errorf("checksum: %q", diff)
				}
			})
		}
	}
}

func checkStats(t *testing.T, r *Reader, o *indextest.Oracle) {
	t.Helper()
	ctx := t.Context()
	stats, err := r.Stats(ctx)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := o.Stats(ctx)
	if diff := cmp.Diff(want, stats); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
	counties, err := r.Counties(ctx)
	if err != nil {
		t.Fatal(err)
	}
	wantCounties, _ := o.Counties(ctx)
	if diff := cmp.Diff(wantCounties, counties); diff != "" {
		t.Errorf("counties (-want +got):\n%s", diff)
	}
	for _, field := range []index.Field{index.Month, index.DateRange} {
		w := index.Where(index.InCounty("orange, fl"))
		values, err := r.Distinct(ctx, w, field)
		if err != nil {
			t.Fatal(err)
		}
		wantValues, _ := o.Distinct(ctx, w, field)
		if diff := cmp.Diff(wantValues, values); diff != "" {
			t.Errorf("values of %s (-want +got):\n%s", field, diff)
		}
	}
}

func TestA2_NoFilings(t *testing.T) {
	t.Parallel()
	r := testReader(t, 1, nil)
	checkStats(t, r, indextest.NewOracle("empty", nil))
	if n, err := r.Count(t.Context(), index.Filter{}); n != 0 || err != nil {
		t.Errorf("count %d, %v", n, err)
	}
	if rows, err := r.Rows(t.Context(), index.Query{Offset: 5000, Limit: 20}); len(rows.Records) != 0 || err != nil {
		t.Errorf("rows %q, %v", rows.Records, err)
	}
	sum, err := index.CountsOf(t.Context(), r)
	if err != nil || index.NewCounts().Diff(sum) != nil {
		t.Errorf("checksum %v, %v", sum, err)
	}
}

// What Counties returned is the caller's: changing it changes nothing here.
func TestReader_CountiesAreACopy(t *testing.T) {
	t.Parallel()
	r := testReader(t, 1, elastictest.Filings(10))
	first, err := r.Counties(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	first[0].County = "changed"
	if second, err := r.Counties(t.Context()); err != nil || second[0].County == "changed" {
		t.Errorf("%v, %v", second, err)
	}
}

// Owners are those of the generation's meta; one that is read before it is sealed has them counted.
func TestA1_OwnersOfTheMeta(t *testing.T) {
	t.Parallel()
	filings := elastictest.Filings(50)
	r := testReader(t, 1, filings)
	want, _ := indextest.NewOracle("made", filings).Stats(t.Context())
	for _, test := range []struct {
		name   string
		meta   document.Meta
		owners int64
	}{
		{"sealed", document.Meta{Sealed: true, Generation: r.generation, Owners: 12345}, 12345},
		{"not sealed", document.Meta{}, want.Owners},
		{"a clone of a sealed one", document.Meta{Sealed: true, Generation: "another", Owners: 12345}, want.Owners},
	} {
		t.Run(test.name, func(t *testing.T) {
			body, err := json.Marshal(search.Object{"_meta": test.meta})
			if err != nil {
				t.Fatal(err)
			}
			must(t, r.c, http.MethodPut, "/"+r.generation+"/_mapping", nil, body)
			got, err := New(r.c, r.generation, cache.New(1<<20)).Stats(t.Context())
			if err != nil || got.Owners != test.owners {
				t.Errorf("%d owners, %v; want %d", got.Owners, err, test.owners)
			}
		})
	}
}

// A range counts what was added in a week: no search has a bucket for each time. Two million of them took seconds.
func TestA3_NoBucketForEachTime(t *testing.T) {
	t.Parallel()
	var bodies []string
	r := readerOver(t, func(req *http.Request) (*http.Response, error) {
		if strings.HasSuffix(req.URL.Path, "/_search") {
			body, err := io.ReadAll(req.Body)
			if err != nil {
				return nil, err
			}
			bodies = append(bodies, string(body))
			return elastictest.Response(req, http.StatusOK, []byte(`{"timed_out":false,"_shards":{"total":1,"successful":1,"failed":0},`+
				`"hits":{"total":{"value":2,"relation":"eq"},"hits":[]},"aggregations":{"added":{"count":2,"min":1e15,"max":2e15}}}`)), nil
		}
		return elastictest.Response(req, http.StatusOK, []byte(`{"g":{"mappings":{"_meta":{"sealed":true,"generation":"g","owners":2}}}}`)), nil
	})
	if _, err := r.Stats(t.Context()); err != nil {
		t.Fatal(err)
	}
	week := index.Where(index.Times{From: time.UnixMicro(1e15), To: time.UnixMicro(2e15)})
	if n, err := r.Count(t.Context(), week); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	want := []string{
		`{"aggs":{"added":{"stats":{"field":"x.createdAt"}},"count":{"value_count":{"field":"x.cents"}},` +
			`"kinds":{"filters":{"filters":{"either":{"terms":{"x.is":["trust","estate"]}},"estate":{"terms":{"x.is":["estate"]}},"trust":{"terms":{"x.is":["trust"]}}}}},` +
			`"max":{"max":{"field":"filingAmount"}},"min":{"min":{"field":"filingAmount"}},"sum":{"sum":{"field":"x.cents"}}},"size":0,"track_total_hits":true}`,
		`{"query":{"bool":{"filter":[{"range":{"x.createdAt":{"gte":1000000000000000,"lte":2000000000000000}}}]}},"size":0,"track_total_hits":true}`,
	}
	if diff := cmp.Diff(want, bodies); diff != "" {
		t.Errorf("searches (-want +got):\n%s", diff)
	}
}
