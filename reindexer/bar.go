package reindexer

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"
)

// Bar is a Progress for a terminal: a line that moves while a phase lasts, and a line that stays for each phase that is
// over and each reject.
type Bar struct {
	w    io.Writer
	bar  *progressbar.ProgressBar
	last Status
	// began is when the phase did, as time since the start of the run.
	began time.Duration
}

var _ Progress = (*Bar)(nil)

// NewBar returns a bar that draws on w, a terminal.
func NewBar(w io.Writer) *Bar { return &Bar{w: w} }

// Show draws s.
func (b *Bar) Show(s Status) {
	if s.Phase != b.last.Phase {
		b.leave(s)
		if s.Phase != "" {
			b.bar = b.enter(s)
		}
		b.began = s.Elapsed
	}
	b.last = s
	if b.bar == nil {
		return
	}
	if s.Phase == PhaseLoading && s.TotalBytes > 0 {
		// Full would mean done, but what was read last may still have to be indexed.
		_ = b.bar.Set64(min(s.Bytes, s.TotalBytes-1)) // a terminal that cannot be drawn on is no reason to stop
	}
	b.bar.Describe(describe(s, s.Elapsed-b.began))
}

// Reject writes a line above the bar.
func (b *Bar) Reject(r Reject) {
	b.clear()
	fmt.Fprintln(b.w, "rejected:", Printable(r.Error()))
}

func (b *Bar) clear() {
	if b.bar != nil {
		_ = b.bar.Clear()
	}
}

// enter draws a new bar: one that fills up where it is known how much there is to read, else one that only moves.
func (b *Bar) enter(s Status) *progressbar.ProgressBar {
	most := int64(-1)
	if s.Phase == PhaseLoading && s.TotalBytes > 0 {
		most = s.TotalBytes
	}
	return progressbar.NewOptions64(most,
		progressbar.OptionSetWriter(b.w),
		progressbar.OptionSetWidth(20),
		progressbar.OptionSpinnerType(14),
		progressbar.OptionSetSpinnerChangeInterval(0), // Show sets the pace
		progressbar.OptionSetPredictTime(most > 0),
		progressbar.OptionSetElapsedTime(true),
	)
}

// leave replaces the bar of the phase that is over by a line.
func (b *Bar) leave(s Status) {
	if b.last.Phase == "" {
		return
	}
	b.clear()
	b.bar = nil
	took := s.Elapsed - b.began
	s.Phase = b.last.Phase
	fmt.Fprintf(b.w, "%s, %.1f s\n", describe(s, took), took.Seconds())
}

// describe says in a line what a phase has done in the time that it has taken.
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
		what string
	}{{s.Updated, "updated"}, {s.Deleted, "deleted"}, {s.Missing, "missing"}, {s.Rejected, "rejected"}} {
		if count.n > 0 {
			text += ", " + humanize.Comma(count.n) + " " + count.what
		}
	}
	return text
}

// Printable returns a text for a terminal, which would obey the control characters of a county's file: move its cursor, name its window,
// show a line backwards. Each is written as JSON has it; line ends and tabs are as they are.
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
