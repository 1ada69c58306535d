package columns

import (
	"encoding/binary"
	"errors"
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
