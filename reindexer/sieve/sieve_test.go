package sieve

import (
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestX53_DigestsStay: lists that were written keep their meaning. If a change of owner keys or address keys makes this fail, entries that
// operators have made do not hold any more: it has to say so to them, and how names are withheld anew.
func TestX53_DigestsStay(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for _, w := range []Withhold{{Owner: "Blanketflower, Wren"}, {ID: 7}, {Address: "12 N Elm St, Orlando, FL 32801"}} {
		_, keys, _ := w.keys()
		for _, k := range keys {
			sum := hasher([]byte("secret")).digest(k)
			got[fmt.Sprintf("%d %q", k.parts, k.text)] = hex.EncodeToString(sum[:4])
		}
	}
	want := map[string]string{
		`128 "wren blanketflower"`: "16767eb7", `64 "7"`: "8d4a084e", `40 "12\nn elm st\n32801"`: "c6fd0fe5", `39 "12\nn elm st\norlando\nfl"`: "5b72768b",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
