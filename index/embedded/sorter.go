package embedded

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"io"
	"os"
	"slices"
)

// sortBuffer is how much a sorter holds in memory. Ten of them work at a time. At 2 MiB a billion bytes make 500 runs,
// which are still merged in one pass.
const sortBuffer = 2 << 20

// sorter sorts any number of items by their keys in a fixed amount of memory: what does not fit is written to a file in
// sorted runs, which are merged in the end.
type sorter struct {
	dir   string
	limit int    // bytes in memory
	arena []byte // key and value of each item, each behind its length
	items []sortItem
	file  *os.File // has no name, so that nothing is left behind; nil before the first run
	ends  []int64  // where each run ends in file
}

// sortItem is an item in the arena. prefix is the start of its key, which settles most comparisons.
type sortItem struct {
	prefix  uint64
	at, end uint32
}

func newSorter(dir string, limit int) *sorter { return &sorter{dir: dir, limit: limit} }

// add takes a copy of an item.
func (s *sorter) add(key, value []byte) error {
	if size := len(key) + len(value) + 2*binary.MaxVarintLen32; len(s.items) > 0 && len(s.arena)+size > s.limit {
		if err := s.spill(); err != nil {
			return err
		}
	}
	at := len(s.arena)
	s.arena = appendText(appendText(s.arena, key), value)
	var head [8]byte
	copy(head[:], key)
	s.items = append(s.items, sortItem{binary.BigEndian.Uint64(head[:]), uint32(at), uint32(len(s.arena))})
	return nil
}

func (s *sorter) sort() {
	slices.SortFunc(s.items, func(a, b sortItem) int {
		if c := cmp.Compare(a.prefix, b.prefix); c != 0 {
			return c
		}
		x, _ := cutText(s.arena[a.at:])
		y, _ := cutText(s.arena[b.at:])
		return bytes.Compare(x, y)
	})
}

// spill writes what is in memory to the file, as its next run.
func (s *sorter) spill() (err error) {
	if s.file == nil {
		if s.file, err = nameless(s.dir); err != nil {
			return err
		}
	}
	s.sort()
	w := bufio.NewWriterSize(s.file, 1<<16)
	for _, item := range s.items {
		_, _ = w.Write(s.arena[item.at:item.end]) // Flush returns the first error
	}
	s.ends = append(s.ends, s.size()+int64(len(s.arena)))
	s.arena, s.items = s.arena[:0], s.items[:0]
	return w.Flush()
}

// size returns how much was written to the file.
func (s *sorter) size() int64 {
	if len(s.ends) == 0 {
		return 0
	}
	return s.ends[len(s.ends)-1]
}

// nameless makes a file in dir that is gone when it is closed, or its process ends.
func nameless(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "sort-*")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}

// each calls visit for every item in the order of the keys, once; then the sorter is empty for good. key and value are
// valid during the call only.
func (s *sorter) each(ctx context.Context, visit func(key, value []byte) error) error {
	next := s.fromMemory
	if s.file != nil {
		if err := s.spill(); err != nil {
			return err
		}
		s.arena, s.items = nil, nil
		merged, err := newMerge(s.file, s.ends)
		if err != nil {
			return err
		}
		next = merged.next
	} else {
		s.sort()
	}
	for n := 0; ; n++ {
		if n%4096 == 0 && ctx.Err() != nil { // a look at a context costs more than an item
			return ctx.Err()
		}
		key, value, err := next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := visit(key, value); err != nil {
			return err
		}
	}
}

// fromMemory returns the next item of those that never left memory; io.EOF after the last.
func (s *sorter) fromMemory() (key, value []byte, err error) {
	if len(s.items) == 0 {
		return nil, nil, io.EOF
	}
	key, rest := cutText(s.arena[s.items[0].at:])
	value, _ = cutText(rest)
	s.items = s.items[1:]
	return key, value, nil
}

// close gives up memory and file. It may be called again.
func (s *sorter) close() error {
	s.arena, s.items = nil, nil
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return err
}
