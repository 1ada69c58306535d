package access

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Create implements Store.
func (e *Embedded) Create(ctx context.Context, user string, tier Tier, name string) (string, error) {
	if err := validAccount(user, tier, name); err != nil {
		return "", err
	}
	key := newKey()
	err := e.write(ctx, "create key", func(t transaction) error {
		isActive, err := t.isActive(user)
		switch {
		case err != nil && !errors.Is(err, ErrNoAccount):
			return err
		case isActive:
			return ErrHasKey
		}
		return t.exec(t.statements.create, user, tier, name, hashKey(key), key[:shown], t.now.UnixMicro())
	})
	if err != nil {
		return "", err
	}
	return key, nil
}

// Rotate implements Store.
func (e *Embedded) Rotate(ctx context.Context, user string) (string, error) {
	key := newKey()
	err := e.write(ctx, "rotate key", func(t transaction) error {
		if err := t.needKey(user); err != nil {
			return err
		}
		return t.exec(t.statements.rotate, hashKey(key), key[:shown], t.now.UnixMicro(), user)
	})
	if err != nil {
		return "", err
	}
	return key, nil
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
		if _, err := t.isActive(user); err != nil {
			return err
		}
		return t.exec(t.statements.tier, tier, user)
	})
}

// isActive reports whether the key of an account is active, or ErrNoAccount.
func (t transaction) isActive(user string) (isActive bool, err error) {
	err = t.row(t.statements.byUser, user).Scan(&isActive)
	if errors.Is(err, sql.ErrNoRows) {
		return false, ErrNoAccount
	}
	return isActive, err
}

// needKey is nil for an account with an active key, else ErrNoAccount or ErrRevoked.
func (t transaction) needKey(user string) error {
	isActive, err := t.isActive(user)
	if err == nil && !isActive {
		return ErrRevoked
	}
	return err
}

// Show implements Store.
func (e *Embedded) Show(ctx context.Context, user string) (Account, error) {
	accounts, err := e.accounts(ctx, "show account", user)
	if err != nil {
		return Account{}, err
	}
	if len(accounts) == 0 {
		return Account{}, fmt.Errorf("show account: %w", ErrNoAccount)
	}
	return accounts[0], nil
}

// List implements Store.
func (e *Embedded) List(ctx context.Context) ([]Account, error) {
	return e.accounts(ctx, "list accounts", nil)
}

// accounts reads the account of user, a string, or all of them if it is nil.
func (e *Embedded) accounts(ctx context.Context, what string, user any) (accounts []Account, err error) {
	err = e.attempt(ctx, what, func(ctx context.Context) error {
		accounts, err = e.readAccounts(ctx, user)
		return err
	})
	return accounts, err
}

func (e *Embedded) readAccounts(ctx context.Context, user any) ([]Account, error) {
	rows, err := e.statements.accounts.QueryContext(ctx, dayCounter(e.now()), user)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var accounts []Account
	for rows.Next() {
		var (
			user, prefix, name string
			tier               Tier
			isActive           bool
			created, used      int64
		)
		if err := rows.Scan(&user, &tier, &prefix, &isActive, &name, &created, &used); err != nil {
			return nil, err
		}
		accounts = append(accounts, e.limits.account(user, tier, prefix, isActive, name, created, used))
	}
	return accounts, rows.Err()
}
