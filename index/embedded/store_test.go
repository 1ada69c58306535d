package embedded

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"
	"weak"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/generation"
	"filings/index/indextest"
)

func TestOpen_BadNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", ".", "..", ".hidden", "a/b", "/", "../up"} {
		if _, err := Open(Config{Dir: t.TempDir(), Index: name}); err == nil {
			t.Errorf("an index of the name %q was opened", name)
		}
	}
}

func TestOpen_FolderCannotBeMade(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Config{Dir: file, Index: "filings"}); err == nil {
		t.Error("a store was opened in a file")
	}
}

func TestFiles_ForTheOwnerAlone(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "data")
	load(t, openStore(t, dir), synthetics(10, 1))
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if err == nil && info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v", d.Name(), info.Mode().Perm(), want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Nothing but the files of the package comment may be left behind by a load.
func TestFiles_NothingLeftBehind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := load(t, openStore(t, dir), synthetics(10, 1))
	var got []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			got = append(got, d.Name())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"filings.catalog", "filings.guard", "filings.lock", name + ".db"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestL8_SwapByAnotherStoreIsNoticedWithinASecond(t *testing.T) {
	t.Parallel()
	dir, clock := t.TempDir(), indextest.NewClock(noon())
	serving, loading := openStore(t, dir), openStore(t, dir)
	serving.Now, serving.LiveFor = clock.Now, liveFor
	expect := func(when, want string) {
		t.Helper()
		if got := liveReader(t, serving).Generation(); got != want {
			t.Errorf("live %s: %q, want %q", when, got, want)
		}
	}
	expect("before the first load", "")
	first := load(t, loading, synthetics(20, 0))
	clock.Advance(liveFor)
	expect("a second after the first load", first)
	second := load(t, loading, synthetics(20, 1))
	clock.Advance(liveFor - 1)
	expect("just before a second", first)
	clock.Advance(1)
	expect("after a second", second)
	if err := serving.Swap(t.Context(), second, first); err != nil {
		t.Fatal(err)
	}
	expect("after a swap of its own", first)
	clock.Advance(-time.Hour)
	if err := loading.Swap(t.Context(), first, second); err != nil {
		t.Fatal(err)
	}
	expect("after the clock was put back", second)
}

// The live generation is not looked up for each request: for a second the folder may even be away.
func TestL8_LiveIsLookedUpOnceASecond(t *testing.T) {
	t.Parallel()
	dir, clock := filepath.Join(t.TempDir(), "data"), indextest.NewClock(noon())
	s := openStore(t, dir)
	s.Now, s.LiveFor = clock.Now, liveFor
	name := load(t, s, synthetics(20, 1))
	liveReader(t, s)
	if err := os.Rename(dir, dir+" away"); err != nil {
		t.Fatal(err)
	}
	clock.Advance(liveFor - 1)
	if got := liveReader(t, s).Generation(); got != name {
		t.Errorf("live within a second: %q, want %q", got, name)
	}
	clock.Advance(1)
	for range 2 {
		if _, err := s.Live(t.Context()); !errors.Is(err, index.ErrLost) {
			t.Errorf("live after a second: %v, want ErrLost", err)
		}
	}
	if err := os.Rename(dir+" away", dir); err != nil {
		t.Fatal(err)
	}
	clock.Advance(liveFor) // that it was lost holds for a second too
	if got := liveReader(t, s).Generation(); got != name {
		t.Errorf("live when the folder is back: %q, want %q", got, name)
	}
}

func TestL7_IndexesInOneFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one := openStore(t, dir)
	other, err := Open(Config{Dir: dir, Index: "filings-test", Now: noon})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	load(t, one, synthetics(5, 1))
	if all, err := other.Generations(t.Context()); len(all) > 0 || err != nil {
		t.Errorf("generations of the other index: %v, %v", all, err)
	}
	if got := liveReader(t, other).Generation(); got != "" {
		t.Errorf("live in the other index: %q", got)
	}
}

func TestSwap_WhatIsNoSealedGeneration(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir())
	first := load(t, s, synthetics(5, 1))
	l := lockStore(t, s)
	unsealed := begin(t, l, "", synthetics(1, 2)...).Generation()
	for _, name := range []string{unsealed, "", "nothing", "../filings", first + "/../" + first, "filings-20200131-120000.000000-v1"} {
		if err := s.Swap(t.Context(), first, name); !errors.Is(err, index.ErrNotFound) {
			t.Errorf("swap to %q: %v, want ErrNotFound", name, err)
		}
		if _, err := s.Open(t.Context(), name); !errors.Is(err, index.ErrNotFound) {
			t.Errorf("open %q: %v, want ErrNotFound", name, err)
		}
	}
	for _, name := range []string{"", "nothing", "../filings"} {
		if err := l.Delete(t.Context(), name); !errors.Is(err, index.ErrNotFound) {
			t.Errorf("delete %q: %v, want ErrNotFound", name, err)
		}
	}
	if err := l.Delete(t.Context(), first); !errors.Is(err, generation.ErrConflict) {
		t.Errorf("delete what is live: %v, want ErrConflict", err)
	}
	if got := liveReader(t, s).Generation(); got != first {
		t.Errorf("live is %q, want %q", got, first)
	}
}

func TestL8_ReadersOutliveDeletion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir)
	filings := synthetics(300, 1)
	old := load(t, s, filings)
	r := liveReader(t, s)
	second := load(t, s, synthetics(10, 2))
	liveReader(t, s) // the store itself lets the old one go
	l := lockStore(t, openStore(t, dir))
	if err := l.Delete(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	runtime.GC() // must not take away what r needs
	if _, err := s.Open(t.Context(), old); !errors.Is(err, index.ErrNotFound) {
		t.Errorf("open what was deleted: %v, want ErrNotFound", err)
	}
	o := indextest.NewOracle(old, filings)
	for _, sort := range allOrders() { // nothing of this was read before
		compare(t, o, r, index.Query{Where: index.Where(index.Contains{Text: "a"}), Sort: sort, Offset: 17, Limit: 50})
	}
	if got := liveReader(t, s).Generation(); got != second {
		t.Errorf("live is %q, want %q", got, second)
	}
}

// A superseded generation is closed when no Reader of it is in use.
func TestGeneration_ClosedWhenUnused(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir())
	load(t, s, synthetics(20, 1))
	file := func() weak.Pointer[file] { return weak.Make(liveReader(t, s).(*reader).file) }() // not the reader itself
	load(t, s, synthetics(20, 2))
	live := liveReader(t, s)
	for file.Value() != nil { // an *os.File that is not in use is closed; the test's own time limit ends a failure
		runtime.GC()
		runtime.Gosched()
	}
	if err := index.Probe(t.Context(), live); err != nil {
		t.Errorf("the live generation was closed: %v", err)
	}
}

func TestL8_ReadingWhileGenerationsComeAndGo(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir())
	load(t, s, synthetics(50, 0))
	ctx, stop := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	for worker := range 4 {
		readers.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				r, err := s.Live(context.Background())
				if err != nil {
					t.Error(err)
					return
				}
				readWhole(t, r, allOrders()[(worker+n)%10])
			}
		})
	}
	for seed := range uint64(8) {
		before := liveReader(t, s).Generation()
		load(t, s, synthetics(50+int(seed), seed))
		l := lockStore(t, s)
		if err := l.Delete(t.Context(), before); err != nil {
			t.Error(err)
		}
		if err := l.Release(t.Context()); err != nil {
			t.Error(err)
		}
	}
	stop()
	readers.Wait()
}

// readWhole reads from r several things that must fit together.
func readWhole(t *testing.T, r index.Reader, sort index.Sort) {
	ctx := context.Background()
	stats, err1 := r.Stats(ctx)
	where := index.Where(index.Days{First: "1600-01-01"}, index.Contains{Text: "a"})
	count, err2 := r.Count(ctx, where)
	rows, err3 := r.Rows(ctx, index.Query{Where: where, Sort: sort, Limit: 1000})
	all, err4 := r.Rows(ctx, index.Query{Sort: sort, Limit: 1000})
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Error(err)
	}
	if int(count) != len(rows.Records) || int(stats.Filings) != len(all.Records) {
		t.Errorf("%s: %d of %d filings counted, %d of %d read", r.Generation(), count, stats.Filings, len(rows.Records), len(all.Records))
	}
}

func TestClose_ReadersFail(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir())
	load(t, s, synthetics(5, 1))
	r := liveReader(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := index.OneFiling(t.Context(), r, 1); !errors.Is(err, index.ErrUnavailable) {
		t.Errorf("read after Close: %v, want ErrUnavailable", err)
	}
	if _, err := s.Live(t.Context()); !errors.Is(err, index.ErrUnavailable) {
		t.Errorf("Live after Close: %v, want ErrUnavailable", err)
	}
}

func TestCanceled_EveryRead(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir())
	load(t, s, synthetics(50, 1))
	r := liveReader(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	where := index.Where(index.Contains{Text: "a"})
	sort, months := index.Sort{Field: index.Owner}, index.GroupQuery{Dimensions: []index.Dimension{index.ByMonth}}
	for name, read := range map[string]func(context.Context) error{
		"Rows": func(ctx context.Context) error { _, err := r.Rows(ctx, index.Query{Sort: sort, Limit: 5}); return err },
		"Rows by default": func(ctx context.Context) error {
			_, err := r.Rows(ctx, index.Query{Sort: index.DefaultSort, Limit: 5})
			return err
		},
		"Count":         func(ctx context.Context) error { _, err := r.Count(ctx, where); return err },
		"Count of all":  func(ctx context.Context) error { _, err := r.Count(ctx, index.Filter{}); return err },
		"Filing":        func(ctx context.Context) error { _, err := index.OneFiling(ctx, r, 1); return err },
		"Stats":         func(ctx context.Context) error { _, err := r.Stats(ctx); return err },
		"Counties":      func(ctx context.Context) error { _, err := r.Counties(ctx); return err },
		"Groups":        func(ctx context.Context) error { _, err := r.Groups(ctx, where, months); return err },
		"Groups of all": func(ctx context.Context) error { _, err := r.Groups(ctx, index.Filter{}, months); return err },
	} {
		if err := read(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want context.Canceled", name, err)
		}
		if err := read(t.Context()); err != nil {
			t.Errorf("%s afterwards: %v", name, err)
		}
	}
}

func TestReader_QueriesThatNoEngineHas(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir())
	load(t, s, synthetics(5, 1))
	r := liveReader(t, s)
	low := 1.0
	for _, w := range []index.Filter{
		index.Where(index.AnyOf{Fields: []index.Field{index.Owner}, Values: []string{"a"}}),
		index.Where(index.Range{Field: index.Bedrooms, Min: &low}),
		index.Where(index.Present{Field: index.Owner}),
	} {
		if n, err := r.Count(t.Context(), w); err == nil {
			t.Errorf("%v: %d, want an error", w, n)
		}
	}
	if _, err := r.Rows(t.Context(), index.Query{Sort: index.Sort{Field: index.County}, Limit: 1}); err == nil {
		t.Error("sorted by county")
	}
}
