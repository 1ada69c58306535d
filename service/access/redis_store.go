package access

import (
	"cmp"
	"context"
	"fmt"
	"time"
)

// Admit implements Store.
func (r *Redis) Admit(ctx context.Context, c Credential, n int64) (Admission, error) {
	if c.Hash == "" {
		return Admission{Verdict: UnknownKey}, nil
	}
	args := []any{c.Hash, n}
	if c.isToken() {
		args = append(args, c.Visitor, c.Burst)
	}
	reply, err := r.run(ctx, "admit", "admit", args...)
	if err != nil {
		return Admission{}, err
	}
	word := reply.text()
	if word == "unknown" {
		return Admission{Verdict: UnknownKey}, r.look("admit", &reply)
	}
	a, err := r.admission("admit", word, &reply, c)
	return a.charged(n), err
}

// Charge implements Store.
func (r *Redis) Charge(ctx context.Context, a Admission, n int64) (Admission, error) {
	args, c := []any{a.User, n}, a.credential()
	if c.isToken() {
		args = append(args, "token")
	}
	reply, err := r.run(ctx, "charge", "charge", args...)
	if err != nil {
		return Admission{}, err
	}
	word := reply.text()
	if word == "none" {
		return Admission{}, fmt.Errorf("charge: %w", ErrNoAccount)
	}
	charged, err := r.admission("charge", word, &reply, c)
	charged.Visitor = a.Visitor // whose burst stays as it is
	return charged, err
}

// admission reads the reply to an admission or a charge of an account, after its first word.
func (r *Redis) admission(action, word string, reply *reply, c Credential) (Admission, error) {
	s := state{user: reply.text(), tier: Tier(reply.text()), used: reply.number(), now: reply.instant()}
	s.bucket = bucket{level: reply.number(), moment: reply.number()}
	if c.isToken() {
		s.tokens, s.visitor = reply.number(), bucket{level: reply.number(), moment: reply.number()}
	}
	if reply.err != nil {
		return Admission{}, fmt.Errorf("%s: %w", action, reply.err)
	}
	r.had.saw()
	verdict := Admitted
	switch word {
	case "quota":
		verdict = exhausted(s.tier)
	case "burst":
		verdict = BurstExceeded
	case "tokens":
		verdict = TokensExceeded
	case "visitor":
		verdict = VisitorExceeded
	}
	return r.limits.admission(verdict, s, c), nil
}

// look reads from reply whether there are accounts, and fails if they are lost.
func (r *Redis) look(action string, reply *reply) error {
	hasAccounts := reply.number() == 1
	if reply.err != nil {
		return fmt.Errorf("%s: %w", action, reply.err)
	}
	if err := r.had.look(hasAccounts); err != nil {
		return fmt.Errorf("%s: %w", action, err)
	}
	return nil
}

// Refund implements Store.
func (r *Redis) Refund(ctx context.Context, a Admission, n int64) error {
	if a.counter == "" {
		return nil // nothing was counted
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
	defer cancel()
	return r.change(ctx, "refund", "refund", a.User, a.counter, dayCounter(a.Now), n, a.tokensCounter())
}

// Usage implements Store.
func (r *Redis) Usage(ctx context.Context, user string) (Usage, error) {
	reply, err := r.run(ctx, "read usage", "usage", user, UsageDays)
	if err != nil {
		return Usage{}, err
	}
	if reply.text() == "none" {
		return Usage{}, fmt.Errorf("read usage: %w", ErrNoAccount)
	}
	tier, used, now := Tier(reply.text()), reply.number(), reply.instant()
	bucket := bucket{level: reply.number(), moment: reply.number()}
	requests := make([]int64, UsageDays)
	for i := range requests {
		requests[i] = reply.number()
	}
	if reply.err != nil || validTier(tier) != nil {
		return Usage{}, fmt.Errorf("read usage: %w", cmp.Or(reply.err, errForeign))
	}
	return r.limits.usage(tier, used, bucket, requests, now), nil
}

// AcquireLease implements Store.
func (r *Redis) AcquireLease(ctx context.Context, user, id string) (left time.Duration, err error) {
	reply, err := r.run(ctx, "acquire lease", "acquire", user, id, LeaseTime.Microseconds())
	if err != nil || reply.text() == "done" {
		return 0, err
	}
	left = time.Duration(reply.number()) * time.Microsecond
	if reply.err != nil {
		return 0, fmt.Errorf("acquire lease: %w", reply.err)
	}
	return left, nil
}

// Release implements Store.
func (r *Redis) Release(ctx context.Context, user, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
	defer cancel()
	return r.change(ctx, "release lease", "release", user, id)
}

// Create implements Store.
func (r *Redis) Create(ctx context.Context, user string, tier Tier, name string) (string, error) {
	if err := validAccount(user, tier, name); err != nil {
		return "", err
	}
	return issue(func(hash, prefix string) error {
		return r.change(ctx, "create key", "create", user, string(tier), name, hash, prefix)
	})
}

// Rotate implements Store.
func (r *Redis) Rotate(ctx context.Context, user string, overlap time.Duration) (string, error) {
	if err := validOverlap(overlap); err != nil {
		return "", err
	}
	return issue(func(hash, prefix string) error {
		return r.change(ctx, "rotate key", "rotate", user, hash, prefix, overlap.Microseconds())
	})
}

// Revoke implements Store.
func (r *Redis) Revoke(ctx context.Context, user string) error {
	return r.change(ctx, "revoke key", "revoke", user)
}

// SetTier implements Store.
func (r *Redis) SetTier(ctx context.Context, user string, tier Tier) error {
	if err := validTier(tier); err != nil {
		return err
	}
	return r.change(ctx, "change tier", "tier", user, string(tier))
}

// change runs a script that returns one word.
func (r *Redis) change(ctx context.Context, action, script string, args ...any) error {
	reply, err := r.run(ctx, action, script, args...)
	if err != nil {
		return err
	}
	switch reply.text() {
	case "done":
		return nil
	case "none":
		err = ErrNoAccount
	case "active":
		err = ErrHasKey
	case "revoked":
		err = ErrRevoked
	default:
		err = reply.err
	}
	return fmt.Errorf("%s: %w", action, err)
}

// Show implements Store.
func (r *Redis) Show(ctx context.Context, user string) (Account, error) {
	return shownAccount(r.accounts(ctx, "show account", "["+user, "["+user, 1))
}

// listPage is how many accounts one script reads. Redis does nothing else meanwhile: about a millisecond.
const listPage = 200

// List implements Store. It reads page by page, so as not to hold up admissions: each account is as it was at one
// moment, and an account created meanwhile may be missing. Accounts are never deleted, so no page skips one.
func (r *Redis) List(ctx context.Context) ([]Account, error) {
	var list []Account
	first := "-"
	for {
		page, err := r.accounts(ctx, "list accounts", first, "+", listPage)
		if err != nil {
			return nil, err
		}
		list = append(list, page...)
		if len(page) < listPage {
			return list, nil
		}
		first = "(" + page[len(page)-1].User
	}
}

// accounts reads at most limit accounts, between two users as ZRANGEBYLEX takes them.
func (r *Redis) accounts(ctx context.Context, action, first, last string, limit int) ([]Account, error) {
	rows, err := r.run(ctx, action, "accounts", first, last, limit)
	if err != nil {
		return nil, err
	}
	var accounts []Account
	for len(rows.values) > 0 && rows.err == nil {
		row := reply{values: next[[]any](&rows)}
		account := r.limits.account(row.text(), Tier(row.text()), row.text(), row.text(), row.text(), row.number(),
			row.number())
		for older := (reply{values: next[[]any](&row)}); len(older.values) > 0 && row.err == nil; {
			key := reply{values: next[[]any](&older)}
			account.addOlder(key.text(), key.number(), key.number(), key.number())
			row.err = cmp.Or(older.err, key.err)
		}
		accounts = append(accounts, account)
		if rows.err == nil && row.err != nil {
			rows.err = fmt.Errorf("%w of the account %q", row.err, accounts[len(accounts)-1].User)
		}
	}
	if rows.err != nil {
		return nil, fmt.Errorf("%s: %w", action, rows.err)
	}
	return accounts, nil
}
