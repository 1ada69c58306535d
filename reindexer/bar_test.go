package reindexer

import (
	"strings"
	"testing"
)

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
