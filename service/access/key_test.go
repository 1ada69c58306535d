package access

import (
	"strings"
	"testing"
)

func TestK2_KeyForm(t *testing.T) {
	t.Parallel()
	const digits = "0123456789abcdef0123456789abcdef"
	tests := []struct {
		name, key string
		want      bool
	}{
		{"right", "ak_live_" + digits, true},
		{"empty", "", false},
		{"no start", digits, false},
		{"other start", "ak_test_" + digits, false},
		{"start alone", "ak_live_", false},
		{"short", "ak_live_" + digits[1:], false},
		{"long", "ak_live_" + digits + "0", false},
		{"upper case", "ak_live_" + strings.ToUpper(digits), false},
		{"not hexadecimal", "ak_live_" + digits[1:] + "g", false},
		{"blank", "ak_live_" + digits[1:] + " ", false},
		{"zero byte", "ak_live_" + digits[1:] + "\x00", false},
		{"not ASCII", "ak_live_" + digits[2:] + "é", false},
		{"very long", strings.Repeat("ak_live_", 1<<16), false},
	}
	for _, test := range tests {
		if got := isKey(test.key); got != test.want {
			t.Errorf("%s: isKey is %t, want %t", test.name, got, test.want)
		}
	}
}

func TestK3_NewKeysDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 1000 {
		key := newKey()
		if !isKey(key) {
			t.Fatalf("%q has not the form of a key", key)
		}
		if seen[key] {
			t.Fatalf("%q twice", key)
		}
		seen[key] = true
	}
}

func TestK2_HashIsSHA256OfWholeKey(t *testing.T) {
	t.Parallel()
	// printf %s ak_live_0123456789abcdef0123456789abcdef | sha256sum
	const want = "99504879fe6db456b3a561afca2d468395ea0c44cc1546bec9b77a68158ec9da"
	if got := HashKey("ak_live_0123456789abcdef0123456789abcdef"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
