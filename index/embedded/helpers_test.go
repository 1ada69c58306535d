package embedded

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/generation"
	"filings/index/indextest"
	"filings/index/synthetic"
)

// noon is what the clocks of the tests show. They stand still.
func noon() time.Time { return time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC) }

// openStore opens the store in dir, as a process of its own would. It sees at once what others do there.
func openStore(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(Config{Dir: dir, Index: "filings", Now: noon})
	if err != nil {
		t.Fatal(err)
	}
	s.LiveFor = 0
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// synthetics returns n synthetic filings.
func synthetics(n int, seed uint64) []*index.Filing {
	source := synthetic.New(seed)
	all := make([]*index.Filing, n)
	for i := range all {
		all[i] = &index.Filing{}
		source.Next(all[i])
	}
	return all
}

// load makes filings the live generation and returns its name.
func load(t testing.TB, s *Store, filings []*index.Filing) string {
	t.Helper()
	name, err := indextest.Load(t.Context(), s, slices.Values(filings))
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func lockStore(t testing.TB, s *Store) generation.Lock {
	t.Helper()
	l, err := s.Lock(t.Context(), generation.Run{Holder: "a test", Started: noon(), Phase: "loading"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Release(t.Context()) }) // for tests that fail before they release it
	return l
}

// begin begins a generation and puts filings into it.
func begin(t testing.TB, l generation.Lock, from string, filings ...*index.Filing) generation.Build {
	t.Helper()
	b, err := l.Begin(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range filings {
		if err := b.Put(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func liveReader(t testing.TB, s *Store) index.Reader {
	t.Helper()
	r, err := s.Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// compare sends the same query to got and want and compares the responses.
func compare(t testing.TB, want, got index.Reader, q index.Query) {
	t.Helper()
	ctx := t.Context()
	wantCount, err1 := want.Count(ctx, q.Where)
	gotCount, err2 := got.Count(ctx, q.Where)
	wantRows, err3 := want.Rows(ctx, q)
	gotRows, err4 := got.Rows(ctx, q)
	for _, err := range []error{err1, err2, err3, err4} {
		if err != nil {
			t.Fatalf("%v: %v", q, err)
		}
	}
	if wantCount != gotCount {
		t.Errorf("%v: count %d, want %d", q, gotCount, wantCount)
	}
	if diff := cmp.Diff(texts(wantRows.Records), texts(gotRows.Records)); diff != "" {
		t.Errorf("%v (-want +got):\n%s", q, diff)
	}
}

func texts(records []index.Record) []string {
	var all []string
	for _, r := range records {
		all = append(all, string(r))
	}
	return all
}

// allOrders returns the ten orders.
func allOrders() (all []index.Sort) {
	for _, by := range index.SortFields {
		all = append(all, index.Sort{Field: by}, index.Sort{Field: by, Ascending: true})
	}
	return all
}
