package service

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"filings/service/handlers"
)

// Withholder has the list of withheld filings (rule X53).
type Withholder interface {
	Withheld(ctx context.Context) (any, error)
	// Withhold returns the filings that an entry would take out, and a function that takes them out,
	// in minutes.
	Withhold(ctx context.Context, body map[string]string) (matches any, do func(context.Context) error, err error)
	Unwithhold(ctx context.Context, number int) error
}

// Kinds of errors of a Withholder.
var (
	ErrNoEntry = errors.New("the list has no such entry")
	ErrLoading = errors.New("a load is running")
)

// Invalid is the error of a request that a client can mend.
func Invalid(message string) error { return handlers.Refuse(errInvalid, message) }

// withholdTime bounds the time of taking filings out.
const withholdTime = time.Hour

// routeWithheld adds /withheld to app. A POST names the filings that an entry takes out; with
// "yes": "true" it answers 202, and takes them out: the list tells when that is complete, and
// /loads why it failed.
func (s *Service) routeWithheld(app *fiber.App) {
	const path = "/withheld"
	w := s.config.Withheld
	s.showOperators(app, path, w.Withheld)
	app.Post(path, operation(func(c *fiber.Ctx, _ string, body map[string]string) (int, any, error) {
		matches, do, err := w.Withhold(c.UserContext(), body)
		if err != nil || body["yes"] != "true" {
			return http.StatusOK, matches, err
		}
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), withholdTime)
			defer cancel()
			if err := do(ctx); err != nil {
				s.log.Error("filings were not withheld", slog.String("error", err.Error()))
			}
		}()
		return http.StatusAccepted, matches, nil
	}, "owner", "address", "id", "county", "reason", "until", "contacts", "yes"))
	app.Delete(path+"/:number", operation(func(c *fiber.Ctx, _ string, _ map[string]string) (int, any, error) {
		number, err := strconv.Atoi(c.Params("number"))
		if err != nil {
			return 0, nil, ErrNoEntry
		}
		return http.StatusNoContent, nil, w.Unwithhold(c.UserContext(), number)
	}))
}
