package sorter

import (
	"bufio"
	"bytes"
	"container/heap"
	"encoding/binary"
	"io"
	"os"
)

// merge calls visit for every item of the sorted runs in file, given where each of them ends, in the order of the keys.
// An item is valid until visit returns: its run is read on into the same memory.
func merge(file *os.File, ends []int64, visit func(key, value []byte) error) error {
	var unread runs
	start := int64(0)
	for _, end := range ends {
		r := &run{from: bufio.NewReaderSize(io.NewSectionReader(file, start, end-start), 1<<14)}
		start = end
		if err := r.advance(); err == nil {
			unread = append(unread, r)
		} else if err != io.EOF { // of an empty run
			return err
		}
	}
	heap.Init(&unread)
	for len(unread) > 0 {
		if err := visit(unread[0].key, unread[0].value); err != nil {
			return err
		}
		switch err := unread[0].advance(); err {
		case nil:
			heap.Fix(&unread, 0)
		case io.EOF:
			heap.Pop(&unread)
		default:
			return err
		}
	}
	return nil
}

// run is one run of a Sorter and its next item.
type run struct {
	from       *bufio.Reader
	key, value []byte
}

// advance reads the next item; io.EOF after the last.
func (r *run) advance() (err error) {
	if r.key, err = read(r.from, r.key); err != nil {
		return err
	}
	if r.value, err = read(r.from, r.value); err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// read reads a length and as many bytes into buffer, which it replaces if it is too small; io.EOF
// where nothing is left.
func read(from *bufio.Reader, buffer []byte) ([]byte, error) {
	n, err := binary.ReadUvarint(from)
	if err != nil {
		return nil, err
	}
	if uint64(cap(buffer)) < n {
		buffer = make([]byte, n)
	}
	buffer = buffer[:n]
	if _, err = io.ReadFull(from, buffer); err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return buffer, err
}

// runs is a heap of runs by their next key.
type runs []*run

func (h runs) Len() int           { return len(h) }
func (h runs) Less(i, j int) bool { return bytes.Compare(h[i].key, h[j].key) < 0 }
func (h runs) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *runs) Push(any)          { panic("runs are only taken out") }
func (h *runs) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
