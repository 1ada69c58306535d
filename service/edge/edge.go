// Package edge owns the steps that every request passes before its handler: how the server reads
// HTTP, the framing of requests, TLS handshakes in turns, connections on which nothing is received
// or no client reads, the redirection from plain HTTP, CORS, the id of a request and the first
// attributes of its log record. It refuses to know the API: keys, paths, and the form of an error.
//
// # Design
//
// Each part is a function or a small value that the service puts into its chain of middleware. The
// redirection alone is a listener of its own, and stands on the others; TLS and Listen are for the
// program, which opens the sockets. A request that is refused here is an error of this package
// (errors.go), like one that the framework refuses: the listener that it came to writes the
// response, in the form that its clients expect.
package edge

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
)

// JSON is the Content-Type of JSON responses, without a charset, which the type does not have (RFC
// 8259): some generated clients compare it letter by letter.
const JSON = "application/json"

// HeaderRequestID carries the id of a request in its response.
const HeaderRequestID = "X-Request-ID"

// NewID returns an id for a request: "req_" and 128 random bits in hex.
func NewID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	return "req_" + hex.EncodeToString(id[:])
}

// Recovered runs f and turns a panic into an error that holds the stack.
func Recovered(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}

// Attributes returns the first attributes of the log record of an answered request. Neither keys
// nor paths nor queries are logged, for the names of people in them: route is a pattern.
func Attributes(c *fiber.Ctx, id, route string) []slog.Attr {
	return append(make([]slog.Attr, 0, 11), // with room for those that follow
		slog.String("id", id),
		slog.String("method", c.Method()),
		slog.String("route", route),
		slog.Int("status", c.Response().StatusCode()),
	)
}

// Took returns the attribute of how long a request took.
func Took(took time.Duration) slog.Attr {
	return slog.Float64("ms", float64(took.Microseconds())/1000)
}

// HeaderSafe returns a raw path or query as it may stand in a header. A character that a request
// line can carry, but no URL, is percent-encoded; everything else stays as it is.
func HeaderSafe(raw string) string {
	const hexadecimal = "0123456789ABCDEF"
	safe := make([]byte, 0, len(raw))
	for _, c := range []byte(raw) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			safe = append(safe, '%', hexadecimal[c>>4], hexadecimal[c&15])
		} else {
			safe = append(safe, c)
		}
	}
	return string(safe)
}
