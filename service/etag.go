package service

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// etag returns the tag of an endpoint's response to a request, by its canonical text, from a generation and for a tier (rule
// T3). It is weak: meta differs from response to response. Hashed, it says nothing about the names of generations.
func etag(generation, endpoint, canonical, tier string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{generation, endpoint, canonical, tier}, "\x00")))
	return `W/"` + hex.EncodeToString(sum[:16]) + `"`
}

// Whether an If-None-Match names a tag.
type match uint8

const (
	noMatch  match = iota
	matches        // the tag is listed
	matchAny       // "*": whatever there is, if there is anything
)

// matchTag compares the If-None-Match of a request with tag, weakly, as RFC 9110 says for it. What is not well-formed
// matches nothing.
func matchTag(ifNoneMatch, tag string) match {
	rest := strings.Trim(ifNoneMatch, " \t")
	if rest == "*" {
		return matchAny
	}
	opaque := strings.TrimPrefix(tag, "W/")
	for rest != "" {
		rest = strings.TrimPrefix(rest, "W/")
		if !strings.HasPrefix(rest, `"`) {
			return noMatch
		}
		end := strings.IndexByte(rest[1:], '"')
		if end < 0 {
			return noMatch
		}
		if rest[:end+2] == opaque {
			return matches
		}
		rest = strings.TrimLeft(rest[end+2:], " \t,")
	}
	return noMatch
}
