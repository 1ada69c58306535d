package embedded

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"filings/index"
	"filings/index/history"
)

// The file of a changeset has its chunks, one after the other, then a section for each, and in the end how many bytes the sections
// take and their checksum, before the magic.
const (
	changesetMagic = "changes\x03"
	changesetEnd   = 4 + sumSize + len(changesetMagic)
)

// section says what a chunk has.
type section struct {
	Last      int64 // id
	Size, Sum uint32
	Parts     index.Parts
}

// writeChangeset writes the file of a changeset, whose chunks write hands to put, and waits until it is on the disk.
func writeChangeset(path string, write func(put func(history.Chunk) error) error) (err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var sections []section
	err = write(func(c history.Chunk) error {
		sections = append(sections, section{c.Last, uint32(len(c.Data)), sumOf(c.Data), c.Parts})
		_, err := f.Write(c.Data)
		return err
	})
	if err != nil {
		return err
	}
	end, err := binary.Append(nil, binary.LittleEndian, sections)
	if err != nil {
		return err
	}
	size, sum := uint32(len(end)), sumOf(end)
	end = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(end, size), sum)
	_, err = f.Write(append(end, changesetMagic...))
	return errors.Join(err, f.Sync())
}

// readChangeset reads the first n chunks that have changes with a higher id than after in one of these parts.
func readChangeset(path string, after int64, parts index.Parts, n int) (chunks [][]byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sections, err := readSections(f)
	if err != nil {
		return nil, err
	}
	at := int64(0)
	for _, s := range sections {
		if s.Last > after && s.Parts&parts != 0 && len(chunks) < n {
			data := make([]byte, s.Size)
			if _, err := f.ReadAt(data, at); err != nil {
				return nil, err
			}
			if sumOf(data) != s.Sum {
				return nil, fmt.Errorf("%d bytes at %d of %s: %w", s.Size, at, path, history.ErrDamaged)
			}
			chunks = append(chunks, data)
		}
		at += int64(s.Size)
	}
	return chunks, nil
}

func readSections(f *os.File) ([]section, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	damaged := fmt.Errorf("the end of %s: %w", f.Name(), history.ErrDamaged)
	at := info.Size() - int64(changesetEnd)
	if at < 0 {
		return nil, damaged
	}
	var end [changesetEnd]byte
	if _, err := f.ReadAt(end[:], at); err != nil {
		return nil, err
	}
	size := int64(binary.LittleEndian.Uint32(end[:]))
	if string(end[4+sumSize:]) != changesetMagic || size > at {
		return nil, damaged
	}
	data := make([]byte, size)
	if _, err := f.ReadAt(data, at-size); err != nil {
		return nil, err
	}
	sections := make([]section, len(data)/binary.Size(section{}))
	n, err := binary.Decode(data, binary.LittleEndian, sections)
	if err != nil || n != len(data) || sumOf(data) != binary.LittleEndian.Uint32(end[4:]) {
		return nil, damaged
	}
	return sections, nil
}
