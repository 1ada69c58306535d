package edge_test

import (
	"net/url"
	"strings"
	"testing"

	"filings/service/edge"
)

// FuzzHeaderSafe: what comes back in a header cannot end it, and stays what it was.
func FuzzHeaderSafe(f *testing.F) {
	for _, seed := range []string{"/a\r\nX: y", "/%0d%0a", "/é<>\"", "//x/../?a=b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		safe := edge.HeaderSafe(raw)
		if strings.ContainsFunc(safe, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			t.Fatalf("%q became %q", raw, safe)
		}
		if before, err := url.PathUnescape(raw); err == nil {
			if after, err := url.PathUnescape(safe); err != nil || after != before {
				t.Fatalf("%q became %q: %q, %v", raw, safe, after, err)
			}
		}
	})
}
