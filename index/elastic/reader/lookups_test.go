package reader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/elastictest"
)

// network is one with the filings 1 to 99, that responds when it is told to.
type network struct {
	mu    sync.Mutex
	sent  []string      // the ids of each request, in order
	reply chan struct{} // one for each response
	spoil func(id string) string
}

func source(id string) string { return `{"id":` + id + `,"county":"Orange, FL"}` }

// document responds for an id, as a get or a part of a multi get does.
func (n *network) document(id string) (status int, text string) {
	if number, err := strconv.Atoi(id); err != nil || number > 99 {
		return http.StatusNotFound, fmt.Sprintf(`{"_index":"g","_id":%q,"found":false}`, id)
	}
	return http.StatusOK, fmt.Sprintf(`{"_index":"g","_id":%q,"found":true,"_source":%s}`, id, source(id))
}

func (n *network) roundTrip(r *http.Request) (*http.Response, error) {
	ids, single := []string{path.Base(r.URL.Path)}, r.Method == http.MethodGet
	if !single {
		var body struct{ IDs []string }
		text, err := io.ReadAll(r.Body)
		if err := errors.Join(err, json.Unmarshal(text, &body)); err != nil {
			return nil, err
		}
		ids = body.IDs
	}
	n.mu.Lock()
	n.sent = append(n.sent, strings.Join(ids, " "))
	n.mu.Unlock()
	select {
	case <-n.reply:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	if single {
		status, text := n.document(ids[0])
		return elastictest.Response(r, status, []byte(text)), nil
	}
	docs := make([]string, len(ids))
	for i, id := range ids {
		if _, docs[i] = n.document(id); n.spoil != nil {
			docs[i] = n.spoil(id)
		}
	}
	return elastictest.Response(r, http.StatusOK, []byte(`{"docs":[`+strings.Join(docs, ",")+`]}`)), nil
}

// request reads a filing on a goroutine that has sent or joined its request when it returns.
func (n *network) request(ctx context.Context, r *Reader, id int64) (result chan error) {
	result = make(chan error, 1)
	go func() {
		records, err := r.Filings(ctx, []int64{id})
		if want := source(strconv.FormatInt(id, 10)); err == nil && id > 99 && records[0] != nil ||
			err == nil && id <= 99 && string(records[0]) != want {
			err = fmt.Errorf("filing %d is %s", id, records[0])
		}
		result <- err
	}()
	synctest.Wait()
	return result
}

// TestFilings_Together: while as many go alone as may, the filings that are requested go with the
// next request, each with its own result; and each caller leaves alone.
func TestFilings_Together(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{reply: make(chan struct{})}
		r := readerOver(t, n.roundTrip)
		ctx, leave := context.WithCancel(t.Context())
		ids := []int64{1, 2, 3, 4, 104, 5, 6, 4}
		results := make([]chan error, len(ids))
		for i, id := range ids {
			of := t.Context()
			if id == 5 {
				of = ctx
			}
			results[i] = n.request(of, r, id)
		}
		leave()
		if err := <-results[5]; !errors.Is(err, context.Canceled) {
			t.Errorf("whoever left got %v", err)
		}
		for range 4 {
			n.reply <- struct{}{}
		}
		for i, id := range ids {
			if id == 5 {
				continue
			}
			if err := <-results[i]; err != nil {
				t.Errorf("filing %d: %v", id, err)
			}
		}
		if got := strings.Join(n.sent, "; "); got != "1; 2; 3; 4 104 6 4" {
			t.Errorf("sent: %s", got)
		}
	})
}

// TestFilings_TogetherAndWrong: what is wrong with one of several filings is the error of that one;
// where a part says only that it failed, its own request says of what.
func TestFilings_TogetherAndWrong(t *testing.T) {
	for name, tt := range map[string]struct {
		spoil func(good string) string // of filing 5
		alone bool                     // it is requested again
		fails bool
	}{
		"an error":       {func(string) string { return `{"_index":"g","_id":"5","error":{"type":"shard_not_available"}}` }, true, false},
		"another filing": {func(string) string { return `{"_index":"g","_id":"4","found":true,"_source":{"id":4}}` }, false, true},
		"no source":      {func(string) string { return `{"_index":"g","_id":"5","found":true}` }, false, true},
		"no record":      {func(string) string { return `{"_index":"g","_id":"5","found":true,"_source":[5]}` }, false, true},
		"too many":       {func(good string) string { return good + "," + good }, false, true},
		"no JSON":        {func(string) string { return `{` }, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := &network{reply: make(chan struct{}, 10)}
				n.spoil = func(id string) string {
					_, good := n.document(id)
					if id == "5" {
						return tt.spoil(good)
					}
					return good
				}
				r := readerOver(t, n.roundTrip)
				var results []chan error
				for id := range int64(5) {
					results = append(results, n.request(t.Context(), r, id+1))
				}
				for range 10 {
					n.reply <- struct{}{}
				}
				others := name == "too many" || name == "no JSON" // the response is none of ours
				for i, result := range results {
					err := <-result
					fails := i == 4 && tt.fails || i == 3 && others
					if (err != nil) != fails || fails && !errors.Is(err, client.ErrResponse) {
						t.Errorf("filing %d: %v", i+1, err)
					}
				}
				if alone := n.sent[len(n.sent)-1] == "5"; alone != tt.alone {
					t.Errorf("sent: %q", n.sent)
				}
			})
		})
	}
}

// TestFilings_TogetherMissing: a generation that is gone is gone for each.
func TestFilings_TogetherMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{reply: make(chan struct{}, 10)}
		gone := `{"error":{"type":"index_not_found_exception","reason":"no such index [g]"},"status":404}`
		r := readerOver(t, func(req *http.Request) (*http.Response, error) {
			if req.Method != http.MethodGet {
				n.spoil = func(id string) string { return `{"_index":"g","_id":"` + id + `",` + gone[1:] }
				return n.roundTrip(req)
			}
			<-n.reply
			return elastictest.Response(req, http.StatusNotFound, []byte(gone)), nil
		})
		var results []chan error
		for id := range int64(5) {
			results = append(results, n.request(t.Context(), r, id+1))
		}
		for range 10 {
			n.reply <- struct{}{}
		}
		for i, result := range results {
			if err := <-result; !errors.Is(err, index.ErrGone) {
				t.Errorf("filing %d: %v", i+1, err)
			}
		}
	})
}
