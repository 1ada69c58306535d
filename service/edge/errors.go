package edge

import (
	"errors"
	"net/http"

	"github.com/gofiber/fiber/v2"
)

// Errors of requests that no handler sees.
var (
	ErrMalformed    = errors.New("malformed request")
	ErrChunked      = errors.New("body in chunks")
	ErrNoPath       = errors.New("no such path")
	ErrMethod       = errors.New("method not allowed")
	ErrSlow         = errors.New("request took too long to arrive")
	ErrBodyTooLarge = errors.New("body too large")
	ErrHeadTooLarge = errors.New("request line and headers too large")
)

// Error returns an error of the framework as one of this package, and any other as it is.
func Error(err error) error {
	var f *fiber.Error
	if !errors.As(err, &f) {
		return err
	}
	switch f.Code {
	case http.StatusNotFound:
		return ErrNoPath
	case http.StatusMethodNotAllowed:
		return ErrMethod
	case http.StatusRequestTimeout:
		return ErrSlow
	case http.StatusRequestEntityTooLarge:
		return ErrBodyTooLarge
	case http.StatusRequestHeaderFieldsTooLarge, http.StatusRequestURITooLong:
		return ErrHeadTooLarge
	// 502 is Fiber's status for a connection that broke while it was read
	case http.StatusBadRequest, http.StatusBadGateway:
		return ErrMalformed
	}
	return err
}

// PlainError is the error handler of a listener that has no envelope: it sends the status and its text.
func PlainError(c *fiber.Ctx, err error) error {
	status := http.StatusInternalServerError
	var f *fiber.Error
	switch {
	case errors.As(err, &f):
		status = f.Code
	case errors.Is(err, ErrMalformed), errors.Is(err, ErrChunked):
		status = http.StatusBadRequest
	}
	return c.SendStatus(status)
}
