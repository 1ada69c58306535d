package elastic

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/elastic/document"
	"filings/index/elastic/elastictest"
	"filings/index/indextest"
)

// manyCounties returns n filings of 40 counties, which are many for manyStore.
func manyCounties(n int) []*index.Filing {
	all := elastictest.Filings(n)
	for i, f := range all {
		f.SetText(index.County, fmt.Sprintf("County %d, FL", i%40))
	}
	return all
}

func manyStore(t *testing.T) testStore {
	s := newTestStore(t)
	s.fewCounties, s.countiesADocument = 30, 7
	return s
}

// wantCounties compares the counties of a generation, and what is found by their names, as a process reads them that has
// just begun. It returns whether Elasticsearch had to count them.
func (s testStore) wantCounties(t *testing.T, generation string, filings []*index.Filing) (counted bool) {
	t.Helper()
	var faults elastictest.Faults
	faults.Always("/_search", func(req *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
		body, _ := io.ReadAll(req.Body)
		req.Body = io.NopCloser(bytes.NewReader(body))
		counted = counted || bytes.Contains(body, []byte(`"field":"county"`))
		return send()
	})
	r, err := s.again(t, &faults).Open(t.Context(), generation)
	if err != nil {
		t.Fatal(err)
	}
	o := indextest.NewOracle(generation, filings)
	for _, term := range []string{"county 1", "alder", "y 3"} {
		w := index.Where(index.Contains{Text: index.SearchText(term)})
		want, _ := o.Count(t.Context(), w)
		if got, err := r.Count(t.Context(), w); got != want || err != nil {
			t.Errorf("%q: %d, %v, want %d", term, got, err, want)
		}
	}
	want, _ := o.Counties(t.Context())
	got, err := r.Counties(t.Context())
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("counties: %v (-want +got)\n%s", err, diff)
	}
	return counted
}

func (s testStore) exists(t *testing.T, name string) bool {
	t.Helper()
	_, err := s.describe(t.Context(), name)
	if err != nil && !errors.Is(err, index.ErrGone) {
		t.Fatal(err)
	}
	return err == nil
}

// TestSeal_ManyCountiesAreKept: many counties are counted once, when the generation is sealed, and never by a request. They
// go when their generation goes.
func TestSeal_ManyCountiesAreKept(t *testing.T) {
	t.Parallel()
	s := manyStore(t)
	filings := manyCounties(200)
	l := s.lock(t)
	b, err := l.Begin(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range filings {
		put(t, b, f)
	}
	seal(t, b)
	first := b.Generation()
	if s.wantCounties(t, first, filings) {
		t.Error("a request had the counties counted")
	}

	// An update has counties of its own.
	if b, err = l.Begin(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	put(t, b, filing(201, "A")) // of Orange, FL
	if err := b.Remove(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	seal(t, b)
	second := b.Generation()
	if s.wantCounties(t, second, append(filings[1:200:200], filing(201, "A"))) {
		t.Error("a request had the counties of an update counted")
	}

	if err := l.Delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		first: false, document.SidecarIndex(first): false, second: true, document.SidecarIndex(second): true,
	} {
		if got := s.exists(t, name); got != want {
			t.Errorf("%s is there: %v, want %v", name, got, want)
		}
	}
	if all, err := s.Generations(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("generations %v, %v", all, err)
	}
}

// TestSeal_CountiesWithoutTheirIndex: an operator who deletes the index loses time, and no data.
func TestSeal_CountiesWithoutTheirIndex(t *testing.T) {
	t.Parallel()
	s := manyStore(t)
	filings := manyCounties(80)
	name, err := indextest.Load(t.Context(), s, slices.Values(filings))
	if err != nil {
		t.Fatal(err)
	}
	must(t, s.c, http.MethodDelete, "/"+document.SidecarIndex(name), nil, nil)
	if !s.wantCounties(t, name, filings) {
		t.Error("who counted?")
	}
}
