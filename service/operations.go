package service

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/adaptor"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"filings/index/generation"
	"filings/service/accounts"
	"filings/service/edge"
)

// readyTime bounds a readiness check: an orchestrator checks every few seconds.
const readyTime = 2 * time.Second

// Operations returns what the operations listener serves: /livez, /readyz and /metrics, and, with a token in Config,
// /accounts, /loads, /generations and /withheld. The first three need no key; it is meant for a listener that only operators reach (rule T4).
func (s *Service) Operations() *fiber.App {
	manage := &accounts.API{
		Store: s.config.Access, Token: s.config.OperationsToken, Timeout: s.config.RequestTimeout, Now: s.now, Log: s.log,
		AppendError: func(dst []byte, requestID, code, message string) []byte {
			return (&call{id: requestID}).appendError(dst, errorMapping{code: code}, message)
		},
	}
	app := edge.New(manage.Refused, accounts.MaxBody)
	app.Use(edge.Framed)
	// These need no token; Kubernetes and Prometheus connect to a pod's address.
	for _, open := range []string{"/livez", "/readyz", "/metrics"} {
		app.Use(open, func(c *fiber.Ctx) error {
			if !edge.OwnHost(c) {
				return c.Status(fiber.StatusForbidden).SendString(
					"Host must be localhost, or a loopback address, as the address of this connection is\n")
			}
			return c.Next()
		})
	}
	app.Get("/livez", func(c *fiber.Ctx) error { return c.SendString("ok\n") })
	app.Get("/readyz", s.readyz)
	app.Get("/metrics", adaptor.HTTPHandler(promhttp.HandlerFor(s.config.Registry, promhttp.HandlerOpts{})))
	manage.Route(app)
	if s.config.Store != nil {
		manage.Show(app, "/loads", s.loads)
		manage.Show(app, "/generations", s.generations)
	}
	if s.config.Withheld != nil {
		manage.RouteWithheld(app, s.config.Withheld)
	}
	return app
}

// readyz sends 200 when the service can answer requests, else 503 with a word for what it lacks. It logs changes alone: a
// balancer that checks every second must not fill the log.
func (s *Service) readyz(c *fiber.Ctx) error {
	ctx, cancel := context.WithTimeout(context.Background(), readyTime)
	defer cancel()
	lacks, err := s.lacks(ctx)
	before := s.lacked.Swap(lacks)
	if err != nil {
		if before != lacks {
			s.log.Warn("not ready", slog.String("lacks", lacks), slog.String("error", err.Error()))
		}
		return c.Status(fiber.StatusServiceUnavailable).SendString(lacks + "\n")
	}
	if before != nil && before != lacks {
		s.log.Info("ready again")
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
	if err := s.config.Engine.Ready(ctx); err != nil {
		return "index", err
	}
	return "", nil
}

// Redirect returns what the plain listener serves, for an API on httpsPort: see edge.Redirect.
func (s *Service) Redirect(httpsPort int) *fiber.App {
	return edge.Redirect(s.app, s.config.TrustedProxies, httpsPort)
}

// liveGeneration sends the live generation, and how many others are damaged. Its age is time() minus the second gauge.
func (s *Service) liveGeneration(ctx context.Context, send sendGauge) {
	if usable, err := s.config.Engine.Usable(ctx); err == nil {
		send("filings_live_generation_unusable", "1 if the live generation is lost, is not what was sealed, or a request has met damage in its file; else 0.", one(!usable), nil)
	}
	if damaged, err := s.config.Engine.Damaged(ctx); err == nil {
		send("filings_damaged_generations", "Kept generations besides the live one in whose files requests have met damage.", float64(damaged), nil)
	}
	r, err := s.config.Engine.Live(ctx)
	if err != nil || r.Generation() == "" {
		return
	}
	name := r.Generation()
	send("filings_live_generation_info", "The live generation, by name; absent where there is none.", 1, prometheus.Labels{"generation": name})
	parts := strings.Split(name, "-") // prefix, which may have hyphens, date, time, version
	prefix := strings.Join(parts[:max(0, len(parts)-3)], "-")
	if began, ok := generation.ParseName(prefix, name); ok {
		send("filings_live_generation_created_timestamp_seconds", "When the load of the live generation began.", unixSeconds(began), nil)
	}
}

func unixSeconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
