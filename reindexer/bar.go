package reindexer

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
)

// Bar is a Progress for a terminal: a line that is written anew while a phase lasts, and a line that
// stays for each phase that is over and each reject.
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
			over, took := s, s.Elapsed-b.began
			over.Phase = b.last.Phase
			b.draw(fmt.Sprintf("%s, %.1f s", describe(over, took), took.Seconds()), "\n")
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
	share := min(float64(s.Bytes)/float64(s.TotalBytes), 0.99) // what was read last has yet to be stored
	rest := time.Duration(float64(took) * (1 - share) / share).Round(time.Second)
	return fmt.Sprintf(", %.0f %%, %v left", math.Floor(share*100), rest)
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
