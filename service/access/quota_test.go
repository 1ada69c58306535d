package access_test

import (
	"context"
	"testing"
	"time"

	"filings/index/indextest"
	"filings/service/access"
)

func TestK5_Quota(t *testing.T) {
	t.Parallel()
	for _, tier := range []access.Tier{access.Free, access.Starter, access.Pro} {
		t.Run(string(tier), func(t *testing.T) {
			t.Parallel()
			onEach(t, func(t *testing.T, p place) {
				now := morning()
				s := p.open(t, smallQuotas(), now.Now)
				key := create(t, s, "ann", tier)
				quota := smallQuotas()[tier].Quota
				want := access.Admission{
					User: "ann", Tier: tier, Limit: quota, Now: now.Now(),
					Reset: time.Date(2031, 5, 15, 0, 0, 0, 0, time.UTC),
				}
				for left := quota - 1; left >= 0; left-- {
					want.Remaining, want.Burst = left, burstOfMillion(quota-left, now.Now())
					same(t, "admitted", want, admit(t, s, key))
				}
				want.Verdict = access.DailyExceeded
				if tier == access.Free {
					want.Verdict = access.LifetimeExceeded
				}
				for range 3 {
					same(t, "refused", want, admit(t, s, key))
				}
				same(t, "K8 a refused request counts nothing", quota, show(t, s, "ann").Used)
			})
		})
	}
}

// burstOfMillion is the burst of smallQuotas after so many requests at the time now.
func burstOfMillion(used int64, now time.Time) access.Window {
	return access.Window{Name: "burst", Limit: 1_000_000, Used: used, Remaining: 1_000_000 - used, Resets: now.Add(time.Duration(used) * time.Microsecond)}
}

func TestK5_QuotaOfZero(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		none := smallQuotas()
		for tier, limit := range none {
			none[tier] = access.Limit{Quota: 0, Burst: limit.Burst}
		}
		s := p.open(t, none, nil)
		same(t, "free", access.LifetimeExceeded, admit(t, s, create(t, s, "free", access.Free)).Verdict)
		same(t, "pro", access.DailyExceeded, admit(t, s, create(t, s, "pro", access.Pro)).Verdict)
		same(t, "remaining", int64(0), show(t, s, "pro").Remaining)
	})
}

func TestK7_Midnight(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		// A clock in another zone, where the day began hours ago: the day is that of UTC.
		now := indextest.NewClock(time.Date(2032, 2, 28, 23, 59, 59, 999_999_000, time.UTC).In(time.FixedZone("east", 9*3600)))
		s := p.open(t, smallQuotas(), now.Now)
		daily, free := create(t, s, "ann", access.Starter), create(t, s, "bob", access.Free)
		admitAll(t, s, daily, 5)
		admitAll(t, s, free, 3)
		before := admit(t, s, daily)
		same(t, "before midnight", access.DailyExceeded, before.Verdict)
		same(t, "K7 reset before midnight", time.Date(2032, 2, 29, 0, 0, 0, 0, time.UTC), before.Reset)

		now.Advance(time.Microsecond)
		after := admit(t, s, daily)
		same(t, "at midnight", access.Admitted, after.Verdict)
		same(t, "remaining at midnight", int64(4), after.Remaining)
		same(t, "K7 reset at midnight", time.Date(2032, 3, 1, 0, 0, 0, 0, time.UTC), after.Reset)
		same(t, "a lifetime has no midnight", access.LifetimeExceeded, admit(t, s, free).Verdict)
	})
}

func TestK8_ClockOfTheStore(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		s := p.open(t, smallQuotas(), nil)
		before := time.Now()
		a := admit(t, s, create(t, s, "ann", access.Pro))
		// Redis runs on this machine, so its clock is the same; the minute is for one that runs elsewhere.
		if a.Now.Before(before.Add(-time.Minute)) || a.Now.After(time.Now().Add(time.Minute)) {
			t.Errorf("the store's clock says %s, it is %s", a.Now, before)
		}
		if wait := a.Reset.Sub(a.Now); wait <= 0 || wait > 24*time.Hour || a.Reset != a.Reset.Truncate(24*time.Hour) {
			t.Errorf("reset at %s, now is %s", a.Reset, a.Now)
		}
		if created := show(t, s, "ann").CreatedAt; created.After(a.Now) || a.Now.Sub(created) > time.Minute {
			t.Errorf("created at %s, admitted at %s", created, a.Now)
		}
	})
}

func TestK6_Refund(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		ctx, s := t.Context(), p.open(t, smallQuotas(), morning().Now)
		key := create(t, s, "ann", access.Free)
		a := admit(t, s, key)
		admitAll(t, s, key, 2)
		refused := admit(t, s, key)
		same(t, "used up", access.LifetimeExceeded, refused.Verdict)

		must(t, s.Refund(ctx, refused, 1))
		must(t, s.Refund(ctx, access.Admission{Verdict: access.UnknownKey}, 1))
		same(t, "a refund of what was not counted", int64(3), show(t, s, "ann").Used)

		ended, cancel := context.WithCancel(ctx)
		cancel()
		must(t, s.Refund(ended, a, 1))
		same(t, "a refund after the request has ended", int64(2), show(t, s, "ann").Used)
		same(t, "admitted once more", map[access.Verdict]int{access.Admitted: 1, access.LifetimeExceeded: 2}, admitAll(t, s, key, 3))
	})
}

func TestK6_RefundNeverBelowZero(t *testing.T) {
	t.Parallel()
	for _, tier := range []access.Tier{access.Free, access.Pro} {
		t.Run(string(tier), func(t *testing.T) {
			t.Parallel()
			onEach(t, func(t *testing.T, p place) {
				s := p.open(t, smallQuotas(), morning().Now)
				key := create(t, s, "ann", tier)
				a := admit(t, s, key)
				for range 3 {
					must(t, s.Refund(t.Context(), a, 1))
				}
				same(t, "used", int64(0), show(t, s, "ann").Used)
				quota := smallQuotas()[tier].Quota
				same(t, "admitted", int(quota), admitAll(t, s, key, int(quota)+5)[access.Admitted])
			})
		})
	}
}

func TestK6_RefundAfterMidnight(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		ctx, now := t.Context(), morning()
		s := p.open(t, smallQuotas(), now.Now)
		key := create(t, s, "ann", access.Starter)
		yesterday := admit(t, s, key)
		admitAll(t, s, key, 2)

		now.Advance(24 * time.Hour)
		today := admit(t, s, key)
		must(t, s.Refund(ctx, yesterday, 1))
		same(t, "today's counter", int64(1), show(t, s, "ann").Used)
		must(t, s.Refund(ctx, today, 1))
		same(t, "today's counter after today's refund", int64(0), show(t, s, "ann").Used)

		now.Advance(-24 * time.Hour)
		same(t, "yesterday's counter", int64(2), show(t, s, "ann").Used)
		now.Advance(30 * 24 * time.Hour)
		must(t, s.Refund(ctx, yesterday, 1))
		same(t, "a month later", int64(0), show(t, s, "ann").Used)
	})
}

func TestK6_RefundAfterChangeOfTier(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		ctx, s := t.Context(), p.open(t, smallQuotas(), morning().Now)
		key := create(t, s, "ann", access.Free)
		free := admit(t, s, key)
		must(t, s.SetTier(ctx, "ann", access.Pro))
		pro := admit(t, s, key)
		admit(t, s, key)

		must(t, s.Refund(ctx, free, 1))
		same(t, "the day's counter", int64(2), show(t, s, "ann").Used)
		must(t, s.SetTier(ctx, "ann", access.Free))
		same(t, "the lifetime counter", int64(0), show(t, s, "ann").Used)
		must(t, s.Refund(ctx, pro, 1))
		must(t, s.SetTier(ctx, "ann", access.Starter))
		same(t, "the day's counter, of another tier", int64(1), show(t, s, "ann").Used)
	})
}

func TestK3_ChangeOfTierKeepsUsage(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		ctx, s := t.Context(), p.open(t, smallQuotas(), morning().Now)
		key := create(t, s, "ann", access.Pro)
		admitAll(t, s, key, 6)
		for _, step := range []struct {
			tier      access.Tier
			verdict   access.Verdict
			remaining int64
		}{
			{access.Enterprise, access.Admitted, 1000 - 7},
			{access.Starter, access.DailyExceeded, 0}, // 7 used of 5
			{access.Free, access.Admitted, 2},         // its own counter
			{access.Pro, access.Admitted, 0},
			{access.Pro, access.DailyExceeded, 0},
			{access.Free, access.Admitted, 1},
		} {
			must(t, s.SetTier(ctx, "ann", step.tier))
			a := admit(t, s, key)
			same(t, "verdict as "+string(step.tier), step.verdict, a.Verdict)
			same(t, "remaining as "+string(step.tier), step.remaining, a.Remaining)
			same(t, "tier", step.tier, a.Tier)
		}
	})
}
