package xlsx

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// appendText appends what a text token stands for: its entities replaced.
func (t *token) appendText(dst []byte) ([]byte, error) {
	rest := t.text
	if t.verbatim {
		return append(dst, rest...), nil
	}
	for {
		i := bytes.IndexByte(rest, '&')
		if i < 0 {
			return append(dst, rest...), nil
		}
		dst, rest = append(dst, rest[:i]...), rest[i:]
		ending := bytes.IndexByte(rest[:min(len(rest), 12)], ';')
		if ending < 0 {
			return nil, errors.New("it has an & that begins no entity")
		}
		c, ok := entity(string(rest[1:ending]))
		if !ok {
			return nil, fmt.Errorf("it has the entity %q, which XML does not define", rest[:ending+1])
		}
		dst, rest = utf8.AppendRune(dst, c), rest[ending+1:]
	}
}

var entities = map[string]rune{"amp": '&', "lt": '<', "gt": '>', "quot": '"', "apos": '\''}

func entity(name string) (rune, bool) {
	if c, found := entities[name]; found {
		return c, true
	}
	base := 10
	number, is := bytes.CutPrefix([]byte(name), []byte("#"))
	if hex, ok := bytes.CutPrefix(number, []byte("x")); ok {
		number, base = hex, 16
	}
	c, err := strconv.ParseUint(string(number), base, 32)
	return rune(c), is && err == nil && c > 0 && utf8.ValidRune(rune(c))
}

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
