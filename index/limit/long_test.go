package limit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// flood makes 100 calls of an account, 12 at a time, that last so long, each with the time of a
// request, and returns how many the account does not owe. It is for a bubble of synctest.
func flood(t *testing.T, l *Limit, account, kind string, long time.Duration) (free int) {
	var callers sync.WaitGroup
	var mu sync.Mutex
	left := 100
	take := func() bool {
		mu.Lock()
		defer mu.Unlock()
		left--
		return left >= 0
	}
	for range 12 {
		callers.Go(func() {
			for take() {
				ctx, cancel := context.WithTimeout(t.Context(), 4500*time.Millisecond)
				slot, err := l.Acquire(ctx, account, kind, nil)
				if err == nil {
					<-time.After(long)
					slot.Release()
				}
				cancel()
				mu.Lock()
				var refused *Refused
				if errors.As(err, &refused) && !refused.Owed {
					free++
				}
				mu.Unlock()
			}
		})
	}
	callers.Wait()
	return free
}

// TestLong_Flood: eight accounts that send nothing but calls of 1.5 s, 12 at a time each, pay for
// their calls, and hold up nobody's short ones; a long one of another account waits for the end of
// one of theirs.
func TestLong_Flood(t *testing.T) {
	t.Parallel()
	for _, slots := range []int{2, 4, 8, 16} {
		t.Run(fmt.Sprint(slots), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := New(slots, time.Now)
				honest := func(kind string, long time.Duration) (waited time.Duration) {
					ctx, cancel := context.WithTimeout(t.Context(), 4500*time.Millisecond)
					defer cancel()
					began := time.Now()
					slot, err := l.Acquire(ctx, "honest", kind, nil)
					if err != nil {
						t.Errorf("%s: %v", kind, err)
						return time.Since(began)
					}
					waited = time.Since(began)
					<-time.After(long)
					slot.Release()
					return waited
				}
				honest("pages", 5*time.Millisecond)
				var floods sync.WaitGroup
				for i := range 8 {
					floods.Go(func() {
						if free := flood(t, l, fmt.Sprint("flood ", i), "groups", 1500*time.Millisecond); free > 9 { // the first of each twelve may wait for others alone
							t.Errorf("%d calls of account %d cost nothing", free, i)
						}
					})
				}
				<-time.After(time.Second)
				var waits []time.Duration
				for range 2600 {
					waits = append(waits, honest("pages", 5*time.Millisecond))
				}
				// Each of the flood has had its turn by now.
				if waited := honest("groups", 300*time.Millisecond); waited > 1500*time.Millisecond {
					t.Errorf("a long call waited %v", waited)
				}
				slices.Sort(waits)
				if longest := waits[len(waits)-1]; longest > 0 {
					t.Errorf("a short call waited %v", longest)
				}
				floods.Wait()
			})
		})
	}
}

// TestLong_Kinds: a call is long where calls of its kind were so lately, of its own account or, if
// that had none, of others; where there were none at all; and never without a kind.
func TestLong_Kinds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := New(8, time.Now)
		lasted := func(account, kind string, long time.Duration) {
			slot, err := l.Acquire(t.Context(), account, kind, nil)
			if err != nil {
				t.Fatal(err)
			}
			<-time.After(long)
			slot.Release()
		}
		want := func(account, kind string, long bool) {
			t.Helper()
			if got := l.lastsLong(account, kind); got != long {
				t.Errorf("%s of %q: long is %v, want %v", kind, account, got, long)
			}
		}
		want("a", "pages", true)
		want("a", "", false)
		want("", "pages", false)
		lasted("a", "pages", time.Millisecond)
		want("a", "pages", false)
		want("b", "pages", false)
		lasted("b", "pages", time.Second)
		want("a", "pages", false)
		want("b", "pages", true)
		want("c", "pages", true)
		want("b", "groups", true)
		lasted("b", "pages", time.Millisecond)
		want("b", "pages", true) // one short call does not make it short
		<-time.After(21 * time.Second)
		want("b", "pages", false)
		<-time.After(activeTime)
		lasted("d", "groups", time.Millisecond)
		want("b", "pages", true) // nothing is known any more
		lasted("a", "pages", 900*time.Millisecond)
		want("a", "pages", true)
		lasted("b", "groups", 4*time.Second) // which makes it short
		want("a", "pages", false)
		if len(l.kinds) != 8 {
			t.Errorf("%d kinds are known: %v", len(l.kinds), l.kinds)
		}
	})
}

// TestLong_Alone: long calls have all slots but a quarter, one at least, until somebody makes short ones.
func TestLong_Alone(t *testing.T) {
	for slots, want := range map[int][2]int{2: {1, 1}, 4: {3, 1}, 8: {6, 2}} {
		t.Run(fmt.Sprint(slots), func(t *testing.T) {
			bubble(t, slots, func(s *site) {
				s.kind = "groups"
				for account := range 2 * slots {
					s.calls(fmt.Sprint("long", account), 1)
				}
				if s.long != want[0] {
					s.t.Errorf("%d long calls have slots of %d, want %d", s.long, slots, want[0])
				}
				s.kind = ""
				s.calls("quick", 1)
				if s.InProgress() != want[0]+1 {
					s.t.Errorf("a short call waits for %d long ones, of %d slots", s.long, slots)
				}
				if got := s.longBound(); got != want[1] {
					s.t.Errorf("beside short calls %d long ones may have slots, want %d", got, want[1])
				}
			})
		})
	}
}

// TestOwed: a call that got no slot is owed if others of its account were before it; not if it
// waited for other accounts alone.
func TestOwed(t *testing.T) {
	bubble(t, 2, func(s *site) {
		s.calls("a", 1)
		s.calls("b", 1)
		ended, cancel := context.WithCancel(s.t.Context())
		cancel()
		owed := func(account string, caller Caller) bool {
			_, err := s.Acquire(ended, account, "", caller)
			var refused *Refused
			if !errors.As(err, &refused) {
				s.t.Fatal("it has a slot")
			}
			return refused.Owed
		}
		if owed("c", nil) {
			s.t.Error("owed, though it waited for others alone")
		}
		if !owed("a", nil) {
			s.t.Error("not owed, though another call of the account is in progress")
		}
		caller := &leaver{}
		s.callBy(s.t.Context(), "c/0", caller)
		if owed("c", caller) {
			s.t.Error("owed, though the other call is of the same caller")
		}
		if !owed("c", nil) || !owed("c", &leaver{}) {
			s.t.Error("not owed, though another call of the account waits")
		}
	})
}

// TestLong_ManySlots: with however many slots, a call of 300 ms is short, and one of a second long.
func TestLong_ManySlots(t *testing.T) {
	t.Parallel()
	for _, slots := range []int{6, 1000, 100_000_000_000, math.MaxInt} {
		synctest.Test(t, func(t *testing.T) {
			l := New(slots, time.Now)
			for kind, took := range map[string]time.Duration{"short": 300 * time.Millisecond, "long": time.Second} {
				slot, err := l.Acquire(t.Context(), "a", kind, nil)
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(took) // of the bubble's clock
				slot.Release()
			}
			if l.lastsLong("a", "short") || !l.lastsLong("a", "long") {
				t.Errorf("%d slots: short is %t, long is %t", slots, l.lastsLong("a", "short"), l.lastsLong("a", "long"))
			}
		})
	}
}
