package access_test

import (
	"errors"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"filings/service/access"
)

func usage(t testing.TB, s access.Store, user string) access.Usage {
	t.Helper()
	u, err := s.Usage(t.Context(), user)
	must(t, err)
	return u
}

// lastDays returns the requests of the last n days.
func lastDays(t testing.TB, s access.Store, user string, n int) (requests []int64) {
	t.Helper()
	days := usage(t, s, user).Days
	for _, d := range days[len(days)-n:] {
		requests = append(requests, d.Requests)
	}
	return requests
}

func TestX14_Windows(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		now := morning()
		s := p.open(t, bursty(), now.Now)
		key := create(t, s, "ann", access.Starter)
		midnight := time.Date(2031, 5, 15, 0, 0, 0, 0, time.UTC)
		window := func(name string, limit, used, remaining int64, resets time.Time) access.Window {
			return access.Window{Name: name, Limit: limit, Used: used, Remaining: remaining, Resets: resets}
		}
		same(t, "nothing used", []access.Window{
			window("day", 1_000_000, 0, 1_000_000, midnight), window("burst", 3, 0, 3, now.Now()),
		}, usage(t, s, "ann").Windows)

		admitAll(t, s, key, 3)
		same(t, "the burst used up", []access.Window{
			window("day", 1_000_000, 3, 999_997, midnight), window("burst", 3, 3, 0, now.Now().Add(time.Second)),
		}, usage(t, s, "ann").Windows)

		full := now.Now().Add(time.Second)
		now.Advance(333_333 * time.Microsecond)
		same(t, "a microsecond before one of it is there again", window("burst", 3, 3, 0, full), usage(t, s, "ann").Windows[1])
		now.Advance(time.Microsecond)
		same(t, "one of it is there again", window("burst", 3, 2, 1, full), usage(t, s, "ann").Windows[1])

		must(t, s.SetTier(t.Context(), "ann", access.Free))
		admit(t, s, key)
		free := usage(t, s, "ann")
		same(t, "tier", access.Free, free.Tier)
		same(t, "for life", window("lifetime", 4, 1, 3, time.Time{}), free.Windows[0])
		if _, err := s.Usage(t.Context(), "nobody"); !errors.Is(err, access.ErrNoAccount) {
			t.Errorf("usage of nobody: %v", err)
		}
	})
}

func TestX14_Days(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		ctx, now := t.Context(), morning()
		s := p.open(t, smallQuotas(), now.Now)
		key := create(t, s, "ann", access.Enterprise)
		first := admit(t, s, key)
		now.Advance(24 * time.Hour)
		admitAll(t, s, key, 2)
		must(t, s.SetTier(ctx, "ann", access.Free))
		admitAll(t, s, key, 5) // 3 of them admitted
		same(t, "of two tiers", []int64{1, 5}, lastDays(t, s, "ann", 2))
		must(t, s.Refund(ctx, first, 1))
		same(t, "a refund subtracts on the day that was charged", []int64{0, 5}, lastDays(t, s, "ann", 2))

		must(t, s.SetTier(ctx, "ann", access.Pro))
		now.Advance(28 * 24 * time.Hour)
		last := admit(t, s, key)
		days := usage(t, s, "ann").Days
		same(t, "days", 30, len(days))
		same(t, "the first of them", access.Day{Date: time.Date(2031, 5, 14, 0, 0, 0, 0, time.UTC)}, days[0])
		same(t, "the second", access.Day{Date: time.Date(2031, 5, 15, 0, 0, 0, 0, time.UTC), Requests: 5}, days[1])
		same(t, "the last", access.Day{Date: time.Date(2031, 6, 12, 0, 0, 0, 0, time.UTC), Requests: 1}, days[29])

		now.Advance(2 * 24 * time.Hour)
		must(t, s.Refund(ctx, last, 1))
		same(t, "without a request on three of them", []int64{0, 0, 0}, lastDays(t, s, "ann", 3))
		same(t, "the day of 5 is gone", int64(0), usage(t, s, "ann").Days[0].Requests)
	})
}

// TestX14_DaysAreForgotten: of an account that is used for months, and then no more, 31 days are kept.
func TestX14_DaysAreForgotten(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		now := morning()
		s := p.open(t, smallQuotas(), now.Now)
		key := create(t, s, "ann", access.Pro)
		for range 70 {
			admit(t, s, key)
			now.Advance(24 * time.Hour)
		}
		kept := int64(0)
		if r, ok := s.(*access.Redis); ok {
			var err error
			kept, err = r.Client().HLen(t.Context(), p.Key+"days:ann").Result()
			must(t, err)
			kept++ // the last one is in the account
			left, err := r.Client().TTL(t.Context(), p.Key+"days:ann").Result()
			must(t, err)
			same(t, "the hash expires", 31*24*time.Hour, left.Round(time.Hour))
		} else {
			must(t, s.(*access.Embedded).DB().QueryRow(`SELECT count(*) FROM days`).Scan(&kept))
		}
		same(t, "days that are kept", int64(31), kept)
	})
}

// A clock that is put back over midnight, and goes on, loses no request.
func TestX14_ClockThatGoesBack(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		now := morning()
		s := p.open(t, smallQuotas(), now.Now)
		key := create(t, s, "ann", access.Enterprise)
		for i, hours := range []time.Duration{0, 24, -24, 24} {
			now.Advance(hours * time.Hour)
			admitAll(t, s, key, i+1)
		}
		same(t, "days", []int64{4, 6}, lastDays(t, s, "ann", 2))
	})
}

// Every request that counts is in the days, and what was refunded is not, whoever sends how many at once.
func TestX14_DaysAreExact(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		now := morning()
		s, other := p.open(t, smallQuotas(), now.Now), p.open(t, smallQuotas(), now.Now)
		key := create(t, s, "ann", access.Enterprise)
		var group errgroup.Group
		for i := range 100 {
			group.Go(func() error {
				a, err := s.Admit(t.Context(), access.Key(key), 1)
				if err != nil || i%2 == 0 {
					return err
				}
				return other.Refund(t.Context(), a, 1)
			})
		}
		must(t, group.Wait())
		same(t, "today", []int64{50}, lastDays(t, s, "ann", 1))
	})
}
