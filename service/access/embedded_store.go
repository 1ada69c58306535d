package access

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Admit implements Store.
func (e *Embedded) Admit(ctx context.Context, key string) (a Admission, err error) {
	if !isKey(key) {
		return Admission{Verdict: UnknownKey}, nil
	}
	err = e.write(ctx, "admit", func(t transaction) (err error) {
		a, err = t.admit(e.limits, hashKey(key))
		if err == nil && a.Verdict == UnknownKey {
			err = e.look(t)
		}
		return err
	})
	if err != nil {
		return Admission{}, err
	}
	if a.Verdict != UnknownKey {
		e.had.saw()
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
	var used int64
	err = t.row(t.statements.used, user, counterOf(tier, now)).Scan(&used)
	if err != nil && !errors.Is(err, sql.ErrNoRows) { // without a row nothing was used
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

// charge counts an admitted request. The first one of a day deletes the counters of the days before yesterday, to which
// no refund can belong any more.
func (t transaction) charge(a Admission, after bucket) error {
	if err := t.exec(t.statements.count, a.User, a.counter); err != nil {
		return err
	}
	if a.Tier != Free && a.Remaining == a.Limit-1 {
		if err := t.exec(t.statements.expire, a.User, dayNumber(a.Now)-1); err != nil {
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

// Create implements Store.
func (e *Embedded) Create(ctx context.Context, user string, tier Tier, name string) (string, error) {
	if err := validAccount(user, tier, name); err != nil {
		return "", err
	}
	return issue(func(hash, prefix string) error {
		return e.write(ctx, "create key", func(t transaction) error {
			switch err := t.needKey(user); {
			case err == nil:
				return ErrHasKey
			case !errors.Is(err, ErrNoAccount) && !errors.Is(err, ErrRevoked):
				return err
			}
			return t.exec(t.statements.create, user, tier, name, hash, prefix, t.now.UnixMicro())
		})
	})
}

// Rotate implements Store.
func (e *Embedded) Rotate(ctx context.Context, user string) (string, error) {
	return issue(func(hash, prefix string) error {
		return e.write(ctx, "rotate key", func(t transaction) error {
			if err := t.needKey(user); err != nil {
				return err
			}
			return t.exec(t.statements.rotate, hash, prefix, t.now.UnixMicro(), user)
		})
	})
}

// Revoke implements Store.
func (e *Embedded) Revoke(ctx context.Context, user string) error {
	return e.write(ctx, "revoke key", func(t transaction) error {
		if err := t.needKey(user); err != nil {
			return err
		}
		return t.exec(t.statements.revoke, user)
	})
}

// SetTier implements Store.
func (e *Embedded) SetTier(ctx context.Context, user string, tier Tier) error {
	if err := validTier(tier); err != nil {
		return err
	}
	return e.write(ctx, "change tier", func(t transaction) error {
		if err := t.needKey(user); err != nil && !errors.Is(err, ErrRevoked) {
			return err
		}
		return t.exec(t.statements.tier, tier, user)
	})
}

// needKey is nil for an account with an active key, else ErrNoAccount or ErrRevoked.
func (t transaction) needKey(user string) error {
	var isActive bool
	err := t.row(t.statements.byUser, user).Scan(&isActive)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return ErrNoAccount
	case err == nil && !isActive:
		return ErrRevoked
	}
	return err
}

// Show implements Store.
func (e *Embedded) Show(ctx context.Context, user string) (Account, error) {
	return shownAccount(e.accounts(ctx, "show account", user))
}

// List implements Store.
func (e *Embedded) List(ctx context.Context) ([]Account, error) {
	return e.accounts(ctx, "list accounts", nil)
}

// accounts reads the account of one user, a string, or all of them if that is nil.
func (e *Embedded) accounts(ctx context.Context, what string, one any) (accounts []Account, err error) {
	err = e.attempt(ctx, what, func(ctx context.Context) error {
		rows, err := e.statements.accounts.QueryContext(ctx, dayCounter(e.now()), one)
		if err != nil {
			return err
		}
		defer rows.Close()
		for accounts = nil; rows.Next(); {
			var (
				user, prefix, name string
				tier               Tier
				isActive           bool
				created, used      int64
			)
			if err := rows.Scan(&user, &tier, &prefix, &isActive, &name, &created, &used); err != nil {
				return err
			}
			accounts = append(accounts, e.limits.account(user, tier, prefix, isActive, name, created, used))
		}
		return rows.Err()
	})
	return accounts, err
}
