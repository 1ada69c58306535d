package embedded

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"sync"

	"modernc.org/sqlite/vfs"

	"filings/index/embedded/columns"
)

// pageSize is SQLite's page, in bytes. It holds several records; larger ones make loads in random order slower.
const pageSize = 8192

// sumSize is a checksum in a file, in bytes: CRC-32C, little-endian.
const sumSize = 4

// A footer ends a sealed file: magic, how many pages there are, and the checksum of both.
const (
	magic      = "filings\x02"
	footerSize = len(magic) + 4 + sumSize
)

func sumOf(data []byte) uint32 { return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) }

// appendSums seals the file at path: after SQLite's pages it writes a checksum of each, then the footer.
func appendSums(path string) (err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var sums []byte
	for page := make([]byte, pageSize); ; {
		if _, err = io.ReadFull(f, page); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		sums = binary.LittleEndian.AppendUint32(sums, sumOf(page))
	}
	footer := binary.LittleEndian.AppendUint32([]byte(magic), uint32(len(sums)/sumSize))
	footer = binary.LittleEndian.AppendUint32(footer, sumOf(footer))
	_, err = f.Write(append(sums, footer...))
	return err
}

// pageFile is a sealed file for reading: of its pages, those alone that are as they were written. It is not safe for
// concurrent use.
type pageFile struct {
	*os.File
	pages  int64
	sums   []byte // of the pages: half a thousandth of the file; reading one with each page took as long as the page
	offset int64
	page   [pageSize]byte // that is read in part
}

// openPages opens a sealed file.
func openPages(path string) (p *pageFile, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var footer [footerSize]byte
	if _, err = f.ReadAt(footer[:], max(info.Size()-int64(footerSize), 0)); err != nil && err != io.EOF {
		return nil, err
	}
	counted, sum := footer[:footerSize-sumSize], footer[footerSize-sumSize:]
	p = &pageFile{File: f, pages: int64(binary.LittleEndian.Uint32(counted[len(magic):]))}
	if string(counted[:len(magic)]) != magic || binary.LittleEndian.Uint32(sum) != sumOf(counted) ||
		info.Size() != p.pages*(pageSize+sumSize)+int64(footerSize) {
		return nil, fmt.Errorf("the end of %s: %w", path, columns.ErrDamaged)
	}
	p.sums = make([]byte, p.pages*sumSize)
	_, err = f.ReadAt(p.sums, p.pages*pageSize)
	return p, err
}

// Read implements fs.File, of one page at the most, as SQLite reads.
func (p *pageFile) Read(b []byte) (n int, err error) {
	number, within := p.offset/pageSize, int(p.offset%pageSize)
	if number >= p.pages {
		return 0, io.EOF
	}
	page, whole := p.page[:], within == 0 && len(b) >= pageSize
	if whole {
		page = b[:pageSize]
	}
	if _, err := p.ReadAt(page, number*pageSize); err != nil {
		return 0, err
	}
	if binary.LittleEndian.Uint32(p.sums[number*sumSize:]) != sumOf(page) {
		return 0, fmt.Errorf("page %d of %s: %w", number, p.Name(), columns.ErrDamaged)
	}
	if n = pageSize; !whole {
		n = copy(b, page[within:])
	}
	p.offset += int64(n)
	return n, nil
}

// Seek implements io.Seeker as SQLite needs it: from the start of the file.
func (p *pageFile) Seek(offset int64, _ int) (int64, error) {
	p.offset = offset
	return offset, nil
}

// Stat implements fs.File: SQLite sees its pages alone.
func (p *pageFile) Stat() (fs.FileInfo, error) {
	info, err := p.File.Stat()
	return pageInfo{info, p.pages * pageSize}, err
}

type pageInfo struct {
	fs.FileInfo
	size int64
}

func (i pageInfo) Size() int64 { return i.size }

// copyPages makes the file to, which must not be there, with the pages of the sealed file from, or empty.
func copyPages(ctx context.Context, to, from string) (err error) {
	w, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if from == "" {
		return nil
	}
	r, err := openPages(from)
	if err != nil {
		return err
	}
	defer r.Close()
	buffered := bufio.NewWriterSize(w, 1<<20)
	for page := make([]byte, pageSize); err == nil; err = cmp.Or(err, ctx.Err()) {
		if _, err = r.Read(page); err == nil {
			_, err = buffered.Write(page)
		}
	}
	if err != io.EOF {
		return err
	}
	return buffered.Flush()
}

// pageFiles is the file system from which SQLite reads sealed files.
type pageFiles struct{}

// Open implements fs.FS.
func (pageFiles) Open(path string) (fs.File, error) { return openPages(path) }

// registered is the name under which SQLite knows pageFiles, in the whole process and until it ends.
var registered = sync.OnceValues(func() (string, error) {
	name, _, err := vfs.New(pageFiles{})
	return name, err
})
