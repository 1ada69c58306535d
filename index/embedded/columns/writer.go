package columns

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/klauspost/compress/s2"
	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/encoding/protowire"
)

// element is a value of a column: codes, rows and lengths; instants and ids; numbers.
type element interface{ uint32 | int64 | float64 }

// column collects the values of a column and writes them by the chunk.
type column[T element] struct {
	name   string
	sink   Sink
	chunk  int
	values []T
}

func newColumn[T element](name string, sink Sink) *column[T] {
	return &column[T]{name: name, sink: sink}
}

// add appends a value, and writes the chunk that it completes.
func (c *column[T]) add(v T) error {
	if c.values = append(c.values, v); len(c.values) == ChunkRows {
		return c.finish()
	}
	return nil
}

// addAll appends values, and writes the chunks that they complete.
func (c *column[T]) addAll(values []T) error {
	for _, v := range values {
		if err := c.add(v); err != nil {
			return err
		}
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
	err = c.sink(c.name, c.chunk, data)
	c.chunk++
	c.values = c.values[:0]
	return err
}

// codedColumn is a column of codes and its dictionary. Code 0 is the missing word.
type codedColumn struct {
	column[uint32]
	codes  map[string]uint32
	words  []byte // by code, each after its length
	sorted bool   // the codes are written by their words, too
}

func newCodedColumn(name string, sorted bool, sink Sink) *codedColumn {
	codes := map[string]uint32{"": 0}
	return &codedColumn{column[uint32]{name: name, sink: sink}, codes, protowire.AppendString(nil, ""), sorted}
}

// code returns the code of a word.
func (c *codedColumn) code(word []byte) uint32 {
	code, ok := c.codes[string(word)]
	if !ok {
		code = uint32(len(c.codes))
		c.codes[string(word)] = code
		c.words = protowire.AppendBytes(c.words, word)
	}
	return code
}

func (c *codedColumn) finish() error {
	if err := cmp.Or(c.column.finish(), c.sink(c.name+wordsSuffix, 0, c.words)); err != nil || !c.sorted {
		return err
	}
	codes := make([]uint32, 0, len(c.codes))
	for _, word := range slices.Sorted(maps.Keys(c.codes)) {
		codes = append(codes, c.codes[word])
	}
	data, err := binary.Append(nil, binary.LittleEndian, codes)
	return cmp.Or(err, c.sink(c.name+sortedSuffix, 0, data))
}

// Search texts and records stand in blocks of so many rows: as few as are read for one of them.
const (
	rowsABlock   = 16
	blocksAChunk = ChunkRows / rowsABlock
)

// textColumn is the search texts: a chunk holds those of its rows one after the other. Other
// columns say where each block of them begins, and which trigrams and runs they have.
type textColumn struct {
	sink     Sink
	trigrams *trigramColumn
	letters  *letterColumn
	starts   []uint32 // of the blocks of the chunk
	data     []byte
	row      int // in the chunk
	chunk    int
	// writing is of a chunk, while the next one is filled: trigrams are a quarter of an update's CPU.
	writing errgroup.Group
}

func newTextColumn(sink Sink) *textColumn {
	c := &textColumn{sink: sink, trigrams: newTrigramColumn(sink), letters: newLetterColumn(sink)}
	c.writing.SetLimit(1)
	return c
}

func (c *textColumn) add(texts []byte) error {
	if c.row%rowsABlock == 0 {
		c.starts = append(c.starts, uint32(len(c.data)))
	}
	c.data = append(append(c.data, texts...), rowEnd)
	if c.row++; c.row == ChunkRows {
		c.put()
	}
	return nil
}

// finish writes the texts that were not written yet.
func (c *textColumn) finish() error {
	if c.row > 0 {
		c.put()
	}
	return cmp.Or(c.writing.Wait(), c.letters.finish())
}

func (c *textColumn) put() {
	data, starts, chunk := c.data, append(c.starts, uint32(len(c.data))), c.chunk
	c.data, c.starts, c.row, c.chunk = make([]byte, 0, len(data)), nil, 0, chunk+1
	c.writing.Go(func() error {
		packed, err := binary.Append(nil, binary.LittleEndian, starts)
		err = cmp.Or(err, c.sink(columnSearch, chunk, data), c.sink(columnStarts, chunk, packed))
		for row := 0; len(data) > 0; row++ {
			var texts []byte
			texts, data, _ = bytes.Cut(data, []byte{rowEnd})
			c.trigrams.add(row/rowsABlock, texts)
			c.letters.add(row, texts)
		}
		return cmp.Or(err, c.trigrams.put(chunk), c.letters.put(chunk))
	})
}

// recordColumn is the records: a chunk holds those of one block, each after its length, compressed.
// S2 takes more room than zstd, but a client reads one record, and each update writes all of them.
type recordColumn struct {
	sink   Sink
	row    int
	data   []byte
	packed []byte // of the last block
}

func (c *recordColumn) add(record []byte) error {
	c.data = protowire.AppendBytes(c.data, record)
	if c.row++; c.row%rowsABlock == 0 {
		return c.finish()
	}
	return nil
}

func (c *recordColumn) finish() error {
	if len(c.data) == 0 {
		return nil
	}
	c.packed = s2.Encode(c.packed[:cap(c.packed)], c.data)
	err := c.sink(columnRecords, (c.row-1)/rowsABlock, c.packed)
	c.data = c.data[:0]
	return err
}
