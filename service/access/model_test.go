package access_test

import (
	"fmt"
	"math/big"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"filings/index/indextest"
	"filings/service/access"
)

// modelled are limits that random requests reach.
func modelled() access.Limits {
	return access.Limits{
		access.Free:       {Quota: 9, Burst: 2},
		access.Starter:    {Quota: 6, Burst: 3},
		access.Pro:        {Quota: 12, Burst: 7},
		access.Enterprise: {Quota: 40, Burst: 11},
	}
}

// model is what an account should do, in fractions and maps where the stores have whole numbers and tables.
type model struct {
	tier   access.Tier
	key    string // the active one
	used   map[string]int64
	debt   *big.Rat // requests of the burst not yet refilled, at the time since
	since  time.Time
	limits access.Limits
}

func (m *model) counter(now time.Time) string {
	if m.tier == access.Free {
		return "life"
	}
	return now.Format(time.DateOnly)
}

// admit returns what a Store should. Its clock never goes back.
func (m *model) admit(user, key string, now time.Time) access.Admission {
	if key != m.key {
		return access.Admission{Verdict: access.UnknownKey}
	}
	limit, counter := m.limits[m.tier], m.counter(now)
	year, month, day := now.Date()
	a := access.Admission{
		User: user, Tier: m.tier, Limit: limit.Quota, Now: now,
		Reset: time.Date(year, month, day+1, 0, 0, 0, 0, time.UTC),
	}
	burst := new(big.Rat).SetInt64(limit.Burst)
	refilled := new(big.Rat).Mul(burst, big.NewRat(now.Sub(m.since).Microseconds(), 1_000_000))
	debt := m.debt
	if debt.Cmp(burst) > 0 {
		debt = burst
	}
	debt = new(big.Rat).Sub(debt, refilled)
	if debt.Sign() < 0 {
		debt = new(big.Rat)
	}
	debt.Add(debt, big.NewRat(1, 1))
	switch {
	case m.used[counter] >= limit.Quota && m.tier == access.Free:
		a.Verdict = access.LifetimeExceeded
	case m.used[counter] >= limit.Quota:
		a.Verdict = access.DailyExceeded
	case debt.Cmp(burst) > 0:
		a.Verdict = access.BurstExceeded
	default:
		m.used[counter]++
		m.debt, m.since = debt, now
	}
	a.Remaining = max(0, limit.Quota-m.used[counter])
	return a
}

// TestK8_Model sends the same random operations to Redis, to the embedded store and to the model: the arithmetic in Lua,
// that in Go and that in fractions must agree on every result.
func TestK8_Model(t *testing.T) {
	t.Parallel()
	now := morning()
	stores := []access.Store{
		redisPlace(t).open(t, modelled(), now.Now),
		embeddedPlace(t).open(t, modelled(), now.Now),
	}
	var runs atomic.Int64
	rapid.Check(t, func(rt *rapid.T) {
		user := fmt.Sprintf("user-%d", runs.Add(1))
		m := &modelRun{t: t, rt: rt, user: user, now: now, stores: stores}
		m.start()
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			m.step()
		}
		m.compareAccounts()
	})
}

// modelRun is one account in all stores. The stores make different keys, so keys go by their number.
type modelRun struct {
	t      *testing.T
	rt     *rapid.T
	user   string
	now    *indextest.Clock
	stores []access.Store
	model  model
	keys   [][]string // of each store; the model's key is the number of one of them
	open   []charged  // admissions that may be refunded
}

type charged struct {
	counter    string
	admissions []access.Admission
}

func (r *modelRun) start() {
	r.model = model{used: map[string]int64{}, debt: new(big.Rat), since: r.now.Now(), limits: modelled()}
	r.keys = make([][]string, len(r.stores))
	r.model.tier = rapid.SampledFrom(access.Tiers).Draw(r.rt, "tier")
	r.newKey(func(s access.Store) (string, error) { return s.Create(r.t.Context(), r.user, r.model.tier, "") })
}

func (r *modelRun) newKey(from func(access.Store) (string, error)) {
	for i, s := range r.stores {
		key, err := from(s)
		if err != nil {
			r.rt.Fatal(err)
		}
		r.keys[i] = append(r.keys[i], key)
	}
	r.model.key = fmt.Sprint(len(r.keys[0]) - 1)
}

func (r *modelRun) each(what func(access.Store) error) {
	for _, s := range r.stores {
		if err := what(s); err != nil {
			r.rt.Fatal(err)
		}
	}
}

func (r *modelRun) step() {
	ctx := r.t.Context()
	switch rapid.SampledFrom([]string{"admit", "admit", "admit", "wait", "refund", "tier", "rotate", "renew"}).Draw(r.rt, "step") {
	case "admit":
		for range rapid.IntRange(1, 8).Draw(r.rt, "times") {
			r.admit()
		}
	case "wait":
		wait := rapid.OneOf(
			rapid.Int64Range(0, 3),
			rapid.Int64Range(0, 1_100_000),
			rapid.Int64Range(0, 86_400_000_000),
			rapid.Just(r.now.Now().Truncate(24*time.Hour).Add(24*time.Hour).Sub(r.now.Now()).Microseconds()),
		).Draw(r.rt, "microseconds")
		r.now.Advance(time.Duration(wait) * time.Microsecond)
	case "refund":
		r.refund()
	case "tier":
		r.model.tier = rapid.SampledFrom(access.Tiers).Draw(r.rt, "tier")
		r.each(func(s access.Store) error { return s.SetTier(ctx, r.user, r.model.tier) })
	case "rotate":
		r.newKey(func(s access.Store) (string, error) { return s.Rotate(ctx, r.user) })
	case "renew":
		r.each(func(s access.Store) error { return s.Revoke(ctx, r.user) })
		r.model.tier = rapid.SampledFrom(access.Tiers).Draw(r.rt, "tier")
		r.newKey(func(s access.Store) (string, error) { return s.Create(ctx, r.user, r.model.tier, "") })
	}
}

func (r *modelRun) admit() {
	last := len(r.keys[0]) - 1
	number := last
	if rapid.IntRange(0, 9).Draw(r.rt, "old key") == 0 {
		number = rapid.IntRange(0, last).Draw(r.rt, "key")
	}
	want := r.model.admit(r.user, fmt.Sprint(number), r.now.Now())
	c := charged{counter: r.model.counter(r.now.Now())}
	for i, s := range r.stores {
		a, err := s.Admit(r.t.Context(), r.keys[i][number])
		if err != nil {
			r.rt.Fatal(err)
		}
		same(r.rt, fmt.Sprintf("%T", s), want, a)
		c.admissions = append(c.admissions, a)
	}
	if want.Verdict == access.Admitted {
		r.open = append(r.open, c)
	}
}

func (r *modelRun) refund() {
	if len(r.open) == 0 {
		return
	}
	i := rapid.IntRange(0, len(r.open)-1).Draw(r.rt, "refund")
	r.model.used[r.open[i].counter]--
	for j, s := range r.stores {
		if err := s.Refund(r.t.Context(), r.open[i].admissions[j]); err != nil {
			r.rt.Fatal(err)
		}
	}
	r.open = slices.Delete(r.open, i, i+1)
}

func (r *modelRun) compareAccounts() {
	used := r.model.used[r.model.counter(r.now.Now())]
	quota := r.model.limits[r.model.tier].Quota
	for i, s := range r.stores {
		got, err := s.Show(r.t.Context(), r.user)
		if err != nil {
			r.rt.Fatal(err)
		}
		want := access.Account{
			User: r.user, Tier: r.model.tier, Prefix: r.keys[i][0][:8], State: "active", CreatedAt: got.CreatedAt,
			Quota: quota, Used: used, Remaining: max(0, quota-used),
		}
		same(r.rt, fmt.Sprintf("%T", s), want, got)
	}
}
