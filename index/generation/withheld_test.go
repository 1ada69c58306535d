package generation_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"filings/index"
	"filings/index/generation"
)

// purge deletes what is withheld of all that is kept but the live generation: those generations.
func (s *shared) purge(t *testing.T, live string, of ...string) {
	t.Helper()
	s.locked(t, func(lock generation.Lock) error {
		has := func(_ context.Context, name string) (bool, error) { return slices.Contains(of, name), nil }
		_, err := lock.Purge(t.Context(), live, has, func(v index.Version) index.Version { return v })
		return err
	})
}

func (s *shared) locked(t *testing.T, do func(lock generation.Lock) error) {
	t.Helper()
	lock, err := s.open(nil, nil).Lock(t.Context(), generation.Run{Holder: "test"})
	if err == nil {
		err = do(lock)
	}
	if err == nil {
		err = lock.Release(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestX53_Withdrawn: which generations a reader that has them open must not read on: those that were deleted with filings that are
// withheld, or before that, and no others. A process that did not do it learns it within a second.
func TestX53_Withdrawn(t *testing.T) {
	t.Parallel()
	s := newShared()
	var names []string
	load := func(n int) {
		for range n {
			s.clock.Advance(time.Second)
			names = append(names, mustLoad(t, s, "somebody"))
		}
	}
	other := s.open(nil, nil) // another process
	wants := func(when string, want ...int) {
		t.Helper()
		for i, name := range names {
			if is, err := other.Withdrawn(t.Context(), name); err != nil || is != slices.Contains(want, i) {
				t.Errorf("%s: generation %d is withdrawn: %v, %v", when, i, is, err)
			}
		}
		if is, err := other.Withdrawn(t.Context(), ""); is || err != nil {
			t.Errorf("%s: before the first load: %v, %v", when, is, err)
		}
	}
	wants("nothing was loaded")
	load(4)
	wants("0 and 1 were pruned")
	s.purge(t, names[3], names[2])
	wants("2 had some, and what of 0 and 1 is open may", 0, 1, 2)
	load(3)
	wants("3 and 4 were pruned, which had none", 0, 1, 2)
	s.purge(t, names[6])
	wants("what is open of these may have what is withheld now", 0, 1, 2, 3, 4)
	if err := s.open(nil, nil).Swap(t.Context(), names[6], names[5]); err != nil {
		t.Fatal(err)
	}
	s.purge(t, names[5], names[6])
	wants("after a rollback", 0, 1, 2, 3, 4, 6)
}
