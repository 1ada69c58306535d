package access

import (
	"context"
	"errors"
	"time"
)

// Tier is the tier of an account.
type Tier string

const (
	Free       Tier = "free"
	Starter    Tier = "starter"
	Pro        Tier = "pro"
	Enterprise Tier = "enterprise"
)

// Tiers are all tiers, the lowest first.
var Tiers = []Tier{Free, Starter, Pro, Enterprise}

// Kinds of errors, wrapped with what was attempted.
var (
	ErrUnavailable = errors.New("key store unavailable")     // it did not answer in time
	ErrNoAccount   = errors.New("no such account")           //
	ErrHasKey      = errors.New("account has an active key") // create: rotate or revoke it
	ErrRevoked     = errors.New("account has no active key") // rotate, revoke: create one
)

// Limit is what one tier may use.
type Limit struct {
	Quota int64 // requests: a UTC day, or for life where Lifetime
	Burst int64 // requests a second
}

// Limits holds the limit of every tier. The free tier's quota is for life, the others' are for a UTC day.
type Limits map[Tier]Limit

// Verdict is the outcome of Admit.
type Verdict uint8

const (
	Admitted         Verdict = iota
	UnknownKey               // no such key, or revoked: nothing is known of the caller
	BurstExceeded            // too many in this second
	DailyExceeded            // the day's quota is used up
	LifetimeExceeded         // the free tier's quota is used up
)

// Admission is what Admit found. But for UnknownKey, all fields are set.
type Admission struct {
	Verdict   Verdict
	User      string
	Tier      Tier
	Limit     int64     // the quota
	Remaining int64     // of the quota, after this request
	Reset     time.Time // the next midnight UTC, by the store's clock
	Now       time.Time // the store's clock

	counter string // what Refund gives back to
}

// Account is what is known of an account.
type Account struct {
	User      string    `json:"user"`
	Tier      Tier      `json:"tier"`
	Prefix    string    `json:"prefix"` // first 8 characters of the key
	State     string    `json:"state"`  // active or revoked
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"createdAt"` // of the key
	Quota     int64     `json:"quota"`     // of the tier: a UTC day, or for life
	Used      int64     `json:"used"`
	Remaining int64     `json:"remaining"`
}

// Store keeps accounts, keys and counters. Every method is atomic, with any number of processes on one store, and
// returns ErrUnavailable when the store does not answer before ctx ends.
type Store interface {
	// Admit looks key up, and counts one request against its account if key, burst and quota allow it. It is one round
	// trip. A refused request counts nothing, against neither the burst nor the quota.
	Admit(ctx context.Context, key string) (Admission, error)
	// Refund gives back what Admit counted, for a request that the service failed to answer. It works with a context
	// whose request has ended, for a time that it bounds itself.
	Refund(ctx context.Context, a Admission) error

	// Create makes a key for user and returns it, the only time that it is shown. ErrHasKey if there is an active one;
	// after a revocation usage stays.
	Create(ctx context.Context, user string, tier Tier, name string) (key string, err error)
	// Rotate revokes user's key and returns a new one, in one step. Tier, name and usage stay. ErrNoAccount, ErrRevoked.
	Rotate(ctx context.Context, user string) (key string, err error)
	// Revoke ends user's key at once. ErrNoAccount, ErrRevoked.
	Revoke(ctx context.Context, user string) error
	// SetTier moves user to another tier; usage stays. ErrNoAccount.
	SetTier(ctx context.Context, user string, tier Tier) error
	// Show returns user's account, or ErrNoAccount.
	Show(ctx context.Context, user string) (Account, error)
	// List returns all accounts by user.
	List(ctx context.Context) ([]Account, error)

	// Ping reports whether the store answers.
	Ping(ctx context.Context) error
	Close() error
}
