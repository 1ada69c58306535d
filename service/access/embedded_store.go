package access

import (
	"context"
	"database/sql"
	"errors"
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
func (e *Embedded) Rotate(ctx context.Context, user string) (string, error) {
	return issue(func(hash, prefix string) error {
		return e.write(ctx, noCaller, "rotate key", func(t transaction) error {
			if err := t.needKey(user); err != nil {
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
	err = e.attempt(ctx, noCaller, what, func(ctx context.Context) error {
		rows, err := e.statements.accounts.QueryContext(ctx, dayCounter(e.now()), one)
		if err != nil {
			return err
		}
		defer rows.Close()
		for accounts = nil; rows.Next(); {
			var (
				user, prefix, hash, name string
				tier                     Tier
				created, used            int64
			)
			if err := rows.Scan(&user, &tier, &prefix, &hash, &name, &created, &used); err != nil {
				return err
			}
			accounts = append(accounts, e.limits.account(user, tier, prefix, hash, name, created, used))
		}
		return rows.Err()
	})
	return accounts, err
}
