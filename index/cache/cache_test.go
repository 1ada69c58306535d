package cache

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
)

// of returns a function that creates v, which takes so many bytes, and counts how often it is called.
func of(v any, bytes int, calls *int) func(context.Context) (any, int, error) {
	return func(context.Context) (any, int, error) { *calls++; return v, bytes, nil }
}

func TestGet_CreatesOnce(t *testing.T) {
	t.Parallel()
	c, calls := New(1<<20), 0
	if v, ok := Peek[any](c, Key{Text: "a"}); ok {
		t.Errorf("%v before it was created", v)
	}
	for i := range 3 {
		v, hit, err := Get(t.Context(), c, Key{Text: "a"}, of(7, 8, &calls))
		if v != 7 || err != nil || calls != 1 || hit != (i > 0) {
			t.Errorf("%v, hit %v, %v after %d calls", v, hit, err, calls)
		}
	}
	if v, ok := Peek[any](c, Key{Text: "a"}); !ok || v != 7 {
		t.Errorf("%v, %v", v, ok)
	}
	if v, _, err := Get(t.Context(), c, Key{Text: "b"}, of(8, 8, &calls)); v != 8 || err != nil || calls != 2 {
		t.Errorf("of another key: %v, %v after %d calls", v, err, calls)
	}
}

func TestGet_KeepsNoFailure(t *testing.T) {
	t.Parallel()
	c, calls, failure := New(1<<20), 0, errors.New("failure")
	_, _, err := Get(t.Context(), c, Key{Text: "a"}, func(context.Context) (any, int, error) { return 1, 8, failure })
	if !errors.Is(err, failure) {
		t.Errorf("error %v", err)
	}
	if v, hit, err := Get(t.Context(), c, Key{Text: "a"}, of(2, 8, &calls)); v != 2 || hit || err != nil {
		t.Errorf("%v, hit %v, %v after a failure", v, hit, err)
	}
}

// TestGet_Bounded: what is kept stays below the bound, keys included, and evicted values are created anew.
func TestGet_Bounded(t *testing.T) {
	t.Parallel()
	const bound = 64 << 10
	c, calls := New(bound), 0
	for i := range 2000 {
		v, _, err := Get(t.Context(), c, Key{Text: strconv.Itoa(i % 500)}, of(i%500, 1000, &calls))
		if v != i%500 || err != nil {
			t.Fatalf("%d: %v, %v", i, v, err)
		}
	}
	if n := c.Bytes(); n == 0 || n > bound {
		t.Errorf("%d bytes are kept, at most %d may be", n, bound)
	}
	if calls <= 500 {
		t.Errorf("%d creations: nothing was evicted", calls)
	}
}

func TestGet_LargerThanTheBound(t *testing.T) {
	t.Parallel()
	c, calls := New(10_000), 0
	if _, _, err := Get(t.Context(), c, Key{Text: "small"}, of(1, 100, &calls)); err != nil {
		t.Fatal(err)
	}
	if v, _, err := Get(t.Context(), c, Key{Text: "large"}, of(2, 20_000, &calls)); v != 2 || err != nil {
		t.Errorf("%v, %v", v, err)
	}
	c.Bytes() // evicts
	_, small := Peek[any](c, Key{Text: "small"})
	_, large := Peek[any](c, Key{Text: "large"})
	if !small || large {
		t.Errorf("kept: the small value %v, the large one %v", small, large)
	}
}

func TestGet_ConcurrentUse(t *testing.T) {
	t.Parallel()
	c := New(4000)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 200 {
				key := i * g % 17
				v, _, err := Get(t.Context(), c, Key{Part: key}, func(context.Context) (int, int, error) { return key, 300, nil })
				if v != key || err != nil {
					t.Errorf("%d: %v, %v", key, v, err)
				}
			}
		})
	}
	all.Wait()
	if n := c.Bytes(); n > 4000 {
		t.Errorf("%d bytes are kept", n)
	}
}
