package generation_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"filings/index"
	"filings/index/generation"
	"filings/index/indextest"
)

// viewed is the store of a service, which counts the calls of its storage, and what others made.
type viewed struct {
	*indextest.MemoryStore
	shared *shared
	names  []string // of generations, the oldest first; the last one is live
	fail   atomic.Pointer[string]
	lists  atomic.Int64
	opens  atomic.Int64
}

// newViewed returns one with n generations of one filing each.
func newViewed(t testing.TB, n int) *viewed {
	t.Helper()
	v := &viewed{shared: newShared()}
	for range n {
		v.load(t)
	}
	v.MemoryStore = v.shared.open(func(call string) error {
		if failing := v.fail.Load(); failing != nil && *failing == call {
			return fmt.Errorf("%s: %w", call, index.ErrUnavailable)
		}
		switch call {
		case "Parts":
			v.lists.Add(1)
		case "Reader":
			v.opens.Add(1)
		}
		return nil
	}, nil)
	v.LiveFor = time.Second
	return v
}

// load makes another generation live, as another process does.
func (v *viewed) load(t testing.TB) {
	t.Helper()
	v.shared.clock.Advance(time.Second)
	f := &index.Filing{ID: 1}
	name, err := indextest.Load(context.Background(), v.shared.open(nil, nil), slices.Values([]*index.Filing{f}))
	if err != nil {
		t.Fatal(err)
	}
	v.names = append(v.names, name)
}

// prune deletes all generations of another process but the newest n and the live one.
func (v *viewed) prune(t *testing.T, n int) {
	t.Helper()
	lock, err := v.shared.open(nil, nil).Lock(t.Context(), generation.Run{Holder: "another"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = lock.Prune(t.Context(), "", n, 0)
	if err := errors.Join(err, lock.Release(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// swap makes names[to] live, as another process does.
func (v *viewed) swap(t *testing.T, from, to int) {
	t.Helper()
	if err := v.shared.open(nil, nil).Swap(t.Context(), v.names[from], v.names[to]); err != nil {
		t.Fatal(err)
	}
}

func (v *viewed) at(t testing.TB, i int) index.Reader {
	t.Helper()
	r, err := v.Pin(context.Background(), index.GenerationID(v.names[i]))
	if err != nil || r.Generation() != v.names[i] {
		t.Fatalf("%s: %v, %v", v.names[i], r, err)
	}
	return r
}

func (v *viewed) wantGone(t *testing.T, id string) {
	t.Helper()
	if r, err := v.Pin(t.Context(), id); !errors.Is(err, index.ErrGone) {
		t.Errorf("%s: %v, %v, want ErrGone", id, r, err)
	}
}

func (v *viewed) wantCalls(t *testing.T, when string, lists, opens int64) {
	t.Helper()
	if l, o := v.lists.Load(), v.opens.Load(); l != lists || o != opens {
		t.Errorf("%s: listed %d times and opened %d, want %d and %d", when, l, o, lists, opens)
	}
}

func (v *viewed) wantPinned(t *testing.T, when string, want ...int) {
	t.Helper()
	var names []string
	for _, i := range want {
		names = append(names, v.names[i])
	}
	if got := v.Pinned(); !slices.Equal(got, names) {
		t.Errorf("%s: open are %v, want %v", when, got, names)
	}
}

// TestX2_BoundedWork: the list is read once a second, and a generation is opened once, however many requests pin it.
func TestX2_BoundedWork(t *testing.T) {
	t.Parallel()
	v := newViewed(t, 3)
	pinned := v.at(t, 0)
	for range 50 {
		if v.at(t, 0) != pinned {
			t.Fatal("a pinned generation got another Reader")
		}
		live, err := v.Live(t.Context())
		if v.at(t, 2) != live || err != nil {
			t.Fatalf("the live one has another Reader when it is pinned: %v", err)
		}
		if _, err := v.Kept(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
	}
	v.wantCalls(t, "pinned", 1, 2)
	for range 50 {
		v.wantGone(t, "20250101-000000.000000") // older than all: it cannot come any more
	}
	v.wantCalls(t, "unknown", 1, 2)
	v.wantGone(t, "20990101-000000.000000")
	v.wantCalls(t, "unknown, and newer", 2, 3) // a look also asks whether the live one is stored
	v.shared.clock.Advance(time.Second)
	if v.at(t, 0) != pinned {
		t.Error("a second later a pinned generation has another Reader")
	}
	v.wantCalls(t, "a second later", 3, 4)
}

// TestX2_NewAtOnce: a generation that another process has named already is found before the view is a second old.
func TestX2_NewAtOnce(t *testing.T) {
	t.Parallel()
	v := newViewed(t, 1)
	v.at(t, 0)
	v.shared.clock.Advance(-time.Second) // load's: as if no time passed
	v.load(t)
	v.at(t, 1)
	v.shared.clock.Advance(-time.Second)
	v.load(t)
	kept, err := v.Kept(t.Context(), index.GenerationID(v.names[2]))
	if err != nil || len(kept) != 3 || !kept[0].Live || kept[0].Name != v.names[2] || kept[1].Live {
		t.Errorf("%v, %v", kept, err)
	}
}

// TestX2_ReadersAreBounded: few Readers stay open, those used last; none of a generation that was pruned; none at all
// after a minute without a request that pins.
func TestX2_ReadersAreBounded(t *testing.T) {
	t.Parallel()
	v := newViewed(t, 5)
	for _, i := range []int{0, 1, 0, 2, 0} {
		v.at(t, i)
	}
	v.wantPinned(t, "in turn", 0, 2)
	v.wantCalls(t, "in turn", 1, 4)
	v.prune(t, 1)
	v.shared.clock.Advance(time.Second)
	v.wantGone(t, index.GenerationID(v.names[0]))
	v.wantPinned(t, "after a pruning")
	v.at(t, 3)
	v.shared.clock.Advance(generation.IdleTime - time.Second)
	if _, err := v.Live(t.Context()); err != nil {
		t.Fatal(err)
	}
	v.wantPinned(t, "before a minute", 3)
	v.shared.clock.Advance(time.Second)
	if _, err := v.Live(t.Context()); err != nil {
		t.Fatal(err)
	}
	v.wantPinned(t, "after a minute")
}

// TestX2_ListFails: an engine that does not respond is no generation that is gone, and the failure is not kept.
func TestX2_ListFails(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"Load", "Parts", "Reader"} {
		v := newViewed(t, 2)
		v.fail.Store(&call)
		_, err := v.Pin(t.Context(), index.GenerationID(v.names[0]))
		if !errors.Is(err, index.ErrUnavailable) || errors.Is(err, index.ErrGone) {
			t.Errorf("%s: %v, want ErrUnavailable", call, err)
		}
		v.fail.Store(nil)
		v.at(t, 0)
	}
}

// TestX2_OthersThanTheLive: while the live generation cannot be opened, others are kept and opened,
// and the failure is no loss.
func TestX2_OthersThanTheLive(t *testing.T) {
	t.Parallel()
	v := newViewed(t, 2)
	pinned := v.at(t, 0)
	v.shared.clock.Advance(time.Second)
	call := "Reader"
	v.fail.Store(&call)
	if r, err := v.Live(t.Context()); !errors.Is(err, index.ErrUnavailable) || errors.Is(err, index.ErrLost) {
		t.Errorf("%v, %v, want ErrUnavailable", r, err)
	}
	if v.at(t, 0) != pinned {
		t.Error("the other one was opened again")
	}
	v.fail.Store(nil)
	v.at(t, 1)
}

// TestX1_PrunedByAnother: after a swap and a pruning by another process, a list that lacks the live generation makes the next
// caller look which one is live, before the view is a second old.
func TestX1_PrunedByAnother(t *testing.T) {
	t.Parallel()
	v := newViewed(t, 1)
	if r, err := v.Live(t.Context()); err != nil || r.Generation() != v.names[0] {
		t.Fatal(r, err)
	}
	v.shared.clock.Advance(-time.Second)
	v.load(t)
	v.prune(t, 0)
	if kept, err := v.Kept(t.Context(), index.GenerationID(v.names[0])); err != nil || len(kept) > 1 {
		t.Errorf("%v, %v", kept, err)
	}
	r, err := v.Live(t.Context())
	if err != nil || r.Generation() != v.names[1] {
		t.Errorf("live is %v, %v", r, err)
	}
	if kept, err := v.Kept(t.Context(), ""); err != nil || len(kept) != 1 || !kept[0].Live {
		t.Errorf("%v, %v", kept, err)
	}
}

// TestX24_LostIsLookedAtOnce: while the live generation is lost, what else is kept is listed, and the loss looked at, once
// a second, however many requests pin.
func TestX24_LostIsLookedAtOnce(t *testing.T) {
	t.Parallel()
	v := newViewed(t, 2)
	delete(v.shared.Parts, v.names[1])
	for range 50 {
		v.at(t, 0)
		if r, err := v.Live(t.Context()); !errors.Is(err, index.ErrLost) {
			t.Fatalf("%v, %v, want ErrLost", r, err)
		}
	}
	v.wantCalls(t, "lost", 1, 3) // the loss was confirmed before it was shown
}

// TestX24_PanicIsAnError: a Reader whose opening panics fails its callers, not the process.
func TestX24_PanicIsAnError(t *testing.T) {
	t.Parallel()
	v := newViewed(t, 2)
	v.shared.Read = func(*indextest.Oracle) index.Reader { panic("a broken file") }
	for _, open := range []func() (index.Reader, error){
		func() (index.Reader, error) { return v.Live(t.Context()) },
		func() (index.Reader, error) { return v.Pin(t.Context(), index.GenerationID(v.names[0])) },
	} {
		if r, err := open(); err == nil || !strings.Contains(err.Error(), "panic: a broken file") {
			t.Errorf("%v, %v", r, err)
		}
	}
}

// breakable is a Reader of a file that can be damaged.
type breakable struct {
	*indextest.Oracle
	index.Damage
}

// TestX24_DamageIsTheReaders: damage counts while its generation is kept, is not live, and has the file in which it was met:
// also where many others are pinned, and after a minute.
func TestX24_DamageIsTheReaders(t *testing.T) {
	t.Parallel()
	v := newViewed(t, 5)
	files := map[string]*breakable{}
	v.shared.Read = func(o *indextest.Oracle) index.Reader {
		if files[o.Generation()] == nil {
			files[o.Generation()] = &breakable{Oracle: o}
		}
		return files[o.Generation()]
	}
	want := func(when string, n int) {
		t.Helper()
		if got, err := v.Damaged(t.Context()); got != n || err != nil {
			t.Errorf("%s: %d are damaged, want %d (%v)", when, got, n, err)
		}
	}
	want("before the first look", 0)
	met := v.at(t, 0).(*breakable)
	first, again := met.Meet(index.ErrDamaged), met.Meet(errors.New("other"))
	if !first || again || met.Met() != index.ErrDamaged {
		t.Errorf("first %v, again %v, met %v", first, again, met.Met())
	}
	want("met", 1)
	for _, i := range []int{1, 2, 3, 0} {
		v.at(t, i)
	}
	v.shared.clock.Advance(2 * generation.IdleTime)
	v.at(t, 4).(*breakable).Meet(index.ErrDamaged)
	want("after a minute, with the live one", 1)
	v.swap(t, 4, 3)
	v.shared.clock.Advance(time.Second)
	v.at(t, 3)
	want("after a rollback from a damaged one", 2)
	delete(files, v.names[0])
	v.at(t, 0)
	want("after its file was replaced", 1)
	v.prune(t, 0)
	v.shared.clock.Advance(time.Second)
	if _, err := v.Live(t.Context()); err != nil {
		t.Fatal(err)
	}
	want("after a pruning", 0)
}

// TestViewsAgree: a list that is read after a Reader has its generation, however looks, swaps and LookAgain overlap.
func TestViewsAgree(t *testing.T) {
	t.Parallel()
	v := newViewed(t, 2)
	stop := make(chan struct{})
	go func() {
		defer close(stop)
		for i := range 200 {
			v.swap(t, 1-i%2, i%2)
			v.shared.clock.Advance(time.Duration(i%3) * 400 * time.Millisecond)
			v.LookAgain()
		}
	}()
	for done := false; !done; {
		select {
		case <-stop:
			done = true
		default:
		}
		r, err := v.Live(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		kept, err := v.Kept(t.Context(), "")
		if err != nil || !slices.ContainsFunc(kept, func(g index.Generation) bool { return g.Name == r.Generation() }) {
			t.Fatalf("%s is live, and kept are %v, %v", r.Generation(), kept, err)
		}
	}
	<-stop
	if r, err := v.Live(t.Context()); err != nil || r.Generation() != v.names[1] {
		t.Errorf("in the end %v, %v", r, err)
	}
}

func BenchmarkPin(b *testing.B) {
	v := newViewed(b, 3)
	id := index.GenerationID(v.names[0])
	b.ReportAllocs()
	for b.Loop() {
		if _, err := v.Pin(b.Context(), id); err != nil {
			b.Fatal(err)
		}
	}
	if names := strings.Join(v.Pinned(), " "); names != v.names[0] {
		b.Error(names)
	}
}
