// Package access owns keys, accounts, tiers and quotas: who may send requests, and how many. It
// knows nothing of filings or HTTP, and decides nothing about the fields that a tier may see.
//
// # Design
//
// A Store admits requests. Redis carries production, one server for any number of service
// processes; Embedded keeps the same promises in a SQLite file, for a laptop. One suite runs over
// both, and a small model checks both at random.
//
// # Keys and accounts
//
// A user has one account, an account has at most one active key. The key itself is never stored: only its SHA-256, the
// first eight characters and a name. Rotating and revoking take the hash away, so the old key is unknown from the next
// request on; there is no cache between a request and the store. Usage belongs to the account and outlives its keys.
//
// A rotation with an overlap keeps the hash of the old key apart from the account, with the time at
// which it ends. It admits to the same account until then, so there is one usage whichever key is
// sent. A request with the active key never reads these. Each rotation keeps its promise: another one
// while an older key is good does not end that. So a program that got no response rotates again, and
// no client is locked out. Revoking, and rotating without an overlap, end all of them.
//
// A key is found by its hash, as an index finds a row; no secret is ever compared with another byte
// by byte. How long that takes reveals at most a hash, from which no key can be made.
//
// A text that does not have the form of a key is unknown without a look into the store. That this is faster reveals
// nothing: the form is public.
//
// # Counting
//
// A tier has a quota and a burst. The free tier counts requests in the account's lifetime counter,
// all other tiers in one counter of the UTC day, so a change of tier keeps the used requests. An
// Admission names the counter that it was charged to, and Refund subtracts from that one, even
// after midnight or a change of tier.
//
// Besides these counters, which decide, the requests of each day are counted for 31 days, of every
// tier: Usage shows them.
//
// A request may have a price above 1: all of it is counted or nothing. A request whose price is
// known only while it is handled is admitted uncharged, and charged then, at once. Rows that were
// not sent are refunded. If an account may have only one such request at a time, it holds a lease
// meanwhile: over all processes, until it releases the lease or, if it dies, the lease ends by
// itself.
//
// A token (package tokens) is admitted as the key that it was made with, by that key's hash, in the
// same script: it ends with its key. Besides, all tokens of an account have a share of its day, in
// a counter of its own, and each visitor has a burst. Of the account's burst they have a share too:
// a request with a token fits only up to that level, so that the rest is free for the key.
//
// The burst is GCRA in its form of a leaky bucket (bucket.go): as many requests as the burst at once, refilled evenly,
// in whole numbers without rounding. A request is measured against the quota first, so that a caller who has
// used it up learns that, then against the burst. A refused request changes nothing.
//
// # Redis
//
// All names begin with a prefix, "filings:" if none is set:
//
//	key:<hash>             the user, of an active key
//	account:<user>         tier, name, prefix, created, hash (of the active key), level and at (of the burst), day and
//	                       requests (of the last day with one, of any tier)
//	older:<user>           by the hash of each older key: when it ends, was made and was last used, and its prefix
//	usage:<user>:lifetime  requests counted for life
//	usage:<user>:<day>     requests counted on that day, in days since 1970-01-01; expires after two days
//	usage:<user>:<day>:tokens  those of them that came with tokens
//	visit:<visitor>:<user> level and at of a visitor's burst; expires after a minute
//	days:<user>            requests of each of the 30 days before; expires 31 days after the last
//	lease:<user>           id of the holder, and till when
//	accounts               a sorted set of all users, for lists in order
//	ping                   counts the calls of Ping
//
// Every method is one Lua script, and Redis runs one script at a time: between looking at a counter and adding to it
// nothing else happens. That is why not one request over a quota is admitted, by any number of processes.
// The scripts read Redis's own clock, so the processes' clocks do not matter. A script is sent by its digest; only a
// Redis that does not know it (the first time, after a restart) is sent the text, in a second round trip.
//
// Nothing is ever sent twice: a command without a reply may have counted, and counting it again
// would be wrong. While Redis does not reply no request is admitted; at worst the customer loses
// the one request whose reply was lost, never gains one. Redis's persistence (appendonly) decides
// how much survives a crash of it.
//
// Where more than eight calls are in progress in a process, the others go to Redis in groups
// (package batch): one write and one read for all of a group, while the next one collects. A round
// trip by itself is more work, for both sides, than the script in it, and with eight or fewer,
// waiting for others costs as much as it saves: docs/records/figures.md has the figures. Within a
// group each call stays a script of its own, which Redis runs apart from all others, with a reply
// of its own. So nothing above changes: a caller whose time is over leaves its group alone, and a
// group whose connection breaks is so many calls without a reply. One script that took the keys of
// all would hold up other processes for longer, and save little: Redis runs a script in 25 µs.
//
// Accounts are never deleted, so a Redis that has had the set of accounts and lacks it was emptied:
// flushed, or started again without its data. Keys are then not known to be wrong (loss.go). The
// script of an admission looks for the set itself, and only for an unknown key.
//
// While Redis does not reply, a breaker (package breaker) refuses at once instead of letting every request wait for its
// time to end. An account that holds something else than this package writes is refused alone.
//
// Redis Cluster is not supported. Admission begins with nothing but the hash of a key and must
// reach the account and its counters in the same script, while a cluster wants the names of all of
// them to share a hash tag. As an account changes its keys, that would have to be one tag for
// everything: one node would carry it all, as one Redis does. Behind Sentinel Redis is one server
// at a time, and may be any number of them (redis_url.go).
//
// # SQLite
//
// The embedded store is one file in WAL mode. Every writer begins with BEGIN IMMEDIATE: it holds
// the only write lock of the file, also against other processes, before it looks at a counter.
// Commits are not synced one by one: they survive the end of a process, but a power failure may
// lose the last of them. A process that has a file open can use it even after somebody has deleted
// it, with keys and counts that no other process sees. So the file at the path has to be the one
// that was opened.
//
// One caller of a process at a time uses the file. Keys and users take turns (package limit), so a
// flood of one key makes its own requests wait. A key and its user count as two, since the user is
// known only after the look-up.
package access

import (
	"context"
	"errors"
	"fmt"
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

// Kinds of errors, wrapped with the name of the attempt.
var (
	ErrUnavailable = errors.New("key store unavailable")     // it did not reply in time
	ErrNoAccount   = errors.New("no such account")           //
	ErrHasKey      = errors.New("account has an active key") // create: rotate or revoke it
	ErrRevoked     = errors.New("account has no active key") // rotate, revoke: create one
)

// Kinds of ErrUnavailable that waiting does not mend.
var (
	// ErrEmptied is that the store had accounts and has none. Create and a restored backup mend it.
	ErrEmptied = fmt.Errorf("%w: it had accounts and has none: restore its backup, or create the accounts again",
		ErrUnavailable)
	// ErrRefused is that the store does not serve this program: credentials, certificate or address are wrong.
	ErrRefused = fmt.Errorf("%w to this program", ErrUnavailable)
	// ErrCluster is that the address is one of Redis Cluster.
	ErrCluster = fmt.Errorf("%w: it is a node of Redis Cluster, which is not supported: name one Redis, or its "+
		"Sentinels", ErrRefused)
)

// InvalidError is the fault of an argument of Create or SetTier: the name of the parameter, and the
// values that it takes. The client that sent it may read it.
type InvalidError string

func (e InvalidError) Error() string { return string(e) }

func invalid(format string, args ...any) error { return InvalidError(fmt.Sprintf(format, args...)) }

// Limit bounds the use of one tier.
type Limit struct {
	Quota int64 // requests: a UTC day, or for life where Lifetime
	Burst int64 // requests a second
	// Tokens is how many requests of the quota come with tokens at the most. Those of the free tier
	// admit no token at all.
	Tokens int64
	// TokenBurst is how many requests of the burst come with tokens at the most; 0: all of it.
	TokenBurst int64
}

// Limits holds the limit of every tier. The free tier's quota is for life, the others' are for a UTC day.
type Limits map[Tier]Limit

// Verdict is the outcome of Admit.
type Verdict uint8

const (
	Admitted         Verdict = iota
	UnknownKey               // no such key, or revoked: nothing is known of the caller
	BurstExceeded            // too many in this second
	DailyExceeded            // the day's quota is used up, or less remains than the price
	LifetimeExceeded         // the same of the free tier's quota
	TokensExceeded           // the tokens' share of the day is used up
	VisitorExceeded          // too many of this visitor in this second
)

// Admission is the result of Admit. But for UnknownKey, all fields are set.
type Admission struct {
	Verdict   Verdict
	User      string
	Tier      Tier
	Limit     int64     // the quota
	Remaining int64     // of the quota, after this request
	Reset     time.Time // the next midnight UTC, by the store's clock
	Now       time.Time // the store's clock
	Burst     Window    // after this request
	Tokens    Window    // the tokens' share of the day; zero without a token
	Visitor   Window    // the burst of the token's visitor; zero without a token

	counter string // from which Refund subtracts; "": nothing was counted
}

// Credential admits a request: a key, or a token by a visitor.
type Credential struct {
	Hash    string // of the key, or of that which the token was made with, as HashKey returns it; "": of none
	Visitor string // who uses the token: any text of the same visitor; "": it is a key
	Burst   int64  // of each visitor
}

// Account has all known values of an account.
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
	Hash      string    `json:"-"` // of the active key, as HashKey returns it; "": it was revoked
	// Older are the keys that were replaced and are still good, the oldest first.
	Older []OlderKey `json:"older,omitempty"`
}

// OlderKey is a key that was replaced and is good until it ends (rule X58).
type OlderKey struct {
	Prefix     string     `json:"prefix"`
	CreatedAt  time.Time  `json:"createdAt"`
	Ends       time.Time  `json:"until"`
	LastUsedAt *time.Time `json:"lastUsedAt"` // nil: not since it was replaced
}

// NoPrice is the price of a request with a key that counts against the burst alone: no quota refuses
// it. Tokens do not have it.
const NoPrice = -1

// Store keeps accounts, keys and counters. Every method is atomic, with any number of processes on one store, and
// returns ErrUnavailable when the store does not reply before ctx ends.
type Store interface {
	// Admit looks c up, and counts a request of the price n against its account if key, burst and
	// quota allow it: n against the quota, or nothing where less remains, and one against the
	// burst. It is one round trip. A refused request counts nothing, against neither the burst nor
	// the quota. Where the price is not known yet n is 0: that is refused as 1 is, and takes
	// nothing of the quota; Charge does. A free request has NoPrice. A token is good so long as its
	// key is active; one of the free tier counts as revoked. ErrEmptied for an unknown key if the
	// store has lost its accounts.
	Admit(ctx context.Context, c Credential, n int64) (Admission, error)
	// Charge counts n requests, 1 or more, against the quota that the account of a has now, and
	// with a token against the tokens' share too, or, where less remains, none: then the verdict is
	// that of the exhausted limit. Both results say how much remains. The admission that it returns
	// is the one to refund. ErrNoAccount.
	Charge(ctx context.Context, a Admission, n int64) (Admission, error)
	// Refund gives back n of the requests that Admit or Charge counted, for a response that the
	// service failed to send. It never gives back more than was counted. It works with a context
	// whose request has ended, for a time that it bounds itself.
	Refund(ctx context.Context, a Admission, n int64) error
	// Usage returns the requests that user has used, as one moment has them. ErrNoAccount.
	Usage(ctx context.Context, user string) (Usage, error)

	// AcquireLease takes the lease of user's account, of which there is one, for LeaseTime, or
	// renews it, and returns 0. While a holder with another id has it, it changes nothing, and
	// returns how long that one has it unless it renews it. An id is any text that no other holder
	// has.
	AcquireLease(ctx context.Context, user, id string) (left time.Duration, err error)
	// Release ends the lease, unless it has another holder by now. As with Refund, the context may have ended.
	Release(ctx context.Context, user, id string) error

	// Create makes a key for user and returns it, the only time that it is shown. ErrHasKey if there is an active one;
	// after a revocation usage stays.
	Create(ctx context.Context, user string, tier Tier, name string) (key string, err error)
	// Rotate returns a new key for user, in one step. The one before it ends, and so do older ones;
	// with an overlap, 1 minute to MaxOverlap, it stays good for so long, and older ones until they
	// end. Tier, name and usage stay. ErrNoAccount, ErrRevoked.
	Rotate(ctx context.Context, user string, overlap time.Duration) (key string, err error)
	// Revoke ends user's keys at once. ErrNoAccount, ErrRevoked.
	Revoke(ctx context.Context, user string) error
	// SetTier moves user to another tier; usage stays. ErrNoAccount.
	SetTier(ctx context.Context, user string, tier Tier) error
	// Show returns user's account, or ErrNoAccount.
	Show(ctx context.Context, user string) (Account, error)
	// List returns all accounts by user.
	List(ctx context.Context) ([]Account, error)

	// Ping reports whether the store can admit requests: it counts, but in a counter of its own.
	// ErrEmptied if the store has lost its accounts.
	Ping(ctx context.Context) error
	Close() error
}
