package service

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"filings/index"
	"filings/service/access"
	"filings/service/edge"
	"filings/service/handlers"
	"filings/service/params"
)

// Kinds of refusals that begin here. Those of engine and key store are in index and access.
var (
	errInvalid    = params.ErrInvalid
	errNoKey      = errors.New("no key")
	errUnknownKey = errors.New("unknown key")
	errBurst      = errors.New("burst exceeded")
	errTokens     = errors.New("tokens' share of the quota exceeded")
	errDaily      = errors.New("daily quota exceeded")
	errLifetime   = errors.New("lifetime quota exceeded")
	errBusy       = errors.New("too many exports in progress")
	errNotKept    = handlers.ErrNotKept
	errForbidden  = handlers.ErrForbidden

	errToken       = errors.New("no operations token, or a wrong one")
	errContentType = errors.New("body is not JSON")
)

// errorMapping is one row of the table of errors: how an error of a kind is exposed to a client.
type errorMapping struct {
	kind    error
	status  int
	code    string
	message string // where the error itself has nothing for the client's eyes
	flat    bool   // rule E2: error and message without the envelope
}

// statusLeft is nginx's 499: the client closed the connection. A client can read it only after
// half-closing, which over plain TCP looks the same as hanging up. TLS has a close message of its
// own, so there the two differ.
const statusLeft = 499

const (
	unavailable = "the service is temporarily unavailable; retry in a few seconds"
	// burstExceeded has the limit, and whose it is.
	burstExceeded = "rate limit exceeded: %d requests per second%s; retry after 1 second"

	internal = "internal error; report the request_id to the operator of this service"
)

// errorMappings is the table of errors. The first row that an error is of counts; an error of no
// row is the last one.
var errorMappings = []errorMapping{
	{errInvalid, http.StatusBadRequest, "invalid_parameter", "", false},
	{index.ErrPosition, http.StatusBadRequest, "invalid_parameter",
		"cursor must be *, or the next_cursor of a page", false},
	{index.ErrNoOwners, http.StatusBadRequest, "invalid_parameter", "this generation was loaded before owners were " +
		"kept: owner, holder, exclude_holders, by=owner, /v1/owners and typos=auto need a later one", false},
	{edge.ErrMalformed, http.StatusBadRequest, "invalid_parameter", "the request is not well-formed HTTP", false},
	{edge.ErrChunked, http.StatusBadRequest, "invalid_parameter",
		"Transfer-Encoding is not accepted; send the request without a body", false},
	{errNoKey, http.StatusUnauthorized, "invalid_api_key",
		"an API key is needed: send it in the X-API-Key header, or as Authorization: Bearer", true},
	{errUnknownKey, http.StatusUnauthorized, "invalid_api_key",
		"the API key is not valid, or was revoked", true},
	{errForbidden, http.StatusForbidden, "forbidden", "", false},
	{edge.ErrNoPath, http.StatusNotFound, "not_found", "there is no such path", false},
	{index.ErrNotFound, http.StatusNotFound, "not_found", "there is no such resource", false},
	{errNotKept, http.StatusGone, "generation_gone", "", false},
	{edge.ErrMethod, http.StatusMethodNotAllowed, "method_not_allowed",
		"method not allowed; use GET or HEAD", false},
	{edge.ErrSlow, http.StatusRequestTimeout, "invalid_parameter", "the request took too long to arrive", false},
	{edge.ErrBodyTooLarge, http.StatusRequestEntityTooLarge, "invalid_parameter", "requests carry no body", false},
	{edge.ErrHeadTooLarge, http.StatusRequestHeaderFieldsTooLarge, "invalid_parameter",
		"request line and headers must be shorter than 16 KiB together", false},
	{index.ErrClientGone, statusLeft, "client_closed_request",
		"the client closed the connection while its request waited; nothing was counted", false},
	{errBurst, http.StatusTooManyRequests, "rate_limit_exceeded", "", true},
	{errTokens, http.StatusTooManyRequests, "rate_limit_exceeded",
		"this account's daily quota for tokens is used up; it resets at midnight UTC", true},
	{errBusy, http.StatusTooManyRequests, "rate_limit_exceeded", "", true},
	{errDaily, http.StatusTooManyRequests, "rate_limit_exceeded",
		"the daily request quota is used up: it resets at midnight UTC", true},
	{errLifetime, http.StatusTooManyRequests, "lifetime_limit_exceeded",
		"the free tier's lifetime quota is used up; only the operator can change the tier", true},
	{index.ErrSpent, http.StatusInternalServerError, "service_unavailable",
		"the request ran out of time; request less, or fewer at once", false},
	{index.ErrUnavailable, http.StatusInternalServerError, "service_unavailable", unavailable, false},
	{index.ErrLost, http.StatusInternalServerError, "service_unavailable", unavailable, false},
	{index.ErrChanged, http.StatusInternalServerError, "service_unavailable", unavailable, false},
	{index.ErrGone, http.StatusInternalServerError, "service_unavailable", unavailable, false},
	{access.ErrUnavailable, http.StatusInternalServerError, "service_unavailable", unavailable, false},
	{context.DeadlineExceeded, http.StatusInternalServerError, "service_unavailable", unavailable, false},
	{context.Canceled, http.StatusInternalServerError, "service_unavailable", unavailable, false},
	{nil, http.StatusInternalServerError, "internal_error", internal, false},
}

// operatorMappings are the rows that the operations listener has before these. Its clients are
// programs of our own, behind a proxy or two, which understand a 503.
var operatorMappings = []errorMapping{
	{errToken, http.StatusUnauthorized, "invalid_token",
		"the operations token is needed: send it as Authorization: Bearer", false},
	{ErrNoEntry, http.StatusNotFound, "not_found", "the list has no such entry", false},
	{ErrLoading, http.StatusConflict, "load_running", "a load is running: try again after it", false},
	{access.ErrNoAccount, http.StatusNotFound, "not_found", "there is no such account", false},
	{access.ErrHasKey, http.StatusConflict, "active_key",
		"the account has an active key: rotate or revoke it", false},
	{access.ErrRevoked, http.StatusConflict, "no_active_key", "the account's key is revoked: create one", false},
	{edge.ErrMethod, http.StatusMethodNotAllowed, "method_not_allowed",
		"the methods of this path are in the Allow header", false},
	{edge.ErrBodyTooLarge, http.StatusRequestEntityTooLarge, "invalid_parameter",
		"the body must be at most 8 KiB", false},
	{edge.ErrChunked, http.StatusBadRequest, "invalid_parameter",
		"Transfer-Encoding is not accepted: send the body with a Content-Length", false},
	{errContentType, http.StatusUnsupportedMediaType, "invalid_parameter",
		"the body must be sent as Content-Type: application/json, without a Content-Encoding", false},
	{access.ErrUnavailable, http.StatusServiceUnavailable, "service_unavailable", unavailable, false},
	{index.ErrUnavailable, http.StatusServiceUnavailable, "service_unavailable", unavailable, false},
	{context.DeadlineExceeded, http.StatusServiceUnavailable, "service_unavailable", unavailable, false},
}

// mappingOf returns the row of err, in rows or the table.
func mappingOf(err error, rows ...errorMapping) errorMapping {
	last := len(errorMappings) - 1
	for _, table := range [][]errorMapping{rows, errorMappings[:last]} {
		for _, m := range table {
			if errors.Is(err, m.kind) {
				return m
			}
		}
	}
	return errorMappings[last]
}

// exposedError is an error as a client sees it.
type exposedError struct {
	errorMapping
	parameter string // "" if none is at fault
}

// mapError returns how err is exposed to a client, by rows or the table.
func mapError(err error, rows ...errorMapping) exposedError {
	if invalid := access.InvalidError(""); errors.As(err, &invalid) {
		err = handlers.Refuse(errInvalid, invalid.Error())
	}
	e := exposedError{errorMapping: mappingOf(err, rows...)}
	var refusal *handlers.Refusal
	var wrong *params.Error
	switch {
	case errors.As(err, &refusal) && refusal.Message != "":
		e.message = refusal.Message
	case errors.As(err, &wrong):
		e.message, e.parameter = wrong.Message, wrong.Parameter
	case e.kind == index.ErrPosition:
		e.parameter = "cursor"
	}
	return e
}

// exposedErrors returns the rows of the table of errors that clients can tell apart, with messages.
func exposedErrors() (rows []exposedError) {
	for _, m := range errorMappings {
		e := exposedError{errorMapping: m}
		switch m.kind { // their errors say which parameter and its values, or which generation
		case errInvalid:
			e.message, e.parameter = "limit must be between 1 and 100", "limit"
		case index.ErrPosition:
			e.parameter = "cursor"
		case errBurst:
			e.message = fmt.Sprintf(burstExceeded, 10, "")
		case errNotKept:
			e.message = notKept("20261122-051422.061847", "20261124-051407.220331")
		case errForbidden:
			e.message = "this token does not allow this endpoint; it allows: tiles, one"
		}
		same := func(r exposedError) bool { return r.status == e.status && r.code == e.code && r.message == e.message }
		if !slices.ContainsFunc(rows, same) {
			rows = append(rows, e)
		}
	}
	return rows
}

func notKept(id, live string) string {
	if live == "" {
		return "the generation " + id + " is not kept, and there is no live one yet"
	}
	return "the generation " + id + " is not kept; the live one is " + live +
		", and /v1/generations lists all that are kept"
}
