package service

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/gofiber/fiber/v2"

	"filings/service/access"
)

// call is what is known of one request while it is answered.
type call struct {
	http      *fiber.Ctx
	id        string // rule E5
	route     string // the endpoint's path as a pattern
	began     time.Time
	known     bool // the caller is: admission is set, whatever its verdict
	admission access.Admission
}

// noRoute stands for the route of what was refused before it came to one: an unbounded number of paths must not become
// an unbounded number of labels, and a path may hold what does not belong into a log.
const noRoute = "none"

type callKey struct{}

func newCall(c *fiber.Ctx, began time.Time) *call {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	k := &call{http: c, id: "req_" + hex.EncodeToString(id[:]), route: noRoute, began: began}
	c.Locals(callKey{}, k)
	return k
}

func callOf(c *fiber.Ctx) *call { return c.Locals(callKey{}).(*call) }

// observe is the outermost middleware: it begins a request and ends it. Errors, panics included, come to it and to
// nowhere else; it turns them into an answer, gives the quota back, and writes the one record of the log.
func (s *Service) observe(c *fiber.Ctx) error {
	k := newCall(c, s.now())
	s.metrics.inFlight.Inc()
	defer s.metrics.inFlight.Dec()
	ctx, cancel := context.WithTimeout(context.Background(), s.workTime())
	defer cancel()
	c.SetUserContext(ctx)
	s.setCommonHeaders(k)

	err := ofFiber(s.guarded(c))
	if err != nil {
		s.fail(k, err)
	}
	s.end(k, err)
	return nil
}

// guarded runs the rest of the chain and turns a panic into an error.
func (s *Service) guarded(c *fiber.Ctx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return c.Next()
}

// refused answers what the HTTP server refuses before any middleware sees it: a request that is too large, too slow or
// no HTTP.
func (s *Service) refused(c *fiber.Ctx, err error) error {
	k := newCall(c, s.now())
	s.setCommonHeaders(k)
	err = ofFiber(err)
	s.fail(k, err)
	s.end(k, err)
	return nil
}

// fail writes the answer to a request that could not be answered, after giving back what it cost if that is our fault.
func (s *Service) fail(k *call, err error) {
	kind, message := mapError(err)
	if kind.status >= http.StatusInternalServerError {
		s.giveBack(k)
	}
	r := k.http.Response()
	r.ResetBody()
	k.http.Status(kind.status)
	k.http.Set(fiber.HeaderContentType, contentType)
	r.SetBody(k.appendError(nil, kind, message))
}

// end counts and logs a request that was answered. Neither keys nor addresses, paths nor queries are logged: people's
// names are in them.
func (s *Service) end(k *call, err error) {
	status, took := k.http.Response().StatusCode(), s.now().Sub(k.began)
	s.metrics.answered(k, status, took)
	level, fields := slog.LevelInfo, []slog.Attr{
		slog.String("id", k.id),
		slog.String("method", k.http.Method()),
		slog.String("route", k.route),
		slog.Int("status", status),
		slog.Float64("ms", float64(took.Microseconds())/1000),
		slog.Int("bytes", len(k.http.Response().Body())),
	}
	if k.known {
		fields = append(fields, slog.String("user", k.admission.User), slog.String("tier", string(k.admission.Tier)))
	}
	if err != nil {
		kind := mappingOf(err)
		fields = append(fields, slog.String("code", kind.code))
		if kind.status >= http.StatusInternalServerError {
			level, fields = slog.LevelError, append(fields, slog.String("error", err.Error()))
		}
	}
	s.log.LogAttrs(context.Background(), level, "request", fields...)
}
