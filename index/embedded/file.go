package embedded

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"slices"
	"sync"

	"filings/index/embedded/columns"
)

// A file has chunks, one after the other, each of a section that has a name; then its contents,
// which say where they are; then a checksum of each blockSize bytes of all that; then a footer.
//
// A reader checks the blocks that it reads, so a read of a few bytes costs little more than they
// do. Checksums take a thousandth of the file.
const (
	blockSize = 4096
	sumSize   = 4 // CRC-32C, little-endian

	magic = "filings\x03"
	// The footer: magic, bytes before the checksums, bytes of the contents, checksum of the
	// checksums, checksum of the footer.
	footerSize = len(magic) + 8 + 8 + sumSize + sumSize
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sumOf(data []byte) uint32 { return crc32.Checksum(data, castagnoli) }

// section says where the chunks of a section begin and end.
type section struct{ Starts, Ends []int64 }

// fileWriter writes a file. It is safe for concurrent use.
type fileWriter struct {
	mu       sync.Mutex
	file     *os.File
	buffered *bufio.Writer
	size     int64
	sum      uint32 // of the block that is not whole yet
	sums     []byte
	sections map[string]section
}

// createFile makes the file at path anew.
func createFile(path string) (*fileWriter, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	return &fileWriter{file: f, buffered: bufio.NewWriterSize(f, 1<<18), sections: map[string]section{}}, nil
}

// put appends a chunk of a section, whose chunks come in their order. It is a columns.Sink.
func (w *fileWriter) put(name string, chunk int, data []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.sections[name]
	if chunk != len(s.Starts) {
		return fmt.Errorf("chunk %d of %s comes after %d others", chunk, name, len(s.Starts))
	}
	start := w.size
	err := w.write(data)
	w.sections[name] = section{append(s.Starts, start), append(s.Ends, w.size)}
	return err
}

func (w *fileWriter) write(data []byte) error {
	_, err := w.buffered.Write(data)
	for len(data) > 0 {
		n := min(len(data), blockSize-int(w.size%blockSize))
		w.sum = crc32.Update(w.sum, castagnoli, data[:n])
		data = data[n:]
		if w.size += int64(n); w.size%blockSize == 0 {
			w.endBlock()
		}
	}
	return err
}

func (w *fileWriter) endBlock() {
	w.sums = binary.LittleEndian.AppendUint32(w.sums, w.sum)
	w.sum = 0
}

// finish writes the contents and the footer, waits until all is on the disk, and closes the file.
func (w *fileWriter) finish() error {
	var contents bytes.Buffer
	if err := gob.NewEncoder(&contents).Encode(w.sections); err != nil {
		return err
	}
	if err := w.write(contents.Bytes()); err != nil {
		return err
	}
	if w.size%blockSize > 0 {
		w.endBlock()
	}
	footer := binary.LittleEndian.AppendUint64([]byte(magic), uint64(w.size))
	footer = binary.LittleEndian.AppendUint64(footer, uint64(contents.Len()))
	footer = binary.LittleEndian.AppendUint32(footer, sumOf(w.sums))
	footer = binary.LittleEndian.AppendUint32(footer, sumOf(footer))
	_, err := w.buffered.Write(append(w.sums, footer...))
	return cmp.Or(err, w.buffered.Flush(), w.file.Sync(), w.file.Close())
}

// close gives the file up, unless it is finished.
func (w *fileWriter) close() { _ = w.file.Close() }

// file is a finished file that is open for reading, until it is closed or in use no more. It is
// safe for concurrent use.
type file struct {
	*os.File
	size     int64 // of the chunks and the contents
	sums     []byte
	sections map[string]section
}

// openFile opens the file at path.
func openFile(path string) (_ *file, err error) {
	opened, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	f := &file{File: opened}
	if err = f.readContents(); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return f, nil
}

func (f *file) readContents() error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	damaged := fmt.Errorf("the end of %s: %w", f.Name(), columns.ErrDamaged)
	var footer [footerSize]byte
	if info.Size() < int64(footerSize) {
		return damaged
	}
	if err := f.readFull(footer[:], info.Size()-int64(footerSize)); err != nil {
		return err
	}
	signed, numbers := footer[:footerSize-sumSize], footer[len(magic):]
	f.size = int64(binary.LittleEndian.Uint64(numbers))
	length := int64(binary.LittleEndian.Uint64(numbers[8:]))
	sums := (f.size + blockSize - 1) / blockSize * sumSize
	if binary.LittleEndian.Uint32(footer[len(signed):]) != sumOf(signed) || string(signed[:len(magic)]) != magic ||
		info.Size() != f.size+sums+int64(footerSize) {
		return damaged
	}
	f.sums = make([]byte, sums)
	if err := f.readFull(f.sums, f.size); err != nil {
		return err
	}
	if sumOf(f.sums) != binary.LittleEndian.Uint32(numbers[16:]) {
		return damaged
	}
	contents, err := f.read(f.size-length, f.size)
	if err != nil {
		return err
	}
	if err := gob.NewDecoder(bytes.NewReader(contents)).Decode(&f.sections); err != nil {
		return fmt.Errorf("%w: %w", damaged, err)
	}
	return nil
}

// readFull fills data with the bytes of the file at a position.
func (f *file) readFull(data []byte, position int64) error {
	_, err := f.ReadAt(data, position)
	switch {
	case errors.Is(err, os.ErrClosed):
		return err
	case err != nil: // the file is shorter than it was, or the disk fails
		return fmt.Errorf("%w: %w", columns.ErrDamaged, err)
	}
	return nil
}

// read returns the bytes of the file from one position to before another, if they are unchanged.
func (f *file) read(start, end int64) ([]byte, error) {
	first := start / blockSize
	data := make([]byte, min((end+blockSize-1)/blockSize*blockSize, f.size)-first*blockSize)
	if err := f.readFull(data, first*blockSize); err != nil {
		return nil, err
	}
	sums := f.sums[first*sumSize:]
	for block := range slices.Chunk(data, blockSize) {
		if sumOf(block) != binary.LittleEndian.Uint32(sums) {
			return nil, fmt.Errorf("bytes %d to %d of %s: %w", start, end, f.Name(), columns.ErrDamaged)
		}
		sums = sums[sumSize:]
	}
	return data[start-first*blockSize:][:end-start], nil
}

// chunk is the columns.Source of the file.
func (f *file) chunk(ctx context.Context, name string, chunk, first, end int) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := f.sections[name]
	if chunk >= len(s.Starts) {
		return nil, fmt.Errorf("%s has no chunk %d of %s: %w", f.Name(), chunk, name, columns.ErrDamaged)
	}
	chunkStart, chunkEnd := s.Starts[chunk], s.Ends[chunk]
	if end < 0 {
		end = int(chunkEnd - chunkStart)
	}
	if first > end || int64(end) > chunkEnd-chunkStart {
		return nil, fmt.Errorf("%s, chunk %d of %s: %w", f.Name(), chunk, name, columns.ErrDamaged)
	}
	return f.read(chunkStart+int64(first), chunkStart+int64(end))
}

// chunks is the sidecar.Source of the file.
func (f *file) chunks(ctx context.Context, section string, chunks []int) (read [][]byte, err error) {
	for _, chunk := range chunks {
		data, err := f.chunk(ctx, section, chunk, 0, -1)
		if err != nil {
			return nil, err
		}
		read = append(read, data)
	}
	return read, nil
}

// putValue writes a value as the only chunk of a section; value reads it.
func (w *fileWriter) putValue(name string, v any) error {
	var data bytes.Buffer
	if err := gob.NewEncoder(&data).Encode(v); err != nil {
		return err
	}
	return w.put(name, 0, data.Bytes())
}

func (f *file) value(name string, v any) error {
	data, err := f.chunk(context.Background(), name, 0, 0, -1)
	if err != nil {
		return err
	}
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(v); err != nil {
		return fmt.Errorf("%s of %s: %w: %w", name, f.Name(), columns.ErrDamaged, err)
	}
	return nil
}
