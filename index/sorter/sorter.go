// Package sorter sorts any number of items by their keys in a fixed amount of memory: items that
// don't fit are written to a file in sorted runs, which are merged in the end (an external merge
// sort). It owns that file and doesn't interpret the items; keys are compared as bytes.
package sorter

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"google.golang.org/protobuf/encoding/protowire"

	"filings/index/wire"
)

// Sorter collects items and sorts them. Items are added one by one, before the first ones are read.
type Sorter struct {
	dir   string
	limit int    // bytes in memory
	arena []byte // the items as they are written to the file: length and bytes of the key, then of the value
	items []item
	file  *os.File     // has no name, so that nothing is left behind; nil before the first run
	ends  []int64      // where each run ends in file
	sorts func() error // the items in memory, once, or writes them as the last run
}

// item is an item in the arena. prefix is the start of its key, which decides most comparisons. It
// is as small as that: an order of filings has an item for each.
type item struct {
	prefix     uint64
	start, end uint32
}

// New returns an empty Sorter that holds limit bytes in memory, and the others in a file in dir.
func New(dir string, limit int) *Sorter {
	s := &Sorter{dir: dir, limit: limit}
	s.sorts = sync.OnceValue(func() (err error) {
		if s.file == nil {
			s.sort()
			return nil
		}
		err = s.spill()
		s.arena, s.items = nil, nil
		return err
	})
	return s
}

// Add takes a copy of an item.
func (s *Sorter) Add(key, value []byte) error {
	if len(s.items) > 0 && len(s.arena)+len(key)+len(value)+2*binary.MaxVarintLen32 > s.limit {
		if err := s.spill(); err != nil {
			return err
		}
	}
	var prefix [8]byte
	copy(prefix[:], key)
	start := len(s.arena)
	s.arena = protowire.AppendBytes(protowire.AppendBytes(s.arena, key), value)
	s.items = append(s.items, item{binary.BigEndian.Uint64(prefix[:]), uint32(start), uint32(len(s.arena))})
	return nil
}

func (s *Sorter) sort() {
	slices.SortFunc(s.items, func(a, b item) int {
		if c := cmp.Compare(a.prefix, b.prefix); c != 0 {
			return c
		}
		x, _ := protowire.ConsumeBytes(s.arena[a.start:])
		y, _ := protowire.ConsumeBytes(s.arena[b.start:])
		return bytes.Compare(x, y)
	})
}

// spill writes the items in memory to the file, as its next run.
func (s *Sorter) spill() (err error) {
	if s.file == nil {
		if s.file, err = Nameless(s.dir); err != nil {
			return err
		}
	}
	s.sort()
	w := bufio.NewWriterSize(s.file, 1<<16)
	for _, i := range s.items {
		_, _ = w.Write(s.arena[i.start:i.end]) // Flush returns the first error
	}
	if err := w.Flush(); err != nil {
		return err
	}
	end, err := s.file.Seek(0, io.SeekCurrent)
	s.ends = append(s.ends, end)
	s.arena, s.items = s.arena[:0], s.items[:0]
	return err
}

// unlinks: an open file may lose its name. On Windows it may not.
const unlinks = runtime.GOOS != "windows"

// Nameless makes a file in dir ("" for the folder of temporary files) that is gone when Discard has
// closed it, or (but on Windows) its process ends.
func Nameless(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "sort-*")
	if err != nil && dir == "" {
		return nil, fmt.Errorf("no temporary file can be made (TMPDIR names the folder for them): %w", err)
	}
	if err != nil || !unlinks {
		return f, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Unnamed returns an error of a Nameless file without the name, which nobody finds.
func Unnamed(err error) error {
	if named := (*fs.PathError)(nil); errors.As(err, &named) {
		return fmt.Errorf("%s a temporary file: %w", named.Op, named.Err)
	}
	return err
}

// Discard closes a Nameless file.
func Discard(f *os.File) error {
	err := f.Close()
	if !unlinks {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// Items yields them in the order of their keys, each valid until the next one. Any number of loops
// may read them, also at the same time.
func (s *Sorter) Items(ctx context.Context) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		n := 0
		next := func(i Item, err error) bool {
			if n++; n%4096 == 1 { // a look at a context costs more than an item
				err = cmp.Or(err, ctx.Err())
			}
			return yield(i, err) && err == nil
		}
		if err := s.sorts(); err != nil {
			next(Item{}, err)
			return
		}
		if s.file != nil {
			merge(s.file, s.ends, next)
			return
		}
		for _, i := range s.items {
			r := wire.Reader{Rest: s.arena[i.start:i.end]}
			if !next(Item{r.Text(), r.Text()}, nil) {
				return
			}
		}
	}
}

// Close gives up memory and file. It may be called again.
func (s *Sorter) Close() error {
	s.arena, s.items = nil, nil
	if s.file == nil {
		return nil
	}
	err := Discard(s.file)
	s.file = nil
	return err
}

// ErrSpace: files take more than they may.
var ErrSpace = errors.New("temporary files take more than they may")

// Space is how many bytes the temporary files of a load may have at once; a nil one has no limit.
type Space struct {
	most  int64
	taken atomic.Int64
}

// NewSpace returns a Space of so many bytes; nil, which has no limit, for 0.
func NewSpace(most int64) *Space {
	if most == 0 {
		return nil
	}
	return &Space{most: most}
}

// Take takes n bytes before they are written, which Free gives back, or fails with ErrSpace.
func (s *Space) Take(n int64) error {
	if s == nil {
		return nil
	}
	if s.taken.Add(n) > s.most {
		s.taken.Add(-n)
		return fmt.Errorf("%w, %.1f GiB (FILINGS_TEMPORARY)", ErrSpace, float64(s.most)/(1<<30))
	}
	return nil
}

// Free gives back the n bytes of a file that is gone.
func (s *Space) Free(n int64) {
	if s != nil {
		s.taken.Add(-n)
	}
}
