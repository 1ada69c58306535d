package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"filings/index"
	"filings/index/cached"
	"filings/service"
	"filings/service/access"
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
		RunE: p.withSettings(func(ctx context.Context, s settings, _ []string) error {
			return p.serve(ctx, s, p.logger(s), func(a addresses) {
				if a.trust != "" {
					fmt.Fprintf(p.err, "Try: curl --cacert %s -H 'X-API-Key: …' 'https://localhost:%s/v1/filings?limit=2'\n", a.trust, a.port())
				}
			})
		}),
	}
}

// addresses are where a service listens; trust is the certificate file that clients need, if any.
type addresses struct {
	api, redirect, operations net.Addr
	trust                     string
}

func (a addresses) port() string {
	_, port, _ := net.SplitHostPort(a.api.String())
	return port
}

// serve runs the service until ctx ends. Everything that can be wrong with settings, servers and ports is found before
// ready is called.
func (p *program) serve(ctx context.Context, s settings, log *slog.Logger, ready func(addresses)) (err error) {
	store, closer, err := openStore(s, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closer.Close()) }()
	keys, err := openAccess(s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, keys.Close()) }()
	if err := reach(ctx, s, store, keys); err != nil {
		return err
	}
	registry := newRegistry()
	measured, err := service.Measure(store, registry, time.Now)
	if err != nil {
		return err
	}
	proxies, err := s.proxies()
	if err != nil {
		return usageError{err}
	}
	svc, err := service.New(service.Config{
		Engine:            cached.New(measured, int64(s.CacheSize)),
		Access:            keys,
		CORSOrigins:       s.CORSOrigins,
		ActiveStatuses:    s.ActiveForeclosureStatuses,
		LegacyHasDataName: s.LegacyHasDataName,
		RequestTimeout:    s.RequestTimeout,
		TrustedProxies:    proxies,
		OperationsToken:   s.OperationsToken,
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
	log.Info("serving", "api", l.api.Addr().String(), "redirect", address(l.redirect), "operations", address(l.operations))
	if s.OperationsToken != "" && !isLoopback(l.operations.Addr()) {
		// No refusal: in a container no other address works, and only who publishes its port knows how far it reaches.
		log.Warn("/accounts speaks plain HTTP and can be reached from other machines: token and new keys can be read on the way",
			"setting", "FILINGS_OPERATIONS_LISTEN", "operations", address(l.operations))
	}
	ready(addresses{l.api.Addr(), addr(l.redirect), addr(l.operations), l.trust})
	return l.serve(ctx, svc, s.RequestTimeout+drainTime, log)
}

// reach makes sure that the servers answer.
func reach(ctx context.Context, s settings, store index.Store, keys access.Store) error {
	ctx, cancel := context.WithTimeout(ctx, s.RequestTimeout)
	defer cancel()
	var g errgroup.Group
	g.Go(func() error {
		_, err := store.Live(ctx)
		return explain(s, err)
	})
	g.Go(func() error { return explain(s, keys.Ping(ctx)) })
	return g.Wait()
}

// listeners are the sockets of a service; redirect and operations may be nil.
type listeners struct {
	api, redirect, operations net.Listener
	trust                     string
	certificate               *x509.Certificate
}

// listen opens all sockets, or none.
func listen(s settings) (l listeners, err error) {
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	cert, trust, err := certificate(s, time.Now())
	if err != nil {
		return l, err
	}
	l.trust, l.certificate = trust, cert.Leaf
	plain, err := open("FILINGS_LISTEN", s.Listen)
	if err != nil {
		return l, err
	}
	l.api = tls.NewListener(plain, &tls.Config{
		Certificates: []tls.Certificate{cert},
		MinVersion:   tls.VersionTLS12,
		NextProtos:   []string{"http/1.1"},
	})
	if l.redirect, err = open("FILINGS_REDIRECT_LISTEN", s.RedirectListen); err != nil {
		return l, err
	}
	l.operations, err = open("FILINGS_OPERATIONS_LISTEN", s.OperationsListen)
	return l, err
}

func open(setting, address string) (net.Listener, error) {
	if address == off {
		return nil, nil
	}
	l, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s=%s: another program listens on this address", setting, address)
	case errors.Is(err, os.ErrPermission):
		return nil, fmt.Errorf("%s=%s: this user may not listen on that port", setting, address)
	case err != nil:
		return nil, usageError{fmt.Errorf("%s=%s: %w", setting, address, err)}
	}
	return l, nil
}

func (l listeners) close() {
	for _, one := range []net.Listener{l.api, l.redirect, l.operations} {
		if one != nil {
			_ = one.Close()
		}
	}
}

// serve answers on all sockets until ctx ends or one of them fails, then waits up to drain for requests in flight.
func (l listeners) serve(ctx context.Context, svc *service.Service, drain time.Duration, log *slog.Logger) error {
	clients := map[net.Listener]*fiber.App{l.api: svc.API()}
	if l.redirect != nil {
		clients[l.redirect] = svc.Redirect(l.api.Addr().(*net.TCPAddr).Port)
	}
	operators := map[net.Listener]*fiber.App{}
	if l.operations != nil {
		operators[l.operations] = svc.Operations()
	}
	g, ctx := errgroup.WithContext(ctx)
	for _, apps := range []map[net.Listener]*fiber.App{clients, operators} {
		for socket, app := range apps {
			app.Server().CloseOnShutdown = true // answers in flight tell clients not to use their connection again
			g.Go(func() error { return app.Listener(socket) })
		}
	}
	g.Go(func() error {
		<-ctx.Done()
		log.Info("stopping: finishing what is in flight")
		// Operators are served to the end: /readyz says 503 meanwhile, and /metrics what is still in flight.
		err := errors.Join(shutDown(clients, drain, log), shutDown(operators, drain, log))
		l.close() // an application that was only about to listen has not closed its socket
		return err
	})
	return g.Wait()
}

// shutDown accepts no more connections, closes idle ones, and waits for the others. One that is still busy after drain,
// because its client does not read or write, is cut off: that is no failure of the service.
func shutDown(apps map[net.Listener]*fiber.App, drain time.Duration, log *slog.Logger) error {
	var stop errgroup.Group
	for socket, app := range apps {
		stop.Go(func() error {
			err := app.ShutdownWithTimeout(drain)
			if errors.Is(err, context.DeadlineExceeded) {
				log.Warn("stopped with connections still open", "address", address(socket), "after", drain.String())
				return nil
			}
			return err
		})
	}
	return stop.Wait()
}

func isLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

func addr(l net.Listener) net.Addr {
	if l == nil {
		return nil
	}
	return l.Addr()
}

func address(l net.Listener) string {
	if l == nil {
		return off
	}
	return l.Addr().String()
}
