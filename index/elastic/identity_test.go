package elastic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/elastic/elastictest"
	"filings/index/generation"
)

// delete deletes the first filings behind the program's back: with the write block lifted for a moment.
func (s testStore) delete(t testing.TB, generation string, filings int) {
	t.Helper()
	var body []byte
	for id := range filings {
		body = fmt.Appendf(body, "{\"delete\":{\"_id\":\"%d\"}}\n", id+1)
	}
	s.set(t, generation, "index.blocks.write", false)
	must(t, s.c, http.MethodPost, "/"+generation+"/_bulk", url.Values{"refresh": {"true"}}, body)
	s.set(t, generation, "index.blocks.write", true)
}

// set changes a setting of a generation's index; nil is the default.
func (s testStore) set(t testing.TB, generation, setting string, value any) {
	t.Helper()
	body, err := json.Marshal(map[string]any{setting: value})
	if err != nil {
		t.Fatal(err)
	}
	must(t, s.c, http.MethodPut, "/"+generation+"/_settings", nil, body)
}

// look is what a process that has run for long learns of the live generation within ten seconds.
func (s testStore) look(t testing.TB) (index.Reader, error) {
	t.Helper()
	s.clock.Advance(10 * time.Second)
	return s.Live(t.Context())
}

// wantChanged expects that a running process and one that starts now find the live generation changed, for a reason.
func (s testStore) wantChanged(t testing.TB, generation, reason string) {
	t.Helper()
	_, running := s.look(t)
	_, starting := s.again(t, nil).Live(t.Context())
	_, opened := s.again(t, nil).Open(t.Context(), generation)
	for who, err := range map[string]error{"running": running, "starting": starting, "opened": opened} {
		if !errors.Is(err, index.ErrChanged) || errors.Is(err, index.ErrUnavailable) || !strings.Contains(fmt.Sprint(err), reason) {
			t.Errorf("%s: %v, want an error with %q", who, err, reason)
		}
		if who != "opened" && (!errors.Is(err, index.ErrLost) || !strings.Contains(fmt.Sprint(err), "filings rollback")) {
			t.Errorf("%s: %v, want one that says what to do", who, err)
		}
	}
}

// wantSame expects that the live generation is taken for what was sealed.
func (s testStore) wantSame(t testing.TB, when string, filings int64) {
	t.Helper()
	r, err := s.look(t)
	if err == nil {
		err = index.Probe(t.Context(), r)
	}
	if err != nil {
		t.Fatalf("%s: %v", when, err)
	}
	if n, err := r.Count(t.Context(), index.Filter{}); err != nil || n != filings {
		t.Errorf("%s: %d filings, %v, want %d", when, n, err, filings)
	}
}

func TestX24_ChangedIndex(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		filings int
		change  func(t *testing.T, s testStore, live string)
		reason  string
		undo    func(t *testing.T, s testStore, live string) // nil: cannot be undone
	}{
		{"300 deleted", 4_000, func(t *testing.T, s testStore, live string) { s.delete(t, live, 300) },
			"sealed with 4000 documents, highest sequence number 3999, has 3700 documents, highest sequence number 4299", nil},
		{"all deleted", 40, func(t *testing.T, s testStore, live string) { s.delete(t, live, 40) },
			"has 0 documents", nil},
		{"one written anew", 40, func(t *testing.T, s testStore, live string) {
			s.set(t, live, "index.blocks.write", false)
			must(t, s.c, http.MethodPut, "/"+live+"/_doc/1", nil, []byte(`{"id":1}`))
		}, "highest sequence number 40", nil},
		{"what is known of owners is written anew", 40, func(t *testing.T, s testStore, live string) {
			must(t, s.c, http.MethodPut, "/"+live+"-sidecar/_doc/owners%200", nil, []byte(`{"data":""}`))
		}, "sidecar: sealed with highest sequence number", nil},
		{"what is known of owners is deleted", 40, func(t *testing.T, s testStore, live string) {
			must(t, s.c, http.MethodDelete, "/"+live+"-sidecar", nil, nil)
		}, ", has no index", nil},
		{"a setting that pages need", 40, func(t *testing.T, s testStore, live string) { s.set(t, live, "index.max_result_window", 5) },
			"index.max_result_window: sealed with 10000, has 5",
			func(t *testing.T, s testStore, live string) { s.set(t, live, "index.max_result_window", nil) }},
		{"a setting that filters need", 40, func(t *testing.T, s testStore, live string) { s.set(t, live, "index.max_terms_count", 10) },
			"index.max_terms_count: sealed with 65536, has 10",
			func(t *testing.T, s testStore, live string) { s.set(t, live, "index.max_terms_count", 100_000) }},
		{"a setting that short terms need", 40, func(t *testing.T, s testStore, live string) { s.set(t, live, "index.max_regex_length", 1) },
			"index.max_regex_length: sealed with 1000, has 1",
			func(t *testing.T, s testStore, live string) { s.set(t, live, "index.max_regex_length", nil) }},
		{"searches are blocked", 40, func(t *testing.T, s testStore, live string) { s.set(t, live, "index.blocks.read", true) },
			"index.blocks.read: sealed with false, has true",
			func(t *testing.T, s testStore, live string) { s.set(t, live, "index.blocks.read", false) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newTestStore(t)
			l := s.lock(t)
			older, live := sealedWith(t, l, "OLDER", 10), sealedWith(t, l, "LIVE", test.filings)
			swap(t, s.Store, "", live)
			s.wantSame(t, "before", int64(test.filings))
			test.change(t, s, live)
			s.wantChanged(t, live, test.reason)
			if test.undo != nil {
				test.undo(t, s, live)
				s.wantSame(t, "undone", int64(test.filings))
				return
			}
			if r, err := s.Open(t.Context(), older); err != nil || index.Probe(t.Context(), r) != nil {
				t.Errorf("the older generation: %v", err)
			}
			swap(t, s.Store, live, older)
			s.wantSame(t, "rolled back", 10)
			next := sealedWith(t, l, "NEXT", 20)
			if err := l.Promote(t.Context(), older, next); err != nil {
				t.Fatal(err)
			}
			s.wantSame(t, "loaded again", 20)
		})
	}
}

// TestX24_ReadOnceInAWhile: comparing costs two small requests every eight seconds, not at every look.
func TestX24_ReadOnceInAWhile(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	faults := &elastictest.Faults{}
	watched := s.again(t, faults)
	swap(t, s.Store, "", sealedWith(t, s.lock(t), "LIVE", 3))
	for range 17 {
		liveOf(t, watched)
		s.clock.Advance(time.Second)
	}
	if looks, compared := faults.Requests(generation.CatalogDocument), faults.Requests("docs"); compared != 3 || looks < 17 {
		t.Errorf("compared %d times in 17 s, want 3", compared)
	}
}

// TestX24_NotComparable: that Elasticsearch does not say what there is now is no difference.
func TestX24_NotComparable(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	faults := &elastictest.Faults{}
	faulty := s
	faulty.reopen(t, faults)
	swap(t, s.Store, "", sealedWith(t, s.lock(t), "LIVE", 3))
	faults.Always("_stats", elastictest.Respond(http.StatusForbidden, `{"error":{"type":"security_exception","reason":"no"},"status":403}`))
	faulty.wantSame(t, "stats are forbidden", 3)
	faults = &elastictest.Faults{}
	faulty.reopen(t, faults)
	faults.Always("_stats", elastictest.Respond(http.StatusOK, `{"indices":{}}`))
	faulty.wantSame(t, "no primary is started", 3)
}

// TestX24_NoIdentity: a generation of whose identity the catalog says nothing is not compared.
func TestX24_NoIdentity(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	live := s.bare(t, 1)
	swap(t, s.Store, "", live)
	s.set(t, live, "index.max_result_window", 5_000)
	if _, err := s.look(t); err != nil {
		t.Error(err)
	}
}

// TestX24_NoFalseAlarm: what happens to an index that is as it was sealed makes no difference.
func TestX24_NoFalseAlarm(t *testing.T) {
	t.Parallel()
	const filings = 2_000
	s := newTestStore(t)
	s.cfg.Shards = 2
	s.reopen(t, nil)
	l := s.lock(t)
	before := sealedWith(t, l, "BEFORE", filings)
	live := updated(t, l, before, filings)
	swap(t, s.Store, "", live)
	s.wantSame(t, "an update", filings-100)
	index := "/" + live
	for _, step := range []struct {
		name, method, path string
		query              url.Values
		body               string
	}{
		{"refreshed", http.MethodPost, index + "/_refresh", nil, ""},
		{"flushed", http.MethodPost, index + "/_flush", url.Values{"force": {"true"}}, ""},
		{"deletions merged away", http.MethodPost, index + "/_forcemerge", url.Values{"only_expunge_deletes": {"true"}}, ""},
		{"merged into one segment", http.MethodPost, index + "/_forcemerge", url.Values{"max_num_segments": {"1"}}, ""},
		{"a replica more", http.MethodPut, index + "/_settings", nil, `{"index.number_of_replicas":1}`},
		{"a replica less", http.MethodPut, index + "/_settings", nil, `{"index.number_of_replicas":0}`},
		{"searches may go further", http.MethodPut, index + "/_settings", nil, `{"index.max_result_window":20000}`},
		{"the disk is full", http.MethodPut, index + "/_settings", nil, `{"index.blocks.read_only_allow_delete":true}`},
		{"the disk has room", http.MethodPut, index + "/_settings", nil, `{"index.blocks.read_only_allow_delete":null}`},
		{"closed", http.MethodPost, index + "/_close", nil, ""},
	} {
		must(t, s.c, step.method, step.path, step.query, []byte(step.body))
		if step.name != "closed" {
			s.wantSame(t, step.name, filings-100)
		}
	}
	if r, err := s.look(t); err != nil || r.Generation() != live {
		t.Errorf("closed: %v, which a search has to say", err)
	}
	must(t, s.c, http.MethodPost, index+"/_open", url.Values{"wait_for_active_shards": {"1"}}, nil)
	must(t, s.c, http.MethodGet, "/_cluster/health"+index, url.Values{"wait_for_status": {"yellow"}}, nil)
	s.wantSame(t, "opened again", filings-100)
	if next := updated(t, l, live, filings); next != "" {
		swap(t, s.Store, live, next)
		s.wantSame(t, "an update of the update", filings-100)
	}
}

// updated returns an update of a generation, of which it lacks the first hundred filings and has a fifth anew.
func updated(t testing.TB, l generation.Lock, from string, filings int64) string {
	t.Helper()
	b, err := l.Begin(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	for id := range filings {
		if id < 100 {
			err = b.Remove(t.Context(), id+1)
		} else if id%5 == 0 {
			err = b.Put(t.Context(), filing(id+1, "CHANGED"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	seal(t, b)
	return b.Generation()
}

// TestX24_Restored: a generation that was deleted and came back from a snapshot is the one that was sealed.
func TestX24_Restored(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	folder := repository(t, s)
	repo := "/_snapshot/" + s.alias
	must(t, s.c, http.MethodPut, repo, nil, fmt.Appendf(nil, `{"type":"fs","settings":{"location":%q}}`, folder))
	t.Cleanup(func() {
		for _, path := range []string{repo + "/all", repo} {
			if err := s.c.Write(context.Background(), nil, elastictest.Request{Method: http.MethodDelete, Path: path}); err != nil {
				t.Error(err)
			}
		}
		_ = os.RemoveAll(folder) // which may be another user's
	})
	l := s.lock(t)
	live := updated(t, l, sealedWith(t, l, "BEFORE", 1_000), 1_000)
	swap(t, s.Store, "", live)
	s.wantSame(t, "before", 900)
	wait := url.Values{"wait_for_completion": {"true"}}
	must(t, s.c, http.MethodPut, repo+"/all", wait, fmt.Appendf(nil, `{"indices":%q,"include_global_state":false}`, live+"*"))
	s.delete(t, live, 1_000)
	s.wantChanged(t, live, "has 0 documents")
	must(t, s.c, http.MethodDelete, "/"+live, nil, nil)
	must(t, s.c, http.MethodPost, repo+"/all/_restore", wait, fmt.Appendf(nil, `{"indices":%q}`, live))
	must(t, s.c, http.MethodGet, "/_cluster/health/"+live, url.Values{"wait_for_status": {"yellow"}}, nil)
	s.wantSame(t, "restored", 900)
}

// repository returns a folder in which Elasticsearch may have a repository of snapshots.
func repository(t *testing.T, s testStore) string {
	t.Helper()
	var found struct {
		Nodes map[string]struct{ Settings map[string]json.RawMessage }
	}
	body := must(t, s.c, http.MethodGet, "/_nodes/settings", url.Values{"flat_settings": {"true"}}, nil)
	if err := json.Unmarshal(body, &found); err != nil {
		t.Fatal(err)
	}
	for _, node := range found.Nodes {
		var one string
		var many []string
		if json.Unmarshal(node.Settings["path.repo"], &one) == nil && one != "" {
			return filepath.Join(one, s.alias)
		}
		if json.Unmarshal(node.Settings["path.repo"], &many) == nil && len(many) > 0 {
			return filepath.Join(many[0], s.alias)
		}
	}
	servers.Lack(t, "Elasticsearch has no folder for snapshots (path.repo); `make test` starts one that has")
	return ""
}
