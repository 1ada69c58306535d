package reindexer

import (
	"errors"
	"strconv"
	"unicode/utf8"

	"filings/index"
)

// parser reads the records of one input one after the other.
type parser interface {
	// next reads the next record into r and its values into filing. What is wrong with that record is noted in r; an
	// error means that nothing can be read any more. It is io.EOF at the end.
	next(r *record, filing *index.Filing) error
	// place is the line that was read last.
	place() int
}

// errUnfinished: a source ends within a record, so that nobody knows how many more it should have had.
var errUnfinished = errors.New("the file ends in the middle of a record")

// ndjson reads a JSON object a line.
type ndjson struct{ lines lines }

func (n *ndjson) place() int { return n.lines.number }

func (n *ndjson) next(r *record, filing *index.Filing) error {
	for {
		l, err := n.lines.next()
		if err != nil {
			return err
		}
		if l.blank() {
			continue
		}
		r.begin(n.lines.number, string(l.text), filing)
		if l.long {
			r.failLong()
			return nil
		}
		if err := r.readJSON(); errors.Is(err, errCut) && !l.ended {
			return errUnfinished
		}
		return nil
	}
}

// readJSON reads the record's text as one JSON object. The error it returns, for what is no JSON, is noted already,
// instead of what was wrong with the values before it.
func (r *record) readJSON() error {
	if !r.readable() {
		return nil
	}
	p := scanner{text: r.text}
	err := p.object(r.set)
	if err != nil {
		r.field, r.reason = "", err.Error()
		return err
	}
	r.finish()
	return nil
}

// readable fails unless the text is UTF-8.
func (r *record) readable() bool {
	if utf8.ValidString(r.text) {
		return true
	}
	at := 0
	for rest := r.text; ; {
		c, size := utf8.DecodeRuneInString(rest)
		if c == utf8.RuneError && size <= 1 {
			break
		}
		at, rest = at+size, rest[size:]
	}
	r.fail("", "not UTF-8 at byte "+strconv.Itoa(at+1))
	return false
}

func (r *record) failLong() {
	r.fail("", "is longer than "+strconv.Itoa(maxLine>>20)+" MiB; only its beginning is shown")
}
