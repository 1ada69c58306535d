package reindexer

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// story is how a load may go on.
func story() []Status {
	const total = 10_000_000
	return []Status{
		{Phase: PhasePreparing, TotalBytes: total},
		{Phase: PhaseLoading, Elapsed: 100 * time.Millisecond, TotalBytes: total},
		{Phase: PhaseLoading, Elapsed: 2100 * time.Millisecond, Read: 200_000, Indexed: 199_999, Rejected: 1, Bytes: total / 2, TotalBytes: total},
		{Phase: PhaseLoading, Elapsed: 5100 * time.Millisecond, Read: 525_771, Indexed: 525_770, Rejected: 1, Bytes: total, TotalBytes: total},
		{Phase: PhaseSealing, Elapsed: 5200 * time.Millisecond, Read: 525_771, Indexed: 525_770, Rejected: 1, Bytes: total, TotalBytes: total},
		{Elapsed: 7200 * time.Millisecond, Read: 525_771, Indexed: 525_770, Rejected: 1, Bytes: total, TotalBytes: total},
	}
}

func TestBar(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	bar := NewBar(&out)
	for i, s := range story() {
		bar.Show(s)
		if i == 2 {
			bar.Reject(Reject{File: "a.csv", Line: 7, ID: 9, Field: "county", Reason: "is missing", Record: "secret"})
		}
	}
	for _, want := range []string{
		"preparing, 0.1 s\n", "200,000 read, 100,000/s, 1 rejected", "50 %, 2s left", "99 %, 0s left",
		"rejected: a.csv:7: filing 9: county: is missing\n",
		"loading: 525,771 read, 103,092/s, 1 rejected, 5.1 s\n", "sealing, 2.0 s\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the terminal does not get %q; it gets\n%s", want, strings.ReplaceAll(out.String(), "\r", "\n"))
		}
	}
	if strings.Contains(out.String(), "secret") {
		t.Error("the terminal gets the record of a reject")
	}
}

func TestBar_WithoutTotal(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	bar := NewBar(&out)
	for _, s := range story() {
		s.TotalBytes = 0
		bar.Show(s)
	}
	if strings.Contains(out.String(), "%") || !strings.Contains(out.String(), "525,771 read") {
		t.Errorf("without a total the terminal gets\n%s", strings.ReplaceAll(out.String(), "\r", "\n"))
	}
}

func TestLog(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := NewLog(slog.New(slog.NewJSONHandler(&out, nil)))
	for _, s := range story() {
		l.Show(s)
		l.Show(s) // a phase that is shown again at once is logged once
	}
	l.Reject(Reject{File: "a.csv", Line: 7, Record: "secret"})
	var got []string
	for line := range strings.Lines(out.String()) {
		var m struct {
			Msg, Phase string
			Seconds    float64
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.TrimSpace(m.Msg+" "+m.Phase+" "+time.Duration(m.Seconds*1e9).String()))
	}
	want := []string{"load preparing 0s", "load loading 100ms", "load loading 5.1s", "load sealing 5.2s", "record rejected  0s"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	if strings.Contains(out.String(), "secret") {
		t.Error("the log gets the record of a reject")
	}
}

// TestPrintable: nothing of a county's file does anything to a terminal, and texts of people stay as they are.
func TestPrintable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"\x1b[31mred\x1b]0;name\x07":            `\u001b[31mred\u001b]0;name\u0007`,
		"back\b\rstart\x7f\x00":                 `back\u0008\u000dstart\u007f\u0000`,
		"\u009b31m\u0085":                       `\u009b31m\u0085`,
		"\u202eright to left\u2066\u200b\ufeff": `\u202eright to left\u2066\u200b\ufeff`,
		"\u2028line\u2029":                      `\u2028line\u2029`,
		"not \x9b UTF-8 \xe2\x80":               `not \x9b UTF-8 \xe2\x80`,
		"\U000e0041":                            `\U000e0041`,
		"PEÑA, 中文 🏠 {\"a\": 1}\tb\nc \ufffd":    "PEÑA, 中文 🏠 {\"a\": 1}\tb\nc \ufffd",
		"":                        "",
		strings.Repeat("a", 1000): strings.Repeat("a", 1000),
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
