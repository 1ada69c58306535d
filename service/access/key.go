package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const (
	keyStart  = "ak_live_"
	keyDigits = 32 // lower-case hex, 128 random bits
	shown     = 8  // characters of a key that are kept
)

// newKey makes a key that nobody can guess.
func newKey() string {
	var random [keyDigits / 2]byte
	rand.Read(random[:]) // never fails: it ends the program instead
	return keyStart + hex.EncodeToString(random[:])
}

// isKey reports whether text has the form of a key.
func isKey(text string) bool {
	digits, ok := strings.CutPrefix(text, keyStart)
	if !ok || len(digits) != keyDigits {
		return false
	}
	for i := range len(digits) {
		if c := digits[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// hashKey is how a store knows a key: the SHA-256 of all of it, in hex. The key is random, so nothing slower is needed.
func hashKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}
