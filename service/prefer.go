package service

import (
	"fmt"
	"slices"
	"strings"
)

// handling returns what the Prefer of a request says about handling (RFC 7240): "strict", "lenient", or "". The first
// preference of that name counts.
func handling(prefer string) string {
	for preference := range strings.SplitSeq(prefer, ",") {
		preference, _, _ = strings.Cut(preference, ";")
		name, v, _ := strings.Cut(preference, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "handling") {
			continue
		}
		v = strings.ToLower(strings.Trim(strings.TrimSpace(v), `"`))
		if v == "strict" || v == "lenient" {
			return v
		}
		return ""
	}
	return ""
}

// ignoredHeader writes names for X-Ignored-Parameters: what is not a token of HTTP is percent-encoded, and what is long
// is cut, since the names are the client's.
func ignoredHeader(names []string) string {
	const most, mostOfOne = 1024, 64
	var b strings.Builder
	for i, name := range names {
		token := tokenOf(name)
		if len(token) > mostOfOne {
			token = token[:mostOfOne-3] + "..."
		}
		if i > 0 {
			b.WriteString(", ")
		}
		if b.Len()+len(token) > most {
			b.WriteString("...")
			break
		}
		b.WriteString(token)
	}
	return b.String()
}

func tokenOf(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		alphanumeric := '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if alphanumeric || slices.Contains([]byte("!#$&'*+-.^_`|~"), c) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
