package batch_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/index/batch"
)

// most and late are those of the package, as its users meet them.
const (
	threshold = 8
	most      = 128
	late      = 100 * time.Millisecond
	limit     = 5 * time.Second
)

// server answers calls when it is told to, and keeps what came together.
type server struct {
	mu    sync.Mutex
	came  [][]int
	reply chan struct{} // one for each exchange
	*batch.Group[*int]
}

func newServer() *server {
	s := &server{reply: make(chan struct{})}
	s.Group = batch.New(threshold, limit, func(ctx context.Context, calls []*int) {
		s.mu.Lock()
		var values []int
		for _, c := range calls {
			values = append(values, *c)
		}
		s.came = append(s.came, values)
		s.mu.Unlock()
		select {
		case <-s.reply:
		case <-ctx.Done():
		}
		for _, c := range calls {
			*c = -*c
		}
	})
	return s
}

// call sends values one after the other, each by a caller of its own, and returns how many callers have their result.
func (s *server) call(t *testing.T, ctx context.Context, values ...int) (results func() int) {
	t.Helper()
	var mu sync.Mutex
	n := 0
	for _, v := range values {
		go func() {
			c := v
			err := s.Do(ctx, &c)
			if err == nil && c != -v {
				t.Errorf("call %d has result %d", v, c)
			}
			if err == nil {
				mu.Lock()
				n++
				mu.Unlock()
			}
		}()
		synctest.Wait()
	}
	return func() int {
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		return n
	}
}

// replies makes the server answer n exchanges.
func (s *server) replies(n int) {
	for range n {
		s.reply <- struct{}{}
	}
	synctest.Wait()
}

// want compares what came together, and forgets it.
func (s *server) want(t *testing.T, what string, want ...[]int) {
	t.Helper()
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := cmp.Diff(want, s.came); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
	s.came = nil
}

// pass lets time pass by the clock of a synctest bubble.
func pass(d time.Duration) { <-time.After(d) }

func numbers(first, n int) (all []int) {
	for i := range n {
		all = append(all, first+i)
	}
	return all
}

// busy is a server with as many calls in progress as go alone.
func busy(t *testing.T) *server {
	t.Helper()
	s := newServer()
	s.call(t, t.Context(), numbers(1, threshold)...)
	var alone [][]int
	for _, n := range numbers(1, threshold) {
		alone = append(alone, []int{n})
	}
	s.want(t, "few calls", alone...)
	return s
}

// TestAlone: a call that is alone is made by its caller itself, with its own context.
func TestAlone(t *testing.T) {
	t.Parallel()
	type key struct{}
	made := false
	g := batch.New(threshold, limit, func(ctx context.Context, calls []*int) {
		_, hasLimit := ctx.Deadline()
		made = ctx.Value(key{}) == "of the caller" && len(calls) == 1 && !hasLimit // no lock: the race detector knows
	})
	if err := g.Do(context.WithValue(t.Context(), key{}, "of the caller"), new(int)); err != nil || !made {
		t.Errorf("made so: %v, error %v", made, err)
	}
}

// TestTogether: past the threshold one batch is under way, and all that come meanwhile are the next one.
func TestTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := busy(t)
		results := s.call(t, t.Context(), numbers(100, 20)...)
		s.want(t, "one under way", []int{100})
		s.replies(threshold + 1)
		s.want(t, "the next one", numbers(101, 19))
		s.replies(1)
		if n := results(); n != 20 {
			t.Errorf("%d results", n)
		}
		s.call(t, t.Context(), 200)
		s.want(t, "alone again", []int{200})
		s.replies(1)
	})
}

// TestMost: a batch is bounded, and what is beyond goes with the next one.
func TestMost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := busy(t)
		results := s.call(t, t.Context(), numbers(100, 1+most+2)...)
		s.replies(threshold + 1)
		s.replies(1)
		s.replies(1)
		s.want(t, "batches", []int{100}, numbers(101, most), numbers(101+most, 2))
		if n := results(); n != 1+most+2 {
			t.Errorf("%d results", n)
		}
	})
}

// TestEndOfOne: a caller whose context ends leaves alone, with its call while that has not been sent.
func TestEndOfOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := busy(t)
		results := s.call(t, t.Context(), 100, 101)
		ctx, cancel := context.WithTimeout(t.Context(), late/2)
		defer cancel()
		ended := make(chan error)
		began := time.Now()
		go func() { ended <- s.Do(ctx, new(int)) }()
		synctest.Wait()
		others := s.call(t, t.Context(), 102)
		if err := <-ended; !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != late/2 {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		s.replies(threshold + 1)
		s.want(t, "what was sent", []int{100}, []int{101, 102})
		s.replies(1)
		if n := results() + others(); n != 3 {
			t.Errorf("%d results", n)
		}
	})
}

// TestEndUnderWay: the same when the batch has been sent.
func TestEndUnderWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := busy(t)
		s.call(t, t.Context(), 100)
		ctx, cancel := context.WithTimeout(t.Context(), late/2)
		defer cancel()
		lost, stays := s.call(t, ctx, 101), s.call(t, t.Context(), 102)
		s.replies(threshold + 1)
		s.want(t, "under way", []int{100}, []int{101, 102})
		<-ctx.Done()
		if lost() != 0 || stays() != 0 {
			t.Error("results without an answer")
		}
		s.replies(1)
		if lost() != 0 || stays() != 1 {
			t.Errorf("results: %d of the one that left, %d of the other", lost(), stays())
		}
	})
}

// TestAllLeft: a batch that nobody waits for is not sent.
func TestAllLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := busy(t)
		s.call(t, t.Context(), 100)
		s.want(t, "under way", []int{100})
		ctx, cancel := context.WithCancel(t.Context())
		s.call(t, ctx, 101, 102)
		cancel()
		synctest.Wait()
		s.replies(threshold + 1)
		s.want(t, "nothing")
	})
}

// TestLate: a batch that is late holds up nobody else.
func TestLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := busy(t)
		began := time.Now()
		s.call(t, t.Context(), 100, 101)
		s.want(t, "under way", []int{100})
		pass(late - time.Nanosecond)
		s.want(t, "before that time")
		pass(time.Nanosecond)
		s.want(t, "beside it", []int{101})
		s.call(t, t.Context(), 102, 103)
		s.replies(threshold + 2) // the first sender is done, too
		s.want(t, "one sender goes on", []int{102, 103})
		s.replies(1)
		s.call(t, t.Context(), 104)
		if s.want(t, "alone", []int{104}); time.Since(began) != late {
			t.Errorf("took %s", time.Since(began))
		}
		s.replies(1)
	})
}

// TestLimit: a batch without an answer ends by itself.
func TestLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := busy(t)
		results := s.call(t, t.Context(), 100)
		pass(limit - time.Nanosecond)
		if n := results(); n != 0 {
			t.Errorf("%d results", n)
		}
		pass(time.Nanosecond)
		if n := results(); n != 1 {
			t.Errorf("%d results", n)
		}
		s.replies(threshold)
	})
}

// TestPanic: a panic is an error of all that were sent together, and the group goes on.
func TestPanic(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		g := batch.New(threshold, limit, func(_ context.Context, calls []*int) {
			switch <-hold; *calls[0] {
			case 1:
				panic("ouch")
			}
		})
		do := func(v int) <-chan error {
			result := make(chan error, 1)
			go func() { result <- g.Do(t.Context(), &v) }()
			synctest.Wait()
			return result
		}
		for range threshold {
			do(0)
		}
		lost, next := do(1), do(2)
		close(hold)
		if err := <-lost; err == nil || !strings.Contains(err.Error(), "panic: ouch") {
			t.Errorf("%v", err)
		}
		if err := <-next; err != nil {
			t.Error(err)
		}
	})
}

// BenchmarkDo is what a group costs a call that is alone.
func BenchmarkDo(b *testing.B) {
	g := batch.New(threshold, limit, func(context.Context, []*int) {})
	ctx, call := b.Context(), new(int)
	b.ReportAllocs()
	for b.Loop() {
		_ = g.Do(ctx, call)
	}
}
