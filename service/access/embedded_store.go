package access

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"time"
)

// Create implements Store.
func (e *Embedded) Create(ctx context.Context, user string, tier Tier, name string) (string, error) {
	if err := validAccount(user, tier, name); err != nil {
		return "", err
	}
	return issue(func(hash, prefix string) error {
		return e.write(ctx, noCaller, "create key", func(t transaction) error {
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
func (e *Embedded) Rotate(ctx context.Context, user string, overlap time.Duration) (string, error) {
	if err := validOverlap(overlap); err != nil {
		return "", err
	}
	return issue(func(hash, prefix string) error {
		return e.write(ctx, noCaller, "rotate key", func(t transaction) error {
			if err := t.needKey(user); err != nil {
				return err
			}
			if err := t.replaceKey(user, overlap); err != nil {
				return err
			}
			return t.exec(t.statements.rotate, hash, prefix, t.now.UnixMicro(), user)
		})
	})
}

// Revoke implements Store.
func (e *Embedded) Revoke(ctx context.Context, user string) error {
	return e.write(ctx, noCaller, "revoke key", func(t transaction) error {
		if err := t.needKey(user); err != nil {
			return err
		}
		if err := t.replaceKey(user, 0); err != nil {
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
	return e.write(ctx, noCaller, "change tier", func(t transaction) error {
		if err := t.needKey(user); err != nil && !errors.Is(err, ErrRevoked) {
			return err
		}
		return t.exec(t.statements.tier, tier, user)
	})
}

// replaceKey ends the older keys of a user, or with an overlap those that have ended, and keeps the
// active one for so long.
func (t transaction) replaceKey(user string, overlap time.Duration) error {
	if overlap == 0 {
		return t.exec(t.statements.endOlder, user, int64(math.MaxInt64))
	}
	if err := t.exec(t.statements.endOlder, user, t.now.UnixMicro()); err != nil {
		return err
	}
	return t.exec(t.statements.keepOlder, t.now.Add(overlap).UnixMicro(), user)
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

// accounts reads the account of the wanted user, a string, or all of them if that is nil.
func (e *Embedded) accounts(ctx context.Context, action string, wanted any) (accounts []Account, err error) {
	err = e.attempt(ctx, noCaller, action, func(ctx context.Context) error {
		now := e.now()
		rows, err := e.statements.accounts.QueryContext(ctx, dayCounter(now), wanted, now.UnixMicro())
		if err != nil {
			return err
		}
		defer rows.Close()
		for accounts = nil; rows.Next(); {
			var (
				user, prefix, hash, name, older string
				tier                            Tier
				created, used, made, ends, last int64
			)
			err := rows.Scan(&user, &tier, &prefix, &hash, &name, &created, &used, &older, &made, &ends, &last)
			if err != nil {
				return err
			}
			if len(accounts) == 0 || accounts[len(accounts)-1].User != user {
				accounts = append(accounts, e.limits.account(user, tier, prefix, hash, name, created, used))
			}
			if ends > 0 {
				accounts[len(accounts)-1].addOlder(older, made, ends, last)
			}
		}
		return rows.Err()
	})
	return accounts, err
}
