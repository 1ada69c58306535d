package columns

import (
	"context"
	"encoding/binary"
	"fmt"
	"sort"

	"github.com/klauspost/compress/zstd"

	"filings/index"
)

// Records stand a second time in the default order, compressed, as the columns are in: whoever reads very many of them,
// which an export does, would else read a page of the file for each.
const (
	columnRecords = "records"
	columnStarts  = "records starts" // the first row of each chunk of columnRecords, in one chunk
	// recordBytes is how many bytes of records a chunk has, and a record more: enough for zstd to find what they have in
	// common, few enough to be read for some of them.
	recordBytes = 256 << 10
)

// AppendStored appends what Build reads of a filing: its stored values and its record, whatever that is.
func AppendStored(dst, values, record []byte) []byte {
	return append(appendText(dst, values), record...)
}

// recordColumn collects records and writes them by the chunk, each behind its length.
type recordColumn struct {
	to      Sink
	encoder *zstd.Encoder
	starts  []byte
	row     uint32
	chunk   int
	data    []byte
}

func newRecordColumn(to Sink) *recordColumn {
	encoder, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1)) // these options are valid
	return &recordColumn{to: to, encoder: encoder}
}

func (c *recordColumn) add(record []byte) error {
	if len(c.data) == 0 {
		c.starts = binary.LittleEndian.AppendUint32(c.starts, c.row)
	}
	c.data = appendText(c.data, record)
	if c.row++; len(c.data) >= recordBytes {
		return c.flush()
	}
	return nil
}

func (c *recordColumn) flush() error {
	err := c.to(columnRecords, c.chunk, c.encoder.EncodeAll(c.data, nil))
	c.chunk++
	c.data = c.data[:0]
	return err
}

func (c *recordColumn) finish() error {
	if len(c.data) > 0 {
		if err := c.flush(); err != nil {
			return err
		}
	}
	return c.to(columnStarts, 0, c.starts)
}

// sparse is how many rows there may be for each that is wanted: where there are more, records are found by their ids.
const sparse = 16

// Records returns the records that Build was given for the rows of a page in the default order, or false where they are
// too far from each other, or too few, for that to be worth while, or are not there, as in a file of an older program.
func (t *Table) Records(ctx context.Context, rows []uint32) ([][]byte, bool, error) {
	if len(rows) < 100 || int(rows[len(rows)-1]-rows[0]) > sparse*len(rows) {
		return nil, false, nil
	}
	starts, err := t.recordStarts(ctx)
	if err != nil || len(starts) == 0 {
		return nil, false, err
	}
	records := make([][]byte, 0, len(rows))
	for len(rows) > 0 {
		chunk := sort.Search(len(starts), func(i int) bool { return starts[i] > rows[0] }) - 1
		data, err := t.recordChunk(ctx, chunk)
		if err != nil {
			return nil, false, err
		}
		row := starts[chunk]
		for ; len(data) > 0 && len(rows) > 0; row++ {
			var record []byte
			if record, data = cutText(data); data == nil {
				break
			}
			if row == rows[0] {
				records, rows = append(records, record), rows[1:]
			}
		}
		if len(rows) > 0 && (chunk+1 == len(starts) || row != starts[chunk+1]) {
			return nil, false, t.damaged(chunk, columnRecords)
		}
	}
	return records, true, nil
}

func (t *Table) recordStarts(ctx context.Context) ([]uint32, error) {
	return decoded(ctx, t, columnStarts, 0, func(data []byte) ([]uint32, int, bool) {
		starts := make([]uint32, len(data)/4)
		_, err := binary.Decode(data, binary.LittleEndian, starts)
		return starts, len(data), err == nil && (len(starts) == 0 || starts[0] == 0)
	})
}

// recordChunk returns a chunk of records. It is not kept: who reads all of them would evict everything else.
func (t *Table) recordChunk(ctx context.Context, chunk int) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data, err := t.source(ctx, columnRecords, chunk)
	if err != nil {
		return nil, err
	}
	if data, err = t.decoder.DecodeAll(data, nil); err != nil {
		return nil, t.damaged(chunk, columnRecords)
	}
	return data, nil
}

func (t *Table) damaged(chunk int, name string) error {
	return fmt.Errorf("%s, chunk %d of %s: %w: %w", t.name, chunk, name, index.ErrUnavailable, ErrDamaged)
}
