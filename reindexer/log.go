package reindexer

import (
	"log/slog"
	"time"
)

// logEvery is how often a phase that lasts is logged.
const logEvery = 5 * time.Second

// Log is a Progress for where nobody watches: a log record when a phase begins, every five seconds while it lasts, and
// for each of the first rejects.
type Log struct {
	log    *slog.Logger
	phase  string
	logged time.Duration // since the start of the run
}

var _ Progress = (*Log)(nil)

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
