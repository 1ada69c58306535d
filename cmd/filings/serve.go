package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"filings/cmd/filings/check"
	"filings/cmd/filings/settings"
	"filings/index/generation"
	"filings/index/serving"
	"filings/service"
	"filings/service/access"
	"filings/service/pages"
)

// drainTime is what is added to the time limit of a request when a stopping service waits for those in flight.
const drainTime = 2 * time.Second

func (p *program) serveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Serves the API until SIGINT or SIGTERM, then finishes what is in flight",
		Long: "Serves the API over TLS on FILINGS_LISTEN until SIGINT or SIGTERM, then finishes what is in flight: for at most\n" +
			"FILINGS_REQUEST_TIMEOUT and two seconds. A second signal ends it at once.\n" +
			"FILINGS_REDIRECT_LISTEN only redirects to it; FILINGS_OPERATIONS_LISTEN has /livez, /readyz and /metrics, and, with\n" +
			"FILINGS_OPERATIONS_TOKEN, /accounts.",
		Example: "  filings serve\n  FILINGS_LISTEN=:443 FILINGS_TLS_CERT_FILE=cert.pem FILINGS_TLS_KEY_FILE=key.pem filings serve",
		Args:    cobra.NoArgs,
		RunE: p.withSettings(func(ctx context.Context, s settings.Settings, _ []string) error {
			return p.serve(ctx, s, p.logger(s), func(l listeners) {
				if l.trust != "" {
					fmt.Fprintf(p.err, "Try: curl --cacert %s -H 'X-API-Key: …' 'https://localhost:%d/v1/filings?limit=2'\n", l.trust, l.port())
				}
			})
		}),
	}
}

// serve runs the service until ctx ends. Everything that can be wrong with settings, servers and ports is found before
// ready is called.
func (p *program) serve(ctx context.Context, s settings.Settings, log *slog.Logger, ready func(listeners)) (err error) {
	store, closer, err := openEngine(s, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closer.Close()) }()
	registry := newRegistry()
	keys, err := openKeys(s, registry)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, keys.Close()) }()
	if err := reach(ctx, s, store, keys); err != nil {
		return err
	}
	engine, err := serving.New(store, serving.Config{CacheBytes: int64(s.CacheSize), Registry: registry, Log: log})
	if err != nil {
		return err
	}
	svc, err := service.New(service.Config{
		Engine:            engine,
		Access:            keys,
		CORSOrigins:       s.CORSOrigins,
		ActiveStatuses:    s.ActiveForeclosureStatuses,
		LegacyHasDataName: s.LegacyHasDataName,
		RequestTimeout:    s.RequestTimeout,
		TrustedProxies:    s.TrustedProxies,
		OperationsToken:   s.OperationsToken,
		Tiles:             pages.Tiles{URL: s.TilesURL, Attribution: s.TilesAttribution},
		Ready:             func(context.Context) error { return ctx.Err() },
		LastLoad:          store.LastRun,
		Registry:          registry,
		Log:               log,
	})
	if err != nil {
		return usageError{err}
	}
	l, err := listen(s)
	if err != nil {
		return err
	}
	registry.MustRegister(certificateMetric(l.certificate))
	log.Info("serving", "api", address(l.api), "redirect", address(l.redirect), "operations", address(l.operations))
	if s.OperationsToken != "" && !isLoopback(l.operations.Addr()) {
		// No refusal: in a container no other address works, and only its operator knows who can reach its port.
		log.Warn("/accounts speaks plain HTTP and other machines can reach it: token and new keys travel in plain text",
			"setting", "FILINGS_OPERATIONS_LISTEN", "operations", address(l.operations))
	}
	ready(l)
	return l.serve(ctx, svc, s.RequestTimeout+drainTime, log)
}

// reach makes sure that the servers answer.
func reach(ctx context.Context, s settings.Settings, store generation.Store, keys access.Store) error {
	ctx, cancel := context.WithTimeout(ctx, s.RequestTimeout)
	defer cancel()
	var g errgroup.Group
	g.Go(func() error {
		_, err := store.Live(ctx)
		return check.Explain(s, err)
	})
	g.Go(func() error { return check.Explain(s, keys.Ping(ctx)) })
	return g.Wait()
}

// serve answers on all sockets until ctx ends or one of them fails, then waits up to drain for requests in flight.
func (l listeners) serve(ctx context.Context, svc *service.Service, drain time.Duration, log *slog.Logger) error {
	clients := map[net.Listener]*fiber.App{l.api: svc.API()}
	if l.redirect != nil {
		clients[l.redirect] = svc.Redirect(l.port())
	}
	operators := map[net.Listener]*fiber.App{}
	if l.operations != nil {
		operators[l.operations] = svc.Operations()
	}
	g, ctx := errgroup.WithContext(ctx)
	for _, apps := range []map[net.Listener]*fiber.App{clients, operators} {
		for socket, app := range apps {
			app.Server().CloseOnShutdown = true // responses in flight carry Connection: close
			g.Go(func() error { return app.Listener(socket) })
		}
	}
	g.Go(func() error {
		<-ctx.Done()
		log.Info("stopping: finishing what is in flight")
		// Operators are served to the end: meanwhile /readyz responds with 503, and /metrics shows what is in flight.
		grace, cancel := context.WithTimeout(context.Background(), drain)
		defer cancel()
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

// shutDown accepts no more connections, closes idle ones, and waits for the others. It closes those that are still busy
// when ctx ends, because their clients do not read or write: that is no failure of the service.
func shutDown(ctx context.Context, apps map[net.Listener]*fiber.App, log *slog.Logger) error {
	var stop errgroup.Group
	for socket, app := range apps {
		stop.Go(func() error {
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
