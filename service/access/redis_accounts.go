package access

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// listPage is how many accounts one script reads. Redis does nothing else meanwhile: about a millisecond.
const listPage = 200

// Create implements Store.
func (r *Redis) Create(ctx context.Context, user string, tier Tier, name string) (string, error) {
	if err := validAccount(user, tier, name); err != nil {
		return "", err
	}
	key := newKey()
	err := r.change(ctx, "create key", r.scripts.create, user, string(tier), name, hashKey(key), key[:shown])
	if err != nil {
		return "", err
	}
	return key, nil
}

// Rotate implements Store.
func (r *Redis) Rotate(ctx context.Context, user string) (string, error) {
	key := newKey()
	if err := r.change(ctx, "rotate key", r.scripts.rotate, user, hashKey(key), key[:shown]); err != nil {
		return "", err
	}
	return key, nil
}

// Revoke implements Store.
func (r *Redis) Revoke(ctx context.Context, user string) error {
	return r.change(ctx, "revoke key", r.scripts.revoke, user)
}

// SetTier implements Store.
func (r *Redis) SetTier(ctx context.Context, user string, tier Tier) error {
	if err := validTier(tier); err != nil {
		return err
	}
	return r.change(ctx, "change tier", r.scripts.tier, user, string(tier))
}

// change runs a script that answers how it went, in a word.
func (r *Redis) change(ctx context.Context, what string, script *redis.Script, args ...any) error {
	answer, err := r.run(ctx, what, script, args...)
	if err != nil {
		return err
	}
	switch word := answer.text(); word {
	case "done":
		return nil
	case "none":
		err = ErrNoAccount
	case "active":
		err = ErrHasKey
	case "revoked":
		err = ErrRevoked
	default:
		err = answer.err
	}
	return fmt.Errorf("%s: %w", what, err)
}

// Show implements Store.
func (r *Redis) Show(ctx context.Context, user string) (Account, error) {
	accounts, err := r.accounts(ctx, "show account", "["+user, "["+user, 1)
	if err != nil {
		return Account{}, err
	}
	if len(accounts) == 0 {
		return Account{}, fmt.Errorf("show account: %w", ErrNoAccount)
	}
	return accounts[0], nil
}

// List implements Store. It reads page by page, so as not to hold up admissions: each account is as it was at one
// moment, and an account created meanwhile may be missing. Accounts are never deleted, so no page skips one.
func (r *Redis) List(ctx context.Context) ([]Account, error) {
	var all []Account
	first := "-"
	for {
		page, err := r.accounts(ctx, "list accounts", first, "+", listPage)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if len(page) < listPage {
			return all, nil
		}
		first = "(" + page[len(page)-1].User
	}
}

// accounts reads at most limit accounts, between two users as ZRANGEBYLEX wants them.
func (r *Redis) accounts(ctx context.Context, what, first, last string, limit int) ([]Account, error) {
	answer, err := r.run(ctx, what, r.scripts.accounts, first, last, limit)
	if err != nil {
		return nil, err
	}
	var accounts []Account
	for len(answer.values) > 0 && answer.err == nil {
		row := reply{values: next[[]any](&answer)}
		account := r.limits.account(row.text(), Tier(row.text()), row.text(), row.number() == 1, row.text(),
			row.number(), row.number())
		if answer.err == nil {
			answer.err = row.err
		}
		accounts = append(accounts, account)
	}
	if answer.err != nil {
		return nil, fmt.Errorf("%s: %w", what, answer.err)
	}
	return accounts, nil
}
