package reindexer

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
)

// Progress shows how far a run has come. Run never calls it from two goroutines at once.
type Progress interface {
	// Show is called when a phase begins, a few times a second while it lasts, and after the last.
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

// Bar is a Progress for a terminal: a line that is written anew while a phase lasts, and a line
// that stays for each phase that is over and each reject.
type Bar struct {
	w     io.Writer
	last  Status
	began time.Duration // when the phase did, as time since the start of the run
	drawn int           // characters of the line that is written anew
}

var _ Progress = (*Bar)(nil)

// NewBar returns a bar that draws on w, a terminal.
func NewBar(w io.Writer) *Bar { return &Bar{w: w} }

// Show draws s.
func (b *Bar) Show(s Status) {
	if s.Phase != b.last.Phase {
		if b.last.Phase != "" { // a line stays
			ended, took := s, s.Elapsed-b.began
			ended.Phase = b.last.Phase
			b.draw(fmt.Sprintf("%s, %.1f s", describe(ended, took), took.Seconds()), "\n")
		}
		b.began = s.Elapsed
	}
	if b.last = s; s.Phase != "" {
		b.draw(describe(s, s.Elapsed-b.began)+left(s, s.Elapsed-b.began), "")
	}
}

// Reject writes a line above the bar.
func (b *Bar) Reject(r Reject) {
	b.draw("rejected: "+Printable(r.Error()), "\n")
}

// draw writes a text in place of the line, cut to one of most terminals where it does not stay.
func (b *Bar) draw(text, end string) {
	if end == "" {
		text = text[:min(len(text), 79)]
	}
	fmt.Fprintf(b.w, "\r%s\r%s%s", strings.Repeat(" ", b.drawn), text, end)
	if b.drawn = len(text); end != "" {
		b.drawn = 0
	}
}

// left says how much of the sources is read, and how long the rest takes; "" if that is not known.
func left(s Status, took time.Duration) string {
	if s.Phase != PhaseLoading || s.TotalBytes == 0 || s.Bytes == 0 {
		return ""
	}
	share := min(float64(s.Bytes)/float64(s.TotalBytes), 0.99) // the last records read have yet to be stored
	rest := time.Duration(float64(took) * (1 - share) / share).Round(time.Second)
	return fmt.Sprintf(", %.0f %%, %v left", math.Floor(share*100), rest)
}

// describe returns a line on the work of a phase and the time that it has taken.
func describe(s Status, took time.Duration) string {
	if s.Phase != PhaseLoading {
		return s.Phase
	}
	text := fmt.Sprintf("%s: %s read", s.Phase, humanize.Comma(s.Read))
	if took >= time.Second {
		text += ", " + humanize.Comma(int64(float64(s.Read)/took.Seconds())) + "/s"
	}
	for _, count := range []struct {
		n    int64
		name string
	}{{s.Updated, "updated"}, {s.Deleted, "deleted"}, {s.Missing, "missing"}, {s.Rejected, "rejected"}} {
		if count.n > 0 {
			text += ", " + humanize.Comma(count.n) + " " + count.name
		}
	}
	return text
}

// Printable returns a text for a terminal, which would obey the control characters of a county's
// file: move its cursor, name its window, show a line backwards. Each is written as JSON has it;
// line ends and tabs are as they are.
func Printable(text string) string {
	harmless := func(r rune) bool {
		return r == '\n' || r == '\t' || r != utf8.RuneError && !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
	}
	if strings.IndexFunc(text, func(r rune) bool { return !harmless(r) }) < 0 {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case harmless(r) || r == utf8.RuneError && size > 1:
			b.WriteString(text[:size])
		case size == 1 && r == utf8.RuneError:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		text = text[size:]
	}
	return b.String()
}

// logEvery is how often a phase that lasts is logged.
const logEvery = 5 * time.Second

// Log is a Progress for where there is no terminal: a log record when a phase begins, every five
// seconds while it lasts, and for each of the first rejects.
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
