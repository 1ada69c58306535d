package xlsx

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

// maxToken is how long a tag or a text between two tags may be, but for what is read ahead. A cell has at most 32,767 characters.
const maxToken = 1 << 20

var errTokenLong = fmt.Errorf("it has a text of more than %d KiB", maxToken>>10)

// scanner reads XML as a stream of tags and texts. It leaves it to its readers in which order they may stand.
type scanner struct {
	xml   *xml.Decoder
	bound bounded
	depth int // of open elements
}

// token is a tag, or a text. Its parts are good until the next one is read.
type token struct {
	kind  kind
	name  string // of a tag, without a prefix, which some programs put before each
	attrs []xml.Attr
	text  []byte
}

type kind uint8

const (
	start kind = iota
	end
	text
)

func newScanner(in io.Reader) *scanner {
	s := &scanner{bound: bounded{in: in}}
	s.xml = xml.NewDecoder(bufio.NewReaderSize(&s.bound, 64<<10))
	// Whatever a part says of its encoding, it is UTF-8 in all programs.
	s.xml.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	return s
}

// next returns the next tag or text, or io.EOF at the end of the document.
func (s *scanner) next(t *token) error {
	for {
		s.bound.left = maxToken
		read, err := s.xml.RawToken()
		if err == io.EOF && s.depth > 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		switch read := read.(type) {
		case xml.StartElement:
			s.depth++
			*t = token{kind: start, name: read.Name.Local, attrs: read.Attr}
			return nil
		case xml.EndElement:
			if s.depth--; s.depth < 0 {
				return errors.New("it ends an element that did not begin")
			}
			*t = token{kind: end, name: read.Name.Local}
			return nil
		case xml.CharData:
			*t = token{kind: text, text: read}
			return nil
		case xml.Directive:
			return errors.New("it has a document type, which no spreadsheet has")
		}
	}
}

// bounded fails once more than left bytes were read: the decoder would hold a text of any length in memory.
type bounded struct {
	in   io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTokenLong
	}
	n, err := b.in.Read(p)
	b.left -= n
	return n, err
}
