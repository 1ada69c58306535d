package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"filings/cmd/filings/check"
	"filings/cmd/filings/memory"
	"filings/cmd/filings/settings"
	"filings/cmd/filings/traces"
	"filings/index"
	"filings/index/cache"
	"filings/index/generation"
	"filings/index/serving"
	"filings/index/trace"
	"filings/service"
	"filings/service/access"
	"filings/service/edge"
	"filings/service/pages"
	"filings/service/tokens"
)

// rereadEvery is how often a service looks whether its certificate has changed.
const rereadEvery = time.Minute

// drainTime is added to a request's time limit when a stopping service waits for those in flight.
const drainTime = 2 * time.Second

func (p *program) serveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Serves the API until SIGINT or SIGTERM, then finishes the requests in progress",
		Long:  help("serve"),
		Example: "  filings serve\n  FILINGS_LISTEN=:443 FILINGS_TLS_CERT_FILE=cert.pem " +
			"FILINGS_TLS_KEY_FILE=key.pem filings serve",
		Args: noArguments,
		RunE: p.withSettings(func(ctx context.Context, s settings.Settings, _ []string) error {
			hangup := make(chan os.Signal, 1)
			signal.Notify(hangup, syscall.SIGHUP)
			defer signal.Stop(hangup)
			l, err := listen(s)
			if err != nil {
				return err
			}
			return p.serve(ctx, s, l, hangup, func() {
				// elsewhere each line is a log record
				if l.certificate.SelfSigned && s.LogFormat != "json" && isTerminal(p.err) {
					fmt.Fprintf(p.err,
						"Try: curl --cacert %s -H 'X-API-Key: …' 'https://localhost:%d/v1/filings?limit=2'\n",
						quote(l.certificate.Cert), l.port())
				}
			})
		}),
	}
}

// serve runs the service on l until ctx ends. ready is called once settings and servers are found to be right. A signal
// from hangup makes it read its certificate again.
func (p *program) serve(ctx context.Context, s settings.Settings, l listeners, hangup <-chan os.Signal,
	ready func()) (err error) {
	log := p.logger(s)
	defer l.close()
	var caches *cache.Cache // nil: responses are not cached, and the engine has a bound of its own
	if s.CacheSize > 0 {
		caches = cache.New(int64(s.CacheSize))
	}
	store, closer, err := openEngine(s, caches, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closer.Close()) }()
	registry := newRegistry()
	registry.MustRegister(l.metrics()...)
	keys, err := openKeys(s, registry, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, keys.Close()) }()
	tracer, sendSpans, err := traces.Open(version, log)
	if err != nil {
		return usageError{err}
	}
	defer sendSpans()
	engine, err := serving.New(store, serving.Config{
		Cache: caches, Calls: s.EngineCalls, RequestTime: s.RequestTimeout, Registry: registry, Log: log,
		Database: trace.Database{System: system(len(s.ElasticsearchURL) > 0, "elasticsearch"), Collection: s.Index},
	})
	if err != nil {
		return err
	}
	svc, err := service.New(service.Config{
		Engine:            engine,
		Access:            keys,
		CORSOrigins:       s.CORSOrigins,
		PublicURL:         s.PublicURL,
		TokenSecrets:      tokens.Secrets(s.TokenSecrets),
		ActiveStatuses:    s.ActiveForeclosureStatuses,
		LegacyHasDataName: s.LegacyHasDataName,
		FiltersByTier:     s.FiltersByTier,
		RequestTimeout:    s.RequestTimeout,
		Exports:           s.Exports,
		ExportTimeout:     s.ExportTimeout,
		EscapeFormulas:    bool(s.CSVEscape),
		ServerTiming:      bool(s.ServerTiming),
		MCP:               bool(s.MCP),
		MCPResult:         s.MCPResult,
		TrustedProxies:    s.TrustedProxies,
		Tracer:            tracer,
		KeyStore:          trace.Database{System: system(s.RedisURL != "", "redis")},
		OperationsToken:   s.OperationsToken,
		Tiles:             pages.Tiles{URL: s.TilesURL, Attribution: s.TilesAttribution},
		Ready:             func(context.Context) error { return ctx.Err() },
		Store:             store,
		Withheld:          newWithholder(s, store, log),
		Registry:          registry,
		Log:               log,
	})
	if err != nil {
		return usageError{err}
	}
	ticker := time.NewTicker(rereadEvery)
	defer ticker.Stop()
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go memory.Keep(watching, caches, int64(s.CacheSize), memory.Limit(int64(s.CacheSize), len(s.ElasticsearchURL) == 0))
	go l.certificate.Watch(watching, ticker.C, hangup, log)
	return l.serve(ctx, svc, s.RequestTimeout+drainTime, log, func(ctx context.Context) error {
		if err := reach(ctx, s, log, store, keys); err != nil {
			return err
		}
		if s.EngineCalls == 0 {
			fit(ctx, engine, s.RequestTimeout, log)
		}
		log.Info("serving", "api", address(l.api), "redirect", address(l.redirect), "operations", address(l.operations))
		if s.OperationsToken != "" && !isLoopback(l.operations.Addr()) {
			// No refusal: in a container no other address works, and only its operator knows who can reach its port.
			log.Warn(
				"/accounts speaks plain HTTP and other machines can reach it: token and new keys travel in plain text",
				"setting", "FILINGS_OPERATIONS_LISTEN", "operations", address(l.operations))
		}
		ready()
		return nil
	})
}

// fit makes the limit of calls to the engine the one of its server, unless that does not say.
func fit(ctx context.Context, engine *serving.Engine, timeout time.Duration, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := engine.Fit(ctx); err != nil {
		log.Warn("eight calls to the engine run at once: it does not say how many it can work on",
			"setting", "FILINGS_ENGINE_CALLS", "error", err.Error())
	}
}

// system names a store in spans: a server, or an embedded one.
func system(isServer bool, name string) string {
	if isServer {
		return name
	}
	return "filings"
}

// reach makes sure that the servers respond, and waits for those that do not, each by itself.
func reach(ctx context.Context, s settings.Settings, log *slog.Logger, store generation.Store,
	keys access.Store) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, try := range []func(context.Context) error{
		func(ctx context.Context) error {
			live, err := store.Live(ctx)
			if errors.Is(err, index.ErrLost) {
				// Elasticsearch responds; each request reports the loss, until it is repaired
				return nil
			}
			if err != nil {
				return err
			}
			if err := index.Probe(ctx, live); errors.Is(err, index.ErrRecord) {
				return err // every request for filings would fail; /readyz names other failures
			}
			return nil
		},
		func(ctx context.Context) error {
			err := check.Keys(ctx, keys)
			if errors.Is(err, access.ErrEmptied) {
				log.Error("no request is admitted", "error", err.Error())
				return nil // a service that ran would be no better off, and accounts can be created by it
			}
			return err
		},
	} {
		g.Go(func() error {
			return await(ctx, s.StartTimeout, log, func(ctx context.Context) error {
				ctx, cancel := context.WithTimeout(ctx, s.RequestTimeout)
				defer cancel()
				return check.Explain(s, try(ctx))
			})
		})
	}
	return g.Wait()
}

// startRetry is the pause between two attempts to reach a server.
const startRetry = 500 * time.Millisecond

// await tries until a server responds. It gives up with the last error when timeout is over, and at
// once on an error that no time mends, such as a wrong password.
func await(ctx context.Context, timeout time.Duration, log *slog.Logger, try func(context.Context) error) error {
	began := time.Now()
	for logged := false; ; logged = true {
		err := try(ctx)
		if err == nil || !passes(err) || time.Since(began) >= timeout {
			return err
		}
		if !logged {
			log.Warn("waiting for a server", "for", timeout.String(), "error", err.Error())
		}
		select {
		case <-time.After(startRetry):
		case <-ctx.Done():
			return err
		}
	}
}

// passes reports whether a server may be just not up yet.
func passes(err error) bool {
	var certificate *tls.CertificateVerificationError
	if errors.Is(err, access.ErrRefused) || errors.As(err, &certificate) {
		return false
	}
	return errors.Is(err, index.ErrUnavailable) || errors.Is(err, access.ErrUnavailable)
}

// serve answers on all sockets until ctx ends or one of them or start fails, then waits up to drain
// for requests in flight. Exports in flight are cut so long before its end that unsent rows can be
// refunded. start runs meanwhile.
func (l listeners) serve(ctx context.Context, svc *service.Service, drain time.Duration, log *slog.Logger,
	start func(context.Context) error) error {
	clients := map[*edge.Listener]*fiber.App{l.api: svc.API()}
	if l.redirect != nil {
		clients[l.redirect] = svc.Redirect(l.port())
	}
	operators := map[*edge.Listener]*fiber.App{}
	if l.operations != nil {
		operators[l.operations] = svc.Operations()
	}
	stop := ctx
	g, ctx := errgroup.WithContext(ctx)
	for _, apps := range []map[*edge.Listener]*fiber.App{clients, operators} {
		for socket, app := range apps {
			g.Go(func() error { return app.Listener(socket) })
		}
	}
	g.Go(func() error {
		if err := start(ctx); ctx.Err() == nil {
			return err
		}
		return nil // it was stopped
	})
	g.Go(func() error {
		<-ctx.Done()
		if stop.Err() != nil {
			log.Info("stopping: finishing what is in flight")
		}
		// Operators are served to the end: meanwhile /readyz responds with 503, and /metrics shows
		// the requests in flight.
		grace, cancel := context.WithTimeout(context.Background(), drain)
		defer cancel()
		defer time.AfterFunc(max(drain-drainTime, drain/2), svc.CutExports).Stop()
		err := shutDown(grace, clients, log)
		if svc.Drain(grace) != nil {
			log.Warn("stopped before all failed requests were refunded to their quotas")
		}
		err = errors.Join(err, shutDown(grace, operators, log))
		l.close() // an application that was only about to listen has not closed its socket
		return err
	})
	return g.Wait()
}

// shutDown accepts no more connections, answers a last request on each, and waits until they are
// closed. It closes those that are still busy when ctx ends, because their clients do not read or
// write: that is no failure of the service.
func shutDown(ctx context.Context, apps map[*edge.Listener]*fiber.App, log *slog.Logger) error {
	var stop errgroup.Group
	for socket, app := range apps {
		stop.Go(func() error {
			_ = socket.Shutdown(ctx) // the remaining connections are the server's, which sees the same end of ctx
			err := app.ShutdownWithContext(ctx)
			if errors.Is(err, context.DeadlineExceeded) {
				log.Warn("stopped with connections still open", "address", address(socket))
				return nil
			}
			return err
		})
	}
	return stop.Wait()
}
