package service

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/adaptor"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"filings/index/generation"
	"filings/service/edge"
)

// readyTime bounds a readiness check: an orchestrator checks every few seconds.
const readyTime = 2 * time.Second

// Operations returns the application of the operations listener: /livez, /readyz and /metrics, and,
// with a token in Config, /accounts, /loads, /generations and /withheld. The first three need no
// key; it is meant for a listener that only operators reach (rule T4).
func (s *Service) Operations() *fiber.App {
	app := edge.New(s.refusedOperation, maxOperationBody)
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
	if s.config.OperationsToken == "" {
		return app
	}
	s.routeAccounts(app)
	if s.config.Store != nil {
		s.showOperators(app, "/loads", s.loads)
		s.showOperators(app, "/generations", s.generations)
	}
	if s.config.Withheld != nil {
		s.routeWithheld(app)
	}
	return app
}

// operate protects the paths below one of app by the token, and ends their requests.
func (s *Service) operate(app *fiber.App, path string) {
	app.Use(path, s.observeOperation, bearer(s.config.OperationsToken))
}

// showOperators adds a path to app that shows the value of read.
func (s *Service) showOperators(app *fiber.App, path string, read func(context.Context) (any, error)) {
	s.operate(app, path)
	app.Get(path, operation(func(c *fiber.Ctx, _ string, _ map[string]string) (int, any, error) {
		v, err := read(c.UserContext())
		return http.StatusOK, v, err
	}))
}

// accountUser is where a request keeps the account that it is about, for the log.
type accountUser struct{}

// observeOperation begins and ends a request: one record of the log, without key and token.
func (s *Service) observeOperation(c *fiber.Ctx) error {
	began := s.now()
	ctx, cancel := context.WithTimeout(context.Background(), s.config.RequestTimeout)
	defer cancel()
	c.SetUserContext(ctx)
	err := edge.Recovered(c.Next)
	s.endOperation(c, began, c.Route().Path, err)
	return nil
}

// operatorsPaths need the token.
var operatorsPaths = []string{accountsPath, "/loads", "/generations", "/withheld"}

// refusedOperation answers a request that the HTTP server refuses before any route sees it: in the
// envelope if it is about a path with a token, or may be. Of a request that was not read to its end
// not even the path is known.
func (s *Service) refusedOperation(c *fiber.Ctx, err error) error {
	kind := edge.Error(err)
	unread := c.Path() == "/" && kind != edge.ErrNoPath && kind != edge.ErrMethod
	isAbove := func(path string) bool { return strings.HasPrefix(c.Path(), path) }
	if s.config.OperationsToken == "" || !unread && !slices.ContainsFunc(operatorsPaths, isAbove) {
		return edge.PlainError(c, err)
	}
	s.endOperation(c, s.now(), "none", err)
	return nil
}

// endOperation answers err, if there is one, and logs.
func (s *Service) endOperation(c *fiber.Ctx, began time.Time, route string, err error) {
	k, level := &call{id: edge.NewID()}, slog.LevelInfo
	c.Set(headerRequestID, k.id)
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderCacheControl, "no-store")
	user, _ := c.Locals(accountUser{}).(string)
	var attributes []slog.Attr
	if err != nil {
		m := mapError(edge.Error(err), operatorMappings...)
		c.Response().ResetBody()
		c.Status(m.status).Set(fiber.HeaderContentType, edge.JSON)
		c.Response().SetBody(k.appendError(nil, m))
		attributes = append(attributes, slog.String("code", m.code))
		switch {
		case m.status >= http.StatusInternalServerError:
			level, attributes = slog.LevelError, append(attributes, slog.String("error", err.Error()))
		case m.kind == errToken:
			level = slog.LevelWarn
		}
	}
	took := edge.Took(s.now().Sub(began))
	attributes = slices.Concat(edge.Attributes(c, k.id, route), []slog.Attr{took, slog.String("user", user)},
		attributes)
	s.log.LogAttrs(context.Background(), level, "account", attributes...)
}

var tokenForm = regexp.MustCompile(`^[A-Za-z0-9._~+/-]{32,512}=*$`)

// TokenForm names the tokens that ValidToken accepts.
const TokenForm = "at least 32 letters, digits and -._~+/ (openssl rand -hex 32)"

// ValidToken reports whether text can be a token: one that a header carries as it is (RFC 6750),
// and nobody can guess.
func ValidToken(text string) bool { return tokenForm.MatchString(text) }

// bearer lets pass who shows the token. Digests are compared: they have one length, and the time
// that it takes reveals nothing.
func bearer(token string) fiber.Handler {
	want := sha256.Sum256([]byte(token))
	return func(c *fiber.Ctx) error {
		shown, err := bearerOf(c)
		got := sha256.Sum256([]byte(shown))
		if err == nil && subtle.ConstantTimeCompare(got[:], want[:]) == 1 {
			return c.Next()
		}
		c.Set(fiber.HeaderWWWAuthenticate, `Bearer realm="filings accounts"`)
		return errToken
	}
}

// readyz sends 200 when the service can answer requests, else 503 with a word for the missing part.
// It logs changes alone: a balancer that checks every second must not fill the log.
func (s *Service) readyz(c *fiber.Ctx) error {
	ctx, cancel := context.WithTimeout(context.Background(), readyTime)
	defer cancel()
	lacks, err := s.lacks(ctx)
	old := s.lacked.Swap(lacks)
	if err != nil {
		if old != lacks {
			s.log.Warn("not ready", slog.String("lacks", lacks), slog.String("error", err.Error()))
		}
		return c.Status(fiber.StatusServiceUnavailable).SendString(lacks + "\n")
	}
	if old != nil && old != lacks {
		s.log.Info("ready again")
	}
	return c.SendString("ok\n")
}

// lacks returns the first thing that the service needs and does not have: the index, the key store,
// or the process's own reason, which Config.Ready names.
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

// Redirect returns the application of the plain listener, for an API on httpsPort (edge.Redirect).
func (s *Service) Redirect(httpsPort int) *fiber.App {
	return edge.Redirect(s.app, s.config.TrustedProxies, httpsPort)
}

// liveGeneration sends the live generation, and how many others are damaged. Its age is time()
// minus the second gauge.
func (s *Service) liveGeneration(ctx context.Context, send sendGauge) {
	if usable, err := s.config.Engine.Usable(ctx); err == nil {
		send("filings_live_generation_unusable",
			"1 if the live generation is lost or was changed after it was sealed, or a request has met damage in its "+
				"file; else 0.",
			indicator(!usable), nil)
	}
	if damaged, err := s.config.Engine.Damaged(ctx); err == nil {
		send("filings_damaged_generations",
			"Kept generations, without the live one, in whose files requests have met damage.", float64(damaged), nil)
	}
	r, err := s.config.Engine.Live(ctx)
	if err != nil || r.Generation() == "" {
		return
	}
	name := r.Generation()
	send("filings_live_generation_info",
		"The live generation, by name; absent before the first load.", 1, prometheus.Labels{"generation": name})
	parts := strings.Split(name, "-") // prefix, which may have hyphens, date, time, version
	prefix := strings.Join(parts[:max(0, len(parts)-3)], "-")
	if began, ok := generation.ParseName(prefix, name); ok {
		send("filings_live_generation_created_timestamp_seconds",
			"When the load of the live generation began.", unixSeconds(began), nil)
	}
}

func unixSeconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

func indicator(set bool) float64 {
	if set {
		return 1
	}
	return 0
}
