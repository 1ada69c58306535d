package access

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Admit implements Store.
func (e *Embedded) Admit(ctx context.Context, key string) (Admission, error) {
	if !isKey(key) {
		return Admission{Verdict: UnknownKey}, nil
	}
	hash := hashKey(key)
	var a Admission
	err := e.write(ctx, "admit", func(t transaction) (err error) {
		a, err = t.admit(e.limits, hash)
		return err
	})
	if err != nil {
		return Admission{}, err
	}
	return a, nil
}

// admit is what admit.lua is for Redis.
func (t transaction) admit(limits Limits, hash string) (Admission, error) {
	var (
		user   string
		tier   Tier
		before bucket
	)
	err := t.row(t.statements.byKey, hash).Scan(&user, &tier, &before.level, &before.at)
	if errors.Is(err, sql.ErrNoRows) {
		return Admission{Verdict: UnknownKey}, nil
	}
	if err != nil {
		return Admission{}, err
	}
	now := t.now.Truncate(time.Microsecond)
	used, err := t.used(user, counter(tier, now))
	if err != nil {
		return Admission{}, err
	}
	limit := limits[tier]
	if used >= limit.Quota {
		return limits.admission(exhausted(tier), user, tier, used, now), nil
	}
	after, ok := before.take(limit.Burst, now.UnixMicro())
	if !ok {
		return limits.admission(BurstExceeded, user, tier, used, now), nil
	}
	a := limits.admission(Admitted, user, tier, used+1, now)
	return a, t.charge(a, after)
}

// used reads a counter.
func (t transaction) used(user, counter string) (used int64, err error) {
	err = t.row(t.statements.used, user, counter).Scan(&used)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return used, err
}

// charge counts an admitted request. The first one of a day forgets the days before yesterday, which no refund can
// mean any more.
func (t transaction) charge(a Admission, after bucket) error {
	if err := t.exec(t.statements.count, a.User, a.counter); err != nil {
		return err
	}
	if a.Tier != Free && a.Remaining == a.Limit-1 {
		if err := t.exec(t.statements.forget, a.User, dayNumber(a.Now)-1); err != nil {
			return err
		}
	}
	return t.exec(t.statements.fill, after.level, after.at, a.User)
}

// Refund implements Store.
func (e *Embedded) Refund(ctx context.Context, a Admission) error {
	if a.counter == "" {
		return nil // nothing was counted
	}
	return e.write(context.WithoutCancel(ctx), "refund", func(t transaction) error {
		return t.exec(t.statements.refund, a.User, a.counter)
	})
}
