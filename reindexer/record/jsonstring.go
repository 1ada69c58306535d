package record

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads a string. One without escapes is a part of the scanner's text.
func (p *scanner) str() (string, error) {
	p.lone = false
	if p.at >= len(p.text) || p.text[p.at] != '"' {
		return "", p.wrong("a name or text in quotes")
	}
	p.at++
	start := p.at
	for ; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return p.text[start : p.at-1], nil
		case c == '\\':
			return p.escaped(start)
		case c < ' ':
			return "", p.wrong("text without raw control characters")
		}
	}
	return "", ErrCut
}

// escaped reads the rest of a string that began at start and has its first escape here.
func (p *scanner) escaped(start int) (string, error) {
	var b strings.Builder
	b.WriteString(p.text[start:p.at])
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return b.String(), nil
		case c == '\\':
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			b.WriteRune(r)
		case c < ' ':
			return "", p.wrong("text without raw control characters")
		default:
			b.WriteByte(c)
			p.at++
		}
	}
	return "", ErrCut
}

// escape reads one escape, a surrogate pair being one. Half of a pair becomes U+FFFD and is noted.
func (p *scanner) escape() (rune, error) {
	p.at++
	if p.at >= len(p.text) {
		return 0, ErrCut
	}
	if p.text[p.at] != 'u' {
		i := strings.IndexByte(`"\/bfnrt`, p.text[p.at])
		if i < 0 {
			return 0, p.wrong("an escape")
		}
		p.at++
		return rune("\"\\/\b\f\n\r\t"[i]), nil
	}
	p.at++
	first, err := p.hex()
	if err != nil || !utf16.IsSurrogate(first) {
		return first, err
	}
	if strings.HasPrefix(p.text[p.at:], `\u`) {
		back := p.at
		p.at += 2
		second, err := p.hex()
		if err != nil {
			return 0, err
		}
		if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
			return r, nil
		}
		p.at = back // the second is a character, or half of a pair, of its own
	}
	p.lone = true
	return utf8.RuneError, nil
}

// hex reads four hexadecimal digits.
func (p *scanner) hex() (rune, error) {
	for i := range 4 {
		if p.at+i >= len(p.text) {
			return 0, ErrCut
		}
		if !strings.ContainsRune("0123456789abcdefABCDEF", rune(p.text[p.at+i])) {
			p.at += i
			return 0, p.wrong("a hexadecimal digit")
		}
	}
	n, _ := strconv.ParseUint(p.text[p.at:p.at+4], 16, 32) // four hexadecimal digits
	p.at += 4
	return rune(n), nil
}
