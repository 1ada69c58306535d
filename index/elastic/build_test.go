package elastic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/elastic/go-elasticsearch/v8/esapi"
	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/elastic/elastictest"
	"filings/index/generation"
	"filings/mappings"
)

func TestL7_UpdateIsACopy(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	l := s.lock(t)
	first := sealedWith(t, l, "A", 6)

	b, err := l.Begin(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	if b.Generation() <= first {
		t.Errorf("%s does not sort after %s, though the clock stands still", b.Generation(), first)
	}
	if _, err := s.Open(t.Context(), b.Generation()); !errors.Is(err, index.ErrNotFound) {
		t.Errorf("a clone counts as sealed before it is: %v", err)
	}
	put(t, b, filing(2, "B"))
	put(t, b, filing(3, "B"))
	put(t, b, filing(7, "B"))
	for _, id := range []int64{1, 3, 99} {
		if err := b.Remove(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	sum := seal(t, b)
	want := map[int64]string{2: "B", 4: "A", 5: "A", 6: "A", 7: "B"}
	if diff := cmp.Diff(want, s.owners(t, b.Generation())); diff != "" {
		t.Errorf("updated generation (-want +got):\n%s", diff)
	}
	if sum.Filings != 5 || sum.Counties["Orange, FL"].SumCents != 2400 {
		t.Errorf("checksum %+v", sum)
	}
	if diff := cmp.Diff(sameOwner("A", 6), s.owners(t, first)); diff != "" {
		t.Errorf("copied generation (-want +got):\n%s", diff)
	}

	// A second copy: versions go on where those of the first ended.
	c, err := l.Begin(t.Context(), b.Generation())
	if err != nil {
		t.Fatal(err)
	}
	want = maps.Clone(want)
	for _, id := range []int64{1, 2} {
		put(t, c, filing(id, "C"))
		want[id] = "C"
	}
	seal(t, c)
	if diff := cmp.Diff(want, s.owners(t, c.Generation())); diff != "" {
		t.Errorf("copy of a copy (-want +got):\n%s", diff)
	}
}

func TestSeal_LeavesNothingOfTheLoadBehind(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	s.shards, s.replicas = 2, 1 // the one node that tests have cannot hold a replica: Seal must not wait for it
	l := s.lock(t)
	first := sealedWith(t, l, "A", 40)
	b, err := l.Begin(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	seal(t, b)
	for _, name := range []string{first, b.Generation()} {
		want := map[string]any{
			"index.number_of_shards": "2", "index.number_of_replicas": "1", "index.blocks.write": "true",
		}
		got := s.settings(t, name)
		for _, setting := range []string{"index.refresh_interval", "index.gc_deletes"} {
			if v, ok := got[setting]; ok {
				t.Errorf("%s: %s is still %v", name, setting, v)
			}
		}
		for setting := range got {
			if _, ok := want[setting]; !ok {
				delete(got, setting)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: settings (-want +got):\n%s", name, diff)
		}
		for shard, n := range s.segments(t, name) {
			if name == first && n > 1 {
				t.Errorf("%s: shard %s has %d segments", name, shard, n)
			}
		}
	}
	err = s.c.Write(t.Context(), nil, esapi.IndexRequest{Index: first, DocumentID: "1", Body: strings.NewReader(`{"id":1}`)})
	if err == nil || !strings.Contains(err.Error(), "block") {
		t.Errorf("writing to a sealed generation: %v", err)
	}
	if err := b.Put(t.Context(), filing(1, "B")); err == nil {
		t.Error("a filing was put after Seal")
	}
	if _, err := b.Seal(t.Context(), nil); err == nil {
		t.Error("a generation was sealed twice")
	}
}

func (s testStore) settings(t testing.TB, name string) map[string]any {
	t.Helper()
	var response map[string]struct{ Settings map[string]any }
	text := must(t, s.c, http.MethodGet, "/"+name+"/_settings", map[string][]string{"flat_settings": {"true"}}, nil)
	if err := json.Unmarshal(text, &response); err != nil {
		t.Fatal(err)
	}
	return response[name].Settings
}

// segments returns how many segments each primary shard has.
func (s testStore) segments(t testing.TB, name string) map[string]int {
	t.Helper()
	var response struct {
		Indices map[string]struct {
			Shards map[string][]struct{ Segments map[string]any }
		}
	}
	if err := json.Unmarshal(must(t, s.c, http.MethodGet, "/"+name+"/_segments", nil, nil), &response); err != nil {
		t.Fatal(err)
	}
	n := map[string]int{}
	for shard, copies := range response.Indices[name].Shards {
		n[shard] = len(copies[0].Segments)
	}
	if len(n) == 0 {
		t.Fatal("there are no shards")
	}
	return n
}

func TestSeal_Check(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	l := s.lock(t)
	wrong := errors.New("not what was read")
	tests := []struct {
		name  string
		check func() error
		want  error
	}{
		{"fine", func() error { return nil }, nil},
		{"wrong", func() error { return wrong }, wrong},
		{"the lock is lost meanwhile", func() error { s.clock.Advance(generation.LockTTL); s.lock(t); return nil }, generation.ErrLockLost},
	}
	for _, test := range tests {
		b, err := l.Begin(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		put(t, b, filing(1, "A"))
		checked := false
		_, err = b.Seal(t.Context(), func(ctx context.Context, r index.Reader, holds index.Counts) error {
			checked = true
			stats, err := r.Stats(ctx)
			if err != nil || stats.Owners != 1 || stats.Filings != 1 || holds.Filings != 1 || r.Generation() != b.Generation() {
				t.Errorf("%s: the check sees %s with %+v, %v and %+v", test.name, r.Generation(), stats, err, holds)
			}
			if _, err := s.Open(ctx, b.Generation()); !errors.Is(err, index.ErrNotFound) {
				t.Errorf("%s: sealed before it was checked: %v", test.name, err)
			}
			return test.check()
		})
		if !checked || !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, err, test.want)
		}
		if _, err := s.Open(t.Context(), b.Generation()); (err == nil) != (test.want == nil) {
			t.Errorf("%s: opening it: %v", test.name, err)
		}
	}
}

func TestBuild_EmptyGeneration(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	b, err := s.lock(t).Begin(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	want := index.NewCounts()
	want.WithoutFields = true // what is sealed is counted without them
	if diff := cmp.Diff(want, seal(t, b)); diff != "" {
		t.Errorf("checksum (-want +got):\n%s", diff)
	}
	swap(t, s.Store, "", b.Generation())
}

func TestBegin_OnlyFromSealedGenerations(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	l := s.lock(t)
	unsealed, err := l.Begin(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for from, want := range map[string]error{
		unsealed.Generation():       index.ErrNotFound,
		unsealed.Generation() + "1": index.ErrNotFound,
		s.catalogIndex():            index.ErrNotFound,
		"*":                         index.ErrNotFound,
	} {
		if _, err := l.Begin(t.Context(), from); !errors.Is(err, want) {
			t.Errorf("from %q: got %v, want %v", from, err, want)
		}
	}
	if all, err := s.Generations(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("generations %v, %v", all, err)
	}
}

func TestAbort(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	l := s.lock(t)
	b, err := l.Begin(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	put(t, b, filing(1, "A"))
	if err := b.Abort(t.Context()); err != nil {
		t.Fatal(err)
	}
	if all, err := s.Generations(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("generations %v, %v", all, err)
	}
	if err := b.Put(t.Context(), filing(2, "A")); !errors.Is(err, errAborted) {
		t.Errorf("putting after Abort: %v", err)
	}
	if _, err := b.Seal(t.Context(), nil); err == nil {
		t.Error("an aborted generation was sealed")
	}
}

// The next load sweeps away what a load without a lock is still filling. Its writes must not bring the index back.
func TestBuild_WritesToADeletedGeneration(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	s.batchBytes = 1
	b, err := s.lock(t).Begin(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(generation.LockTTL)
	heir := s.lock(t)
	if err := heir.Delete(t.Context(), b.Generation()); err != nil {
		t.Fatal(err)
	}
	err = b.Put(t.Context(), filing(1, "A"))
	if err == nil {
		_, err = b.Seal(t.Context(), nil)
	}
	if !errors.Is(err, generation.ErrLockLost) {
		t.Errorf("got %v, want %v", err, generation.ErrLockLost)
	}
	if err := b.Abort(t.Context()); !errors.Is(err, generation.ErrLockLost) {
		t.Errorf("aborting: got %v, want %v", err, generation.ErrLockLost)
	}
	if all, err := s.Generations(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("generations %v, %v", all, err)
	}
}

func TestBuild_LostResponses(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	net := &elastictest.Faults{}
	l := s.through(t, net).lock(t)
	// Each kind of request, once; those of the bulk are in TestBulk_Faults. The first is the one that creates the index.
	for _, part := range []string{
		fmt.Sprintf("-v%d", mappings.Version), "/_cluster/health/", "/_block/write", "/_forcemerge", "/_refresh", "/_settings",
	} {
		net.On(part, elastictest.CutAfter)
	}
	// A read is sent again once by itself, and then by the build that needs it.
	net.On("/_search", elastictest.CutAfter, elastictest.CutAfter)
	net.On("-sidecar/_bulk", elastictest.CutAfter)
	net.On("-sidecar/_mget", elastictest.CutAfter, elastictest.CutAfter)
	net.On("/_mapping", elastictest.CutAfter) // of the last step
	first := sealedWith(t, l, "A", 3)
	if n := net.Left(); n != 0 {
		t.Errorf("%d faults did not happen", n)
	}
	net.On("/_clone/", elastictest.CutAfter, elastictest.CutAfter)
	b, err := l.Begin(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	seal(t, b)
	for _, name := range []string{first, b.Generation()} {
		if diff := cmp.Diff(sameOwner("A", 3), s.owners(t, name)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
