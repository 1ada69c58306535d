package access

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	KeyStart  = "ak_live_"
	keyDigits = 32 // lower-case hex, 128 random bits
	shown     = 8  // characters of a key that are kept

	maxText = 200 // characters of a user and of a name
)

// newKey makes a key that nobody can guess.
func newKey() string {
	var random [keyDigits / 2]byte
	rand.Read(random[:]) // never fails: it ends the program instead
	return KeyStart + hex.EncodeToString(random[:])
}

// issue makes a key, and returns it once save has stored its hash, and its first characters.
func issue(save func(hash, prefix string) error) (string, error) {
	key := newKey()
	if err := save(HashKey(key), key[:shown]); err != nil {
		return "", err
	}
	return key, nil
}

// MaxOverlap is how long an older key stays good at the most.
const MaxOverlap = 30 * day

func validOverlap(d time.Duration) error {
	if d != 0 && (d < time.Minute || d > MaxOverlap) {
		return invalid("overlap must be from 1m to 720h, which is 30 days")
	}
	return nil
}

// isKey reports whether text has the form of a key.
func isKey(text string) bool {
	digits, ok := strings.CutPrefix(text, KeyStart)
	return ok && len(digits) == keyDigits && strings.Trim(digits, "0123456789abcdef") == ""
}

// Key returns the credential that a text is as a key.
func Key(text string) (c Credential) {
	if isKey(text) {
		c.Hash = HashKey(text)
	}
	return c
}

// HashKey is how a store knows a key: the SHA-256 of all of it, in hex. The key is random, so nothing slower is needed.
func HashKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// validAccount returns the fault of the arguments of Create.
func validAccount(user string, tier Tier, name string) error {
	if user == "" {
		return invalid("user must not be empty")
	}
	if strings.TrimSpace(user) == "" {
		return invalid("user must not be blank")
	}
	if err := validText("user", user); err != nil {
		return err
	}
	switch { // accounts of such names that there are can be used, and revoked, as ever
	case user == "." || user == "..":
		return invalid("user must not be %s: in the path of /accounts that is another one", user)
	case !norm.NFC.IsNormalString(user):
		return invalid("user must be in Unicode's form NFC, as most keyboards type it: " +
			"another form of the same letters would be another account")
	case strings.ContainsFunc(user, func(r rune) bool { return unicode.Is(unicode.Cf, r) }):
		return invalid("user must not hold invisible characters")
	}
	if err := validTier(tier); err != nil {
		return err
	}
	return validText("name", name)
}

// validText refuses texts that would garble a terminal, a log line or a list.
func validText(name, text string) error {
	switch {
	case !utf8.ValidString(text):
		return invalid("%s must be valid UTF-8", name)
	case utf8.RuneCountInString(text) > maxText:
		return invalid("%s must be at most %d characters", name, maxText)
	case strings.ContainsFunc(text, unicode.IsControl):
		return invalid("%s must not hold control characters", name)
	}
	return nil
}

// account fills in the values that follow from the limits. hash is "" where the key was revoked,
// created is in microseconds since 1970.
func (l Limits) account(user string, tier Tier, prefix, hash, name string, created, used int64) Account {
	a := Account{User: user, Tier: tier, Prefix: prefix, State: "revoked", Name: name,
		CreatedAt: time.UnixMicro(created).UTC(), Used: used, Hash: hash}
	if hash != "" {
		a.State = "active"
	}
	a.Quota, a.Remaining = l.left(tier, used)
	return a
}

// addOlder adds an older key, with times in microseconds since 1970, used 0 where it was not.
func (a *Account) addOlder(prefix string, created, ends, used int64) {
	key := OlderKey{Prefix: prefix, CreatedAt: time.UnixMicro(created).UTC(), Ends: time.UnixMicro(ends).UTC()}
	if used > 0 {
		last := time.UnixMicro(used).UTC()
		key.LastUsedAt = &last
	}
	a.Older = append(a.Older, key)
	slices.SortFunc(a.Older, OlderKey.compare)
}

// compare orders by creation; keys of one moment by all else that is shown.
func (k OlderKey) compare(o OlderKey) int {
	return cmp.Or(k.CreatedAt.Compare(o.CreatedAt), k.Ends.Compare(o.Ends), k.lastUsed().Compare(o.lastUsed()))
}

func (k OlderKey) lastUsed() (used time.Time) {
	if k.LastUsedAt != nil {
		used = *k.LastUsedAt
	}
	return used
}

// shownAccount is Show, given a list of at most one account.
func shownAccount(accounts []Account, err error) (Account, error) {
	switch {
	case err != nil:
		return Account{}, err
	case len(accounts) == 0:
		return Account{}, fmt.Errorf("show account: %w", ErrNoAccount)
	}
	return accounts[0], nil
}
