package service

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// docs/api/errors.md has each status and code of the table of errors and no others, and each fixed message.
func TestDocuments_Errors(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/api/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| (\\d{3}) \\| `([a-z_]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		codes[row[1]+" "+row[2]] = false
	}
	for _, m := range errorMappings {
		code := fmt.Sprint(m.status, " ", m.code)
		if _, ok := codes[code]; !ok {
			t.Errorf("errors.md has no row of %s", code)
		}
		codes[code] = true
		if row := fmt.Sprintf("| %d | `%s` |\n", m.status, m.message); m.message != "" && !strings.Contains(string(text), row) {
			t.Errorf("errors.md lacks %s", row)
		}
	}
	for code, ok := range codes {
		if !ok {
			t.Errorf("errors.md has %s, which the service never returns", code)
		}
	}
}
