package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// rows cuts CSV, as RFC 4180 describes it, into rows: a line, and the lines after it for as long as a quote is open.
type rows struct {
	*lines
	delimiter byte
}

// header returns the first row.
func (r *rows) header() (string, error) {
	row, err := r.Next()
	switch {
	case err == io.EOF:
		return "", errors.New("it is empty: a CSV file begins with a header")
	case err == nil && row.Long:
		return "", fmt.Errorf("its header is longer than %d MiB", MaxLine>>20)
	}
	return row.Text, err
}

// Next goes on over line ends for as long as a quote is open; there CRLF becomes LF.
func (r *rows) Next() (Record, error) {
	l, err := r.nextFull()
	if err != nil {
		return Record{}, err
	}
	if !l.long && leavesOpen(false, l.text, r.delimiter) {
		return r.nextLong(l)
	}
	return Record{Text: string(l.text), Line: r.number, Last: !l.ended, Long: l.long}, nil
}

// nextLong reads the other lines of a row whose first line leaves a quote open. A quote that is never closed must not
// make the rest of a source one row, so a row is no longer than MaxLine.
func (r *rows) nextLong(l line) (Record, error) {
	var b strings.Builder
	begins := r.number
	b.Write(l.text)
	for quoted := true; quoted; quoted = leavesOpen(quoted, l.text, r.delimiter) {
		err := error(io.EOF)
		if l.ended {
			l, err = r.next()
		}
		switch {
		case err == io.EOF:
			return Record{}, fmt.Errorf("%w: the quote that line %d leaves open is never closed", ErrUnfinished, begins)
		case err != nil:
			return Record{}, err
		case l.long || b.Len()+len(l.text) > MaxLine:
			return Record{}, fmt.Errorf("the quote that line %d leaves open is not closed within %d MiB", begins, MaxLine>>20)
		}
		b.WriteByte('\n')
		b.Write(l.text)
	}
	return Record{Text: b.String(), Line: begins, Last: !l.ended}, nil
}

// leavesOpen reports whether a quoted cell goes on after the end of a line, if one was open (quoted) at its beginning. A line
// that is no CSV does not go on, so that it is rejected alone.
func leavesOpen(quoted bool, text []byte, delimiter byte) bool {
	for {
		if !quoted {
			if !bytes.HasPrefix(text, []byte{'"'}) {
				comma := bytes.IndexByte(text, delimiter)
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
		if !doubled && !bytes.HasPrefix(text, []byte{delimiter}) {
			return false
		}
		text, quoted = text[1:], doubled
	}
}
