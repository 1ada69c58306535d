package reader

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

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

// busy is a network whose first request for a filing waits until it is told to end.
type busy struct {
	first  chan struct{} // closed: the first request has its response
	begun  chan struct{} // closed when it came
	once   sync.Once
	shared func(*http.Request) (*http.Response, error)
	bodies []string // of the requests for several filings
	alone  atomic.Int32
}

func newBusy(shared func(*http.Request) (*http.Response, error)) *busy {
	return &busy{first: make(chan struct{}), begun: make(chan struct{}), shared: shared}
}

func (b *busy) RoundTrip(req *http.Request) (*http.Response, error) {
	if strings.HasSuffix(req.URL.Path, "/_mget") {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		b.bodies = append(b.bodies, string(body))
		return b.shared(req)
	}
	b.alone.Add(1)
	b.once.Do(func() {
		close(b.begun)
		<-b.first
	})
	id := req.URL.Path[strings.LastIndex(req.URL.Path, "/")+1:]
	return elastictest.Response(req, 200, []byte(`{"_id":"`+id+`","found":true,"_source":{"id":`+id+`}}`)), nil
}

// got is what a request for one filing came to.
type got struct {
	record string
	err    error
}

// behindFirst requests filing 1, and the others once that is under way. end ends the first; it returns all responses.
func (b *busy) behindFirst(t *testing.T, r *Reader, contexts map[int64]context.Context) (end func() map[int64]got) {
	all := map[int64]got{}
	var mu sync.Mutex
	var requests sync.WaitGroup
	request := func(ctx context.Context, id int64) {
		requests.Go(func() {
			record, err := r.Filing(ctx, id)
			mu.Lock()
			defer mu.Unlock()
			all[id] = got{string(record), err}
		})
	}
	request(t.Context(), 1)
	<-b.begun
	for _, id := range slices.Sorted(maps.Keys(contexts)) {
		request(contexts[id], id)
		synctest.Wait() // they wait in this order
	}
	return func() map[int64]got {
		close(b.first)
		requests.Wait()
		return all
	}
}

const threeDocs = `{"docs":[{"_id":"2","found":true,"_source":{"id":2}},{"_id":"3","found":false},{"_id":"4","found":true,"_source":{"id":4}}]}`

// Filings that are requested while another one is on its way go together, and each has a response of its own.
func TestFiling_Shared(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		docs  string
		fails error // of filing 4
		alone int32 // requests of one filing
	}{
		"all of them":       {docs: threeDocs, alone: 1},
		"one is unreadable": {docs: strings.Replace(threeDocs, `"4","found":true,"_source":{"id":4}`, `"4","error":{"type":"no_shard_available_action_exception"}`, 1), alone: 2},
		"one has no source": {docs: strings.Replace(threeDocs, `,"_source":{"id":4}`, ``, 1), alone: 2},
		"it is gone":        {docs: strings.Replace(threeDocs, `"4","found":true,"_source":{"id":4}`, `"4","error":{"type":"index_not_found_exception"}`, 1), fails: index.ErrGone, alone: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBusy(elastictest.Responding(200, tt.docs))
				r := readerOver(t, b.RoundTrip)
				all := b.behindFirst(t, r, map[int64]context.Context{2: t.Context(), 3: t.Context(), 4: t.Context()})()
				for _, id := range []int64{1, 2} {
					if want := fmt.Sprintf(`{"id":%d}`, id); all[id].record != want || all[id].err != nil {
						t.Errorf("filing %d: %v", id, all[id])
					}
				}
				if err := all[3].err; !errors.Is(err, index.ErrNotFound) || errors.Is(err, index.ErrUnavailable) {
					t.Errorf("filing 3, which is not there: %v", all[3])
				}
				if tt.fails == nil && all[4].record != `{"id":4}` || !errors.Is(all[4].err, tt.fails) || r.Gone() != (tt.fails == index.ErrGone) {
					t.Errorf("filing 4: %v; gone: %t", all[4], r.Gone())
				}
				if diff := cmp.Diff([]string{`{"ids":["2","3","4"]}`}, b.bodies); diff != "" || b.alone.Load() != tt.alone {
					t.Errorf("%d requests of one filing, want %d; of several (-want +got):\n%s", b.alone.Load(), tt.alone, diff)
				}
			})
		})
	}
}

// A shared request that fails is the failure of each; what it leaves behind is not.
func TestFiling_SharedFailure(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		shared func(*http.Request) (*http.Response, error)
		want   error // nil: any
	}{
		"no shard":   {elastictest.Responding(503, `{"error":{"type":"no_shard_available_action_exception"}}`), index.ErrUnavailable},
		"too few":    {elastictest.Responding(200, `{"docs":[]}`), index.ErrUnavailable},
		"not JSON":   {elastictest.Responding(200, `{"docs":}`), index.ErrUnavailable},
		"connection": {func(*http.Request) (*http.Response, error) { return nil, io.EOF }, index.ErrUnavailable},
		"panic":      {func(*http.Request) (*http.Response, error) { panic("a mistake") }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBusy(tt.shared)
				r := readerOver(t, b.RoundTrip)
				all := b.behindFirst(t, r, map[int64]context.Context{2: t.Context(), 3: t.Context()})()
				for _, id := range []int64{2, 3} {
					if err := all[id].err; err == nil || tt.want != nil && !errors.Is(err, tt.want) {
						t.Errorf("filing %d: %v", id, all[id])
					}
				}
				synctest.Wait()
				if record, err := r.Filing(t.Context(), 5); string(record) != `{"id":5}` || err != nil || r.gets.underway != 0 {
					t.Errorf("the next one: %s, %v; %d under way", record, err, r.gets.underway)
				}
			})
		})
	}
}

// A caller whose time is up leaves a shared request, which goes on for the others; and no request waits for one that has no
// response for longer than longestShared.
func TestFiling_SharedTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBusy(func(req *http.Request) (*http.Response, error) {
			select {
			case <-time.After(time.Second):
				return elastictest.Response(req, 200, []byte(threeDocs)), nil
			case <-req.Context().Done():
				return nil, req.Context().Err()
			}
		})
		r := readerOver(t, b.RoundTrip)
		short, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		long, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		left, leave := context.WithCancel(t.Context())
		began := time.Now()
		end := b.behindFirst(t, r, map[int64]context.Context{2: short, 3: left, 4: long})
		leave()
		time.Sleep(time.Second + longestShared)
		synctest.Wait()
		if len(b.bodies) != 1 || r.gets.underway != 1 {
			t.Errorf("%d shared requests, %d under way beside the one that has no response", len(b.bodies), r.gets.underway)
		}
		all := end()
		if !errors.Is(all[2].err, context.DeadlineExceeded) || !errors.Is(all[3].err, context.Canceled) {
			t.Errorf("those that left: %v, %v", all[2], all[3])
		}
		if all[4].record != `{"id":4}` || all[4].err != nil || time.Since(began) > 2*time.Second {
			t.Errorf("the one that stayed: %v", all[4])
		}
	})
}

// Many at once, of the real server.
func TestFiling_Many(t *testing.T) {
	t.Parallel()
	filings := elastictest.Filings(200)
	r := testReader(t, 2, filings)
	var callers errgroup.Group
	for n := range 16 {
		callers.Go(func() error {
			for i := range 40 {
				id := int64((n*7+i*13)%220 + 1)
				record, err := r.Filing(t.Context(), id)
				switch {
				case id > 200 && !errors.Is(err, index.ErrNotFound):
					return fmt.Errorf("filing %d, which is not there: %s, %w", id, record, err)
				case id <= 200 && (err != nil || string(record) != string(index.AppendRecord(nil, filings[id-1]))):
					return fmt.Errorf("filing %d: %s, %w", id, record, err)
				}
			}
			return nil
		})
	}
	if err := callers.Wait(); err != nil {
		t.Error(err)
	}
}
