package columns

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"

	"filings/index"
	"filings/index/sorter"
)

// sortBuffer is how much a sorter holds in memory. Ten of them work at a time. At 2 MiB a billion bytes make 500 runs,
// which are still merged in one pass.
const sortBuffer = 2 << 20

// builder lays the stored values of filings out in columns.
type builder struct {
	ctx    context.Context
	rows   uint32
	sorted *sorter.Sorter // the stored values in the default order

	ids, created *column[int64]
	coded        [len(coded)]*codedColumn
	numbers      [len(numbers)]*column[float64]
	search       *textColumn
	records      *recordColumn
	orders       []*ordering
	columns      []interface{ finish() error } // all but those of the orders
	counter      counter
}

// ordering collects the rows in one order. Its sorter's keys are sort keys, each with the row behind it.
type ordering struct {
	sort   index.Sort
	sorter *sorter.Sorter
	rows   *column[uint32]
}

// Build lays filings out in columns, which it writes to a Sink, and returns what it counted. The filings are their
// stored values and records (AppendStored), in any order, each valid until the next one. Temporary files go into dir.
func Build(ctx context.Context, filings iter.Seq2[[]byte, error], to Sink, dir string) (Stats, error) {
	b := newBuilder(ctx, to, dir)
	err := b.number(filings)
	for _, step := range []func() error{b.layOut, b.finishColumns, b.writeOrders} {
		if err == nil {
			err = step()
		}
	}
	if err = errors.Join(err, b.close()); err != nil {
		return Stats{}, err
	}
	return b.counter.total(), nil
}

func newBuilder(ctx context.Context, to Sink, dir string) *builder {
	b := &builder{
		ctx:     ctx,
		sorted:  sorter.New(dir, sortBuffer),
		ids:     newColumn[int64](columnID, to),
		created: newColumn[int64](columnCreated, to),
		search:  newTextColumn(to),
		records: newRecordColumn(to),
		counter: newCounter(),
	}
	b.columns = append(b.columns, b.ids, b.created, b.search, b.records)
	for i, c := range coded {
		b.coded[i] = newCodedColumn(c.name, to)
		b.columns = append(b.columns, b.coded[i])
	}
	for i, c := range numbers {
		b.numbers[i] = newColumn[float64](c.field.String(), to)
		b.columns = append(b.columns, b.numbers[i])
	}
	for _, s := range orders() {
		b.orders = append(b.orders, &ordering{s, sorter.New(dir, sortBuffer), newColumn[uint32](s.String(), to)})
	}
	return b
}

func (b *builder) close() error {
	err := b.sorted.Close()
	for _, o := range b.orders {
		err = errors.Join(err, o.sorter.Close())
	}
	return err
}

// number sorts the filings into the order of their rows, which is the default one.
func (b *builder) number(filings iter.Seq2[[]byte, error]) error {
	var v storedValues
	var key []byte
	n := 0
	for data, err := range filings {
		if n++; n%ChunkRows == 1 && b.ctx.Err() != nil {
			return b.ctx.Err()
		}
		if err != nil {
			return err
		}
		values, record := cutText(data)
		if record == nil {
			return ErrDamaged
		}
		if err := v.read(values); err != nil {
			return err
		}
		if key, err = appendSortKey(key[:0], &v, index.DefaultSort); err != nil {
			return err
		}
		if err := b.sorted.Add(binary.BigEndian.AppendUint64(key, ^uint64(v.id)), data); err != nil {
			return err
		}
	}
	return nil
}

// layOut gives each filing its row.
func (b *builder) layOut() error {
	var v storedValues
	err := b.sorted.Each(b.ctx, func(_, data []byte) error {
		if b.rows == math.MaxUint32 {
			return fmt.Errorf("more than %d filings", b.rows)
		}
		values, record := cutText(data)
		if err := v.read(values); err != nil {
			return err
		}
		err := errors.Join(b.addRow(&v), b.records.add(record), b.addToOrders(&v))
		b.rows++
		return err
	})
	return errors.Join(err, b.sorted.Close())
}

func (b *builder) addRow(v *storedValues) error {
	for i, word := range v.words {
		if err := b.coded[i].addWord(word); err != nil {
			return err
		}
	}
	for i, number := range v.numbers {
		if err := b.numbers[i].add(number); err != nil {
			return err
		}
	}
	b.counter.add(v)
	return errors.Join(b.ids.add(v.id), b.created.add(v.created), b.search.add(v.search))
}

func (b *builder) addToOrders(v *storedValues) error {
	var buffer [64]byte
	for _, o := range b.orders {
		key, err := appendSortKey(buffer[:0], v, o.sort)
		if err != nil {
			return err
		}
		if err := o.sorter.Add(binary.BigEndian.AppendUint32(key, b.rows), nil); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) finishColumns() (err error) {
	for _, c := range b.columns {
		err = errors.Join(err, c.finish())
	}
	return err
}

func (b *builder) writeOrders() error {
	for _, o := range b.orders {
		var owner []byte
		err := o.sorter.Each(b.ctx, func(key, _ []byte) error {
			value, row := key[:len(key)-4], key[len(key)-4:]
			if o.sort == byOwner && value[0] == keyPresent && !bytes.Equal(value, owner) {
				b.counter.owners++ // equal ones are neighbours
				owner = append(owner[:0], value...)
			}
			return o.rows.add(binary.BigEndian.Uint32(row))
		})
		if err := errors.Join(err, o.rows.finish(), o.sorter.Close()); err != nil {
			return err
		}
	}
	return nil
}

// byOwner is the order in which different owners are counted.
var byOwner = index.Sort{By: index.Owner, Ascending: true}
