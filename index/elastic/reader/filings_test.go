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

// A response that lacks a document is never taken for a filing that is not there.
func TestFilings_IncompleteResponses(t *testing.T) {
	t.Parallel()
	const one, two = `{"_id":"1","found":true,"_source":{"id":1}}`, `{"_id":"2","found":false}`
	for name, docs := range map[string]string{
		"the last is missing":        one,
		"the first is missing":       two,
		"another order":              two + "," + one,
		"one too many":               one + "," + two + "," + two,
		"not said whether it is":     one + `,{"_id":"2"}`,
		"found without a source":     one + `,{"_id":"2","found":true}`,
		"a source that is no object": one + `,{"_id":"2","found":true,"_source":[2]}`,
		"a shard failed":             one + `,{"_id":"2","error":{"type":"no_shard_available_action_exception","reason":"r"}}`,
		"no document":                one + `,7`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := readerOver(t, elastictest.Responding(200, `{"docs":[`+docs+`]}`))
			if got, err := r.Filings(t.Context(), []int64{1, 2}); !errors.Is(err, index.ErrUnavailable) {
				t.Errorf("%q, %v; want %v", got, err, index.ErrUnavailable)
			}
		})
	}
	r := readerOver(t, elastictest.Responding(200, `{"docs":[`+one+","+two+`]}`))
	if got, err := r.Filings(t.Context(), []int64{1, 2}); err != nil || string(got[0]) != `{"id":1}` || got[1] != nil {
		t.Errorf("%q, %v of the whole response", got, err)
	}
}

// Updates wait for a cluster that is away for a moment.
func TestFilings_Retry(t *testing.T) {
	t.Parallel()
	const whole = `{"docs":[{"_id":"9223372036854775807","found":true,"_source":{"id":9223372036854775807}}]}`
	for name, failure := range map[string]func(*http.Request) (*http.Response, error){
		"no master": func(req *http.Request) (*http.Response, error) {
			return elastictest.Response(req, 503, []byte(`{"error":{"type":"cluster_block_exception"}}`)), nil
		},
		"queue full": func(req *http.Request) (*http.Response, error) {
			return elastictest.Response(req, 429, []byte(`{"error":{"type":"es_rejected_execution_exception"}}`)), nil
		},
		"connection lost": func(*http.Request) (*http.Response, error) { return nil, io.EOF },
		"incomplete": func(req *http.Request) (*http.Response, error) {
			return elastictest.Response(req, 200, []byte(`{"docs":[]}`)), nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			r := readerOver(t, func(req *http.Request) (*http.Response, error) {
				body, err := io.ReadAll(req.Body)
				if err != nil || string(body) != fmt.Sprintf(`{"ids":["%d"]}`, math.MaxInt64) {
					t.Errorf("body %s, %v", body, err)
				}
				if requests.Add(1) <= 2 { // Read alone sends a request twice
					return failure(req)
				}
				return elastictest.Response(req, 200, []byte(whole)), nil
			})
			got, err := r.Filings(t.Context(), []int64{math.MaxInt64})
			if err != nil || len(got) != 1 || !strings.Contains(string(got[0]), "9223372036854775807") || requests.Load() != 3 {
				t.Errorf("%q, %v after %d requests", got, err, requests.Load())
			}
		})
	}
}
