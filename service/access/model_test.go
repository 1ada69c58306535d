package access_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"filings/index/indextest"
	"filings/service/access"
)

// modeled are limits that random requests reach.
func modeled() access.Limits {
	return access.Limits{
		access.Free:       {Quota: 9, Burst: 2},
		access.Starter:    {Quota: 6, Burst: 3, Tokens: 6, TokenBurst: 1},
		access.Pro:        {Quota: 12, Burst: 7, Tokens: 4, TokenBurst: 3},
		access.Enterprise: {Quota: 40, Burst: 11, Tokens: 30},
	}
}

// model is what an account should do, in fractions and maps where the stores have whole numbers and tables.
type model struct {
	tier   access.Tier
	key    string // the active one
	older  map[string]*older
	used   map[string]int64
	days   map[string]int64 // all requests, by date
	lease  string           // its holder, until
	until  time.Time
	tokens map[string]int64 // requests with tokens, by date
	limits access.Limits

	debt                    // of the burst
	visits map[string]*debt // of each visitor
}

// older is a key that was replaced: until when it is good, when it was made, and when it was last used since.
type older struct{ until, made, used time.Time }

// good reports whether a key admits.
func (m *model) good(key string, now time.Time) bool {
	return key == m.key || m.older[key] != nil && now.Before(m.older[key].until)
}

// use notes that a key admitted a request.
func (m *model) use(key string, now time.Time) {
	if key != m.key {
		m.older[key].used = now
	}
}

// debt is requests of a burst that are not yet refilled, at the time since.
type debt struct {
	owed  *big.Rat
	since time.Time
}

func (m *model) counter(now time.Time) string {
	if m.tier == access.Free {
		return "life"
	}
	return now.Format(time.DateOnly)
}

// at is what is left of the debt.
func (d debt) at(limit int64, now time.Time) *big.Rat {
	burst := new(big.Rat).SetInt64(limit)
	refilled := new(big.Rat).Mul(burst, big.NewRat(now.Sub(d.since).Microseconds(), 1_000_000))
	owed := d.owed
	if owed.Cmp(burst) > 0 {
		owed = burst
	}
	owed = new(big.Rat).Sub(owed, refilled)
	if owed.Sign() < 0 {
		owed = new(big.Rat)
	}
	return owed
}

// and is the debt after one more request, false where it does not fit.
func (d debt) and(limit int64, now time.Time) (debt, bool) {
	owed := new(big.Rat).Add(d.at(limit, now), big.NewRat(1, 1))
	return debt{owed, now}, owed.Cmp(new(big.Rat).SetInt64(limit)) <= 0
}

// window is the window of a burst.
func (d debt) window(name string, limit int64, now time.Time) access.Window {
	debt := d.at(limit, now)
	used := ceil(debt)
	micros := ceil(new(big.Rat).Mul(debt, big.NewRat(1_000_000, limit)))
	return access.Window{Name: name, Limit: limit, Used: used, Remaining: limit - used, Resets: now.Add(time.Duration(micros) * time.Microsecond)}
}

func ceil(r *big.Rat) int64 {
	up := new(big.Int).Add(r.Num(), new(big.Int).Sub(r.Denom(), big.NewInt(1)))
	return up.Div(up, r.Denom()).Int64()
}

// admit returns what a Store should, of a request that takes n of the quota. Its clock never goes back.
func (m *model) admit(user, key string, n int64, now time.Time) access.Admission {
	if !m.good(key, now) {
		return access.Admission{Verdict: access.UnknownKey}
	}
	verdict := m.exhausted(max(n, 1), now)
	debt, fits := m.and(m.limits[m.tier].Burst, now)
	if verdict == access.Admitted && !fits {
		verdict = access.BurstExceeded
	}
	if verdict == access.Admitted {
		m.debt = debt
		m.use(key, now)
		m.count(n, now)
	}
	return m.admission(verdict, user, now)
}

// visit returns what a Store should admit of a token made with key.
func (m *model) visit(user, key string, v access.Credential, n int64, now time.Time) access.Admission {
	if !m.good(key, now) || m.tier == access.Free {
		return access.Admission{Verdict: access.UnknownKey}
	}
	limit := m.limits[m.tier]
	date, share, most := now.Format(time.DateOnly), limit.Tokens, cmp.Or(limit.TokenBurst, limit.Burst)
	if m.visits[v.Visitor] == nil {
		m.visits[v.Visitor] = &debt{owed: new(big.Rat)}
	}
	visitor := m.visits[v.Visitor]
	next, fits := visitor.and(v.Burst, now)
	var a access.Admission
	switch {
	case m.exhausted(max(n, 1), now) != access.Admitted:
		a = m.admission(access.DailyExceeded, user, now)
	case m.tokens[date]+max(n, 1) > share:
		a = m.admission(access.TokensExceeded, user, now)
	case !fits:
		a = m.admission(access.VisitorExceeded, user, now)
	case new(big.Rat).Add(m.at(limit.Burst, now), big.NewRat(1, 1)).Cmp(new(big.Rat).SetInt64(most)) > 0:
		a = m.admission(access.BurstExceeded, user, now)
	default:
		if a = m.admit(user, key, n, now); a.Verdict == access.Admitted {
			*visitor = next
			m.tokens[date] += n
		}
	}
	return m.ofTokens(a, visitor.window("visitor", v.Burst, now))
}

// charge returns what a Store should.
func (m *model) charge(user string, n int64, now time.Time) access.Admission {
	verdict := m.exhausted(n, now)
	if verdict == access.Admitted {
		m.count(n, now)
	}
	return m.admission(verdict, user, now)
}

// chargeVisit returns what a Store should charge to a token's admission.
func (m *model) chargeVisit(user string, visitor access.Window, n int64, now time.Time) access.Admission {
	limit, date := m.limits[m.tier], now.Format(time.DateOnly)
	var a access.Admission
	if m.exhausted(n, now) == access.Admitted && m.tokens[date]+n > limit.Tokens {
		a = m.admission(access.TokensExceeded, user, now)
	} else if a = m.charge(user, n, now); a.Verdict == access.Admitted {
		m.tokens[date] += n
	}
	return m.ofTokens(a, visitor)
}

// ofTokens is a as it is said of a token.
func (m *model) ofTokens(a access.Admission, visitor access.Window) access.Admission {
	limit := m.limits[m.tier]
	share, used, most := limit.Tokens, m.tokens[a.Now.Format(time.DateOnly)], cmp.Or(limit.TokenBurst, limit.Burst)
	a.Tokens = access.Window{Name: "tokens", Limit: share, Used: used, Remaining: max(0, share-used), Resets: a.Reset}
	a.Visitor = visitor
	a.Burst.Limit, a.Burst.Used, a.Burst.Remaining = most, min(most, a.Burst.Used), max(0, most-a.Burst.Used)
	return a
}

// exhausted is Admitted if the quota has n left.
func (m *model) exhausted(n int64, now time.Time) access.Verdict {
	switch {
	case m.used[m.counter(now)]+n <= m.limits[m.tier].Quota:
		return access.Admitted
	case m.tier == access.Free:
		return access.LifetimeExceeded
	}
	return access.DailyExceeded
}

func (m *model) count(n int64, now time.Time) {
	m.used[m.counter(now)] += n
	m.days[now.Format(time.DateOnly)] += n
}

func (m *model) admission(verdict access.Verdict, user string, now time.Time) access.Admission {
	year, month, day := now.Date()
	quota := m.limits[m.tier].Quota
	return access.Admission{
		Verdict: verdict, User: user, Tier: m.tier, Limit: quota, Remaining: max(0, quota-m.used[m.counter(now)]), Now: now,
		Reset: time.Date(year, month, day+1, 0, 0, 0, 0, time.UTC), Burst: m.window("burst", m.limits[m.tier].Burst, now),
	}
}

// usage returns what a Store should.
func (m *model) usage(now time.Time) access.Usage {
	quota := access.Window{Name: "lifetime", Limit: m.limits[m.tier].Quota, Used: m.used[m.counter(now)]}
	quota.Remaining = max(0, quota.Limit-quota.Used)
	year, month, day := now.Date()
	if m.tier != access.Free {
		quota.Name, quota.Resets = "day", time.Date(year, month, day+1, 0, 0, 0, 0, time.UTC)
	}
	u := access.Usage{Tier: m.tier, Windows: []access.Window{quota, m.window("burst", m.limits[m.tier].Burst, now)}}
	for i := range 30 {
		date := time.Date(year, month, day-29+i, 0, 0, 0, 0, time.UTC)
		u.Days = append(u.Days, access.Day{Date: date, Requests: m.days[date.Format(time.DateOnly)]})
	}
	return u
}

// hold returns what a Store should.
func (m *model) hold(id string, now time.Time) (left time.Duration) {
	if m.lease != "" && m.lease != id && m.until.After(now) {
		return m.until.Sub(now)
	}
	m.lease, m.until = id, now.Add(time.Minute)
	return 0
}

// TestK8_Model sends the same random operations to Redis, to the embedded store and to the model: the arithmetic in Lua,
// that in Go and that in fractions must agree on every result.
func TestK8_Model(t *testing.T) {
	t.Parallel()
	now := morning()
	stores := []access.Store{
		redisPlace(t).open(t, modeled(), now.Now),
		embeddedPlace(t).open(t, modeled(), now.Now),
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
	made   []time.Time
	open   []charged // admissions that may be refunded
}

// charged is an admission or a charge: how many of its requests were not refunded yet, and where they count.
type charged struct {
	n             int64
	counter, date string
	tokens        bool
	admissions    []access.Admission
}

func (r *modelRun) start() {
	r.model = model{used: map[string]int64{}, days: map[string]int64{}, tokens: map[string]int64{}, limits: modeled(),
		debt: debt{new(big.Rat), r.now.Now()}, visits: map[string]*debt{}, older: map[string]*older{}}
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
	r.model.key, r.made = fmt.Sprint(len(r.keys[0])-1), append(r.made, r.now.Now())
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
	switch rapid.SampledFrom([]string{"admit", "admit", "admit", "visit", "visit", "charge", "wait", "refund", "usage", "lease", "tier", "rotate", "overlap", "overlap", "renew"}).Draw(r.rt, "step") {
	case "admit":
		for range rapid.IntRange(1, 8).Draw(r.rt, "times") {
			r.admit()
		}
	case "visit":
		for range rapid.IntRange(1, 8).Draw(r.rt, "times") {
			r.visit()
		}
	case "wait":
		wait := rapid.OneOf(
			rapid.Int64Range(0, 3),
			rapid.Int64Range(0, 1_100_000),
			rapid.Int64Range(0, 86_400_000_000),
			rapid.Int64Range(0, 40*86_400_000_000),
			rapid.Just(r.now.Now().Truncate(24*time.Hour).Add(24*time.Hour).Sub(r.now.Now()).Microseconds()),
		).Draw(r.rt, "microseconds")
		r.now.Advance(time.Duration(wait) * time.Microsecond)
	case "charge":
		r.charge()
	case "refund":
		r.refund()
	case "usage":
		r.usage()
	case "lease":
		r.lease()
	case "tier":
		r.model.tier = rapid.SampledFrom(access.Tiers).Draw(r.rt, "tier")
		r.each(func(s access.Store) error { return s.SetTier(ctx, r.user, r.model.tier) })
	case "rotate":
		clear(r.model.older)
		r.newKey(func(s access.Store) (string, error) { return s.Rotate(ctx, r.user, 0) })
	case "overlap":
		overlap := time.Duration(rapid.Int64Range(time.Minute.Microseconds(), access.MaxOverlap.Microseconds()).Draw(r.rt, "overlap")) * time.Microsecond
		r.model.older[r.model.key] = &older{until: r.now.Now().Add(overlap), made: r.made[len(r.made)-1]}
		r.newKey(func(s access.Store) (string, error) { return s.Rotate(ctx, r.user, overlap) })
		r.compareAccounts()
	case "renew":
		clear(r.model.older)
		r.each(func(s access.Store) error { return s.Revoke(ctx, r.user) })
		r.model.tier = rapid.SampledFrom(access.Tiers).Draw(r.rt, "tier")
		r.newKey(func(s access.Store) (string, error) { return s.Create(ctx, r.user, r.model.tier, "") })
	}
}

// drawKey draws the number of a key, mostly of the active one or of the one before it, and a price.
func (r *modelRun) drawKey() (number int, n int64) {
	last := len(r.keys[0]) - 1
	number = last
	switch rapid.IntRange(0, 9).Draw(r.rt, "old key") {
	case 0:
		number = rapid.IntRange(0, last).Draw(r.rt, "key")
	case 1, 2, 3:
		number = max(0, last-1)
	}
	return number, rapid.OneOf(rapid.Int64Range(0, 1), rapid.Int64Range(0, 10)).Draw(r.rt, "takes of the quota")
}

func (r *modelRun) visit() {
	number, n := r.drawKey()
	v := access.Credential{Visitor: rapid.SampledFrom([]string{"192.0.2.1", "2001:db8::/64"}).Draw(r.rt, "visitor"),
		Burst: rapid.Int64Range(1, 4).Draw(r.rt, "burst")}
	r.counted(n, r.model.visit(r.user, fmt.Sprint(number), v, n, r.now.Now()), func(i int, s access.Store) (access.Admission, error) {
		v.Hash = access.HashKey(r.keys[i][number])
		return s.Admit(r.t.Context(), v, n)
	})
}

func (r *modelRun) admit() {
	number, n := r.drawKey()
	r.counted(n, r.model.admit(r.user, fmt.Sprint(number), n, r.now.Now()), func(i int, s access.Store) (access.Admission, error) {
		return s.Admit(r.t.Context(), access.Key(r.keys[i][number]), n)
	})
}

func (r *modelRun) charge() {
	n := rapid.Int64Range(1, 20).Draw(r.rt, "price")
	if rapid.Bool().Draw(r.rt, "with a token") {
		a := access.Admission{User: r.user, Tokens: access.Window{Name: "tokens"},
			Visitor: access.Window{Name: "visitor", Limit: 4, Remaining: 3, Used: 1}}
		r.counted(n, r.model.chargeVisit(r.user, a.Visitor, n, r.now.Now()),
			func(_ int, s access.Store) (access.Admission, error) {
				return s.Charge(r.t.Context(), a, n)
			})
		return
	}
	r.counted(n, r.model.charge(r.user, n, r.now.Now()), func(_ int, s access.Store) (access.Admission, error) {
		return s.Charge(r.t.Context(), access.Admission{User: r.user}, n)
	})
}

// counted wants what all stores do, which takes n of the quota, and keeps it for a refund.
func (r *modelRun) counted(n int64, want access.Admission, do func(int, access.Store) (access.Admission, error)) {
	now := r.now.Now()
	c := charged{n: n, counter: r.model.counter(now), date: now.Format(time.DateOnly), tokens: want.Tokens.Name != ""}
	for i, s := range r.stores {
		a, err := do(i, s)
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

func (r *modelRun) usage() {
	want := r.model.usage(r.now.Now())
	for _, s := range r.stores {
		got, err := s.Usage(r.t.Context(), r.user)
		if err != nil {
			r.rt.Fatal(err)
		}
		same(r.rt, fmt.Sprintf("%T", s), want, got)
	}
}

func (r *modelRun) lease() {
	ctx, id := r.t.Context(), rapid.SampledFrom([]string{"a", "b", "c"}).Draw(r.rt, "holder")
	if rapid.Bool().Draw(r.rt, "release") {
		if r.model.lease == id {
			r.model.lease = ""
		}
		r.each(func(s access.Store) error { return s.Release(ctx, r.user, id) })
		return
	}
	want := r.model.hold(id, r.now.Now())
	r.each(func(s access.Store) error {
		got, err := s.AcquireLease(ctx, r.user, id)
		same(r.rt, fmt.Sprintf("%T holds", s), want, got)
		return err
	})
}

func (r *modelRun) refund() {
	if len(r.open) == 0 {
		return
	}
	i := rapid.IntRange(0, len(r.open)-1).Draw(r.rt, "refund")
	c := &r.open[i]
	n := rapid.Int64Range(0, c.n).Draw(r.rt, "of it")
	c.n -= n
	r.model.used[c.counter] -= n
	r.model.days[c.date] -= n
	if c.tokens {
		r.model.tokens[c.date] -= n
	}
	for j, s := range r.stores {
		if err := s.Refund(r.t.Context(), c.admissions[j], n); err != nil {
			r.rt.Fatal(err)
		}
	}
	if c.n == 0 {
		r.open = slices.Delete(r.open, i, i+1)
	}
}

// shownOlder returns what a Store should show of the older keys.
func (m *model) shownOlder(prefix string, now time.Time) (all []access.OlderKey) {
	kept := slices.SortedFunc(maps.Values(m.older), func(x, y *older) int {
		return cmp.Or(x.made.Compare(y.made), x.until.Compare(y.until), x.used.Compare(y.used))
	})
	for _, o := range kept {
		if !now.Before(o.until) {
			continue
		}
		key := access.OlderKey{Prefix: prefix, CreatedAt: o.made, Ends: o.until}
		if !o.used.IsZero() {
			key.LastUsedAt = &o.used
		}
		all = append(all, key)
	}
	return all
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
			Quota: quota, Used: used, Remaining: max(0, quota-used), Hash: access.HashKey(r.keys[i][len(r.keys[i])-1]),
			Older: r.model.shownOlder(r.keys[i][0][:8], r.now.Now()),
		}
		same(r.rt, fmt.Sprintf("%T", s), want, got)
	}
}
