// Package owners owns what a generation knows of owners and of words: whose filings they are (rule X27), and which words a search
// may mean (rule X29). A Collector works it out of the filings while the generation is sealed and writes it beside it; a Directory
// reads it. Both refuse to know where that is kept: chunks of bytes go to a Sink and come from a Source.
//
// # Design
//
// One form for both engines, which store chunks alone, so they cannot differ. The alternative was prefix queries of Elasticsearch
// over an index of owners, and sections of their own in the embedded engine: two evaluations of each query, and a document for each
// owner to be written with each load. As chunks, half a million filings take some hundred documents.
//
// Owners are numbered by falling filings, then key: the default order. What decides which ones a query selects stays in the process's
// cache once it was read: for each token of a key and for each county the numbers of the owners (some 2.5 MB for 94,000 owners, 25 MB
// for a million). What is shown of them lies in chunks of 128 owners, of which a page reads those that it needs. Each other order is a list
// of the numbers. So a page costs a few passes over one bit an owner, whatever is typed.
//
// Words are looked through one by one: a set of letters for each, in 64 bits, leaves few whose distance is computed.
package owners

import (
	"context"
	"fmt"

	"github.com/klauspost/compress/s2"
	"google.golang.org/protobuf/encoding/protowire"

	"filings/index"
)

// Sink stores a chunk of a section. data is valid during the call only.
type Sink func(section string, chunk int, data []byte) error

// Source returns chunks of a section as a Sink stored them.
type Source func(ctx context.Context, section string, chunks []int) ([][]byte, error)

// Sections.
const (
	sectionPortfolios = "owners"
	sectionFilings    = "owners filings"  // of each owner
	sectionTokens     = "owners tokens"   // of keys
	sectionCounties   = "owners counties" // as written
	sectionWords      = "owners words"
	sectionOrder      = "owners by " // and the name of an order
)

const (
	portfoliosAChunk = 128
	pieceBytes       = 1 << 20 // of a section that is read as a whole
)

// ErrDamaged is the error of chunks that are not as they were written.
var ErrDamaged = fmt.Errorf("%w: what is kept of owners is damaged", index.ErrUnavailable)

// putWhole writes a section that is read as a whole, in pieces. The first byte of each says whether another one follows.
func putWhole(to Sink, section string, data []byte) error {
	data = s2.Encode(nil, data)
	for piece := 0; ; piece++ {
		n := min(len(data), pieceBytes)
		more := byte(0)
		if n < len(data) {
			more = 1
		}
		if err := to(section, piece, append([]byte{more}, data[:n]...)); err != nil || more == 0 {
			return err
		}
		data = data[n:]
	}
}

// whole reads what putWhole wrote.
func whole(ctx context.Context, from Source, section string) ([]byte, error) {
	var packed []byte
	for piece := 0; ; piece++ {
		data, err := from(ctx, section, []int{piece})
		if err != nil {
			return nil, err
		}
		if len(data) != 1 || len(data[0]) == 0 {
			return nil, ErrDamaged
		}
		packed = append(packed, data[0][1:]...)
		if data[0][0] == 0 {
			return unpacked(packed)
		}
	}
}

func unpacked(packed []byte) ([]byte, error) {
	data, err := s2.Decode(nil, packed)
	if err != nil {
		return nil, ErrDamaged
	}
	return data, nil
}

// cutter cuts what was appended off data. After its end it fails, and returns zero values.
type cutter struct {
	data   []byte
	failed bool
}

func (c *cutter) number() uint64 {
	number, n := protowire.ConsumeVarint(c.data)
	c.skip(n)
	return number
}

func (c *cutter) text() []byte {
	text, n := protowire.ConsumeBytes(c.data)
	c.skip(n)
	return text
}

func (c *cutter) skip(n int) {
	if n < 0 {
		c.data, c.failed = nil, true
		return
	}
	c.data = c.data[n:]
}
