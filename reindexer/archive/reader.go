package archive

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"filings/index"
)

const (
	// longest is the longest line that is read: a manifest with the counties of a generation.
	// Records are shorter.
	longest = 32 << 20
	// maxWindow is that of Write's level, so that a damaged head takes no more memory.
	maxWindow = 8 << 20
)

// Reader reads the records of an archive as NDJSON. It ends with io.EOF only if the archive is
// complete, to its last byte, and as its manifest says.
type Reader struct {
	file     *stored
	packed   *zstd.Decoder
	scanner  *bufio.Scanner
	lines    lines
	rest     []byte // of the line that is read
	manifest *Manifest
	err      error
}

// NewReader returns a Reader of an archive. It has to be closed.
func NewReader(source io.Reader) (*Reader, error) {
	r := &Reader{file: &stored{r: source}, lines: lines{hash: sha256.New()}}
	var err error
	r.packed, err = zstd.NewReader(r.file,
		zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, err
	}
	r.scanner = bufio.NewScanner(r.packed)
	r.scanner.Buffer(make([]byte, 64<<10), longest)
	r.scanner.Split(wholeLines)
	return r, nil
}

// stored is the source of an archive. It keeps the source's error, which is no damage.
type stored struct {
	r    io.Reader
	read int64
	err  error
}

func (s *stored) Read(p []byte) (n int, err error) {
	n, err = s.r.Read(p)
	if s.read += int64(n); err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// wholeLines yields lines with their ends; the rest after the last one is a line without an end.
func wholeLines(data []byte, end bool) (n int, line []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i+1], nil
	}
	if end && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// Read implements io.Reader. Errors are ErrDamaged, with the place, and those of the source.
func (r *Reader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 && r.err == nil {
		r.err = r.next()
	}
	if len(r.rest) == 0 {
		return 0, r.err
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Close frees r's decoder. It does not close the source.
func (r *Reader) Close() { r.packed.Close() }

// Holds returns the counts of a complete archive's manifest, after it was read to its end.
func (r *Reader) Holds() index.Counts {
	if r.err != io.EOF {
		return index.NewCounts()
	}
	return r.manifest.Counts
}

// next reads the next record, or finds the end of the archive.
func (r *Reader) next() error {
	for r.scanner.Scan() {
		line := r.scanner.Bytes()
		switch {
		case r.manifest != nil:
			return r.damaged("it goes on after its manifest")
		case bytes.HasPrefix(line, []byte(sealStart)):
		case bytes.HasPrefix(line, []byte(manifestStart)):
			if err := r.compareManifest(line); err != nil {
				return err
			}
		default:
			r.lines.add(line)
			r.rest = line
			return nil
		}
	}
	switch err := r.scanner.Err(); {
	case r.file.err != nil:
		return r.file.err
	case errors.Is(err, io.ErrUnexpectedEOF), err == nil && r.manifest == nil && r.file.read > 0:
		return r.damaged("it is cut off")
	case errors.Is(err, zstd.ErrMagicMismatch) && r.lines.filings == 0, r.file.read == 0:
		return errors.New("it is no archive, which `filings generations save` makes")
	case err != nil:
		return r.damaged(err.Error())
	}
	return io.EOF
}

func (r *Reader) compareManifest(line []byte) error {
	m := Manifest{Counts: index.NewCounts()}
	err := json.Unmarshal(line, &m)
	switch {
	case err == nil && m.Archive != form:
		return fmt.Errorf("the archive has form %d, and this program reads %d: use the program that wrote it",
			m.Archive, form)
	case err != nil || m.Filings != r.lines.filings || m.Bytes != r.lines.bytes || m.SHA256 != r.lines.sum():
		return r.damaged("its manifest describes other records")
	}
	r.manifest = &m
	return nil
}

// damaged says where: before the byte that was read last.
func (r *Reader) damaged(fault string) error {
	return fmt.Errorf("%w before byte %d: %s", ErrDamaged, r.file.read, fault)
}
