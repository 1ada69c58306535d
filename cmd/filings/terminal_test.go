package main

import (
	"io"
	"os"
	"testing"
)

// TestTerminal: what is written to a terminal is shown, and not obeyed; what is written elsewhere stays as it is.
func TestTerminal(t *testing.T) {
	t.Parallel()
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	const text = "A \x1b[31mSAMPLE\x1b[0m\n"
	if n, err := io.WriteString(terminal{to}, text); n != len(text) || err != nil {
		t.Errorf("%d bytes of %d, error %v", n, len(text), err)
	}
	if _, err := io.WriteString(shown(to), text); err != nil || isTerminal(shown(to)) || !isTerminal(terminal{to}) {
		t.Errorf("a pipe is a terminal, or a terminal is none; error %v", err)
	}
	to.Close()
	got, err := io.ReadAll(from)
	if want := `A \u001b[31mSAMPLE\u001b[0m` + "\n" + text; string(got) != want || err != nil {
		t.Errorf("%q, want %q; error %v", got, want, err)
	}
}
