package columns

import (
	"errors"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/cache"
	"filings/index/indextest/edges"
)

// An update stores, byte for byte, what a load of the same filings does: with filings put once and
// again, new ones and those that were there, removed before they were put and afterwards, and
// unknown; on nothing, and down to nothing.
func TestBuild_UpdateIsALoad(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	all := append(edges.Fuzzed(400, 5), synthetics(600, 2)...)
	for i, f := range all {
		f.ID = int64(i%700 + 1) // the last 300 replace the first ones
	}
	for _, test := range []struct{ before, put, removed int }{
		{600, 0, 0}, {600, 500, 0}, {600, 900, 50}, {0, 300, 10}, {300, 0, 1000}, {700, 1, 1}, {1, 2, 0},
	} {
		is := map[int64]*index.Filing{}
		before := all[:min(test.before, 700)]
		for _, f := range before {
			is[f.ID] = f
		}
		var put []*index.Filing
		for range test.put {
			f := all[rnd.IntN(len(all))]
			put, is[f.ID] = append(put, f), f
		}
		var removed []int64
		for range test.removed {
			id := int64(rnd.IntN(900) + 1)
			removed = append(removed, id)
			delete(is, id)
		}
		var now []*index.Filing
		for _, f := range is {
			now = append(now, f)
		}
		base, _ := build(t, nil, before, nil)
		_, updated := build(t, base, put, removed)
		_, loaded := build(t, nil, now, nil)
		for key, want := range loaded.chunks {
			if got := updated.chunks[key]; string(got) != string(want) {
				t.Errorf("%+v: chunk %d of %s has %d bytes, which differ from %d", test, key.Part, key.Text, len(got), len(want))
			}
		}
		keys := func(chunks map[cache.Key][]byte) map[cache.Key]bool {
			all := map[cache.Key]bool{}
			for key := range chunks {
				all[key] = true
			}
			return all
		}
		if diff := cmp.Diff(keys(loaded.chunks), keys(updated.chunks)); diff != "" {
			t.Errorf("%+v: chunks (-loaded +updated):\n%s", test, diff)
		}
	}
}

// TestBuild_SaysOnceWhatFailed: what failed to be written is said once, however many columns are
// still to be written.
func TestBuild_SaysOnceWhatFailed(t *testing.T) {
	t.Parallel()
	full, filings := errors.New("no space left"), synthetics(300, 1)
	calls := math.MaxInt
	for allowed := math.MaxInt; calls > 0; allowed = calls - 1 {
		changes := NewChanges(t.TempDir())
		for _, f := range filings {
			putFiling(t, changes, f)
		}
		var n atomic.Int64
		_, err := Build(t.Context(), nil, changes, logOf(filings, nil), func(string, int, []byte) error {
			if n.Add(1) > int64(allowed) {
				return full
			}
			return nil
		}, t.TempDir())
		if err := changes.Close(); err != nil {
			t.Fatal(err)
		}
		if allowed < math.MaxInt && (err == nil || err.Error() != full.Error()) {
			t.Errorf("%d chunks written: %v", allowed, err)
		}
		calls = min(int(n.Load()), calls-1)
	}
}
