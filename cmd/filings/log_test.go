package main

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"filings/cmd/filings/settings"
)

// TestBufferedLogger: records are written together, a tenth of a second late at the most, an error at once, in their order.
func TestBufferedLogger(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w output
		log, flush := (&program{streams: streams{err: &w}}).bufferedLogger(settings.Settings{LogFormat: "json"})
		lines := func() int { return strings.Count(w.String(), "\n") }
		log.Info("one")
		log.With("a", 1).Info("two")
		if lines() != 0 {
			t.Errorf("written at once: %s", w.String())
		}
		time.Sleep(longestBuffered)
		synctest.Wait()
		if lines() != 2 {
			t.Errorf("after a tenth of a second: %q", w.String())
		}
		log.Info("three")
		log.With("a", 1).Error("four")
		if lines() != 4 || !strings.Contains(strings.Split(w.String(), "\n")[3], "four") {
			t.Errorf("after an error: %q", w.String())
		}
		log.Info("five")
		flush()
		if lines() != 5 {
			t.Errorf("after the end: %q", w.String())
		}
		log.Info(strings.Repeat("x", mostBuffered))
		if lines() != 6 {
			t.Error("a full buffer is not written")
		}
		time.Sleep(longestBuffered) // what was planned
	})
}
