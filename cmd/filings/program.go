package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"filings/cmd/filings/check"
	"filings/cmd/filings/settings"
	"filings/index/cache"
	"filings/index/elastic"
	"filings/index/embedded"
	"filings/index/generation"
	"filings/reindexer"
	"filings/service"
	"filings/service/access"
	"filings/service/params"
	"filings/service/tokens"
)

// Exit codes: a contract with scripts.
const (
	exitDone    = 0
	exitFailed  = 1
	exitUsage   = 2
	exitRefused = 3 // of a load, by a guard: a person must look
	exitLater   = 4 // of a load: try again later
)

// usageError is an error in how the program was called or set up: exit code 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// loadError is why a load promoted nothing.
type loadError struct{ error }

func (e loadError) Unwrap() error { return e.error }

// code returns the exit code of e.
func (e loadError) code() int {
	switch {
	case reindexer.Refused(e.error):
		return exitRefused
	case reindexer.Passing(e.error):
		return exitLater
	}
	return exitFailed
}

// streams are those of a process. Results go to output, everything else to err.
type streams struct {
	input       io.Reader
	output, err io.Writer
}

// program is one run of the program: the base of every command.
type program struct {
	streams
	environment func() (settings.Settings, error)
}

// environment reads the settings and checks them.
func environment() (settings.Settings, error) {
	s, err := settings.Read()
	if err != nil {
		return s, err
	}
	return s, checkSettings(s)
}

// checkSettings reports everything that is wrong with the settings, a line each: also the faults
// that only the service knows.
func checkSettings(s settings.Settings) error {
	err := s.Check()
	if s.OperationsToken != "" && !service.ValidToken(s.OperationsToken) {
		err = errors.Join(err, fmt.Errorf("FILINGS_OPERATIONS_TOKEN=%q: must be %s", "…", service.TokenForm))
	}
	if wrong := tokens.Secrets(s.TokenSecrets).Validate(); wrong != nil {
		err = errors.Join(err, fmt.Errorf("FILINGS_TOKEN_SECRETS=%q: %w", "…", wrong))
	}
	taken := func(p params.Parameter) bool {
		return p.Name == s.LegacyHasDataName ||
			p.Legacy == s.LegacyHasDataName && p.Legacy != params.DefaultLegacyHasData
	}
	if s.LegacyHasDataName != "" && slices.ContainsFunc(params.New("", nil).Rows(^params.Endpoints(0)), taken) {
		err = errors.Join(err, fmt.Errorf(
			"FILINGS_LEGACY_HAS_DATA_NAME=%q: must not be the name of another parameter", s.LegacyHasDataName))
	}
	return err
}

// withSettings reads the settings and hands them to do.
func (p *program) withSettings(
	do func(ctx context.Context, s settings.Settings, args []string) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		s, err := p.environment()
		if err != nil {
			return usageError{err}
		}
		return do(cmd.Context(), s, args)
	}
}

// withEngine opens the engine, hands it to do, and closes it.
func (p *program) withEngine(
	do func(ctx context.Context, store generation.Store, args []string) error,
) func(*cobra.Command, []string) error {
	return p.withSettings(func(ctx context.Context, s settings.Settings, args []string) error {
		return onEngine(s, p.logger(s), func(store generation.Store) error { return do(ctx, store, args) })
	})
}

// onEngine opens the engine that the settings name, hands it to do, and closes it.
func onEngine(s settings.Settings, log *slog.Logger, do func(generation.Store) error) (err error) {
	store, closer, err := openEngine(s, nil, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closer.Close()) }()
	return check.Explain(s, do(store))
}

// openEngine opens the engine that the settings name, and returns its closer. It does not wait for
// a server: the first use does.
func openEngine(s settings.Settings, c *cache.Cache, log *slog.Logger) (generation.Store, io.Closer, error) {
	if len(s.ElasticsearchURL) == 0 {
		store, err := embedded.Open(embedded.Config{Dir: s.DataDir, Index: s.Index, Cache: c})
		return store, store, err
	}
	store, err := elastic.Open(elastic.Config{
		Addresses: s.ElasticsearchURL,
		Username:  s.ElasticsearchUsername,
		Password:  s.ElasticsearchPassword,
		APIKey:    s.ElasticsearchAPIKey,
		CAFile:    s.ElasticsearchCAFile,
		Index:     s.Index,
		Shards:    s.IndexShards,
		Replicas:  s.IndexReplicas,
		Cache:     c,
		Logger:    log,
	})
	if err != nil {
		return nil, nil, usageError{err}
	}
	return store, io.NopCloser(nil), nil // its connections end with the process
}

// openKeys opens the key store that the settings name. registerer gets its metrics, and log its
// breaker's changes of state; nil: nothing does.
func openKeys(s settings.Settings, registerer prometheus.Registerer, log *slog.Logger) (access.Store, error) {
	share := func(l access.Limit) access.Limit {
		share := func(limit int64) int64 { return int64(math.Floor(float64(limit)*s.TokenShare + 1e-6)) } // 0.29 of 100 is 29
		l.Tokens, l.TokenBurst = share(l.Quota), max(1, share(l.Burst))
		return l
	}
	limits := access.Limits{
		access.Free:       {Quota: s.FreeLifetimeQuota, Burst: s.FreeBurst},
		access.Starter:    share(access.Limit{Quota: s.StarterDailyQuota, Burst: s.StarterBurst}),
		access.Pro:        share(access.Limit{Quota: s.ProDailyQuota, Burst: s.ProBurst}),
		access.Enterprise: share(access.Limit{Quota: s.EnterpriseDailyQuota, Burst: s.EnterpriseBurst}),
	}
	if s.RedisURL == "" {
		if err := os.MkdirAll(s.DataDir, 0o700); err != nil {
			return nil, fmt.Errorf("FILINGS_DATA_DIR: %w", err)
		}
		return access.OpenEmbedded(filepath.Join(s.DataDir, "access.db"), limits, nil)
	}
	store, err := access.OpenRedis(access.RedisConfig{
		URL: s.RedisURL, Limits: limits, Registerer: registerer, Log: log,
		HadAccounts: filepath.Join(s.DataDir, access.HadAccountsFile),
	})
	if err != nil {
		return nil, usageError{err}
	}
	return store, nil
}

// terminal is a terminal on which nothing is obeyed that files and servers say: the program itself
// writes lines alone, but for the bar of a load, which draws on the file.
type terminal struct{ file *os.File }

func (t terminal) Write(p []byte) (int, error) {
	if _, err := io.WriteString(t.file, reindexer.Printable(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// shown returns a writer to w; a terminal, if it is one.
func shown(w io.Writer) io.Writer {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return terminal{f}
	}
	return w
}

func isTerminal(w io.Writer) bool {
	_, ok := w.(terminal)
	return ok
}

// logger writes to standard error in the format that the settings name, each record at once: to
// write many together saves 1 to 2 µs of a request (docs/records/figures.md).
func (p *program) logger(s settings.Settings) *slog.Logger {
	options := &slog.HandlerOptions{Level: s.LogLevel}
	if s.LogFormat == "text" || s.LogFormat == "auto" && isTerminal(p.err) {
		return slog.New(slog.NewTextHandler(p.err, options))
	}
	return slog.New(slog.NewJSONHandler(p.err, options))
}
