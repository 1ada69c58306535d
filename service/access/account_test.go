package access

import (
	"strings"
	"testing"
)

// TestK4_Users: an account has one name, in one form, that an address can have.
func TestK4_Users(t *testing.T) {
	t.Parallel()
	for user, must := range map[string]string{
		"alice": "", "é": "", "...": "", "a/..": "", "..a": "", "Ω": "", "李": "",
		".": "must not be .", "..": "must not be ..", "e\u0301": "NFC", "\u212b": "NFC", "\u2126": "NFC",
		"al\u200bice": "invisible", "\u202ealice": "invisible", "\ufeffalice": "invisible",
	} {
		err := validAccount(user, Pro, "e\u0301")
		if (err == nil) != (must == "") || err != nil && !strings.Contains(err.Error(), must) {
			t.Errorf("%q: %v, want %q", user, err, must)
		}
	}
}
