package service

import (
	"context"
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/adaptor"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"filings/service/accounts"
	"filings/service/edge"
)

// readyTime bounds a readiness check: an orchestrator checks every few seconds.
const readyTime = 2 * time.Second

// Operations returns what the operations listener serves: /livez, /readyz and /metrics, and, with a token in Config,
// /accounts. The first three need no key; it is meant for a listener that only operators reach (rule T4).
func (s *Service) Operations() *fiber.App {
	manage := &accounts.API{
		Store: s.config.Access, Token: s.config.OperationsToken, Timeout: s.config.RequestTimeout, Now: s.now, Log: s.log,
		AppendError: func(dst []byte, requestID, code, message string) []byte {
			return (&call{id: requestID}).appendError(dst, errorMapping{code: code}, message)
		},
	}
	config := edge.ServerConfig(manage.Refused)
	config.BodyLimit = accounts.MaxBody
	app := fiber.New(config)
	app.Get("/livez", func(c *fiber.Ctx) error { return c.SendString("ok\n") })
	app.Get("/readyz", s.readyz)
	app.Get("/metrics", adaptor.HTTPHandler(promhttp.HandlerFor(s.config.Registry, promhttp.HandlerOpts{})))
	manage.Route(app)
	return app
}

// readyz sends 200 when the service can answer requests, else 503 with a word for what it lacks.
func (s *Service) readyz(c *fiber.Ctx) error {
	ctx, cancel := context.WithTimeout(context.Background(), readyTime)
	defer cancel()
	lacks, err := s.lacks(ctx)
	if err != nil {
		s.log.Warn("not ready", slog.String("lacks", lacks), slog.String("error", err.Error()))
		return c.Status(fiber.StatusServiceUnavailable).SendString(lacks + "\n")
	}
	return c.SendString("ok\n")
}

// lacks returns the first thing that the service needs and does not have: the index, the key store, or what Config.Ready
// names as the process's own reason.
func (s *Service) lacks(ctx context.Context) (string, error) {
	if s.config.Ready != nil {
		if err := s.config.Ready(ctx); err != nil {
			return "process", err
		}
	}
	if err := s.config.Access.Ping(ctx); err != nil {
		return "keys", err
	}
	if _, err := s.config.Engine.Live(ctx); err != nil {
		return "index", err
	}
	return "", nil
}

// Redirect returns what the plain listener serves, for an API on httpsPort: see edge.Redirect.
func (s *Service) Redirect(httpsPort int) *fiber.App {
	return edge.Redirect(s.app, s.config.TrustedProxies, httpsPort)
}
