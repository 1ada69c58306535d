package reader

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/elastictest"
)

// More ids than one request has, in any order, some of them twice and some of no filing.
func TestFilings_ManyIDs(t *testing.T) {
	t.Parallel()
	filings := elastictest.Filings(1500)
	r := testReader(t, 2, filings)
	var ids []int64
	var want []string
	for i := range 2*idsAtOnce + 10 {
		id := int64(i*7%2000 + 1)
		ids = append(ids, id)
		if id > 1500 {
			want = append(want, "")
		} else {
			want = append(want, string(index.AppendRecord(nil, filings[id-1])))
		}
	}
	got, err := r.Filings(t.Context(), ids)
	if diff := cmp.Diff(want, texts(got)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if i := slices.Index(want, ""); got[i] != nil {
		t.Errorf("%q of no filing", got[i])
	}
	if none, err := r.Filings(t.Context(), nil); len(none) != 0 || err != nil {
		t.Errorf("of no ids: %q, %v", none, err)
	}
}

// A response that lacks a filing is never taken for one that says that it is not there.
func TestFilings_IncompleteResponses(t *testing.T) {
	t.Parallel()
	const one, two = `{"_source":{"id":1},"sort":[1]}`, `{"_source":{"id":2},"sort":[2]}`
	responding := func(total, hits string) *Reader {
		return readerOver(t, elastictest.Responding(200, `{"hits":{`+total+`"hits":[`+hits+`]}}`))
	}
	const ofOne, ofTwo = `"total":{"value":1,"relation":"eq"},`, `"total":{"value":2,"relation":"eq"},`
	for name, response := range map[string][2]string{
		"the last is missing":        {ofTwo, one},
		"all are missing":            {ofTwo, ""},
		"one too many":               {ofOne, one + "," + two},
		"not said how many":          {"", one},
		"another filing":             {ofTwo, one + `,{"_source":{"id":3},"sort":[3]}`},
		"without its id":             {ofTwo, one + `,{"_source":{"id":2}}`},
		"without a source":           {ofTwo, one + `,{"sort":[2]}`},
		"a source that is no object": {ofTwo, one + `,{"_source":[2],"sort":[2]}`},
		"no document":                {ofTwo, one + `,7`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := responding(response[0], response[1]).Filings(t.Context(), []int64{1, 2}); !errors.Is(err, index.ErrUnavailable) {
				t.Errorf("%q, %v; want %v", got, err, index.ErrUnavailable)
			}
		})
	}
	if got, err := responding(ofOne, one).Filings(t.Context(), []int64{1, 2}); err != nil || string(got[0]) != `{"id":1}` || got[1] != nil {
		t.Errorf("%q, %v of the whole response", got, err)
	}
}

// Changesets wait for a cluster that is away for a moment.
func TestVersions_Retry(t *testing.T) {
	t.Parallel()
	const whole = `{"hits":{"total":{"value":1},"hits":[{"_source":{"id":9223372036854775807},"sort":[9223372036854775807]}]}}`
	for name, failure := range map[string]func(*http.Request) (*http.Response, error){
		"no master": func(req *http.Request) (*http.Response, error) {
			return elastictest.Response(req, 503, []byte(`{"error":{"type":"cluster_block_exception"}}`)), nil
		},
		"queue full": func(req *http.Request) (*http.Response, error) {
			return elastictest.Response(req, 429, []byte(`{"error":{"type":"es_rejected_execution_exception"}}`)), nil
		},
		"connection lost": func(*http.Request) (*http.Response, error) { return nil, io.EOF },
		"incomplete": func(req *http.Request) (*http.Response, error) {
			return elastictest.Response(req, 200, []byte(`{"hits":{"total":{"value":1},"hits":[]}}`)), nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			r := readerOver(t, func(req *http.Request) (*http.Response, error) {
				body, err := io.ReadAll(req.Body)
				if err != nil || !strings.Contains(string(body), fmt.Sprintf(`{"terms":{"id":[%d]}}`, math.MaxInt64)) {
					t.Errorf("body %s, %v", body, err)
				}
				if requests.Add(1) <= 2 { // Read alone sends a request twice
					return failure(req)
				}
				return elastictest.Response(req, 200, []byte(whole)), nil
			})
			got, err := r.Versions(t.Context(), []int64{math.MaxInt64})
			if err != nil || len(got) != 1 || !strings.Contains(string(got[0].Record), "9223372036854775807") || requests.Load() != 3 {
				t.Errorf("%v, %v after %d requests", got, err, requests.Load())
			}
		})
	}
}

// TestX49_Stored: filings of an archive have their columns, also if a source still has the object x; a response without
// hits is an error, and no end of an archive.
func TestX49_Stored(t *testing.T) {
	t.Parallel()
	whole := `{"_id":"2","_source":{"id":2,"owner":"}}},\"x\":{","n":null,"x":{"text":["},\"sort\":["],"code":{"id":"8"}}}`
	columns := `,"fields":{"x.writtenCity":["Ocoee"],"x.zip":["34761"],"x.createdAt":[9]},"sort":[7]}`
	got, err := storedHits([]byte(`{"hits":{"hits":[` + whole + columns + `,` + whole + `}]}}`))
	record := index.Record(`{"id":2,"owner":"}}},\"x\":{","n":null}`)
	want := []index.Stored{
		{Version: index.Version{Record: record, City: "Ocoee", ZIP: "34761"}, Created: 9},
		{Version: index.Version{Record: record}, Created: index.NoTime},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if none, err := storedHits([]byte(`{"hits":{"hits":[]}}`)); len(none) != 0 || err != nil {
		t.Errorf("no hits: %v, %v", none, err)
	}
	for _, bad := range []string{
		`{}`, `{"hits":{}}`, `{"hits":{"hits":null}}`, `{"hits":{"hits":[{}]}}`, `{"hits":{"hits":[{"_source":[1]}]}}`, `{"hits":{"hits":[`,
		`{"hits":{"hits":[{"_source":{"id":1},"fields":{"x.zip":7}}]}}`, `{"hits":{"hits":[{"_source":{"id":1},"fields":{"x.createdAt":["x"]}}]}}`,
	} {
		if got, err := storedHits([]byte(bad)); !errors.Is(err, client.ErrResponse) {
			t.Errorf("%s: %v, %v", bad, got, err)
		}
	}
}
