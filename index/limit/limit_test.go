package limit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// site is a limit whose calls last until they are told to end.
type site struct {
	*Limit
	t    *testing.T
	end  map[string]chan struct{}
	kind string // of the calls that are made next

	mu      sync.Mutex // held by calls; the test looks when all of them wait
	started []string   // names of calls, in the order in which they got a slot
	errs    map[string]error
}

func newSite(t *testing.T, slots int) *site {
	return &site{Limit: New(slots, time.Now), t: t, end: map[string]chan struct{}{}, errs: map[string]error{}}
}

// call makes a call named "account/name" in a bubble of synctest.
func (s *site) call(ctx context.Context, name string) { s.callBy(ctx, name, nil) }

func (s *site) callBy(ctx context.Context, name string, by Caller) {
	account, _, _ := strings.Cut(name, "/")
	end := make(chan struct{})
	s.end[name] = end
	go func() {
		slot, err := s.Acquire(ctx, account, s.kind, by)
		s.note(name, err)
		if err == nil {
			defer slot.Release()
			<-end
		}
	}()
	synctest.Wait()
}

func (s *site) note(name string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.errs[name] = err
	} else {
		s.started = append(s.started, name)
	}
}

func (s *site) calls(account string, n int) {
	for i := range n {
		s.call(s.t.Context(), fmt.Sprintf("%s/%d", account, i))
	}
}

func (s *site) ends(name string) {
	close(s.end[name])
	delete(s.end, name)
	synctest.Wait()
}

// endAll ends all calls, and expects that nothing is left.
func (s *site) endAll() {
	for len(s.end) > 0 {
		for name := range s.end {
			s.ends(name)
		}
	}
	if s.InProgress() != 0 || s.Waiting() != 0 || len(s.accounts)+len(s.turns) != 0 {
		s.t.Errorf("left behind: %d in progress, %d waiting, %d accounts, %d turns",
			s.InProgress(), s.Waiting(), len(s.accounts), len(s.turns))
	}
}

// want expects these calls to have got a slot since the last time.
func (s *site) want(names ...string) {
	s.t.Helper()
	slices.Sort(s.started) // those that got one at the same time run in any order
	slices.Sort(names)
	if !slices.Equal(s.started, names) {
		s.t.Errorf("started %v, want %v", s.started, names)
	}
	s.started = nil
}

func bubble(t *testing.T, slots int, f func(s *site)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, slots)
		f(s)
		s.endAll()
	})
}

// TestAlone: an account that is alone has all slots but a quarter, and its calls go in their order.
func TestAlone(t *testing.T) {
	bubble(t, 4, func(s *site) {
		s.calls("a", 5)
		s.want("a/0", "a/1", "a/2")
		s.ends("a/2")
		s.want("a/3")
		s.ends("a/0")
		s.want("a/4")
	})
}

// TestAlone_Newcomer: whatever an account took while it was alone, and however long its calls last,
// the next account has its quarter at once: none of the flood's calls has to end first. The
// service's own calls may have what is kept free.
func TestAlone_Newcomer(t *testing.T) {
	for _, slots := range []int{4, 8, 26} {
		t.Run(fmt.Sprint(slots), func(t *testing.T) {
			bubble(t, slots, func(s *site) {
				quarter := slots / shares
				s.calls("flood", 3*slots)
				if n := s.InProgress(); n != slots-quarter {
					t.Errorf("the flood has %d of %d slots", n, slots)
				}
				s.started = nil
				s.calls("quiet", quarter)
				if len(s.started) != quarter {
					t.Errorf("%d of %d calls of another account began at once", len(s.started), quarter)
				}
			})
		})
	}
	bubble(t, 4, func(s *site) {
		s.calls("flood", 9)
		s.calls("", 2)
		s.want("flood/0", "flood/1", "flood/2", "/0")
	})
}

// TestQuarter: beside others an account has a quarter of the slots, also where some are free; until
// the others have been silent for a minute.
func TestQuarter(t *testing.T) {
	bubble(t, 8, func(s *site) {
		s.calls("honest", 1)
		s.calls("flood", 20)
		s.want("honest/0", "flood/0", "flood/1")
		s.ends("honest/0")
		s.want()
		s.call(s.t.Context(), "honest/again")
		s.want("honest/again")
		s.ends("honest/again")
		<-time.After(activeTime - time.Second)
		s.ends("flood/0")
		s.want("flood/2")
		<-time.After(time.Second)
		s.ends("flood/1")
		s.want("flood/3", "flood/4", "flood/5", "flood/6", "flood/7")
	})
}

// TestQuarter_AfterAlone: what an account took while it was alone it gives back call by call, to others first.
func TestQuarter_AfterAlone(t *testing.T) {
	bubble(t, 8, func(s *site) {
		s.calls("flood", 20)
		s.calls("honest", 2)
		s.calls("third", 2)
		s.started = nil
		s.ends("flood/0")
		s.want("third/0")
		s.ends("flood/1")
		s.want("third/1")
		for i := 2; i < 4; i++ {
			s.ends(fmt.Sprintf("flood/%d", i))
		}
		s.want()
		s.ends("flood/4")
		s.want("flood/6")
	})
}

// TestTurns: accounts take turns, and the calls of each go in their order.
func TestTurns(t *testing.T) {
	bubble(t, 1, func(s *site) {
		s.calls("a", 4)
		s.calls("b", 2)
		s.calls("c", 1)
		for _, name := range []string{"a/0", "a/1", "b/0", "c/0", "a/2", "b/1", "a/3"} {
			s.want(name)
			s.ends(name)
		}
	})
}

// TestOneForAll: fewer slots than shares are one for each account.
func TestOneForAll(t *testing.T) {
	bubble(t, 3, func(s *site) {
		s.calls("a", 1)
		s.calls("b", 2)
		s.want("a/0", "b/0")
	})
}

// TestNameless: the service's own calls bound nobody, and nobody bounds them.
func TestNameless(t *testing.T) {
	bubble(t, 4, func(s *site) {
		s.calls("", 1)
		s.calls("a", 2)
		s.want("/0", "a/0", "a/1")
		s.calls("b", 1)
		s.want("b/0")
	})
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, 4)
		s.calls("a", 1)
		s.calls("b", 1)
		s.calls("", 3)
		s.want("a/0", "b/0", "/0", "/1")
		s.endAll()
	})
}

// TestCancelled: a caller that gives up leaves the queue, and learns what kept it.
func TestCancelled(t *testing.T) {
	bubble(t, 4, func(s *site) {
		s.calls("honest", 1)
		s.calls("flood", 1)
		ctx, cancel := context.WithCancelCause(s.t.Context())
		gone := errors.New("gone")
		s.call(ctx, "flood/gone")
		s.call(s.t.Context(), "flood/next")
		cancel(gone)
		synctest.Wait()
		if err := s.errs["flood/gone"]; !errors.Is(err, gone) || s.Waiting() != 1 {
			t.Errorf("%v, %d waiting", err, s.Waiting())
		}
		s.started = nil
		s.ends("flood/0")
		s.want("flood/next")
	})
}

// TestHalf: a call that is not made in half of its caller's time is given up.
func TestHalf(t *testing.T) {
	bubble(t, 1, func(s *site) {
		s.calls("a", 1)
		ctx, cancel := context.WithTimeout(s.t.Context(), 4*time.Second)
		defer cancel()
		s.call(ctx, "b/late")
		<-time.After(1999 * time.Millisecond)
		if s.Waiting() != 1 {
			t.Error("given up before half of its time")
		}
		<-time.After(time.Millisecond)
		synctest.Wait()
		if err := s.errs["b/late"]; !errors.Is(err, context.DeadlineExceeded) || s.Waiting() != 0 || ctx.Err() != nil {
			t.Errorf("%v, %d waiting", err, s.Waiting())
		}
	})
}

// TestResize: new slots are handed out at once, and slots that are gone are not handed out again.
func TestResize(t *testing.T) {
	bubble(t, 1, func(s *site) {
		s.calls("a", 6)
		for _, step := range []struct{ slots, inProgress int }{{1, 1}, {5, 4}, {2, 4}, {0, 4}, {6, 5}} {
			if s.Resize(step.slots); s.InProgress() != step.inProgress {
				t.Errorf("%d slots: %d calls in progress, want %+v", step.slots, s.InProgress(), step)
			}
		}
		s.Resize(2)
		s.ends("a/1")
		s.ends("a/2")
		if n := s.InProgress(); n != 3 {
			t.Errorf("%d calls in progress after two of five ended, want 3", n)
		}
		s.Resize(8)
		s.calls("b", 3)
		if n := s.InProgress(); n != 6 {
			t.Errorf("%d calls in progress, want the last four of a, and a quarter of eight slots of b", n)
		}
	})
}

func TestCancelled_Share(t *testing.T) {
	t.Parallel()
	l := New(4, time.Now)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for i, tt := range []struct {
		account       string
		share, refuse bool
	}{{"a", false, false}, {"b", false, false}, {"b", true, true}, {"c", false, false}, {"d", false, false}, {"e", false, true}} {
		_, err := l.Acquire(ended, tt.account, "", nil)
		var refused *Refused
		if errors.As(err, &refused) != tt.refuse || tt.refuse && refused.Share != tt.share {
			t.Errorf("%d, of %s: %+v", i, tt.account, err)
		}
	}
}

// TestModel makes calls at random: no slot is lost or handed out twice, no account has more than
// its share beside others, a slot is free only where no call may have it, and of one account the
// call that waited longest is next.
func TestModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		clock := time.Unix(0, 0)
		slots := rapid.IntRange(1, 9).Draw(r, "slots")
		l := New(slots, func() time.Time { return clock })
		type caller struct {
			leaver
			c    *call
			slot *Slot
		}
		var all []*caller // that wait, or have a slot
		seen := map[string]time.Time{}
		accounts := []string{"a", "b", "c", ""}
		passed := false // time, since slots were handed out: an account that is alone now takes more at the next call's end
		progress := func() map[string]int {
			counts := map[string]int{}
			for _, by := range all {
				if by.slot == nil {
					by.slot = by.c.slot
				}
				if by.slot != nil {
					counts[by.slot.account.name]++
				}
			}
			return counts
		}
		check := func() {
			n := 0
			for _, has := range progress() {
				n += has
			}
			if n != l.inProgress || n > slots {
				r.Fatalf("%d calls have slots, %d are counted, of %d", n, l.inProgress, slots)
			}
			order := map[*account][]*call{}
			for _, by := range all {
				switch waits := slices.Contains(by.c.queue.waiting, by.c); {
				case waits:
					order[by.c.queue.account] = append(order[by.c.queue.account], by.c)
				case by.slot == nil && (!errors.Is(by.c.err, errLeft) || !by.left):
					r.Fatal("a call neither waits nor has a slot, and its caller needs it")
				}
			}
			for _, name := range accounts {
				a := l.accounts[name]
				if a == nil {
					continue
				}
				if !slices.Equal(order[a], a.short.waiting) {
					r.Fatalf("calls of %q wait out of order", name)
				}
				if a.waits() && n < slots && (a.inProgress == 0 || !passed && a.inProgress < l.bound(a)) {
					r.Fatalf("a slot is free, and %q waits with %d in progress", name, a.inProgress)
				}
			}
		}
		bounded := func(name string) bool { // by what was seen, not by what the limit keeps of it
			for other, at := range seen {
				if other != name && other != "" && clock.Sub(at) < activeTime {
					return name != ""
				}
			}
			return false
		}
		drawn := func(r *rapid.T) int {
			if len(all) == 0 {
				r.Skip()
			}
			return rapid.IntRange(0, len(all)-1).Draw(r, "call")
		}
		r.Repeat(map[string]func(*rapid.T){
			"": func(*rapid.T) { check() },
			"acquire": func(r *rapid.T) {
				name := rapid.SampledFrom(accounts).Draw(r, "account")
				seen[name] = clock
				before, by := progress(), &caller{}
				by.c, by.slot = l.queued(name, "", by)
				all, passed = append(all, by), false
				checkShare(r, before, progress(), bounded, slots)
			},
			"end": func(r *rapid.T) {
				i := drawn(r)
				before, by := progress(), all[i]
				switch {
				case by.slot != nil:
					by.slot.Release()
					passed = false
				case by.c.err == nil: // its time is over
					l.mu.Lock()
					l.dequeue(by.c)
					l.mu.Unlock()
				}
				all = slices.Delete(all, i, i+1)
				checkShare(r, before, progress(), bounded, slots)
			},
			"hang up": func(r *rapid.T) { all[drawn(r)].left = true },
			"time": func(r *rapid.T) {
				passed = true
				clock = clock.Add(time.Duration(rapid.IntRange(0, 90).Draw(r, "seconds")) * time.Second)
			},
		})
	})
}

// checkShare expects that no account got a slot above its share, or one of the quarter that is kept for others.
func checkShare(r *rapid.T, before, after map[string]int, bounded func(string) bool, slots int) {
	for name, n := range after {
		if n > before[name] && n > max(1, slots/4) && bounded(name) {
			r.Fatalf("%q has %d of %d slots beside others", name, n, slots)
		}
		if n > before[name] && n > slots-slots/4 && name != "" {
			r.Fatalf("%q has %d of %d slots, and leaves no quarter to others", name, n, slots)
		}
	}
}

// BenchmarkCall is what the limit costs a call.
func BenchmarkCall(b *testing.B) {
	l := New(8, time.Now)
	b.ReportAllocs()
	for b.Loop() {
		slot, _ := l.Acquire(b.Context(), "a", "kind", nil)
		slot.Release()
	}
}

// leaver is a caller that can leave, and counts how often it was asked.
type leaver struct {
	left  bool
	asked int
}

func (c *leaver) Left() bool { c.asked++; return c.left }

// TestLeft: a call whose caller left while it waited takes no slot, and no turn from its account. A
// call that has its turn at once asks nobody.
func TestLeft(t *testing.T) {
	bubble(t, 1, func(s *site) {
		var callers []*leaver
		call := func(name string) *leaver {
			l := &leaver{}
			callers = append(callers, l)
			s.callBy(s.t.Context(), name, l)
			return l
		}
		call("a/0").left = true
		gone := call("a/gone")
		call("a/1")
		call("b/1")
		call("a/2")
		if s.Waiting() != 4 {
			t.Fatalf("%d waiting", s.Waiting())
		}
		for _, c := range callers {
			if c.asked != 0 {
				t.Error("a caller was asked before its turn")
			}
		}
		gone.left = true
		s.want("a/0")
		s.ends("a/0")
		s.want("a/1") // the turn is a's: the one that left is passed over
		if err := s.errs["a/gone"]; !errors.Is(err, errLeft) || gone.asked != 1 {
			t.Errorf("%v, asked %d times", err, gone.asked)
		}
		s.ends("a/1")
		s.want("b/1")
		s.ends("b/1")
		s.want("a/2")
		if callers[0].asked != 0 {
			t.Error("a caller that had its turn at once was asked")
		}
	})
}

// TestRelease_Late: a slot stays taken until it is released, whatever becomes of its caller, who may make the same call
// again.
func TestRelease_Late(t *testing.T) {
	bubble(t, 2, func(s *site) {
		acquire := func() *Slot {
			slot, err := s.Acquire(s.t.Context(), "a", "", nil)
			if err != nil {
				s.t.Error(err)
			}
			return slot
		}
		first, again := acquire(), make(chan *Slot)
		go func() { again <- acquire() }()
		synctest.Wait()
		s.calls("b", 2)
		if s.InProgress() != 2 || s.Waiting() != 2 { // one of two slots is for others than a
			s.t.Errorf("%d slots are taken and %d calls wait, want 2 and 2", s.InProgress(), s.Waiting())
		}
		first.Release()
		(<-again).Release()
		s.ends("b/0")
		s.ends("b/1")
	})
}
