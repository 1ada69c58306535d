package access_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"filings/service/access"
)

func charge(t testing.TB, s access.Store, a access.Admission, n int64) access.Admission {
	t.Helper()
	charged, err := s.Charge(t.Context(), a, n)
	must(t, err)
	return charged
}

func admitUncharged(t testing.TB, s access.Store, key string) access.Admission {
	t.Helper()
	a, err := s.Admit(t.Context(), access.Key(key), 0)
	must(t, err)
	return a
}

func TestX7_AllOrNothing(t *testing.T) {
	t.Parallel()
	for tier, exhausted := range map[access.Tier]access.Verdict{access.Free: access.LifetimeExceeded, access.Pro: access.DailyExceeded} {
		t.Run(string(tier), func(t *testing.T) {
			t.Parallel()
			onEach(t, func(t *testing.T, p place) {
				s := p.open(t, smallQuotas(), morning().Now)
				quota := smallQuotas()[tier].Quota
				key := create(t, s, "ann", tier)
				a := admitUncharged(t, s, key)
				same(t, "admitted uncharged: verdict, remaining", []any{access.Admitted, quota}, []any{a.Verdict, a.Remaining})

				more := charge(t, s, a, quota+1)
				same(t, "more than there is", []any{exhausted, quota}, []any{more.Verdict, more.Remaining})
				must(t, s.Refund(t.Context(), more, 1))
				same(t, "nothing was taken", int64(0), show(t, s, "ann").Used)
				all := charge(t, s, a, quota)
				same(t, "all there is", []any{access.Admitted, int64(0), "ann", tier}, []any{all.Verdict, all.Remaining, all.User, all.Tier})
				must(t, s.Refund(t.Context(), a, 1))
				same(t, "the admission took nothing to give back", quota, show(t, s, "ann").Used)
				same(t, "one more", exhausted, charge(t, s, a, 1).Verdict)
				same(t, "admitted uncharged with nothing left", exhausted, admitUncharged(t, s, key).Verdict)

				must(t, s.Refund(t.Context(), all, 2))
				same(t, "used after the refund of 2", quota-2, show(t, s, "ann").Used)
				must(t, s.Refund(t.Context(), all, 1000))
				same(t, "never below zero", int64(0), show(t, s, "ann").Used)
			})
		})
	}
}

// TestX3_AdmittedAtAPrice: an admission takes all of a price or nothing, one of the burst, and gives back what it took.
func TestX3_AdmittedAtAPrice(t *testing.T) {
	t.Parallel()
	for tier, exhausted := range map[access.Tier]access.Verdict{access.Free: access.LifetimeExceeded, access.Pro: access.DailyExceeded} {
		t.Run(string(tier), func(t *testing.T) {
			t.Parallel()
			onEach(t, func(t *testing.T, p place) {
				s := p.open(t, smallQuotas(), morning().Now)
				quota := smallQuotas()[tier].Quota
				key := create(t, s, "ann", tier)
				admit := func(n int64) access.Admission {
					t.Helper()
					a, err := s.Admit(t.Context(), access.Key(key), n)
					must(t, err)
					return a
				}
				more := admit(quota + 1)
				same(t, "more than there is", []any{exhausted, quota}, []any{more.Verdict, more.Remaining})
				same(t, "the burst of a refused one", int64(0), more.Burst.Used)
				all := admit(quota)
				same(t, "all there is", []any{access.Admitted, int64(0)}, []any{all.Verdict, all.Remaining})
				same(t, "the burst", int64(1), all.Burst.Used)
				same(t, "nothing is left", exhausted, admit(1).Verdict)
				same(t, "nothing is left for a price that is not known yet", exhausted, admit(0).Verdict)
				nothing := admit(access.NoPrice)
				same(t, "what costs nothing", []any{access.Admitted, int64(0), int64(2)}, []any{nothing.Verdict, nothing.Remaining, nothing.Burst.Used})
				must(t, s.Refund(t.Context(), all, quota))
				same(t, "used after the refund", int64(0), show(t, s, "ann").Used)
			})
		})
	}
}

func TestX7_UnchargedCountsInTheBurst(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		s := p.open(t, bursty(), morning().Now)
		key := create(t, s, "ann", access.Starter)
		for range 3 {
			same(t, "within the burst", access.Admitted, admitUncharged(t, s, key).Verdict)
		}
		same(t, "beyond the burst", access.BurstExceeded, admitUncharged(t, s, key).Verdict)
		nothing, err := s.Admit(t.Context(), access.Key(key), access.NoPrice)
		must(t, err)
		same(t, "beyond the burst, what costs nothing", access.BurstExceeded, nothing.Verdict)
		same(t, "beyond the burst, a page", access.BurstExceeded, admit(t, s, key).Verdict)
		same(t, "a charge needs no burst", access.Admitted, charge(t, s, access.Admission{User: "ann"}, 5).Verdict)
		same(t, "unknown key", access.UnknownKey, admitUncharged(t, s, someKey).Verdict)
		same(t, "not a key", access.UnknownKey, admitUncharged(t, s, "x").Verdict)
		_, err = s.Charge(t.Context(), access.Admission{User: "nobody"}, 1)
		if !errors.Is(err, access.ErrNoAccount) {
			t.Errorf("charge of nobody: %v", err)
		}
	})
}

// A charge counts on the day on which it is made, and its refund on that day too: of an export that lasts over midnight,
// and of one whose account moves to another tier meanwhile.
func TestX7_RefundFollowsTheCharge(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		ctx, now := t.Context(), morning()
		s := p.open(t, smallQuotas(), now.Now)
		key := create(t, s, "ann", access.Starter)
		admitted := admitUncharged(t, s, key)
		now.Advance(24 * time.Hour)
		charged := charge(t, s, admitted, 4)
		now.Advance(24 * time.Hour)
		admit(t, s, key)
		must(t, s.SetTier(ctx, "ann", access.Free))
		admit(t, s, key)
		free := charge(t, s, admitted, 2)
		same(t, "tier of a charge: the account's now", []any{access.Free, int64(0)}, []any{free.Tier, free.Remaining})

		must(t, s.Refund(ctx, charged, 3))
		must(t, s.Refund(ctx, free, 1))
		same(t, "for life", int64(2), show(t, s, "ann").Used)
		must(t, s.SetTier(ctx, "ann", access.Starter))
		same(t, "today", int64(1), show(t, s, "ann").Used)
		same(t, "days", []int64{1, 3}, lastDays(t, s, "ann", 2))
		now.Advance(-24 * time.Hour)
		same(t, "yesterday", int64(1), show(t, s, "ann").Used)
	})
}

// chargeAll charges prices of 1 to 7 until each goroutine was refused, and returns what was charged, less what it gave back.
func chargeAll(ctx context.Context, s access.Store, user string, goroutines int) (int64, error) {
	var charged atomic.Int64
	var group errgroup.Group
	for i := range goroutines {
		group.Go(func() error {
			for price := int64(i%7 + 1); ; price = price%7 + 1 {
				a, err := s.Charge(ctx, access.Admission{User: user}, price)
				if err != nil || a.Verdict != access.Admitted {
					return err
				}
				back := price / 3
				if err := s.Refund(ctx, a, back); err != nil {
					return err
				}
				charged.Add(price - back)
			}
		})
	}
	err := group.Wait()
	return charged.Load(), err
}

func TestX7_ExactUnderProcesses(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		s := p.open(t, sharedLimits(), nil)
		create(t, s, "ann", access.Free)
		var total atomic.Int64
		var group errgroup.Group
		for range 3 {
			group.Go(func() error {
				charged, err := worker{Place: p, Charge: "ann"}.run(t)
				total.Add(charged)
				return err
			})
		}
		group.Go(func() error {
			charged, err := chargeAll(t.Context(), s, "ann", 50)
			total.Add(charged)
			return err
		})
		must(t, group.Wait())
		used := show(t, s, "ann").Used
		same(t, "counted", total.Load(), used)
		if used > 300 || used <= 300-7 {
			t.Errorf("%d of 300 are used: more than there are, or a price that fitted was refused", used)
		}
		days := lastDays(t, s, "ann", 2) // two, should midnight pass
		same(t, "counted by day", used, days[0]+days[1])
	})
}

func TestX8_Lease(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		ctx, now := t.Context(), morning()
		s, other := p.open(t, smallQuotas(), now.Now), p.open(t, smallQuotas(), now.Now)
		hold := func(what string, s access.Store, user, id string, want time.Duration) {
			t.Helper()
			got, err := s.AcquireLease(ctx, user, id)
			must(t, err)
			same(t, what, want, got)
		}
		hold("the first", s, "ann", "1", 0)
		hold("another process", other, "ann", "2", access.LeaseTime)
		hold("another account", other, "bob", "2", 0)
		must(t, other.Release(ctx, "ann", "2"))
		hold("released by one who has none", other, "ann", "2", access.LeaseTime)

		now.Advance(access.LeaseRenewal)
		hold("before it is renewed", other, "ann", "2", access.LeaseTime-access.LeaseRenewal)
		hold("renewed", s, "ann", "1", 0)
		now.Advance(access.LeaseTime - time.Microsecond)
		hold("not over yet", other, "ann", "2", time.Microsecond)
		now.Advance(time.Microsecond)
		hold("of a process that died", other, "ann", "2", 0)
		hold("the first one is late", s, "ann", "1", access.LeaseTime)
		must(t, s.Release(ctx, "ann", "1"))
		hold("released by an earlier holder", s, "ann", "3", access.LeaseTime)

		ended, cancel := context.WithCancel(ctx)
		cancel()
		must(t, other.Release(ended, "ann", "2"))
		hold("released", s, "ann", "3", 0)
		now.Advance(-time.Minute * 5)
		hold("a clock put back", other, "ann", "4", 0)
	})
}

// At any moment one holder has the lease, of many at once over several stores, and each gets it in the end.
func TestX8_LeaseUnderGoroutines(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		stores := []access.Store{p.open(t, smallQuotas(), nil), p.open(t, smallQuotas(), nil), p.open(t, smallQuotas(), nil)}
		var inside, most, turns atomic.Int64
		var group errgroup.Group
		for i := range 12 {
			s, id := stores[i%len(stores)], fmt.Sprint(i)
			group.Go(func() error {
				for {
					left, err := s.AcquireLease(t.Context(), "ann", id)
					if err != nil {
						return err
					}
					if left > 0 {
						continue
					}
					if n := inside.Add(1); n > 1 {
						most.Store(n)
					}
					turns.Add(1)
					inside.Add(-1)
					return s.Release(t.Context(), "ann", id)
				}
			})
		}
		must(t, group.Wait())
		same(t, "turns, holders at once beyond one", []int64{12, 0}, []int64{turns.Load(), most.Load()})
	})
}

func TestX8_LeaseUnderProcesses(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		p.open(t, smallQuotas(), nil)
		var holders atomic.Int64
		var group errgroup.Group
		for i := range 4 {
			group.Go(func() error {
				held, err := worker{Place: p, Lease: "ann", ID: fmt.Sprint(i)}.run(t)
				holders.Add(held)
				return err
			})
		}
		must(t, group.Wait())
		same(t, "holders", int64(1), holders.Load())
	})
}

// A lease of Redis leaves nothing behind.
func TestX8_LeaseExpires(t *testing.T) {
	t.Parallel()
	r, prefix := openRedis(t, nil)
	_, err := r.AcquireLease(t.Context(), "ann", "1")
	must(t, err)
	left, err := r.Client().PTTL(t.Context(), prefix+"lease:ann").Result()
	must(t, err)
	if left <= access.LeaseTime-10*time.Second || left > access.LeaseTime {
		t.Errorf("expires in %s, want about %s", left, access.LeaseTime)
	}
}
