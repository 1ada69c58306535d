package indextest

import (
	"os"
	"strings"
	"testing"

	"filings/index"
)

// FuzzX25_Oracle: both ways to the key of an owner lead to the same one, for the 300 names of package index too.
func FuzzX25_Oracle(f *testing.F) {
	data, err := os.ReadFile("../testdata/owners.tsv")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		name, key, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if got := ownerKey(name); got != key {
			f.Errorf("%q: %q, want %q", name, got, key)
		}
		f.Add(name)
	}
	for _, name := range []string{"l p l l c", "l p a", "l l l l l p l p", "a, tr", "tr", "tr tr", "p, l", "c, l l", "a,,b", ",a", "a b c, d", "é l p", "=, a", "\xff, a"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if got, want := index.OwnerKeyOf(name), ownerKey(name); got != want {
			t.Errorf("%q: %q, the oracle says %q", name, got, want)
		}
	})
}
