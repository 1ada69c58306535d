package access

import (
	"fmt"
	"slices"
	"time"
	"unicode"
	"unicode/utf8"
)

// The states of an account's key.
const (
	active  = "active"
	revoked = "revoked"
)

// maxText is the longest user and name, in characters.
const maxText = 200

// InvalidError says what is wrong with what Create or SetTier was given: the name of the parameter, and what it must be.
// Whoever gave it may read it.
type InvalidError string

func (e InvalidError) Error() string { return string(e) }

func invalid(format string, args ...any) error { return InvalidError(fmt.Sprintf(format, args...)) }

// validAccount reports what is wrong with what Create is told.
func validAccount(user string, tier Tier, name string) error {
	if user == "" {
		return invalid("user must not be empty")
	}
	if err := validText("user", user); err != nil {
		return err
	}
	if err := validTier(tier); err != nil {
		return err
	}
	return validText("name", name)
}

// validTier reports a tier that does not exist.
func validTier(tier Tier) error {
	if !slices.Contains(Tiers, tier) {
		return invalid("tier must be one of %v, not %q", Tiers, tier)
	}
	return nil
}

// validText keeps out what would garble a terminal, a log line or a list.
func validText(what, text string) error {
	switch {
	case !utf8.ValidString(text):
		return invalid("%s must be valid UTF-8", what)
	case utf8.RuneCountInString(text) > maxText:
		return invalid("%s must be at most %d characters", what, maxText)
	}
	for _, r := range text {
		if unicode.IsControl(r) {
			return invalid("%s must not hold control characters", what)
		}
	}
	return nil
}

// account fills in what follows from the limits.
func (l Limits) account(user string, tier Tier, prefix string, isActive bool, name string, created, used int64) Account {
	state := revoked
	if isActive {
		state = active
	}
	quota, remaining := l.left(tier, used)
	return Account{
		User:      user,
		Tier:      tier,
		Prefix:    prefix,
		State:     state,
		Name:      name,
		CreatedAt: time.UnixMicro(created).UTC(),
		Quota:     quota,
		Used:      used,
		Remaining: remaining,
	}
}
