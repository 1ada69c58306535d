package xlsx

import (
	"bytes"
	"regexp"
	"strconv"
)

// escaped matches what stands for a character that XML cannot hold: _x000D_ is a carriage return, and _x005F_ the underscore before
// an x. Halves of characters are left as they are.
var escaped = regexp.MustCompile(`_x(?:[0-9A-CEFa-cef][0-9A-Fa-f]|[Dd][0-7])[0-9A-Fa-f]{2}_`)

// unescape replaces it.
func unescape(text []byte) []byte {
	if !bytes.Contains(text, []byte("_x")) {
		return text
	}
	return escaped.ReplaceAllFunc(text, func(one []byte) []byte {
		c, _ := strconv.ParseUint(string(one[2:6]), 16, 32) // four hexadecimal digits
		return []byte(string(rune(c)))
	})
}
