package servers

import (
	"os"
	"testing"
)

// Lack skips a test that needs something that the machine lacks, and says what. With REQUIRE_SERVICES=1 that is a failure.
func Lack(t testing.TB, format string, values ...any) {
	t.Helper()
	if os.Getenv(RequireVariable) == "1" {
		t.Fatalf(format, values...)
	}
	t.Skipf("left out: "+format, values...)
}
