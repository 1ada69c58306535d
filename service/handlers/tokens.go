package handlers

import (
	"context"
	"errors"
	"time"

	"filings/index"
	"filings/index/serving"
	"filings/service/access"
	"filings/service/params"
	"filings/service/tokens"
)

// Token is a token for browsers, or for a link.
type Token struct {
	Token     string    `json:"token" help:"The token, which is not stored: it is shown this once."`
	ExpiresAt time.Time `json:"expiresAt" help:"When it expires."`
	Origins   []string  `json:"origins" help:"Origins of the pages that may use it. Empty: any page and any program may."`
	Endpoints []string  `json:"endpoints" help:"Endpoints that it is for."`
	Filter    string    `json:"filter" help:"Its filters, as a query string. Empty: all filings."`
	Label     string    `json:"label,omitempty" help:"What the service's log calls it."`
}

// NewToken handles GET /v1/tokens.
func NewToken(secrets tokens.Secrets) Handler {
	return func(_ context.Context, _ *serving.Reader, q params.Request) (Result, error) {
		if len(secrets) == 0 {
			return Result{}, Refuse(index.ErrNotFound, "this service makes no tokens")
		}
		token, err := MakeToken(secrets, q)
		return Result{Data: JSON{token}}, err
	}
}

// MakeToken makes the token that q requests, for its Caller. Filings have the values that q requires.
func MakeToken(secrets tokens.Secrets, q params.Request) (Token, error) {
	if access.Tier(q.Caller.Tier) == access.Free {
		return Token{}, Refuse(ErrForbidden, "an account of the free tier has no tokens")
	}
	expires := q.Now.Add(time.Duration(q.Token.Seconds) * time.Second).UTC().Truncate(time.Second)
	token, err := secrets.Sign(tokens.Payload{
		Key: q.Caller.KeyHash, Expires: expires.Unix(), Origins: q.Token.Origins, Endpoints: q.Token.Endpoints,
		Filter: q.Filters, Fields: q.Fields.String(), Burst: q.Token.Burst, Checked: q.Token.Excludes,
		Label: q.Token.Label,
	})
	if errors.Is(err, tokens.ErrTooLong) {
		err = params.Invalid("", "the token would have more than %d bytes; request fewer origins, fields or filters",
			tokens.MaxBytes)
	}
	origins := append([]string{}, q.Token.Origins...) // [] where there are none, never null
	return Token{token, expires, origins, q.Token.Endpoints, q.Filters, q.Token.Label}, err
}
