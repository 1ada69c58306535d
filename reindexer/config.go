package reindexer

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"slices"
	"time"

	"filings/index/generation"
)

// Kinds of errors of Run, wrapped with what happened. Errors of the store (index.ErrLocked, index.ErrConflict, …) stay
// recognisable too. After any error nothing has changed: the generation that was live still is.
var (
	// ErrUsage: the Config asks for something that makes no sense.
	ErrUsage = errors.New("wrong usage")
	// ErrSource: a source is not there, cannot be read to its end, or is not what it should be.
	ErrSource = errors.New("source cannot be read")
	// ErrRejected: more records were rejected than is allowed.
	ErrRejected = errors.New("too many rejected records")
	// ErrShrunk: the new generation has far fewer filings than the live one.
	ErrShrunk = errors.New("far fewer filings than now")
	// ErrVerification: what the store holds is not what was read.
	ErrVerification = errors.New("the new generation is not what was read")
)

// Config says what to load and how.
type Config struct {
	Store   generation.Store
	Sources []string  // files, folders, addresses of HTTP and PostgreSQL, or "-" for Stdin
	Query   string    // what addresses of PostgreSQL are asked; without one of these it must be ""
	Stdin   io.Reader // read for "-"
	Format  string    // "ndjson", "csv", or "" to go by names and media types; "-" is then NDJSON

	Update bool // apply changes to a copy of the live generation
	Strict bool // reject records with unknown fields
	DryRun bool // read and check only

	MaxRejects int     // rejected records that are put up with
	Rejects    string  // path of a file for all rejects; "" for none
	MaxShrink  float64 // percent of the live filings that may be gone afterwards
	Keep       int     // generations kept besides the live one

	Holder   string           // who loads: host and process
	Now      func() time.Time // nil: time.Now
	Progress Progress         // nil: shown to nobody
	Log      *slog.Logger     // nil: nothing is logged
}

// checked returns cfg with its gaps filled, or ErrUsage.
func (cfg Config) checked() (Config, error) {
	switch {
	case len(cfg.Sources) == 0:
		return cfg, fmt.Errorf("%w: name at least one source: a file, a folder, an address, or - for standard input", ErrUsage)
	case cfg.Format != "" && cfg.Format != formatNDJSON && cfg.Format != formatCSV:
		return cfg, fmt.Errorf("%w: the format is ndjson or csv, not %s", ErrUsage, quote(cfg.Format))
	case cfg.Query == "" && slices.ContainsFunc(cfg.Sources, isDatabase):
		return cfg, fmt.Errorf("%w: an address of PostgreSQL needs --query, which says what to read there", ErrUsage)
	case cfg.Query != "" && !slices.ContainsFunc(cfg.Sources, isDatabase):
		return cfg, fmt.Errorf("%w: --query is for a source postgres://…, and none is given", ErrUsage)
	case cfg.MaxRejects < 0:
		return cfg, fmt.Errorf("%w: the number of allowed rejects is 0 or more, not %d", ErrUsage, cfg.MaxRejects)
	case math.IsNaN(cfg.MaxShrink) || cfg.MaxShrink < 0 || cfg.MaxShrink > 100:
		return cfg, fmt.Errorf("%w: the allowed shrinking is 0 to 100 percent, not %v", ErrUsage, cfg.MaxShrink)
	case cfg.Keep < 0:
		return cfg, fmt.Errorf("%w: the number of generations to keep is 0 or more, not %d", ErrUsage, cfg.Keep)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Progress == nil {
		cfg.Progress = silent{}
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return cfg, nil
}
