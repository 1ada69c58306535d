package xlsx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxToken is how long a tag or a text between two tags may be. A cell has at most 32,767 characters.
const maxToken = 1 << 20

var errTokenLong = fmt.Errorf("it has a text of more than %d KiB", maxToken>>10)

// scanner reads XML as a stream of tags and texts. It is for files that programs wrote: it checks that tags are closed, and
// leaves it to its readers in which order they may stand. It takes a fifth of the time of encoding/xml.
type scanner struct {
	in       io.Reader
	buf      []byte
	at, end  int // what is left in buf
	depth    int // of open elements
	finished error
}

// token is a tag, or the text up to the next one. Its parts are good until the next one is read.
type token struct {
	kind  kind
	name  string // of a tag, without a prefix; "" for names that no reader asks for
	attrs []byte // of a start, as they are written
	text  []byte // as it is written, with entities unless verbatim
	// empty: the element ends with the tag that begins it. No end follows.
	empty    bool
	verbatim bool
}

type kind uint8

const (
	start kind = iota
	end
	text
)

func newScanner(in io.Reader) *scanner { return &scanner{in: in, buf: make([]byte, 64<<10)} }

// fill reads more behind what is left. It fails with io.EOF at the end.
func (s *scanner) fill() error {
	if s.finished != nil {
		return s.finished
	}
	if s.at > 0 {
		s.end = copy(s.buf, s.buf[s.at:s.end])
		s.at = 0
	}
	if s.end == len(s.buf) {
		if len(s.buf) >= maxToken {
			return errTokenLong
		}
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	n, err := io.ReadAtLeast(s.in, s.buf[s.end:], 1)
	s.end += n
	if err != nil {
		s.finished = err
		return err
	}
	return nil
}

// upTo returns what is left up to and with the first place that find gives, which is below 0 where there is none.
func (s *scanner) upTo(find func(left []byte) int) ([]byte, error) {
	for {
		if n := find(s.buf[s.at:s.end]); n >= 0 {
			piece := s.buf[s.at : s.at+n]
			s.at += n
			return piece, nil
		}
		if err := s.fill(); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
}

// next returns the next tag or text that is not empty, or io.EOF at the end of the document.
func (s *scanner) next(t *token) error {
	for {
		if s.at == s.end {
			if err := s.fill(); err != nil {
				if err == io.EOF && s.depth > 0 {
					return io.ErrUnexpectedEOF
				}
				return err
			}
		}
		if s.buf[s.at] != '<' {
			return s.text(t)
		}
		if read, err := s.tag(t); err != nil || read {
			return err
		}
	}
}

func (s *scanner) text(t *token) (err error) {
	t.kind, t.name, t.verbatim = text, "", false
	if s.depth > 0 {
		t.text, err = s.upTo(nextTag)
		return err
	}
	for s.at < s.end && s.buf[s.at] != '<' { // before the first element and behind the last
		s.at++
	}
	t.text = nil
	return nil
}

func nextTag(left []byte) int { return bytes.IndexByte(left, '<') }

// tag reads what begins with "<". It reports whether that is a token: comments are none.
func (s *scanner) tag(t *token) (bool, error) {
	tag, err := s.upTo(endOfTag)
	switch {
	case err != nil:
		return false, err
	case tag[1] == '!' || tag[1] == '?':
		return s.special(t, tag)
	case tag[1] == '/':
		t.kind, t.name = end, known(tag[2:len(tag)-1])
		if s.depth--; s.depth < 0 {
			return false, errors.New("it ends an element that did not begin")
		}
		return true, nil
	}
	inner := tag[1 : len(tag)-1]
	t.kind = start
	if inner, t.empty = bytes.CutSuffix(inner, []byte{'/'}); !t.empty {
		s.depth++
	}
	at := 0
	for at < len(inner) && !isSpace(inner[at]) {
		at++
	}
	t.name, t.attrs = known(inner[:at]), inner[at:]
	return true, nil
}

// endOfTag returns where the tag ends that left begins with, or -1.
func endOfTag(left []byte) int {
	if len(left) > 1 && left[1] == '!' {
		return endOfSpecial(left)
	}
	var quote byte
	for i, c := range left {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>' && i > 1:
			return i + 1
		}
	}
	return -1
}

const (
	comment = "<!--"
	cdata   = "<![CDATA["
)

// endOfSpecial returns where a comment or a text in brackets ends that left begins with, or -1.
func endOfSpecial(left []byte) int {
	begin, ending := comment, "-->"
	switch {
	case bytes.HasPrefix(left, []byte(comment)):
	case len(left) < len(cdata):
		return -1
	case bytes.HasPrefix(left, []byte(cdata)):
		begin, ending = cdata, "]]>"
	default:
		return len(cdata) // a document type, which special refuses
	}
	i := bytes.Index(left[len(begin):], []byte(ending))
	if i < 0 {
		return -1
	}
	return len(begin) + i + len(ending)
}

func (s *scanner) special(t *token, tag []byte) (bool, error) {
	switch {
	case tag[1] == '?', bytes.HasPrefix(tag, []byte(comment)):
		return false, nil
	case bytes.HasPrefix(tag, []byte(cdata)):
		t.kind, t.name, t.verbatim = text, "", true
		t.text = tag[len(cdata) : len(tag)-len("]]>")]
		return true, nil
	}
	return false, errors.New("it has a document type, which no spreadsheet has")
}

// known returns the name of an element that readers ask for, without an allocation. Some programs put a prefix before each.
func known(name []byte) string {
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		name = name[i+1:]
	}
	switch string(bytes.TrimRight(name, " \t\r\n")) {
	case "c":
		return "c"
	case "v":
		return "v"
	case "f":
		return "f"
	case "row":
		return "row"
	case "t":
		return "t"
	case "si":
		return "si"
	case "is":
		return "is"
	case "rPh":
		return "rPh"
	case "sheetData":
		return "sheetData"
	}
	return ""
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// attribute returns the name and the value of the first of attrs, and the others; an empty name where there is none.
func attribute(attrs []byte) (name, value, others []byte) {
	for len(attrs) > 0 && isSpace(attrs[0]) {
		attrs = attrs[1:]
	}
	equal := bytes.IndexByte(attrs, '=')
	if equal < 0 {
		return nil, nil, nil
	}
	name, attrs = bytes.TrimSpace(attrs[:equal]), bytes.TrimSpace(attrs[equal+1:])
	if len(attrs) == 0 {
		return nil, nil, nil
	}
	closing := bytes.IndexByte(attrs[1:], attrs[0])
	if closing < 0 {
		return nil, nil, nil
	}
	return name, attrs[1 : 1+closing], attrs[closing+2:]
}
