package pages_test

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"strings"
	"testing"
)

// TestScalar: the script is the one that was published, as scalar/VERSION says.
func TestScalar(t *testing.T) {
	t.Parallel()
	version, err := os.ReadFile("scalar/VERSION")
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open("scalar/standalone.js.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, unpacked); err != nil {
		t.Fatal(err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); !strings.Contains(string(version), "sha256 "+got+" ") {
		t.Errorf("the script has the sum %s, but scalar/VERSION says\n%s", got, version)
	}
}
