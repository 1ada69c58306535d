package reindexer

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"os"
	"slices"
	"sort"
	"time"

	"filings/index"
	"filings/index/sorter"
)

const (
	rowSize = 16  // bytes of an id and an instant
	aBlock  = 256 // rows, of which the first one's id is in memory
)

// added says when filings of the live generation were added, by id; one that was there before it and is away is not known (rule
// X19). Of half a million, 16 kB are in memory, and the others in a temporary file.
type added struct {
	file   *os.File
	firsts []int64 // id of the first row of each block
	block  []byte  // the one that was read last
	at     int     // which one that is
}

// newAdded reads fingerprints, which come by id. It has to be closed.
func newAdded(all iter.Seq2[index.Fingerprint, error]) (*added, error) {
	file, err := sorter.Nameless("")
	if err != nil {
		return nil, err
	}
	a := &added{file: file, at: -1}
	if err := a.fill(all); err != nil {
		return nil, errors.Join(err, a.close())
	}
	return a, nil
}

func (a *added) fill(all iter.Seq2[index.Fingerprint, error]) error {
	w, rows := bufio.NewWriterSize(a.file, 1<<16), 0
	for s, err := range all {
		if err != nil {
			return err
		}
		if rows%aBlock == 0 {
			a.firsts = append(a.firsts, s.ID)
		}
		rows++
		var row [rowSize]byte
		binary.LittleEndian.PutUint64(row[:], uint64(s.ID))
		binary.LittleEndian.PutUint64(row[8:], uint64(s.Created))
		_, _ = w.Write(row[:]) // Flush returns the first error
	}
	return w.Flush()
}

// of returns when the filing was added; the zero time where there was none, or nothing says when.
func (a *added) of(id int64) (time.Time, error) {
	block, first := slices.BinarySearch(a.firsts, id)
	if !first {
		block--
	}
	if block < 0 {
		return time.Time{}, nil
	}
	if block != a.at {
		a.block = slices.Grow(a.block[:0], aBlock*rowSize)[:aBlock*rowSize]
		n, err := a.file.ReadAt(a.block, int64(block*aBlock*rowSize))
		if err != nil && err != io.EOF {
			return time.Time{}, err
		}
		a.block, a.at = a.block[:n], block
	}
	rows := len(a.block) / rowSize
	row, found := sort.Find(rows, func(i int) int { return cmp.Compare(id, int64(binary.LittleEndian.Uint64(a.block[i*rowSize:]))) })
	if !found {
		return time.Time{}, nil
	}
	created := int64(binary.LittleEndian.Uint64(a.block[row*rowSize+8:]))
	if created == index.NoTime {
		return time.Time{}, nil
	}
	return time.UnixMicro(created).UTC(), nil
}

// close removes the file. It may be called on nil.
func (a *added) close() error {
	if a == nil || a.file == nil {
		return nil
	}
	return sorter.Discard(a.file)
}
