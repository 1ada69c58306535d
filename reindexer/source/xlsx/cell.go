package xlsx

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"filings/reindexer/record"
)

const (
	// lastColumn and lastRow are the last ones that a sheet can have.
	lastColumn = 1 << 14
	lastRow    = 1 << 20
	// maxRow is how long the texts of a row may be: more than those of a record.
	maxRow = 32 << 20
	// maxText is the longest text: 32,767 characters, of at most four bytes, with room for
	// characters that Excel counts otherwise.
	maxText = 4 << 15
)

// cell is a cell as its sheet stores it.
type cell struct {
	Name    string    `xml:"r,attr"`
	Form    string    `xml:"t,attr"`
	Style   string    `xml:"s,attr"`
	Formula *struct{} `xml:"f"`
	Stored  *string   `xml:"v"`
	Inline  text      `xml:"is"`
}

// text may have several runs, each in a font of its own. How it is pronounced is no part of it.
type text struct {
	Plain string `xml:"t"`
	Runs  []struct {
		Plain string `xml:"t"`
	} `xml:"r"`
}

// join returns the whole text.
func (t *text) join() (string, error) {
	whole := t.Plain
	for _, run := range t.Runs {
		whole += run.Plain
	}
	if len(whole) > maxText {
		return "", fmt.Errorf("it has a text of more than %d KiB", maxText>>10)
	}
	return whole, nil
}

// columnOf returns the column, from 0, of a cell with that name, such as AB12.
func columnOf(name string) (int, error) {
	column, letters := 0, 0
	for letters < len(name) && letters < 4 && name[letters] >= 'A' && name[letters] <= 'Z' {
		column = column*26 + int(name[letters]-'A') + 1
		letters++
	}
	if column < 1 || column > lastColumn {
		return 0, fmt.Errorf("it has a cell %.20q", name)
	}
	return column - 1, nil
}

// placed is the value of a cell that is not empty.
type placed struct {
	column int // from 0
	value  any
}

func (c placed) blank() bool {
	text, ok := c.value.(string)
	return ok && strings.TrimSpace(text) == ""
}

// filled returns how many of the cells are not blank.
func filled(cells []placed) (n int) {
	for _, c := range cells {
		if !c.blank() {
			n++
		}
	}
	return n
}

// label reports whether c names the next cell, as a form does.
func (c placed) label() bool {
	text, _ := c.value.(string)
	return strings.HasSuffix(strings.TrimSpace(text), ":")
}

var errNoText = errors.New("damaged XLSX: a cell refers to a shared string that does not exist")

// value returns the value of c, as jq has it: numbers as numbers, dates as YYYY-MM-DD, true and
// false as TRUE and FALSE, all else as text, and nil for nothing.
func (b *book) value(c *cell) (any, error) {
	if c.Stored != nil {
		c.Inline.Plain = *c.Stored + c.Inline.Plain
	}
	stored, err := c.Inline.join()
	if err != nil || stored == "" {
		return nil, err
	}
	trimmed := strings.TrimSpace(stored)
	switch c.Form {
	case "", "n":
		return b.number(trimmed, c.Style), nil
	case "s":
		n, err := strconv.Atoi(trimmed)
		if err != nil || n < 0 || n >= len(b.texts) {
			return nil, errNoText
		}
		stored = b.texts[n]
	case "b":
		stored = map[bool]string{true: "TRUE", false: "FALSE"}[trimmed == "1" || trimmed == "true"]
	case "d": // as ISO 8601 has it
		if len(stored) > len(time.DateOnly) && stored[len(time.DateOnly)] == 'T' {
			stored = stored[:len(time.DateOnly)]
		}
	default: // texts, and errors such as #N/A
		stored = unescape(stored)
	}
	if stored == "" {
		return nil, nil
	}
	return stored, nil
}

// number returns a number, or the day that its style shows. One with zeros before it is a
// json.Number that has them, so it is both a number and the text that people see.
func (b *book) number(stored, styled string) any {
	var shown style
	if i, err := strconv.Atoi(cmp.Or(styled, "0")); err == nil && i >= 0 && i < len(b.styles) {
		shown = b.styles[i]
	}
	v, err := strconv.ParseFloat(stored, 64)
	if shown.date && err == nil {
		if day, ok := dayOf(v, b.from1904); ok {
			return day.Format(time.DateOnly)
		}
	}
	switch {
	case stored == "":
		return nil
	case stored[0] > '9' || stored[0] == '"' || !json.Valid([]byte(stored)):
		return stored
	case err == nil && strings.ContainsAny(stored, ".eE"):
		stored = shortest(v)
	}
	if shown.zeros == "" || strings.Trim(stored, "0123456789") != "" {
		return record.Number(stored)
	}
	switch stored = padded(shown.zeros, stored); {
	case strings.Trim(stored, "0123456789") != "":
		return stored
	case stored[0] == '0':
		return json.Number(stored)
	}
	return record.Number(stored)
}

// escaped matches the code of a character that XML cannot hold: _x000D_ is a carriage return, and
// _x005F_ the underscore before an x. Halves of characters are left as they are.
var escaped = regexp.MustCompile(`_x(?:[0-9A-CEFa-cef][0-9A-Fa-f]|[Dd][0-7])[0-9A-Fa-f]{2}_`)

// unescape replaces it.
func unescape(stored string) string {
	if !strings.Contains(stored, "_x") {
		return stored
	}
	return escaped.ReplaceAllStringFunc(stored, func(code string) string {
		c, _ := strconv.ParseUint(code[2:6], 16, 32) // four hexadecimal digits
		return string(rune(c))
	})
}
