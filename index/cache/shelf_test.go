package cache

import (
	"context"
	"strconv"
	"sync"
	"testing"
)

// TestPut: what was put is there once for Take, and for good for the others.
func TestPut(t *testing.T) {
	t.Parallel()
	c, calls := New(1<<20), 0
	for _, text := range []string{"taken", "peeked", "got"} {
		Put(c, Key{Text: text}, any("another"), 300)
		Put(c, Key{Text: text}, any(text), 100)
	}
	full := c.Bytes()
	if v, ok := Take[any](c, Key{Text: "taken"}); !ok || v != "taken" {
		t.Errorf("taken: %v, %v", v, ok)
	}
	if v, ok := Take[any](c, Key{Text: "taken"}); ok {
		t.Errorf("taken twice: %v", v)
	}
	for range 2 {
		if v, ok := Peek[any](c, Key{Text: "peeked"}); !ok || v != "peeked" {
			t.Errorf("peeked: %v, %v", v, ok)
		}
		v, hit, err := Get(t.Context(), c, Key{Text: "got"}, of(7, 8, &calls))
		if v != "got" || !hit || err != nil || calls != 0 {
			t.Errorf("got: %v, %v, %v", v, hit, err)
		}
	}
	if _, ok := Take[any](c, Key{Text: "got"}); ok {
		t.Error("what was moved to the others is taken")
	}
	if one := weight(Key{Text: "taken"}, entry{nil, 100}); c.Bytes() != full-uint64(one) {
		t.Errorf("%d bytes, %d before one of %d was taken", c.Bytes(), full, one)
	}
}

// TestPut_Bounded: what is put takes a quarter at the most, those first that were put last, and the whole stays below the
// bound, also where that changes.
func TestPut_Bounded(t *testing.T) {
	t.Parallel()
	const bound = 1 << 20
	c, calls := New(bound), 0
	fill := func() {
		for i := range 2000 {
			if _, _, err := Get(t.Context(), c, Key{Text: strconv.Itoa(i)}, of(i, 1000, &calls)); err != nil {
				t.Fatal(err)
			}
		}
	}
	fill()
	for i := range 1000 {
		Put(c, Key{Space: "ahead", Text: strconv.Itoa(i)}, any(i), 1000)
		if i%100 == 0 {
			fill()
		}
		if n := c.Bytes(); n > bound {
			t.Fatalf("%d bytes", n)
		}
	}
	if n := c.shelved(); n > bound/shelfShare || n < bound/shelfShare-2000 {
		t.Errorf("%d bytes are put", n)
	}
	if _, ok := Take[any](c, Key{Space: "ahead", Text: "999"}); !ok {
		t.Error("the last one has gone")
	}
	if _, ok := Take[any](c, Key{Space: "ahead", Text: "0"}); ok {
		t.Error("the first one has remained")
	}
	c.Resize(bound / 2)
	if n := c.shelved(); n > bound/2/shelfShare {
		t.Errorf("%d bytes are put after the bound was halved", n)
	}
	fill()
	if n := c.Bytes(); n > bound/2 {
		t.Errorf("%d bytes after the bound was halved", n)
	}
}

// TestPut_GivesBack: when all was taken, the others have the whole bound again, but for a step.
func TestPut_GivesBack(t *testing.T) {
	t.Parallel()
	const bound = 1 << 20
	c := New(bound)
	for i := range 1000 {
		Put(c, Key{Text: strconv.Itoa(i)}, any(i), 1000)
	}
	least := c.entries.GetMaximum()
	for i := range 1000 {
		Take[any](c, Key{Text: strconv.Itoa(i)})
	}
	if most := c.entries.GetMaximum(); least != bound*3/4 || most < bound*15/16 || c.Bytes() != 0 {
		t.Errorf("the others had %d, and have %d; %d bytes are taken", least, most, c.Bytes())
	}
}

// TestPut_TooLarge: what exceeds the quarter alone is not kept.
func TestPut_TooLarge(t *testing.T) {
	t.Parallel()
	c := New(1 << 20)
	Put(c, Key{Text: "large"}, any(1), 1<<19)
	if _, ok := Take[any](c, Key{Text: "large"}); ok || c.Bytes() != 0 {
		t.Errorf("it is kept: %d bytes", c.Bytes())
	}
}

// TestPut_OneForAll: each value that was put is found by everyone who asks for it at the same time.
func TestPut_OneForAll(t *testing.T) {
	t.Parallel()
	c := New(1 << 20)
	for i := range 200 {
		key := Key{Text: strconv.Itoa(i)}
		Put(c, key, any(i), 100)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				v, _, err := Get(t.Context(), c, key, func(context.Context) (any, int, error) {
					t.Error("it was created")
					return 0, 0, nil
				})
				if v != any(i) || err != nil {
					t.Errorf("%v, %v", v, err)
				}
			})
		}
		all.Wait()
	}
}
