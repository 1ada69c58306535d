package elastic

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

func TestLazy_ComputedOnce(t *testing.T) {
	t.Parallel()
	l := newLazy[int]()
	var computed atomic.Int32
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			v, err := l.get(t.Context(), func(context.Context) (int, error) { return int(computed.Add(1)), nil })
			if v != 1 || err != nil {
				t.Errorf("%d, %v", v, err)
			}
		})
	}
	all.Wait()
}

func TestLazy_KeepsNoFailure(t *testing.T) {
	t.Parallel()
	l := newLazy[int]()
	failure := errors.New("failure")
	if _, err := l.get(t.Context(), func(context.Context) (int, error) { return 1, failure }); err != failure {
		t.Errorf("error %v", err)
	}
	if v, err := l.get(t.Context(), func(context.Context) (int, error) { return 2, nil }); v != 2 || err != nil {
		t.Errorf("%d, %v after a failure", v, err)
	}
}

// Who waits for another one's computing can still go away.
func TestLazy_WaitingEndsWithTheContext(t *testing.T) {
	t.Parallel()
	l := newLazy[int]()
	computing, finish := make(chan struct{}), make(chan struct{})
	var first sync.WaitGroup
	first.Go(func() {
		_, _ = l.get(t.Context(), func(context.Context) (int, error) { close(computing); <-finish; return 1, nil })
	})
	<-computing
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.get(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	close(finish)
	first.Wait()
}
