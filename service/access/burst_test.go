package access_test

import (
	"testing"
	"time"

	"filings/service/access"
)

// bursty has quotas that never matter, but for the free tier's.
func bursty() access.Limits {
	return access.Limits{
		access.Free:       {Quota: 4, Burst: 3},
		access.Starter:    {Quota: 1_000_000, Burst: 3},
		access.Pro:        {Quota: 1_000_000, Burst: 7},
		access.Enterprise: {Quota: 1_000_000, Burst: 40},
	}
}

func TestK5_Burst(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		now := morning()
		s := p.open(t, bursty(), now.Now)
		key := create(t, s, "ann", access.Starter)
		used := int64(0)
		for _, step := range []struct {
			name     string
			after    time.Duration
			sent     int
			admitted int
		}{
			{"the burst at once", 0, 10, 3},
			{"not early", 333_333 * time.Microsecond, 10, 0},
			{"one after a third of a second", time.Microsecond, 10, 1},
			{"all after a second", time.Second, 10, 3},
			{"exactly all, second after second", time.Second, 10, 3},
			{"never more", time.Hour, 10, 3},
		} {
			now.Advance(step.after)
			got := admitAll(t, s, key, step.sent)
			want := map[access.Verdict]int{access.BurstExceeded: step.sent - step.admitted}
			if step.admitted > 0 {
				want[access.Admitted] = step.admitted
			}
			same(t, step.name, want, got)
			used += int64(step.admitted)
			same(t, "K6 a refused request counts nothing: "+step.name, used, show(t, s, "ann").Used)
		}
	})
}

func TestK7_BurstSaysWhatRemains(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		now := morning()
		s := p.open(t, bursty(), now.Now)
		key := create(t, s, "ann", access.Free)
		admitAll(t, s, key, 3)
		want := access.Admission{
			Verdict: access.BurstExceeded, User: "ann", Tier: access.Free, Limit: 4, Remaining: 1,
			Reset: time.Date(2031, 5, 15, 0, 0, 0, 0, time.UTC), Now: now.Now(),
			Burst: access.Window{Name: "burst", Limit: 3, Used: 3, Resets: now.Now().Add(time.Second)},
		}
		same(t, "burst", want, admit(t, s, key))

		now.Advance(334 * time.Millisecond)
		same(t, "the last of the quota", access.Admitted, admit(t, s, key).Verdict)
		same(t, "quota and burst used up: the quota", access.LifetimeExceeded, admit(t, s, key).Verdict)
	})
}

func TestK5_BurstAfterChangeOfTier(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		ctx, now := t.Context(), morning()
		s := p.open(t, bursty(), now.Now)
		key := create(t, s, "ann", access.Enterprise)
		same(t, "enterprise", 40, admitAll(t, s, key, 50)[access.Admitted])
		must(t, s.SetTier(ctx, "ann", access.Starter))
		same(t, "starter at once", 0, admitAll(t, s, key, 5)[access.Admitted])
		now.Advance(time.Second)
		same(t, "starter after a second", 3, admitAll(t, s, key, 5)[access.Admitted])
		must(t, s.SetTier(ctx, "ann", access.Pro))
		same(t, "pro: the difference", 4, admitAll(t, s, key, 9)[access.Admitted])
	})
}

func TestK5_BurstIsOfTheAccount(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		ctx, now := t.Context(), morning()
		s := p.open(t, bursty(), now.Now)
		key, other := create(t, s, "ann", access.Starter), create(t, s, "bob", access.Starter)
		same(t, "first key", 3, admitAll(t, s, key, 5)[access.Admitted])
		key, err := s.Rotate(ctx, "ann", 0)
		must(t, err)
		same(t, "the next key at once", 0, admitAll(t, s, key, 5)[access.Admitted])
		same(t, "another account", 3, admitAll(t, s, other, 5)[access.Admitted])
	})
}

func TestK5_ClockThatGoesBack(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		now := morning()
		s := p.open(t, bursty(), now.Now)
		key := create(t, s, "ann", access.Starter)
		admitAll(t, s, key, 3)
		now.Advance(-time.Second)
		same(t, "a little back: no new burst", 0, admitAll(t, s, key, 5)[access.Admitted])
		now.Advance(-time.Microsecond)
		same(t, "more than a second back: not locked out until the clock has caught up", 3, admitAll(t, s, key, 5)[access.Admitted])
		same(t, "and only once", 0, admitAll(t, s, key, 5)[access.Admitted])
	})
}
