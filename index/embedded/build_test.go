package embedded

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"filings/index"
	"filings/index/generation"
	"filings/index/indextest"
	"filings/index/sidecar"
)

func TestBuild_CopyOfAGeneration(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir())
	ctx := t.Context()
	filings := synthetics(600, 1)
	first := load(t, s, filings)
	l := lockStore(t, s)
	changed := *filings[10]
	changed.SetText(index.Owner, "Somebody Else")
	changed.SetText(index.FilingDate, "2031-05-06")
	added := *filings[11]
	added.ID = 1 << 40
	b := begin(t, l, first, &changed, &added)
	removed := filings[20].ID
	if err := errors.Join(b.Remove(ctx, removed), b.Remove(ctx, 1<<41)); err != nil {
		t.Fatal(err)
	}
	holds, err := b.Seal(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}

	want := slices.DeleteFunc(slices.Clone(filings), func(f *index.Filing) bool { return f.ID == changed.ID || f.ID == removed })
	want = append(want, &changed, &added)
	counted := index.NewCounts()
	for _, f := range want {
		counted.Count(index.ValuesOf(f), 1)
	}
	if diff := counted.Diff(holds); diff != nil {
		t.Errorf("counts: %q", diff)
	}
	for name, filings := range map[string][]*index.Filing{first: filings, b.Generation(): want} {
		r, err := s.Open(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		o := indextest.NewOracle(name, filings)
		for _, sort := range allOrders() {
			compare(t, o, r, index.Query{Sort: sort, Limit: len(filings)})
		}
		compare(t, o, r, index.Query{Where: index.Where(index.Contains{Text: "somebody else"}), Sort: index.DefaultSort, Limit: 5})
	}
}

// create begins to store a generation that no catalog knows, and puts filings into it.
func create(t *testing.T, s *Store, filings ...*index.Filing) *build {
	t.Helper()
	w, err := s.storage.Create(t.Context(), generation.Name("filings", noon(), version), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	for _, f := range filings {
		if _, err := w.Put(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	return w.(*build)
}

func TestBuild_FromWhatIsNotSealed(t *testing.T) {
	t.Parallel()
	l := lockStore(t, openStore(t, t.TempDir()))
	unsealed := begin(t, l, "").Generation()
	for _, from := range []string{unsealed, "nothing"} {
		if _, err := l.Begin(t.Context(), from); !errors.Is(err, index.ErrNotFound) {
			t.Errorf("begin from %q: %v, want ErrNotFound", from, err)
		}
	}
}

// A filing that was not stored must fail the seal, also when its caller ignored the error.
func TestBuild_CanceledPutFailsTheSeal(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir())
	b := begin(t, lockStore(t, s), "")
	ctx, cancel := context.WithCancel(t.Context())
	filings := synthetics(2, 1)
	if err := b.Put(ctx, filings[0]); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := b.Put(ctx, filings[1]); !errors.Is(err, context.Canceled) {
		t.Errorf("put: %v, want context.Canceled", err)
	}
	if _, err := b.Seal(t.Context(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("seal: %v, want the error of the put", err)
	}
}

// A write that the disk refuses must come back from Seal; Put only collects.
func TestBuild_FailedWriteFailsTheSeal(t *testing.T) {
	t.Parallel()
	b := create(t, openStore(t, t.TempDir()), synthetics(100, 1)...)
	if err := b.file.file.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Seal(t.Context(), false, sidecar.NewActions(), nothing, unchecked); !errors.Is(err, os.ErrClosed) {
		t.Errorf("sealed without its filings: %v", err)
	}
}

func TestBuild_NothingAfterTheEnd(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for name, end := range map[string]func(generation.Build) error{
		"Seal":  func(b generation.Build) error { _, err := b.Seal(ctx, nil); return err },
		"Abort": func(b generation.Build) error { return b.Abort(ctx) },
	} {
		b := begin(t, lockStore(t, openStore(t, t.TempDir())), "", synthetics(3, 1)...)
		if err := end(b); err != nil {
			t.Fatal(err)
		}
		_, sealErr := b.Seal(ctx, nil)
		for what, err := range map[string]error{"Put": b.Put(ctx, synthetics(1, 2)[0]), "Remove": b.Remove(ctx, 1), "Seal": sealErr} {
			if err == nil {
				t.Errorf("%s after %s: no error", what, name)
			}
		}
	}
}

func TestBuild_SealEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir())
	b := create(t, s, synthetics(20, 1)...)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.layOut(ctx, sidecar.NewActions(), nothing); !errors.Is(err, context.Canceled) {
		t.Errorf("seal: %v, want context.Canceled", err)
	}
	b.Stop() // again, for the second time: as an Abort after a failed Seal
	if err := lockStore(t, s).Delete(t.Context(), b.name); err != nil {
		t.Errorf("delete after a failed seal: %v", err)
	}
	if all, err := s.Generations(t.Context()); len(all) > 0 || err != nil {
		t.Errorf("generations after the abort: %v, %v", all, err)
	}
}

func TestBuild_NamesAreNewerThanAllOthers(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir()) // its clock stands still
	l := lockStore(t, s)
	last := generation.Name("filings", noon().AddDate(1, 0, 0), version) // made by a clock that was wrong
	if err := os.WriteFile(s.storage.files.building(last), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		name := begin(t, l, "").Generation()
		if name <= last {
			t.Errorf("%s is not newer than %s", name, last)
		}
		last = name
	}
}

func TestA1_StatsBeyondWhatAFloatHolds(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir())
	filings := synthetics(3, 1)
	for _, f := range filings {
		f.SetNumber(index.FilingAmount, math.MaxFloat64)
	}
	load(t, s, filings)
	got, err := liveReader(t, s).Stats(t.Context())
	if err != nil || !math.IsInf(got.SumCents, 1) || got.MaxAmount != math.MaxFloat64 {
		t.Errorf("stats: %+v, %v", got, err)
	}
}

func TestCommonTail(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "", 0}, {"abc", "abc", 3}, {"xbc", "abc", 2}, {"c", "abc", 1}, {"abc", "abd", 0}} {
		if got := commonTail([]byte(test.a), []byte(test.b)); got != test.want {
			t.Errorf("%q and %q: %d, want %d", test.a, test.b, got, test.want)
		}
	}
}

func nothing(context.Context, sidecar.Sink) error { return nil }

func unchecked(context.Context, index.Reader) (int64, error) { return 0, nil }
