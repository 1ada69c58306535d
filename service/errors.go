package service

import (
	"context"
	"errors"
	"net/http"

	"filings/index"
	"filings/service/access"
	"filings/service/edge"
)

// Kinds of refusals that begin here. Those of the engine and of the key store have theirs in index and access.
var (
	errInvalid    = errors.New("invalid parameter")
	errNoKey      = errors.New("no key")
	errUnknownKey = errors.New("unknown key")
	errBurst      = errors.New("burst exceeded")
	errDaily      = errors.New("daily quota exceeded")
	errLifetime   = errors.New("lifetime quota exceeded")
)

// kindOfError is one row of the table of errors: what a client is told about an error of that kind.
type kindOfError struct {
	is      error
	status  int
	code    string
	message string // where the error itself has nothing for the client's eyes
	flat    bool   // rule E2: error and message without the envelope
}

const (
	unavailable = "the service cannot answer at the moment; try again later"
	internal    = "the service failed; the request id names this failure in its log"
)

// kindsOfErrors is the table of errors. The first row that an error is of counts; an error of no row is the last one.
var kindsOfErrors = []kindOfError{
	{errInvalid, http.StatusBadRequest, "invalid_parameter", "", false},
	{edge.ErrMalformed, http.StatusBadRequest, "invalid_parameter", "the request is not well-formed HTTP", false},
	{errNoKey, http.StatusUnauthorized, "invalid_api_key", "an API key is needed: send it in the X-API-Key header", true},
	{errUnknownKey, http.StatusUnauthorized, "invalid_api_key", "the API key in X-API-Key is not valid, or was revoked", true},
	{edge.ErrNoPath, http.StatusNotFound, "not_found", "there is no such path", false},
	{index.ErrNotFound, http.StatusNotFound, "not_found", "there is no such resource", false},
	{edge.ErrMethod, http.StatusMethodNotAllowed, "method_not_allowed", "every endpoint is read with GET (or HEAD)", false},
	{edge.ErrSlow, http.StatusRequestTimeout, "invalid_parameter", "the request took too long to arrive", false},
	{edge.ErrBodyTooLarge, http.StatusRequestEntityTooLarge, "invalid_parameter", "requests carry no body", false},
	{edge.ErrHeadTooLarge, http.StatusRequestHeaderFieldsTooLarge, "invalid_parameter", "request line and headers must be shorter than 16 KiB together", false},
	{errBurst, http.StatusTooManyRequests, "rate_limit_exceeded", "too many requests in this second: try again in the next one", true},
	{errDaily, http.StatusTooManyRequests, "rate_limit_exceeded", "the daily request quota is used up: it resets at midnight UTC", true},
	{errLifetime, http.StatusTooManyRequests, "lifetime_limit_exceeded", "the lifetime request quota of the free tier is used up: upgrade the account to go on", true},
	{index.ErrUnavailable, http.StatusInternalServerError, "service_unavailable", unavailable, false},
	{index.ErrGone, http.StatusInternalServerError, "service_unavailable", unavailable, false},
	{access.ErrUnavailable, http.StatusInternalServerError, "service_unavailable", unavailable, false},
	{context.DeadlineExceeded, http.StatusInternalServerError, "service_unavailable", unavailable, false},
	{context.Canceled, http.StatusInternalServerError, "service_unavailable", unavailable, false},
	{nil, http.StatusInternalServerError, "internal_error", internal, false},
}

// kindOf returns the row of err.
func kindOf(err error) kindOfError {
	last := len(kindsOfErrors) - 1
	for _, k := range kindsOfErrors[:last] {
		if errors.Is(err, k.is) {
			return k
		}
	}
	return kindsOfErrors[last]
}

// refusal is an error with a message for the client. Nothing else of an error reaches a client, so that what an engine
// says about its servers cannot leak by accident.
type refusal struct {
	kind    error
	message string
}

func refuse(kind error, message string) error { return &refusal{kind, message} }

func (r *refusal) Error() string { return r.message }
func (r *refusal) Unwrap() error { return r.kind }

// told returns what a client of the API is told about err.
func told(err error) (k kindOfError, message string) {
	k, message = kindOf(err), ""
	var r *refusal
	if errors.As(err, &r) {
		message = r.message
	}
	if message == "" {
		message = k.message
	}
	return k, message
}
