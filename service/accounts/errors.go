package accounts

import (
	"context"
	"errors"
	"net/http"

	"filings/service/access"
	"filings/service/edge"
)

var (
	errToken       = errors.New("no token, or a wrong one")
	errContentType = errors.New("body is not JSON")
)

// exposedError is one row of the table of errors: what a client sees of an error of that kind.
type exposedError struct {
	is      error
	status  int
	code    string
	message string
}

const unavailable = "the service cannot answer at the moment; try again later"

// exposedErrors is the table of errors; the last row is for those of no other. The clients are programs of our own,
// behind a proxy or two: these understand a 503.
var exposedErrors = []exposedError{
	{errToken, http.StatusUnauthorized, "invalid_token", "the operations token is needed: send it as Authorization: Bearer"},
	{ErrNoEntry, http.StatusNotFound, "not_found", "the list has no such entry"},
	{ErrLoading, http.StatusConflict, "load_running", "a load is running: try again after it"},
	{access.ErrNoAccount, http.StatusNotFound, "not_found", "there is no such account"},
	{edge.ErrNoPath, http.StatusNotFound, "not_found", "there is no such path"},
	{edge.ErrMethod, http.StatusMethodNotAllowed, "method_not_allowed", "the methods of this path are in the Allow header"},
	{access.ErrHasKey, http.StatusConflict, "active_key", "the account has an active key: rotate or revoke it"},
	{access.ErrRevoked, http.StatusConflict, "no_active_key", "the account's key is revoked: create one"},
	{edge.ErrBodyTooLarge, http.StatusRequestEntityTooLarge, "invalid_parameter", "the body must be at most 8 KiB"},
	{errContentType, http.StatusUnsupportedMediaType, "invalid_parameter", "the body must be sent as Content-Type: application/json, without a Content-Encoding"},
	{edge.ErrSlow, http.StatusRequestTimeout, "invalid_parameter", "the request took too long to arrive"},
	{edge.ErrHeadTooLarge, http.StatusRequestHeaderFieldsTooLarge, "invalid_parameter", "request line and headers must be shorter than 16 KiB together"},
	{edge.ErrMalformed, http.StatusBadRequest, "invalid_parameter", "the request is not well-formed HTTP"},
	{edge.ErrChunked, http.StatusBadRequest, "invalid_parameter", "Transfer-Encoding is not accepted: send the body with a Content-Length"},
	{access.ErrUnavailable, http.StatusServiceUnavailable, "service_unavailable", unavailable},
	{context.DeadlineExceeded, http.StatusServiceUnavailable, "service_unavailable", unavailable},
	{nil, http.StatusInternalServerError, "internal_error", "the service failed; the request id names this failure in its log"},
}

// exposed returns what a client sees of err. Only an error about what the client sent brings words of its own.
func exposed(err error) exposedError {
	var invalid access.InvalidError
	if errors.As(err, &invalid) {
		return exposedError{err, http.StatusBadRequest, "invalid_parameter", invalid.Error()}
	}
	last := len(exposedErrors) - 1
	for _, row := range exposedErrors[:last] {
		if errors.Is(err, row.is) {
			return row
		}
	}
	return exposedErrors[last]
}
