package serving

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"filings/index"
	"filings/index/cache"
	"filings/index/indextest"
)

// keeping is an engine with generations of one filing each, the last of which is live. It counts what it is asked for.
type keeping struct {
	mu           sync.Mutex
	names        []string // the oldest first
	taken        string   // if not "", Live takes it for live, until a search in it finds it gone
	fail         error
	lists, opens atomic.Int64
	history      indextest.History
}

func (e *keeping) Live(context.Context) (index.Reader, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.taken != "" {
		return pruned{indextest.NewOracle(e.taken, filings(1)), e}, nil
	}
	return indextest.NewOracle(e.names[len(e.names)-1], filings(1)), nil
}

// pruned is a generation that another process pruned, as Elasticsearch has it: the first search tells.
type pruned struct {
	index.Reader
	engine *keeping
}

func (r pruned) Rows(context.Context, index.Query) (index.Page, error) {
	r.engine.mu.Lock()
	defer r.engine.mu.Unlock()
	r.engine.taken = ""
	return index.Page{}, index.ErrGone
}

func (e *keeping) Withdrawn(context.Context, string) (bool, error) { return false, nil }

func (e *keeping) Kept(context.Context) (kept []index.Generation, _ error) {
	e.lists.Add(1)
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, name := range slices.Backward(e.names) {
		kept = append(kept, index.Generation{Name: name, Filings: 1, Live: i == len(e.names)-1})
	}
	return kept, e.fail
}

func (e *keeping) Open(_ context.Context, name string) (index.Reader, error) {
	e.opens.Add(1)
	e.mu.Lock()
	defer e.mu.Unlock()
	if !slices.Contains(e.names, name) {
		return nil, index.ErrNotFound
	}
	return indextest.NewOracle(name, filings(1)), nil
}

func (e *keeping) Changesets(ctx context.Context) ([]index.Changeset, error) {
	e.lists.Add(1)
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.history.Changesets(ctx)
}

func (e *keeping) Changes(ctx context.Context, q index.ChangeQuery) (index.ChangePage, error) {
	e.opens.Add(1)
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.history.Changes(ctx, q)
}

func (e *keeping) set(names ...string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.names = names
}

func nameOf(n int) string { return fmt.Sprintf("f-20260101-0000%02d.000000-v1", n) }

func idOf(n int) string { return index.GenerationID(nameOf(n)) }

// newKeeping returns an engine with the generations 1 to n, served by a clock.
func newKeeping(t *testing.T, n int) (*keeping, *Engine, *indextest.Clock) {
	t.Helper()
	inner, clock := &keeping{}, indextest.NewClock(time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))
	for i := range n {
		inner.names = append(inner.names, nameOf(i+1))
	}
	e, err := New(inner, Config{Cache: cache.New(1 << 20), Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	return inner, e, clock
}

func wantAt(t *testing.T, e *Engine, n int) {
	t.Helper()
	if r, err := e.At(t.Context(), idOf(n)); err != nil || r.Generation() != nameOf(n) {
		t.Errorf("%s: %v, %v", idOf(n), r, err)
	}
}

func wantNot(t *testing.T, e *Engine, n int) {
	t.Helper()
	if _, err := e.At(t.Context(), idOf(n)); !errors.Is(err, index.ErrGone) {
		t.Errorf("%s: %v, want ErrGone", idOf(n), err)
	}
}

func (e *keeping) want(t *testing.T, when string, lists, opens int64) {
	t.Helper()
	if l, o := e.lists.Load(), e.opens.Load(); l != lists || o != opens {
		t.Errorf("%s: listed %d times and opened %d, want %d and %d", when, l, o, lists, opens)
	}
}

// TestX2_BoundedWork: the list is read once a second, and a generation is opened once, however many requests pin it.
func TestX2_BoundedWork(t *testing.T) {
	t.Parallel()
	inner, e, clock := newKeeping(t, 3)
	for range 50 {
		wantAt(t, e, 1)
		wantAt(t, e, 3) // which is live: it has a reader already
	}
	inner.want(t, "pinned", 1, 1)
	for range 50 {
		wantNot(t, e, 0) // older than what is kept: it cannot come any more
	}
	inner.want(t, "unknown", 1, 1)
	wantNot(t, e, 4)
	inner.want(t, "unknown, and newer", 2, 1)
	clock.Advance(time.Second)
	wantAt(t, e, 1)
	inner.want(t, "a second later", 3, 1)
}

// TestX2_NewAtOnce: a generation that another process has named already is found before the list is a second old.
func TestX2_NewAtOnce(t *testing.T) {
	t.Parallel()
	inner, e, _ := newKeeping(t, 1)
	wantAt(t, e, 1)
	inner.set(nameOf(1), nameOf(2))
	wantAt(t, e, 2)
	kept, err := live(t, e).Kept(t.Context())
	if err != nil || len(kept) != 2 || !kept[0].Live || kept[1].Live {
		t.Errorf("%v, %v", kept, err)
	}
	inner.set(nameOf(1), nameOf(2), nameOf(3))
	if kept, err = live(t, e).Kept(t.Context()); err != nil || len(kept) != 3 || !kept[0].Live || kept[1].Live {
		t.Errorf("with the live one of now: %v, %v", kept, err)
	}
}

// TestX2_ReadersAreBounded: few readers stay open, those used last; none of a generation that was pruned; none at all
// after a minute without a request that pins.
func TestX2_ReadersAreBounded(t *testing.T) {
	t.Parallel()
	inner, e, clock := newKeeping(t, 5)
	open := func() (names []string) {
		e.generations.mu.Lock()
		defer e.generations.mu.Unlock()
		for _, r := range e.generations.pinned {
			names = append(names, r.Generation())
		}
		return names
	}
	for _, n := range []int{1, 2, 1, 3, 1} {
		wantAt(t, e, n)
	}
	if got := open(); !slices.Equal(got, []string{nameOf(1), nameOf(3)}) {
		t.Errorf("open: %v", got)
	}
	inner.want(t, "in turn", 1, 3)
	inner.set(nameOf(1), nameOf(4), nameOf(5))
	clock.Advance(time.Second)
	wantAt(t, e, 1)
	if got := open(); !slices.Equal(got, []string{nameOf(1)}) {
		t.Errorf("open after a pruning: %v", got)
	}
	clock.Advance(idleTime - time.Second)
	live(t, e)
	if got := open(); len(got) != 1 {
		t.Errorf("closed too early: %v", got)
	}
	clock.Advance(time.Second)
	live(t, e)
	if got := open(); len(got) != 0 {
		t.Errorf("open after a minute: %v", got)
	}
}

// TestX2_ListFails: an engine that does not respond is no generation that is gone, and the failure is not kept.
func TestX2_ListFails(t *testing.T) {
	t.Parallel()
	inner, e, _ := newKeeping(t, 1)
	inner.fail = fmt.Errorf("list: %w", index.ErrUnavailable)
	if _, err := e.At(t.Context(), idOf(1)); !errors.Is(err, index.ErrUnavailable) || errors.Is(err, index.ErrGone) {
		t.Error(err)
	}
	inner.fail = nil
	wantAt(t, e, 1)
}

func BenchmarkAt(b *testing.B) {
	inner := &keeping{names: []string{nameOf(1), nameOf(2), nameOf(3)}}
	e := mustNew(inner, 1<<20)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.At(b.Context(), idOf(1)); err != nil {
			b.Fatal(err)
		}
	}
}

// TestX1_PrunedByAnother: a swap and a pruning by another process are seen once something fails for them. The list of
// generations is enough for that: who asks again, as the service does, gets it.
func TestX1_PrunedByAnother(t *testing.T) {
	t.Parallel()
	inner, e, _ := newKeeping(t, 3)
	inner.taken = nameOf(0)
	if _, err := live(t, e).Kept(t.Context()); !errors.Is(err, index.ErrGone) {
		t.Errorf("of what was pruned: %v, want ErrGone", err)
	}
	if kept, err := live(t, e).Kept(t.Context()); err != nil || len(kept) != 3 || !kept[0].Live {
		t.Errorf("asked again: %v, %v", kept, err)
	}
}
