package service

import (
	"context"
	"errors"
	"net/http"

	"github.com/gofiber/fiber/v2"

	"filings/index"
	"filings/service/access"
)

// Kinds of refusals that begin here. Those of the engine and of the key store have theirs in index and access.
var (
	errInvalid      = errors.New("invalid parameter")
	errMalformed    = errors.New("malformed request")
	errNoKey        = errors.New("no key")
	errUnknownKey   = errors.New("unknown key")
	errNoPath       = errors.New("no such path")
	errMethod       = errors.New("method not allowed")
	errSlow         = errors.New("request took too long to arrive")
	errBodyTooLarge = errors.New("body too large")
	errHeadTooLarge = errors.New("request line and headers too large")
	errBurst        = errors.New("burst exceeded")
	errDaily        = errors.New("daily quota exceeded")
	errLifetime     = errors.New("lifetime quota exceeded")
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
	{errMalformed, http.StatusBadRequest, "invalid_parameter", "the request is not well-formed HTTP", false},
	{errNoKey, http.StatusUnauthorized, "invalid_api_key", "an API key is needed: send it in the X-API-Key header", true},
	{errUnknownKey, http.StatusUnauthorized, "invalid_api_key", "the API key in X-API-Key is not valid, or was revoked", true},
	{errNoPath, http.StatusNotFound, "not_found", "there is no such path", false},
	{index.ErrNotFound, http.StatusNotFound, "not_found", "there is no such resource", false},
	{errMethod, http.StatusMethodNotAllowed, "method_not_allowed", "every endpoint is read with GET (or HEAD)", false},
	{errSlow, http.StatusRequestTimeout, "invalid_parameter", "the request took too long to arrive", false},
	{errBodyTooLarge, http.StatusRequestEntityTooLarge, "invalid_parameter", "requests carry no body", false},
	{errHeadTooLarge, http.StatusRequestHeaderFieldsTooLarge, "invalid_parameter", "request line and headers must be shorter than 16 KiB together", false},
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
func kindOf(err error) kindOfError { return kindIn(kindsOfErrors, err) }

// kindIn returns the row of err in a table of errors.
func kindIn(table []kindOfError, err error) kindOfError {
	for _, k := range table[:len(table)-1] {
		if errors.Is(err, k.is) {
			return k
		}
	}
	return table[len(table)-1]
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
func told(err error) (kindOfError, string) { return toldBy(kindsOfErrors, err) }

// toldBy returns what a client is told about err by a table of errors.
func toldBy(table []kindOfError, err error) (k kindOfError, message string) {
	k, message = kindIn(table, err), ""
	var r *refusal
	if errors.As(err, &r) {
		message = r.message
	}
	if message == "" {
		message = k.message
	}
	return k, message
}

// ofFiber turns an error of the framework into one of ours.
func ofFiber(err error) error {
	var f *fiber.Error
	if !errors.As(err, &f) {
		return err
	}
	switch f.Code {
	case http.StatusNotFound:
		return errNoPath
	case http.StatusMethodNotAllowed:
		return errMethod
	case http.StatusRequestTimeout:
		return errSlow
	case http.StatusRequestEntityTooLarge:
		return errBodyTooLarge
	case http.StatusRequestHeaderFieldsTooLarge, http.StatusRequestURITooLong:
		return errHeadTooLarge
	case http.StatusBadRequest, http.StatusBadGateway: // 502 is how Fiber calls a connection that broke while it was read
		return errMalformed
	}
	return err
}
