package sorter

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"encoding/binary"
	"io"
	"iter"
	"os"
)

// Item is an item of a Sorter.
type Item struct{ Key, Value []byte }

// Pairs yields the items of two sequences in their order, those that are equal together; the zero T
// stands for no item. It pulls those of few, which costs more than to range over those of many. If
// many is nil, it ranges over few.
func Pairs[T any](many, few iter.Seq2[T, error], compare func(a, b T) int) iter.Seq2[[2]T, error] {
	return func(yield func([2]T, error) bool) {
		if many == nil {
			for b, err := range few {
				if !yield([2]T{1: b}, err) {
					return
				}
			}
			return
		}
		next, stop := iter.Pull2(few)
		defer stop()
		b, failed, more := next()
		for a, err := range many {
			for more && cmp.Or(err, failed) == nil && compare(b, a) < 0 {
				if !yield([2]T{1: b}, nil) {
					return
				}
				b, failed, more = next()
			}
			if err = cmp.Or(err, failed); err != nil {
				yield([2]T{}, err)
				return
			}
			pair, equal := [2]T{a}, more && compare(b, a) == 0
			if equal {
				pair[1] = b
			}
			if !yield(pair, nil) {
				return
			}
			if equal {
				b, failed, more = next()
			}
		}
		for more && yield([2]T{1: b}, failed) && failed == nil {
			b, failed, more = next()
		}
	}
}

// merge calls next for every item of the sorted runs in file, given where each of them ends, in the
// order of the keys, or with the error of reading them, until it returns false. An item is valid
// until it returns: its run is read on into the same memory.
func merge(file *os.File, ends []int64, next func(Item, error) bool) {
	var unread runs
	start := int64(0)
	for _, end := range ends {
		r := &run{source: bufio.NewReaderSize(io.NewSectionReader(file, start, end-start), 1<<14)}
		start = end
		if err := r.advance(); err == nil {
			unread = append(unread, r)
		} else if err != io.EOF { // of an empty run
			next(Item{}, err)
			return
		}
	}
	heap.Init(&unread)
	for len(unread) > 0 && next(unread[0].Item, nil) {
		switch err := unread[0].advance(); err {
		case nil:
			heap.Fix(&unread, 0)
		case io.EOF:
			heap.Pop(&unread)
		default:
			next(Item{}, err)
			return
		}
	}
}

// run is one run of a Sorter and its next item.
type run struct {
	source *bufio.Reader
	Item
}

// advance reads the next item; io.EOF after the last.
func (r *run) advance() (err error) {
	if r.Key, err = r.read(r.Key); err != nil {
		return err
	}
	if r.Value, err = r.read(r.Value); err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// read reads a length and as many bytes into buffer, which it replaces if it is too small; io.EOF
// where nothing is left.
func (r *run) read(buffer []byte) ([]byte, error) {
	n, err := binary.ReadUvarint(r.source)
	if err != nil {
		return nil, err
	}
	if uint64(cap(buffer)) < n {
		buffer = make([]byte, n)
	}
	buffer = buffer[:n]
	if _, err = io.ReadFull(r.source, buffer); err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return buffer, err
}

// runs is a heap of runs by their next key.
type runs []*run

func (h runs) Len() int           { return len(h) }
func (h runs) Less(i, j int) bool { return bytes.Compare(h[i].Key, h[j].Key) < 0 }
func (h runs) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *runs) Push(any)          { panic("runs are only taken out") }
func (h *runs) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
