package reader

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"filings/index"
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
					want.Count(index.ValuesOf(f), 1)
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
	for _, d := range []index.Dimension{index.ByMonth, index.ByDateRange} {
		w, q := index.Where(index.InCounty("orange, fl")), index.GroupQuery{Dimensions: []index.Dimension{d}, AsWritten: true}
		groups, err := r.Groups(ctx, w, q)
		if err != nil {
			t.Fatal(err)
		}
		wantGroups, _ := o.Groups(ctx, w, q)
		if diff := cmp.Diff(wantGroups, groups, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("groups by %s (-want +got):\n%s", d, diff)
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

// The list that Counties returned is the caller's: changing it changes nothing here.
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
		return elastictest.Response(req, http.StatusNotFound, []byte(`{}`)), nil
	})
	week := index.Where(index.Times{First: time.UnixMicro(1e15), Last: time.UnixMicro(2e15)})
	if n, err := r.Count(t.Context(), week); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	want := []string{
		`{"query":{"bool":{"filter":[{"range":{"x.createdAt":{"gte":1000000000000000,"lte":2000000000000000}}}]}},"size":0,"track_total_hits":true}`,
	}
	if diff := cmp.Diff(want, bodies); diff != "" {
		t.Errorf("searches (-want +got):\n%s", diff)
	}
}
