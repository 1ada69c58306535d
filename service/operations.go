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
// /accounts. The first three need no key; it is meant for a listener that only operators reach (rule T4).
func (s *Service) Operations() *fiber.App {
	manage := &accounts.API{
		Store: s.config.Access, Token: s.config.OperationsToken, Timeout: s.config.RequestTimeout, Now: s.now, Log: s.log,
		AppendError: func(dst []byte, requestID, code, message string) []byte {
			return (&call{id: requestID}).appendError(dst, errorMapping{code: code}, message)
		},
	}
	app := edge.New(manage.Refused, accounts.MaxBody)
	app.Use(edge.Framed)
	app.Get("/livez", func(c *fiber.Ctx) error { return c.SendString("ok\n") })
	app.Get("/readyz", s.readyz)
	app.Get("/metrics", adaptor.HTTPHandler(promhttp.HandlerFor(s.config.Registry, promhttp.HandlerOpts{})))
	manage.Route(app)
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

// lastLoad sends the load that is in progress or was the last.
func (s *Service) lastLoad(ctx context.Context, send sendGauge) {
	if s.config.LastLoad == nil {
		return
	}
	run, err := s.config.LastLoad(ctx)
	if err != nil || run == nil {
		return
	}
	gauge := func(name, help string, value float64) { send("filings_last_load_"+name, help, value, nil) }
	gauge("started_timestamp_seconds", "When the last load began.", unixSeconds(run.Started))
	gauge("seen_timestamp_seconds", "When the last load last reported; after its end, its end.", unixSeconds(run.Renewed))
	gauge("duration_seconds", "From the beginning of the last load to its last report.", run.Renewed.Sub(run.Started).Seconds())
	gauge("promoted", "1 if the last load promoted its generation, or found that nothing had changed; 0 if it failed, died, or is in progress.",
		one(run.Outcome == generation.OutcomePromoted || run.Outcome == generation.OutcomeUnchanged))
	gauge("ended", "1 if the last load reported how it ended; 0 if it is in progress, or died.", one(run.Outcome != ""))
	gauge("records_read", "Records that the last load has read.", float64(run.Read))
	gauge("records_indexed", "Filings that the last load has added or replaced.", float64(run.Indexed))
	gauge("records_rejected", "Records that the last load has rejected.", float64(run.Rejected))
}

func unixSeconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
