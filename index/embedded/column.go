package embedded

import (
	"database/sql"
	"encoding/binary"
	"hash/crc32"
)

// chunkRows is how many rows a chunk of a column holds: a multiple of 64, so that chunks are whole words of a bitset;
// large enough for long loops, small enough to be read (half a megabyte, search texts three) while somebody waits. Search
// texts of 16 kB a filing would make a chunk that SQLite refuses, and so fail the load.
const chunkRows = 1 << 16

// Names of columns that belong to no field.
const (
	columnID      = "id"
	columnCreated = "createdAt"
	columnSearch  = "search"
	columnEnds    = "search ends" // of each row, in the chunk of columnSearch
	wordsSuffix   = " words"      // the dictionary of a coded column
)

// value is what columns hold: codes, rows and lengths; instants and ids; numbers.
type value interface{ uint32 | int64 | float64 }

// chunkWriter writes chunks into a file that is being built.
type chunkWriter struct{ insert *sql.Stmt }

// put writes a chunk and its checksum. data may be used again.
func (w chunkWriter) put(name string, chunk int, data []byte) error {
	_, err := w.insert.Exec(name, chunk, data, checksum(data))
	return err
}

// checksum guards what is read into columns, where a wrong bit would be a wrong answer.
func checksum(data []byte) uint32 { return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) }

// column collects the values of a column and writes them by the chunk.
type column[T value] struct {
	name   string
	to     chunkWriter
	chunk  int
	values []T
}

// newColumn returns an empty column.
func newColumn[T value](name string, to chunkWriter) *column[T] {
	return &column[T]{name: name, to: to}
}

// add appends a value and tells whether that completed a chunk.
func (c *column[T]) add(v T) (full bool, err error) {
	c.values = append(c.values, v)
	if len(c.values) < chunkRows {
		return false, nil
	}
	return true, c.flush()
}

// flush writes the values that were not written yet.
func (c *column[T]) flush() error {
	if len(c.values) == 0 {
		return nil
	}
	data, err := binary.Append(nil, binary.LittleEndian, c.values)
	if err != nil {
		return err
	}
	if err := c.to.put(c.name, c.chunk, data); err != nil {
		return err
	}
	c.chunk++
	c.values = c.values[:0]
	return nil
}

// codedColumn is a column of codes and its dictionary. Code 0 is the missing word.
type codedColumn struct {
	*column[uint32]
	codes map[string]uint32
	words []byte // by code, each behind its length
}

func newCodedColumn(name string, to chunkWriter) *codedColumn {
	return &codedColumn{newColumn[uint32](name, to), map[string]uint32{"": 0}, appendText(nil, "")}
}

// addWord appends a word and returns its code.
func (c *codedColumn) addWord(word []byte) (uint32, error) {
	code, ok := c.codes[string(word)]
	if !ok {
		code = uint32(len(c.codes))
		c.codes[string(word)] = code
		c.words = appendText(c.words, word)
	}
	_, err := c.add(code)
	return code, err
}

// dictionary returns the words by their codes.
func (c *codedColumn) dictionary() []string { return splitTexts(c.words) }

func (c *codedColumn) finish() error {
	if err := c.flush(); err != nil {
		return err
	}
	return c.to.put(c.name+wordsSuffix, 0, c.words)
}

// textColumn is the search texts: a chunk holds those of its rows one behind the other, another column where they end.
type textColumn struct {
	ends *column[uint32]
	data []byte
}

func newTextColumn(to chunkWriter) *textColumn {
	return &textColumn{ends: newColumn[uint32](columnEnds, to), data: []byte{}} // nil would be NULL
}

func (c *textColumn) add(texts []byte) error {
	c.data = append(c.data, texts...)
	chunk := c.ends.chunk
	full, err := c.ends.add(uint32(len(c.data)))
	if !full || err != nil {
		return err
	}
	return c.put(chunk)
}

func (c *textColumn) put(chunk int) error {
	data := c.data
	c.data = c.data[:0]
	return c.ends.to.put(columnSearch, chunk, data)
}

func (c *textColumn) finish() error {
	if len(c.ends.values) == 0 {
		return nil
	}
	chunk := c.ends.chunk
	if err := c.ends.flush(); err != nil {
		return err
	}
	return c.put(chunk)
}
