package reindexer

import (
	"log/slog"
	"math"
	"time"
)

// Progress shows how far a run has come. Run never calls it from two goroutines at once.
type Progress interface {
	// Show is called when a phase begins, several times a second while it lasts, and once after the last.
	Show(Status)
	// Reject is called for the first 20 rejects.
	Reject(Reject)
}

// Status is how far a run has come.
type Status struct {
	Phase      string // one of the Phase constants; "" after the last
	Generation string // that is built; "" before there is one
	Elapsed    time.Duration

	Read, Indexed, Updated, Deleted, Missing, Rejected int64

	Bytes      int64 // read of the sources as they are stored
	TotalBytes int64 // of the sources; 0 where that is not known
}

// The phases of a run, in order.
const (
	PhasePreparing = "preparing"
	PhaseLoading   = "loading"
	PhaseSealing   = "sealing"
	PhaseVerifying = "verifying"
	PhaseComparing = "comparing"
	PhasePromoting = "promoting"
	PhasePruning   = "pruning"
)

type noProgress struct{}

func (noProgress) Show(Status)   {}
func (noProgress) Reject(Reject) {}

// logEvery is how often a phase that lasts is logged.
const logEvery = 5 * time.Second

// Log is a Progress for where there is no terminal: a log record when a phase begins, every five seconds while it lasts,
// and for each of the first rejects.
type Log struct {
	log    *slog.Logger
	phase  string
	logged time.Duration // since the start of the run
}

// NewLog returns a Progress that writes to log.
func NewLog(log *slog.Logger) *Log { return &Log{log: log} }

// Show logs s, unless that phase was logged a moment ago.
func (l *Log) Show(s Status) {
	if s.Phase == "" || s.Phase == l.phase && s.Elapsed < l.logged+logEvery {
		return
	}
	l.phase, l.logged = s.Phase, s.Elapsed
	l.log.Info("load", "phase", s.Phase, "generation", s.Generation, "seconds", seconds(s.Elapsed),
		"read", s.Read, "indexed", s.Indexed, "updated", s.Updated, "deleted", s.Deleted, "missing", s.Missing,
		"rejected", s.Rejected, "bytes", s.Bytes, "totalBytes", s.TotalBytes)
}

// Reject logs r without the record, which is more than belongs into a log.
func (l *Log) Reject(r Reject) {
	l.log.Warn("record rejected", "file", r.File, "line", r.Line, "id", r.ID, "field", r.Field, "reason", r.Reason)
}

// seconds returns d in seconds with three decimals.
func seconds(d time.Duration) float64 { return math.Round(d.Seconds()*1000) / 1000 }
