package columns

import (
	"encoding/binary"
	"errors"

	"github.com/klauspost/compress/zstd"
)

// element is what columns hold: codes, rows and lengths; instants and ids; numbers.
type element interface{ uint32 | int64 | float64 }

// column collects the values of a column and writes them by the chunk.
type column[T element] struct {
	name   string
	to     Sink
	chunk  int
	values []T
}

func newColumn[T element](name string, to Sink) *column[T] { return &column[T]{name: name, to: to} }

// add appends a value, and writes the chunk that it completes.
func (c *column[T]) add(v T) error {
	if c.values = append(c.values, v); len(c.values) == ChunkRows {
		return c.finish()
	}
	return nil
}

// finish writes the values that were not written yet.
func (c *column[T]) finish() error {
	if len(c.values) == 0 {
		return nil
	}
	data, err := binary.Append(nil, binary.LittleEndian, c.values)
	if err != nil {
		return err
	}
	err = c.to(c.name, c.chunk, data)
	c.chunk++
	c.values = c.values[:0]
	return err
}

// codedColumn is a column of codes and its dictionary. Code 0 is the missing word.
type codedColumn struct {
	column[uint32]
	codes map[string]uint32
	words []byte // by code, each behind its length
}

func newCodedColumn(name string, to Sink) *codedColumn {
	return &codedColumn{column[uint32]{name: name, to: to}, map[string]uint32{"": 0}, appendText(nil, "")}
}

// addWord appends the code of a word.
func (c *codedColumn) addWord(word []byte) error {
	code, ok := c.codes[string(word)]
	if !ok {
		code = uint32(len(c.codes))
		c.codes[string(word)] = code
		c.words = appendText(c.words, word)
	}
	return c.add(code)
}

func (c *codedColumn) finish() error {
	return errors.Join(c.column.finish(), c.to(c.name+wordsSuffix, 0, c.words))
}

// textColumn is the search texts: a chunk holds those of its rows one behind the other. Other columns say where they end,
// and which trigrams they have.
type textColumn struct {
	ends     *column[uint32]
	trigrams *trigramColumn
	data     []byte
}

func newTextColumn(to Sink) *textColumn {
	return &textColumn{newColumn[uint32](columnEnds, to), newTrigramColumn(to), []byte{}} // nil would be NULL
}

func (c *textColumn) add(texts []byte) error {
	c.trigrams.add(len(c.ends.values), texts)
	c.data = append(c.data, texts...)
	err := c.ends.add(uint32(len(c.data)))
	if len(c.ends.values) > 0 || err != nil {
		return err
	}
	return c.put()
}

func (c *textColumn) finish() error {
	if len(c.ends.values) == 0 {
		return nil
	}
	return errors.Join(c.ends.finish(), c.put())
}

// put writes the texts of the chunk whose ends were just written, and their index.
func (c *textColumn) put() error {
	data, chunk := c.data, c.ends.chunk-1
	c.data = c.data[:0]
	return errors.Join(c.ends.to(columnSearch, chunk, data), c.trigrams.put(chunk))
}

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
	if c.row == 0 {
		return nil
	}
	if len(c.data) > 0 {
		if err := c.flush(); err != nil {
			return err
		}
	}
	return c.to(columnStarts, 0, c.starts)
}
