// Package tokens is the text of a browser token, or of a link's: its payload, and its signature
// (rules X32, X57). It refuses to know HTTP, accounts and parameters: whether a token may be made,
// and which rights it has, its callers decide.
//
// # Design
//
// A token is "ak_pub_", a payload and its signature:
//
//	ak_pub_ base64url(payload) . base64url(HMAC-SHA256(secret, "filings-token-1" + payload))
//
// The payload is JSON and no secret: each holder of a token can read it. It is signed by a secret
// of the service and not by anything that the key store has, which is the SHA-256 of keys: else
// that would be a secret too. Nothing of a token is stored.
//
// Of two secrets the first signs and both verify, so that a secret is replaced without an outage. A
// token is verified by writing it again from its payload: it has to be that text, compared in
// constant time. So there is one text of a payload, and texts that base64 lets pass (bits after the
// end, line breaks) are refused with everything else.
package tokens

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

const (
	// Start is how a token begins.
	Start = "ak_pub_"
	// MaxBytes is how long a token is at the most.
	MaxBytes = 1200

	signed    = "filings-token-1"
	minSecret = 32
)

// Payload is the content of a token.
type Payload struct {
	Key       string   `json:"key"` // SHA-256 of the key that it was made with, in hex
	Expires   int64    `json:"expires"`
	Origins   []string `json:"origins,omitempty"` // of the pages that it is for; none: it is a link's, for any program
	Endpoints []string `json:"endpoints"`
	Filter    string   `json:"filter"` // a query string; "": all filings
	Fields    string   `json:"fields"` // separated by commas; "": all that the tier shows
	Burst     int64    `json:"burst"`  // of each visitor
	// Checked is that filings had every value that Filter leaves out, when the token was made. Of
	// another token that is looked at whenever it is used.
	Checked bool   `json:"checked,omitempty"`
	Label   string `json:"label,omitempty"` // its name in the log
}

// Link reports whether p is a link's: for any page and any program.
func (p Payload) Link() bool { return len(p.Origins) == 0 }

// Expired reports whether p has expired at the time now.
func (p Payload) Expired(now time.Time) bool { return now.Unix() >= p.Expires }

// ErrTooLong is that a token would have more than MaxBytes.
var ErrTooLong = errors.New("too long")

// Secrets sign and verify tokens: the first one signs. There are none where the service takes no tokens.
type Secrets []string

// Validate reports secrets that are too many or too short. It shows none.
func (s Secrets) Validate() error {
	if len(s) > 2 {
		return fmt.Errorf("must be one or two, not %d", len(s))
	}
	for _, secret := range s {
		if len(secret) < minSecret {
			return fmt.Errorf(
				"must be one or two of %d bytes or more, separated by a comma: as `openssl rand -hex 32` makes them",
				minSecret)
		}
	}
	return nil
}

// Sign returns the token of p: ErrTooLong where that has more than MaxBytes.
func (s Secrets) Sign(p Payload) (string, error) {
	var payload bytes.Buffer
	text := json.NewEncoder(&payload)
	text.SetEscapeHTML(false) // filters have many a &
	if err := text.Encode(p); err != nil {
		return "", err
	}
	token := write(s[0], bytes.TrimSpace(payload.Bytes()))
	if len(token) > MaxBytes {
		return "", ErrTooLong
	}
	return token, nil
}

func write(secret string, payload []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(signed))
	mac.Write(payload)
	return Start + base64.RawURLEncoding.EncodeToString(payload) + "." +
		base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Verify returns the content of a token, false where none of s has signed it. It may have expired.
func (s Secrets) Verify(token string) (p Payload, ok bool) {
	text, found := strings.CutPrefix(token, Start)
	text, _, _ = strings.Cut(text, ".")
	payload, err := base64.RawURLEncoding.DecodeString(text)
	if !found || err != nil || len(token) > MaxBytes {
		return p, false
	}
	for _, secret := range s {
		ok = hmac.Equal([]byte(write(secret, payload)), []byte(token)) || ok
	}
	return p, ok && json.Unmarshal(payload, &p) == nil
}
