package servers

import (
	"os"
	"testing"
)

// Slow leaves out a test that is about to look for a server or program, or takes seconds, where only
// quick tests run.
func Slow(t testing.TB, needs string) {
	t.Helper()
	if os.Getenv(QuickVariable) == "1" {
		t.Skipf("left out: %s=1, and this needs %s", QuickVariable, needs)
	}
}

// Nightly leaves out a test that belongs to a group of `make nightly`, except there: it takes long,
// or depends on programs of others, and verifies parts that few changes touch.
// cmd/testservers/nightly has the groups.
func Nightly(t testing.TB, group string) {
	t.Helper()
	if os.Getenv(NightlyVariable) != "1" {
		t.Skipf("left out: %s of `make nightly`", group)
	}
}

// Lack skips a test that needs something that the machine lacks, and names it. With
// REQUIRE_SERVICES=1 that is a failure.
func Lack(t testing.TB, format string, values ...any) {
	t.Helper()
	if os.Getenv(RequireVariable) == "1" {
		t.Fatalf(format, values...)
	}
	t.Skipf("left out: "+format, values...)
}
