package embedded

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"

	"filings/index/history"
)

// A file of a step has the chunks of its changes, one behind the other, then where they lie as gob, and in the end how long that
// is and its checksum, which ends with the magic.
const (
	stepMagic  = "changes\x02"
	stepEnd    = 4 + sumSize + len(stepMagic)
	mostOfStep = 1 << 28 // bytes of that: more is damage
)

// stepChunk is where a chunk lies in the file.
type stepChunk struct {
	history.Chunk // without Data
	At            int64
	Size, Sum     uint32
}

// stepWriter writes the file of a step.
type stepWriter struct {
	file   *os.File
	chunks []stepChunk
	at     int64
}

func (w *stepWriter) put(c history.Chunk) error {
	n, err := w.file.Write(c.Data)
	of := stepChunk{Chunk: c, At: w.at, Size: uint32(n), Sum: sumOf(c.Data)}
	of.Data = nil
	w.chunks, w.at = append(w.chunks, of), w.at+int64(n)
	return err
}

// finish writes the end and waits until the file is on the disk.
func (w *stepWriter) finish() error {
	var end bytes.Buffer
	if err := gob.NewEncoder(&end).Encode(w.chunks); err != nil {
		return err
	}
	data := end.Bytes()
	sum := sumOf(data)
	data = binary.LittleEndian.AppendUint32(data, uint32(len(data)))
	data = append(binary.LittleEndian.AppendUint32(data, sum), stepMagic...)
	_, err := w.file.Write(data)
	return errors.Join(err, w.file.Sync())
}

// readStep reads where the chunks of a step lie.
func readStep(path string) (chunks []stepChunk, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	damaged := fmt.Errorf("the end of %s: %w", path, history.ErrDamaged)
	var end [stepEnd]byte
	if size < int64(stepEnd) {
		return nil, damaged
	}
	if _, err := f.ReadAt(end[:], size-int64(stepEnd)); err != nil {
		return nil, err
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if string(end[4+sumSize:]) != stepMagic || length > min(size-int64(stepEnd), mostOfStep) {
		return nil, damaged
	}
	data := make([]byte, length)
	if _, err := f.ReadAt(data, size-int64(stepEnd)-length); err != nil {
		return nil, err
	}
	if sumOf(data) != binary.LittleEndian.Uint32(end[4:]) {
		return nil, damaged
	}
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&chunks); err != nil {
		return nil, damaged
	}
	return chunks, nil
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
