package check

import (
	"fmt"
	"io"
	"slices"
	"time"

	"filings/cmd/filings/settings"
	"filings/index/generation"
	"filings/service/access"
)

// Finding is one line of `filings check`.
type Finding struct {
	Result  string `json:"result"` // OK, Warn or Fail
	Subject string `json:"what"`
	Detail  string `json:"detail"` // the state, and after a colon the remedy
}

// The results of a Finding.
const (
	OK   = "ok"
	Warn = "warn"
	Fail = "fail"
)

// Config has the settings and stores of a check.
type Config struct {
	Settings settings.Settings
	// OpenEngine opens the engine that the settings name, and returns its closer; OpenKeys opens
	// the key store. Neither waits for a server.
	OpenEngine func(settings.Settings) (generation.Store, io.Closer, error)
	OpenKeys   func(settings.Settings) (access.Store, error)
}

// checkup is a check in progress.
type checkup struct {
	Config
	now   func() time.Time
	found []Finding
}

func (c *checkup) add(result, subject, format string, args ...any) {
	c.found = append(c.found, Finding{result, subject, fmt.Sprintf(format, args...)})
}

func (c *checkup) ok(subject, format string, args ...any)   { c.add(OK, subject, format, args...) }
func (c *checkup) warn(subject, format string, args ...any) { c.add(Warn, subject, format, args...) }
func (c *checkup) fail(subject, format string, args ...any) { c.add(Fail, subject, format, args...) }

// Failed reports whether a finding is a failure.
func Failed(found []Finding) bool {
	return slices.ContainsFunc(found, func(f Finding) bool { return f.Result == Fail })
}
