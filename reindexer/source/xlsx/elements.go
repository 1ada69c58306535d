package xlsx

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

const (
	// maxElement is the longest cell, shared text or tag, or text between two of these, but for
	// bytes that are read ahead. A cell has at most 32,767 characters.
	maxElement = 1 << 20
	// maxDepth is how deep elements may be nested around a cell or text: none has more than three.
	maxDepth = 64
)

// elements reads those of XML that its caller names, and keeps no other.
type elements struct {
	xml   *xml.Decoder
	bound bounded
	depth int // of open elements
}

func newElements(stream io.Reader) *elements {
	e := &elements{bound: bounded{stream: stream}}
	e.xml = xml.NewDecoder(bufio.NewReaderSize(&e.bound, 64<<10))
	// A part is UTF-8 in all programs, with any encoding named.
	e.xml.CharsetReader = func(_ string, stream io.Reader) (io.Reader, error) { return stream, nil }
	return e
}

// next returns the next element of that name, which then begins. It is nil where the one around it,
// outer, ends before, and there is io.EOF at the end of the document.
func (e *elements) next(name, outer string) (*xml.StartElement, error) {
	for {
		e.bound.left = maxElement
		token, err := e.xml.Token()
		if err != nil {
			return nil, err
		}
		switch tag := token.(type) {
		case xml.StartElement:
			if e.depth++; e.depth > maxDepth {
				return nil, fmt.Errorf("its elements are nested more than %d deep", maxDepth)
			}
			if tag.Name.Local == name {
				return &tag, nil
			}
		case xml.EndElement:
			if e.depth--; tag.Name.Local == outer {
				return nil, nil
			}
		case xml.Directive:
			return nil, errors.New("it has a document type, which no spreadsheet has")
		}
	}
}

// decode reads the element that has just begun, up to its end.
func (e *elements) decode(begun *xml.StartElement, target any) error {
	e.bound.left = maxElement
	e.depth--
	return e.xml.DecodeElement(target, begun)
}

// bounded fails once more than left bytes were read: the decoder would hold any length in memory.
type bounded struct {
	stream io.Reader
	left   int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("it has a text of more than %d KiB", maxElement>>10)
	}
	n, err := b.stream.Read(p)
	b.left -= n
	return n, err
}
