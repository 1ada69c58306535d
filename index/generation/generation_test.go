package generation_test

import (
	"errors"
	"testing"
	"time"

	"filings/index/generation"
)

func TestLockedError(t *testing.T) {
	t.Parallel()
	started := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("west", -3600))
	err := error(&generation.LockedError{Run: generation.Run{Holder: "host, process 7", Started: started, Phase: "loading"}})
	if !errors.Is(err, generation.ErrLocked) {
		t.Error("it is no ErrLocked")
	}
	want := "another load is running: host, process 7, since 2026-01-02T04:04:05Z, phase loading"
	if err.Error() != want {
		t.Errorf("want %q, got %q", want, err)
	}
}
