package embedded

import (
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

// errNoSums is the error of a file that has no checksums: one of an older version, or one that is damaged.
var errNoSums = errors.New("no checksums")

func sumOf(data []byte) uint32 { return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) }

// appendSums seals the file at path: behind SQLite's pages it writes a checksum of each, then the footer.
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
	sums   []byte // of the pages: half a thousandth of the file; reading one beside each page took as long as the page
	offset int64
	page   [pageSize]byte // that is read in part
}

// openPages opens a sealed file, or returns errNoSums.
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
	if string(footer[:len(magic)]) != magic {
		return nil, errNoSums
	}
	sum := footerSize - sumSize
	p = &pageFile{File: f, pages: int64(binary.LittleEndian.Uint32(footer[len(magic):]))}
	if binary.LittleEndian.Uint32(footer[sum:]) != sumOf(footer[:sum]) || info.Size() != p.pages*(pageSize+sumSize)+int64(footerSize) {
		return nil, fmt.Errorf("the end of %s: %w", path, columns.ErrDamaged)
	}
	p.sums = make([]byte, p.pages*sumSize)
	_, err = f.ReadAt(p.sums, p.pages*pageSize)
	return p, err
}

// Read implements fs.File.
func (p *pageFile) Read(b []byte) (n int, err error) {
	for n < len(b) {
		number, within := p.offset/pageSize, int(p.offset%pageSize)
		if number >= p.pages {
			return n, io.EOF
		}
		part := min(pageSize-within, len(b)-n)
		page := b[n : n+part]
		if part < pageSize {
			page = p.page[:]
		}
		if err := p.readPage(number, page); err != nil {
			return n, err
		}
		if part < pageSize {
			copy(b[n:n+part], page[within:])
		}
		n += part
		p.offset += int64(part)
	}
	return n, nil
}

// readPage reads a whole page and compares its checksum.
func (p *pageFile) readPage(number int64, page []byte) error {
	if _, err := p.ReadAt(page, number*pageSize); err != nil {
		return err
	}
	if binary.LittleEndian.Uint32(p.sums[number*sumSize:]) != sumOf(page) {
		return fmt.Errorf("page %d of %s: %w", number, p.Name(), columns.ErrDamaged)
	}
	return nil
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

// pageFiles is the file system from which SQLite reads sealed files.
type pageFiles struct{}

// Open implements fs.FS.
func (pageFiles) Open(path string) (fs.File, error) { return openPages(path) }

// registered is the name under which SQLite knows pageFiles, in the whole process and until it ends.
var registered = sync.OnceValues(func() (string, error) {
	name, _, err := vfs.New(pageFiles{})
	return name, err
})
