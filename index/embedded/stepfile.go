package embedded

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"

	"filings/index"
	"filings/index/history"
)

// A file of a step has the chunks of its changes, one behind the other, then its contents as gob, and in the end how long these
// are and their checksum, which ends with the magic.
const (
	stepMagic  = "changes\x01"
	stepEnd    = 4 + sumSize + len(stepMagic)
	mostOfStep = 1 << 28 // bytes of contents: more is damage
)

// contents are what the file of a step says of itself.
type contents struct {
	Step   index.Step
	Whole  bool // without copies: the generations of the step are read
	Chunks []stepChunk
}

// stepChunk is where a chunk lies in the file.
type stepChunk struct {
	history.Chunk // without Data
	At            int64
	Size, Sum     uint32
}

// stepWriter writes the file of a step.
type stepWriter struct {
	file *os.File
	contents
	at int64
}

func (w *stepWriter) put(c history.Chunk) error {
	n, err := w.file.Write(c.Data)
	of := stepChunk{Chunk: c, At: w.at, Size: uint32(n), Sum: sumOf(c.Data)}
	of.Data = nil
	w.Chunks, w.at = append(w.Chunks, of), w.at+int64(n)
	return err
}

// finish writes the end and waits until the file is on the disk.
func (w *stepWriter) finish() error {
	var end bytes.Buffer
	if err := gob.NewEncoder(&end).Encode(w.contents); err != nil {
		return err
	}
	data := end.Bytes()
	sum := sumOf(data)
	data = binary.LittleEndian.AppendUint32(data, uint32(len(data)))
	data = append(binary.LittleEndian.AppendUint32(data, sum), stepMagic...)
	_, err := w.file.Write(data)
	return errors.Join(err, w.file.Sync())
}

// readContents reads the end of the file of a step.
func readContents(path string) (c contents, err error) {
	f, err := os.Open(path)
	if err != nil {
		return c, err
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return c, err
	}
	damaged := fmt.Errorf("the end of %s: %w", path, history.ErrDamaged)
	var end [stepEnd]byte
	if size < int64(stepEnd) {
		return c, damaged
	}
	if _, err := f.ReadAt(end[:], size-int64(stepEnd)); err != nil {
		return c, err
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if string(end[4+sumSize:]) != stepMagic || length > min(size-int64(stepEnd), mostOfStep) {
		return c, damaged
	}
	data := make([]byte, length)
	if _, err := f.ReadAt(data, size-int64(stepEnd)-length); err != nil {
		return c, err
	}
	if sumOf(data) != binary.LittleEndian.Uint32(end[4:]) {
		return c, damaged
	}
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&c); err != nil {
		return c, damaged
	}
	return c, nil
}

// readChunks reads chunks of the file of a step.
func readChunks(path string, chunks []stepChunk) (all [][]byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for _, c := range chunks {
		data := make([]byte, c.Size)
		if _, err := f.ReadAt(data, c.At); err != nil {
			return nil, err
		}
		if sumOf(data) != c.Sum {
			return nil, fmt.Errorf("%d bytes at %d of %s: %w", c.Size, c.At, path, history.ErrDamaged)
		}
		all = append(all, data)
	}
	return all, nil
}
