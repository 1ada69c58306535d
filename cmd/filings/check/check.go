// Package check checks everything that a service needs, as `filings check` shows it: data folder, certificate, engine,
// key store and ports. It reaches the servers as the service would and changes nothing on them but a counter of its own in
// the key store, and no finding shows a secret. How engine and key store are opened is the program's to say.
//
// A finding is one line. Each part adds its own, in the order in which a service needs the parts.
package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"filings/cmd/filings/settings"
	"filings/index"
	"filings/index/generation"
	"filings/service/access"
)

// Finding is one line of `filings check`.
type Finding struct {
	Result string `json:"result"` // OK, Warn or Fail
	What   string `json:"what"`
	Detail string `json:"detail"` // what was found, and after a colon what to do
}

// The results of a Finding.
const (
	OK   = "ok"
	Warn = "warn"
	Fail = "fail"
)

// Config is what a check works with.
type Config struct {
	Settings settings.Settings
	// OpenEngine opens the engine that the settings name, and returns what closes it; OpenKeys opens the key store.
	// Neither waits for a server.
	OpenEngine func(settings.Settings) (generation.Store, io.Closer, error)
	OpenKeys   func(settings.Settings) (access.Store, error)
}

// checkup is a check in progress.
type checkup struct {
	Config
	now   func() time.Time
	found []Finding
}

func (c *checkup) add(result, what, format string, args ...any) {
	c.found = append(c.found, Finding{result, what, fmt.Sprintf(format, args...)})
}

func (c *checkup) ok(what, format string, args ...any)   { c.add(OK, what, format, args...) }
func (c *checkup) warn(what, format string, args ...any) { c.add(Warn, what, format, args...) }
func (c *checkup) fail(what, format string, args ...any) { c.add(Fail, what, format, args...) }

// Run checks everything. Engine, key store and ports have the time of one request each.
func Run(ctx context.Context, cfg Config) []Finding {
	c := &checkup{Config: cfg, now: time.Now}
	c.folder()
	c.certificate()
	for _, look := range []func(context.Context){c.engine, c.keyStore, c.ports} {
		timed, cancel := context.WithTimeout(ctx, cfg.Settings.RequestTimeout)
		look(timed)
		cancel()
	}
	return c.found
}

// Failed reports whether a finding is a failure.
func Failed(found []Finding) bool {
	return slices.ContainsFunc(found, func(f Finding) bool { return f.Result == Fail })
}

// Explain adds to the error of a server that does not answer which setting names the server. The address itself is not
// shown: it may hold a password.
func Explain(s settings.Settings, err error) error {
	switch {
	case errors.Is(err, index.ErrUnavailable) && len(s.ElasticsearchURL) > 0:
		return fmt.Errorf("%w (is Elasticsearch up at FILINGS_ELASTICSEARCH_URL?)", err)
	case errors.Is(err, access.ErrEmptied):
		return err
	case errors.Is(err, access.ErrUnavailable) && s.RedisURL != "":
		return fmt.Errorf("%w (look at the Redis of FILINGS_REDIS_URL)", err)
	}
	return err
}
