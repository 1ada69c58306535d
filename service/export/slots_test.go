package export

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

const wait = 15 * time.Second

// reader is an export that is read.
type reader struct {
	*Slot
	cut atomic.Bool
}

// begins takes a slot of p for a reader, which leaves it when it is cut.
func begins(t *testing.T, p *Slots) *reader {
	t.Helper()
	r := &reader{Slot: p.Take(t.Context())}
	if r.Slot == nil {
		t.Fatal("no slot")
	}
	r.Yields(func() {
		r.cut.Store(true)
		r.Leave()
	})
	return r
}

// takes has the reader take bytes a second for so many seconds. The service needs slow of each second to make them.
func (r *reader) takes(bytes int, seconds int, slow time.Duration) {
	for range seconds {
		if r.cut.Load() {
			return
		}
		r.Asks()
		<-time.After(slow)
		r.Sends(bytes)
		<-time.After(time.Second - slow)
	}
}

// TestX8_SlowReaders: an export that waits while four read slowly gets the slot of the slowest one
// after ten seconds; the others read on. A reader of a mebibyte in ten seconds keeps its slot, and
// so does one that waits for the service.
func TestX8_SlowReaders(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		bytes [4]int // a second
		slow  time.Duration
		cut   int // -1: none
	}{
		"slow":        {[4]int{17_000, 16_000, 17_000, 18_000}, 0, 1},
		"one is slow": {[4]int{200_000, 200_000, 200_000, 17_000}, 0, 3},
		"fast":        {[4]int{116_509, 116_509, 200_000, 116_509}, 0, -1}, // 9 times, each before the tenth second
		"service":     {[4]int{17_000, 16_000, 17_000, 18_000}, 600 * time.Millisecond, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := NewSlots(4, wait)
				var readers [4]*reader
				for i, n := range tt.bytes {
					readers[i] = begins(t, p)
					go readers[i].takes(n, 40, tt.slow)
				}
				<-time.After(20*time.Second + 100*time.Millisecond)
				synctest.Wait()
				for i, r := range readers {
					if r.cut.Load() {
						t.Errorf("%d was cut while nobody waited", i)
					}
				}
				began := time.Now()
				own := p.Take(t.Context())
				waited := time.Since(began)
				if (own == nil) != (tt.cut < 0) || own == nil && waited != wait || own != nil && waited != wait*2/3 {
					t.Errorf("waited %s, and got %v", waited, own)
				}
				for i, r := range readers {
					if r.cut.Load() != (i == tt.cut) {
						t.Errorf("reader %d: cut is %v", i, r.cut.Load())
					}
				}
				if own != nil {
					own.Leave()
				}
				<-time.After(40 * time.Second)
			})
		})
	}
}

// TestX8_SlowReaders_All: four that take nothing give way to four that wait, one to each.
func TestX8_SlowReaders_All(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := NewSlots(4, wait)
		for range 4 {
			begins(t, p).takes(1, 1, 0)
		}
		got := make(chan *Slot, 5)
		for range cap(got) {
			go func() { got <- p.Take(t.Context()) }()
		}
		<-time.After(wait + time.Nanosecond)
		synctest.Wait()
		n := 0
		for range cap(got) {
			if <-got != nil {
				n++
			}
		}
		if n != 4 {
			t.Errorf("%d of 5 got one of the 4 slots of exports that took nothing", n)
		}
	})
}

// TestX8_Slots: who waits gets a slot in its turn, and leaves the queue when its context ends.
func TestX8_Slots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := NewSlots(1, wait)
		first := begins(t, p)
		order := make(chan int, 3)
		take := func(ctx context.Context, i int) {
			go func() {
				if own := p.Take(ctx); own != nil {
					order <- i
					own.Leave()
				}
			}()
			synctest.Wait()
		}
		gone, cancel := context.WithCancel(t.Context())
		take(t.Context(), 1)
		take(gone, 2)
		take(t.Context(), 3)
		cancel()
		synctest.Wait()
		first.Leave()
		synctest.Wait()
		if got := []int{<-order, <-order}; got[0] != 1 || got[1] != 3 || len(order) > 0 || p.free != 1 ||
			len(p.held)+len(p.waiting) != 0 {
			t.Errorf("order %v, %d free, %d held, %d waiting", got, p.free, len(p.held), len(p.waiting))
		}
	})
}

// TestX8_SlotAfterTheEnd: whose context has ended gets no slot, though one is free.
func TestX8_SlotAfterTheEnd(t *testing.T) {
	t.Parallel()
	p := NewSlots(1, time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if p.Take(ctx) != nil {
		t.Fatal("it has a slot")
	}
	if p.Take(t.Context()) == nil {
		t.Error("the slot is lost")
	}
}
