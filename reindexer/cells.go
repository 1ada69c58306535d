package reindexer

import (
	"bytes"
	"fmt"
	"strings"
)

// open tells whether a quoted cell goes on behind the end of a line, if one was open (quoted) at its beginning. A line
// that is no CSV does not go on, so that it is rejected alone.
func open(quoted bool, text []byte) bool {
	for {
		if !quoted {
			if !bytes.HasPrefix(text, []byte{'"'}) {
				comma := bytes.IndexByte(text, ',')
				if comma < 0 {
					return false
				}
				text = text[comma+1:]
				continue
			}
			text = text[1:]
		}
		end := bytes.IndexByte(text, '"')
		if end < 0 {
			return true
		}
		text = text[end+1:]
		doubled := bytes.HasPrefix(text, []byte{'"'})
		if !doubled && !bytes.HasPrefix(text, []byte{','}) {
			return false
		}
		text, quoted = text[1:], doubled
	}
}

// split appends the cells of a row to cells, or says what is wrong with it.
func split(row string, cells []string) (_ []string, wrong string) {
	for {
		if !strings.HasPrefix(row, `"`) {
			end := strings.IndexByte(row, ',')
			cell := row
			if end >= 0 {
				cell = row[:end]
			}
			if strings.Contains(cell, `"`) {
				return cells, fmt.Sprintf("cell %d has a quote but does not begin with one", len(cells)+1)
			}
			cells = append(cells, cell)
			if end < 0 {
				return cells, ""
			}
			row = row[end+1:]
			continue
		}
		cell, rest, closed := unquote(row)
		if !closed || rest != "" && rest[0] != ',' {
			return cells, fmt.Sprintf("cell %d has text behind its closing quote", len(cells)+1)
		}
		cells = append(cells, cell)
		if rest == "" {
			return cells, ""
		}
		row = rest[1:]
	}
}

// unquote reads the quoted cell that row begins with.
func unquote(row string) (cell, rest string, closed bool) {
	doubled := false
	for at := 1; at < len(row); at++ {
		if row[at] != '"' {
			continue
		}
		if at+1 < len(row) && row[at+1] == '"' {
			doubled = true
			at++
			continue
		}
		if cell = row[1:at]; doubled {
			cell = strings.ReplaceAll(cell, `""`, `"`)
		}
		return cell, row[at+1:], true
	}
	return "", "", false
}
