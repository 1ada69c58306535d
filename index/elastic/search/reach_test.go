package search

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestReachOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, first, last, ties, until string }{
		{"numbers up", `[10,5,9]`, `[12,5,8]`, "", `20`},
		{"numbers down", `[12,5,9]`, `[10,5,8]`, "", `2`},
		{"decimals", `[1.5,5,9]`, `[2.5,5,8]`, "", `6.5`},
		{"large decimals", `[1.0E7,5,9]`, `[2.0E7,5,8]`, "", `6e+07`},
		{"one day", `[16573,900]`, `[16573,800]`, "=", `400`},
		{"one amount and day", `[0.0,16573,900]`, `[0.0,16573,800]`, "==", `400`},
		{"no amount, one day", `[null,16573,900]`, `[null,16573,800]`, "==", `400`},
		{"to those without", `[5,16573,900]`, `[null,16573,800]`, "", ``},
		{"one filing", `[5,16573,900]`, `[5,16573,900]`, "", ``},
		{"beyond 64 bits", `[16573,1]`, `[16573,9223372036854775807]`, "=", ``},
		{"names", `["smith a",1,2]`, `["smith c",1,1]`, "", ``},
		{"beyond a double", `[-1e308,1,2]`, `[1e308,1,1]`, "", ``},
	} {
		var first, last Position
		if json.Unmarshal([]byte(test.first), &first) != nil || json.Unmarshal([]byte(test.last), &last) != nil {
			t.Fatal(test.name)
		}
		got := ReachOf(first, last)
		if strings.Repeat(tiedMark, got.ties) != test.ties || string(got.end) != test.until {
			t.Errorf("%s: %d ties, then until %s; want %q, %s", test.name, got.ties, got.end, test.ties, test.until)
		}
	}
}
