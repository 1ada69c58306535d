package elastic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sync/errgroup"

	"filings/index"
	"filings/index/elastic/document"
	"filings/index/generation"
	"filings/mappings"
)

// bare returns a sealed generation without filings, begun at the given microsecond of 2026.
func (s testStore) bare(t testing.TB, micro int) string {
	t.Helper()
	begun := time.Date(2026, 1, 1, 0, 0, 0, micro*1000, time.UTC)
	name := generation.Name(s.alias, begun, mappings.Version)
	s.makeIndex(t, name, document.Meta{Generation: name})
	s.enter(t, generation.Entry{Name: name, State: generation.Sealed})
	return name
}

// enter adds a generation to the catalog, as the newest.
func (s testStore) enter(t testing.TB, e generation.Entry) {
	t.Helper()
	s.rewrite(t, func(c *generation.Catalog) { c.Generations = slices.Insert(c.Generations, 0, e) })
}

// rewrite changes the catalog document.
func (s testStore) rewrite(t testing.TB, change func(c *generation.Catalog)) {
	t.Helper()
	d, err := s.Load(t.Context(), generation.CatalogDocument)
	if err != nil {
		t.Fatal(err)
	}
	c := generation.Catalog{Form: 1}
	if d.Revision != "" {
		if err := json.Unmarshal(d.Body, &c); err != nil {
			t.Fatal(err)
		}
	}
	change(&c)
	if d.Body, err = json.Marshal(c); err == nil {
		err = s.Replace(t.Context(), generation.CatalogDocument, d)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (s testStore) makeIndex(t testing.TB, name string, m document.Meta) {
	t.Helper()
	body, err := json.Marshal(map[string]any{
		"settings": map[string]any{"number_of_shards": 1, "number_of_replicas": 0},
		"mappings": map[string]any{"_meta": m},
	})
	if err != nil {
		t.Fatal(err)
	}
	must(t, s.c, http.MethodPut, "/"+name, nil, body)
}

// point adds the store's alias to an index as an operator might: whatever it points at already.
func (s testStore) point(t testing.TB, name string) {
	t.Helper()
	must(t, s.c, http.MethodPut, "/"+name+"/_alias/"+s.alias, nil, nil)
}

func swap(t testing.TB, s *Store, from, to string) {
	t.Helper()
	if err := s.Swap(t.Context(), from, to); err != nil {
		t.Fatal(err)
	}
}

// wantLive checks which generation is live in Elasticsearch: in the catalog, and, unless a change
// is on its way, by its alias.
func (s testStore) wantLive(t testing.TB, want, when string) {
	t.Helper()
	if got := s.committed(t); got != want {
		t.Fatalf("%s: live is %q, want %q", when, got, want)
	}
	if got := s.behind(t); !slices.Equal(got, []string{want}) && want != "" {
		t.Errorf("%s: behind the alias are %v, want %s", when, got, want)
	}
}

// committed returns what the catalog says is live.
func (s testStore) committed(t testing.TB) (live string) {
	t.Helper()
	all, err := s.Generations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range all {
		if g.Live {
			live = g.Name
		}
	}
	return live
}

func TestL7_SwapChangesNothingUnlessAllIsAsExpected(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	a, b := s.bare(t, 1), s.bare(t, 2)
	at := func(second, version int) string {
		return generation.Name(s.alias, time.Date(2026, 1, 1, 0, 0, second, 0, time.UTC), version)
	}
	unsealed, inherited, unknown := at(3, mappings.Version), at(4, mappings.Version), at(6, mappings.Version)
	s.makeIndex(t, unsealed, document.Meta{})
	s.makeIndex(t, inherited, document.Meta{Generation: a}) // as a clone of a begins
	s.makeIndex(t, unknown, document.Meta{Generation: unknown})
	newer := at(5, mappings.Version+1)
	s.makeIndex(t, newer, document.Meta{Generation: newer})
	s.enter(t, generation.Entry{Name: unsealed, State: generation.Building})
	s.enter(t, generation.Entry{Name: inherited, State: generation.Building})
	s.enter(t, generation.Entry{Name: newer, State: generation.Sealed})
	missing := at(7, mappings.Version)
	s.enter(t, generation.Entry{Name: missing, State: generation.Sealed}) // an operator deleted its index
	other := s.alias + "-other"
	s.makeIndex(t, other, document.Meta{Generation: other})

	swap(t, s.Store, "", a)
	tests := []struct {
		name, from, to string
		want           error // nil: any error
	}{
		{"from another one", b, a, generation.ErrConflict},
		{"from none", "", b, generation.ErrConflict},
		{"from none to the live one", "", a, generation.ErrConflict},
		{"from one that never was", missing, b, generation.ErrConflict},
		{"to one that is not there", a, missing, index.ErrNotFound},
		{"to an unsealed one", a, unsealed, index.ErrNotFound},
		{"to a clone that is not sealed itself", a, inherited, index.ErrNotFound},
		{"to one that a load finished without its lock", a, unknown, index.ErrNotFound},
		{"to one of another mapping", a, newer, nil},
		{"to an index that is no generation", a, other, index.ErrNotFound},
	}
	for _, test := range tests {
		err := s.Swap(t.Context(), test.from, test.to)
		if err == nil || test.want != nil && !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, err, test.want)
		}
		s.wantLive(t, a, test.name)
	}
	swap(t, s.Store, a, b)
	s.wantLive(t, b, "after a proper swap")
}

// Many swap at once, and each has seen the same one live: Elasticsearch has to let exactly one of them through.
func TestL7_OfConcurrentSwapsOneWins(t *testing.T) {
	t.Parallel()
	const swappers, rounds = 4, 5
	s := newTestStore(t)
	var choices []string
	for i := range swappers {
		choices = append(choices, s.bare(t, i+1))
	}
	live := ""
	for round := range rounds {
		var won atomic.Pointer[string]
		var wins atomic.Int64
		var swapping errgroup.Group
		for _, to := range choices {
			if to == live {
				continue
			}
			swapping.Go(func() error {
				err := s.again(t, nil).Swap(t.Context(), live, to)
				if err == nil {
					wins.Add(1)
					won.Store(&to)
				} else if !errors.Is(err, generation.ErrConflict) {
					return fmt.Errorf("%s: %w", to, err)
				}
				return nil
			})
		}
		if err := swapping.Wait(); err != nil {
			t.Fatal(err)
		}
		if wins.Load() != 1 {
			t.Fatalf("round %d: %d swaps won", round, wins.Load())
		}
		s.wantLive(t, *won.Load(), "after the winner's swap")
		live = *won.Load()
	}
}

// TestReplace: of many who replace the same revision of the catalog one does, and the first one is made once.
func TestReplace(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	for round := range 5 {
		d, err := s.Load(t.Context(), generation.CatalogDocument)
		if err != nil {
			t.Fatal(err)
		}
		if is := d.Revision != ""; is != (round > 0) {
			t.Fatalf("round %d: there is a document: %v", round, is)
		}
		var replaced atomic.Int64
		var replacing errgroup.Group
		for i := range 6 {
			replacing.Go(func() error {
				body := fmt.Appendf(nil, `{"form":1,"newest":"%d of %d"}`, i, round)
				mine := generation.Document{Body: body, Revision: d.Revision}
				err := s.again(t, nil).storage.Retry(t.Context(), func(ctx context.Context) error {
					return s.Replace(ctx, generation.CatalogDocument, mine)
				})
				if err == nil {
					replaced.Add(1)
				} else if !errors.Is(err, generation.ErrStale) {
					return err
				}
				return nil
			})
		}
		if err := replacing.Wait(); err != nil || replaced.Load() != 1 {
			t.Errorf("round %d: %d replaced it, %v", round, replaced.Load(), err)
		}
	}
	s.deleteAll(t)
	stale := generation.Document{Body: []byte("{}"), Revision: "7/1"}
	if err := s.Replace(t.Context(), generation.CatalogDocument, stale); !errors.Is(err, generation.ErrStale) {
		t.Errorf("where it was deleted: %v", err)
	}
	if s.exists(t, s.catalogIndex()) {
		t.Error("an index was made by the way")
	}
}

func TestGenerations(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	got, err := s.Generations(t.Context())
	if err != nil || len(got) != 0 {
		t.Fatalf("in an empty store: %v, %v", got, err)
	}
	// Of others: a store whose name begins like this one's, and an index of another program.
	neighbor := generation.Name(s.alias+"-b", time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), 1)
	s.makeIndex(t, neighbor, document.Meta{Generation: neighbor})
	s.makeIndex(t, s.alias+"-other", document.Meta{})

	l := s.lock(t)
	first := sealedWith(t, l, "A", 3)
	swap(t, s.Store, "", first)
	b, err := l.Begin(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	got, err = s.Generations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(got) == 2 && got[1].Bytes <= 0 {
		t.Errorf("%s is said to take %d bytes", got[1].Name, got[1].Bytes)
	}
	began := s.clock.Now()
	want := []generation.Info{
		{Name: b.Generation(), CreatedAt: began.Add(time.Microsecond), Filings: 3},
		{Name: first, CreatedAt: began, Filings: 3, Live: true, Sealed: true},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(generation.Info{}, "Bytes")); diff != "" {
		t.Errorf("generations (-want +got):\n%s", diff)
	}
}

func TestOpen_OnlySealedGenerations(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	sealed := s.bare(t, 1)
	if r, err := s.Open(t.Context(), sealed); err != nil || r.Generation() != sealed {
		t.Errorf("got %v, %v", r, err)
	}
	unsealed := generation.Name(s.alias, time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), mappings.Version)
	s.makeIndex(t, unsealed, document.Meta{})
	for _, name := range []string{"", "*", s.alias, sealed + "1", unsealed, sealed + "," + unsealed} {
		if _, err := s.Open(t.Context(), name); !errors.Is(err, index.ErrNotFound) {
			t.Errorf("%q: got %v, want %v", name, err, index.ErrNotFound)
		}
	}
}

func (s testStore) exists(t *testing.T, name string) bool {
	t.Helper()
	_, err := s.describe(t.Context(), name)
	if err != nil && !errors.Is(err, index.ErrGone) {
		t.Fatal(err)
	}
	return err == nil
}
