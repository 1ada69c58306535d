package sidecar

import (
	"context"
	"fmt"

	"github.com/klauspost/compress/s2"
	"google.golang.org/protobuf/encoding/protowire"

	"filings/index"
)

// Sink stores a chunk of a section. data is valid during the call only.
type Sink func(section string, chunk int, data []byte) error

// Source returns chunks of a section as a Sink stored them; index.ErrNotFound where nothing is
// stored beside the generation.
type Source func(ctx context.Context, section string, chunks []int) ([][]byte, error)

// Kinds of chunks beside a generation.
const (
	Kept      = "sidecar" // as long as the generation
	Changeset = "changes" // longer than that
)

// Sections. Changes and their contents stand by themselves, since they are kept longer than the others.
const (
	sectionFingerprints = "fingerprints"
	sectionChanges      = "changes"
	sectionContents     = "contents" // of the changes, in one chunk

	sectionSummary = "summary"

	sectionPortfolios = "owners"
	sectionFilings    = "owners filings"  // of each owner
	sectionTokens     = "owners tokens"   // of keys
	sectionCounties   = "owners counties" // as written
	sectionWords      = "owners words"
	sectionOrder      = "owners by " // and the name of an order
)

// pieceBytes is the size of a piece of a section that is read as a whole.
const pieceBytes = 1 << 20

// ErrDamaged is the error of chunks that are not as they were written.
var ErrDamaged = fmt.Errorf("%w: a chunk beside the generation is damaged", index.ErrUnavailable)

// putWhole writes a section that is read as a whole, in pieces. The first byte of each says whether
// another one follows.
func putWhole(to Sink, section string, data []byte) error {
	data = pack(nil, data)
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

// pack compresses data, in the memory of dst. On real filings S2 takes 3 % more room than zstd's fastest
// level, of which a chunk of changes takes a quarter less, and three quarters of its time to write and to
// read; zstd also holds 8 MB.
func pack(dst, data []byte) []byte { return s2.EncodeBetter(dst[:cap(dst)], data) }

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

// damage returns ErrDamaged if c failed.
func (c *cutter) damage() error {
	if c.failed {
		return ErrDamaged
	}
	return nil
}

func (c *cutter) byte() byte {
	if len(c.data) == 0 {
		c.failed = true
		return 0
	}
	b := c.data[0]
	c.data = c.data[1:]
	return b
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
