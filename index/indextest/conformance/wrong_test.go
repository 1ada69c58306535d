package conformance

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"filings/cmd/testservers/servers"
)

// wrongVariable names the wrong store that TestWrong runs the suite over.
const wrongVariable = "INDEXTEST_WRONG"

func wrongs() []wrong {
	return slices.Concat(wrongPredicates(), wrongPages(), wrongFilings(), wrongStats(), wrongCells(), wrongGroups(), wrongOwners(), wrongStores(), wrongChanges())
}

// The suite must fail on each wrong store, and in the part that is about its error. A test cannot see from inside that
// another one fails, so each runs as a process of its own.
func TestRun_CatchesWrongStores(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "suite")
	for _, w := range wrongs() {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && strings.HasSuffix(w.caught, "over_ties") {
				t.Skip("caught by what -short leaves out")
			}
			parts := strings.Split(w.caught, "/")
			for i, part := range parts {
				parts[i] = "^" + regexp.QuoteMeta(part)
			}
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWrong$/"+strings.Join(parts, "/"))
			cmd.Env = append(os.Environ(), wrongVariable+"="+w.name)
			output, err := cmd.CombinedOutput()
			var failed *exec.ExitError
			if !errors.As(err, &failed) {
				t.Fatalf("the suite did not fail in %s: %v\n%s", w.caught, err, output)
			}
			if !strings.Contains(string(output), "--- FAIL: TestWrong/"+w.caught) {
				t.Errorf("the suite failed, but not in %s:\n%s", w.caught, output)
			}
		})
	}
}

func TestWrong(t *testing.T) {
	name := os.Getenv(wrongVariable)
	i := slices.IndexFunc(wrongs(), func(w wrong) bool { return w.name == name })
	if i < 0 {
		t.Skip("run by TestRun_CatchesWrongStores, which names a wrong store")
	}
	Run(t, func(*testing.T) Harness { return harness(wrongs()[i].spoil) })
}
