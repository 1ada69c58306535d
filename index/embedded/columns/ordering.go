package columns

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"

	"filings/index"
	"filings/index/bitset"
	"filings/index/sorter"
)

// ordersAtOnce is how many orders are written at a time. Each takes 4 bytes a filing.
const ordersAtOnce = 2

// runBytes is how much a chunk of the runs of an order has.
const runBytes = 1 << 20

// ordering collects rows in an ascending order. Its sorter's keys are sort keys, each with the row
// after it.
type ordering struct {
	sort   index.Sort
	sorter *sorter.Sorter
}

func newOrdering(s index.Sort, dir string) *ordering {
	return &ordering{s, sorter.New(dir, sortBuffer)}
}

// writeOrder writes an order and the opposite one, in which rows that are equal keep their places
// among each other, and those without a value stay last; and the runs of rows that are equal, with
// which the next update merges.
func (b *builder) writeOrder(ctx context.Context, o *ordering) error {
	rows, starts, present := make([]uint32, 0, b.rows), bitset.New(int(b.rows)), 0
	runs := runColumn{name: o.sort.String() + runsSuffix, sink: b.sink}
	err := merged(ctx, o.sorter, b.base.order(ctx, o.sort), func(key, _ []byte) error {
		key, row := key[:len(key)-4], binary.BigEndian.Uint32(key[len(key)-4:])
		first := len(rows) == 0 || !bytes.Equal(key, runs.key)
		if first {
			starts.Add(len(rows))
		}
		if key[0] == keyPresent {
			present++
		}
		rows = append(rows, row)
		return runs.add(key, first)
	})
	if err == nil {
		err = runs.finish()
	}
	if err == nil {
		c := newColumn[uint32](o.sort.String(), b.sink)
		err = cmp.Or(c.addAll(rows), c.finish())
	}
	if err == nil {
		err = b.putReversed(index.Sort{Field: o.sort.Field}, rows, starts, present)
	}
	return err
}

// putReversed writes the opposite order of rows. starts has where a run of equal ones begins; those
// from present on have no value.
func (b *builder) putReversed(s index.Sort, rows []uint32, starts bitset.Set, present int) error {
	c := newColumn[uint32](s.String(), b.sink)
	for end := present; end > 0; {
		start := end - 1
		for !starts.Has(start) {
			start--
		}
		if err := c.addAll(rows[start:end]); err != nil {
			return err
		}
		end = start
	}
	return cmp.Or(c.addAll(rows[present:]), c.finish())
}

// runColumn writes the keys of an order, each after the number of its rows.
type runColumn struct {
	name   string
	sink   Sink
	key    []byte // of the last run
	length uint64
	chunk  int
	data   []byte
}

func (c *runColumn) add(key []byte, first bool) error {
	var err error
	if first {
		c.end()
		if len(c.data) >= runBytes {
			err = c.put()
		}
		c.key = append(c.key[:0], key...)
	}
	c.length++
	return err
}

func (c *runColumn) end() {
	if c.length > 0 {
		c.data = protowire.AppendBytes(protowire.AppendVarint(c.data, c.length), c.key)
		c.length = 0
	}
}

func (c *runColumn) put() error {
	err := c.sink(c.name, c.chunk, c.data)
	c.chunk, c.data = c.chunk+1, c.data[:0]
	return err
}

func (c *runColumn) finish() error {
	c.end()
	return c.put()
}

// writeByID writes each id with its row, by id.
func (b *builder) writeByID(ctx context.Context) error {
	var firsts []int64
	var pairs []byte
	n := 0
	put := func() error {
		err := b.sink(columnByID, (n-1)/ChunkRows, pairs)
		pairs = pairs[:0]
		return err
	}
	err := merged(ctx, b.byID.sorter, b.base.ids(ctx), func(key, _ []byte) error {
		id := binary.BigEndian.Uint64(key)
		if n%idsABlock == 0 {
			firsts = append(firsts, int64(id))
		}
		pairs = binary.LittleEndian.AppendUint64(pairs, id)
		pairs = binary.LittleEndian.AppendUint32(pairs, binary.BigEndian.Uint32(key[8:]))
		if n++; n%ChunkRows == 0 {
			return put()
		}
		return nil
	})
	if err == nil && len(pairs) > 0 {
		err = put()
	}
	if err != nil {
		return err
	}
	data, err := binary.Append(nil, binary.LittleEndian, firsts)
	if err == nil {
		err = b.sink(columnFirstIDs, 0, data)
	}
	return err
}
