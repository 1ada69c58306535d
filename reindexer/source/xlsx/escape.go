package xlsx

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// unescape replaces what stands for characters that XML cannot hold: _x000D_ is a carriage return, and _x005F_
// the underscore before an x.
func unescape(text []byte) []byte {
	const form = "_x000D_"
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte("_x"))
		if i < 0 || at+i+len(form) > len(text) {
			return text
		}
		at += i
		c, err := strconv.ParseUint(string(text[at+2:at+6]), 16, 32)
		if err != nil || text[at+6] != '_' || !utf8.ValidRune(rune(c)) {
			at++
			continue
		}
		behind := text[at+len(form):]
		text = append(utf8.AppendRune(text[:at], rune(c)), behind...)
		at += utf8.RuneLen(rune(c))
	}
}
