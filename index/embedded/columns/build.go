package columns

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"filings/index"
	"filings/index/bitset"
	"filings/index/sorter"
)

// builder lays filings out in columns: those of base, if there is one, and the changes.
type builder struct {
	ctx     context.Context
	sink    Sink
	base    *base
	changes *Changes
	log     Log
	dropped bitset.Set // the actions that later ones of the same filing made void
	rows    uint32

	ids, created *column[int64]
	coded        [len(coded)]*codedColumn
	numbers      [len(numbers)]*column[float64]
	search       *textColumn
	records      *recordColumn
	columns      []interface{ finish() error }
	orders       []*ordering
	days         bitset.Set // the rows that begin another day
	day          []byte     // of the last row that has one
	dated        int        // how many rows have one
	byID         *ordering
	ownerCodes   map[string]uint32 // of codedOwner, by the owner as written
}

// Build applies changes to the filings of old, which may be nil, writes the columns of the result
// to a Sink, and returns how many filings it has. Temporary files go into dir. Changes are built
// once.
func Build(
	ctx context.Context, old *Table, changes *Changes, log Log, sink Sink, dir string,
) (filings int64, err error) {
	b := newBuilder(ctx, old, changes, log, sink, dir)
	for _, step := range []func() error{b.settle, b.layOut, b.finishColumns, b.writeOrders} {
		if err == nil {
			err = step()
		}
	}
	for _, o := range append(b.orders, b.byID) {
		err = errors.Join(err, o.sorter.Close())
	}
	return int64(b.rows), err
}

func newBuilder(ctx context.Context, old *Table, changes *Changes, log Log, sink Sink, dir string) *builder {
	b := &builder{
		ctx: ctx, sink: sink, base: newBase(old), changes: changes, log: log,
		ids:        newColumn[int64](columnID, sink),
		created:    newColumn[int64](columnCreated, sink),
		search:     newTextColumn(sink),
		records:    &recordColumn{sink: sink},
		byID:       newOrdering(index.Sort{}, dir),
		ownerCodes: map[string]uint32{},
	}
	b.columns = append(b.columns, b.ids, b.created, b.search, b.records)
	for i, c := range coded {
		b.coded[i] = newCodedColumn(c.name, isSorted(i), sink)
		b.columns = append(b.columns, b.coded[i])
	}
	for i, c := range numbers {
		b.numbers[i] = newColumn[float64](c.field.String(), sink)
		b.columns = append(b.columns, b.numbers[i])
	}
	for _, field := range index.SortFields {
		if field != index.DefaultSort.Field {
			b.orders = append(b.orders, newOrdering(index.Sort{Field: field, Ascending: true}, dir))
		}
	}
	return b
}

// settle finds out which actions count, and which filings of base they replace or remove.
func (b *builder) settle() error {
	b.dropped = bitset.New(int(b.changes.actions) + 1)
	var last int64
	var previous uint64
	var find finder
	if b.base != nil {
		find = finder{t: b.base.Table, read: -1}
	}
	return b.log(b.ctx, func(id int64, action uint64) error {
		again := id == last
		last, previous, action = id, action, previous
		if again {
			b.dropped.Add(int(action))
			return nil
		}
		if b.base == nil {
			return nil
		}
		row, ok, err := find.rowOf(b.ctx, id)
		if ok {
			b.base.moved[row] = gone
		}
		return err
	})
}

// layOut gives each filing its row: base and the filings that were put are in the default order, as
// rows are.
func (b *builder) layOut() error {
	var v storedValues
	var old baseRow
	return merged(b.ctx, b.changes.sorted, b.base.rowsNow(b.ctx, &old), func(key, data []byte) error {
		if b.rows == gone {
			return fmt.Errorf("more than %d filings", b.rows)
		}
		if data == nil {
			b.base.moved[old.row] = b.rows
			return b.addRow(&old.values, old.record)
		}
		if b.dropped.Has(int(binary.BigEndian.Uint64(key[len(key)-8:]))) {
			return nil
		}
		record, err := v.read(data)
		if err != nil {
			return err
		}
		return cmp.Or(b.addToOrders(&v), b.addRow(&v, record))
	})
}

func (b *builder) addRow(v *storedValues, record []byte) error {
	if b.rows%64 == 0 {
		b.days = append(b.days, 0)
	}
	if day := v.words[codedDate]; len(day) > 0 {
		if b.dated++; string(day) != string(b.day) {
			b.days.Add(int(b.rows))
			b.day = append(b.day[:0], day...)
		}
	}
	owner := b.ownerCode(v.words[codedOwner])
	for i, word := range v.words {
		code := owner
		if i != codedOwner {
			code = b.coded[i].code(word)
		}
		if err := b.coded[i].add(code); err != nil {
			return err
		}
	}
	for i, number := range v.numbers {
		if err := b.numbers[i].add(number); err != nil {
			return err
		}
	}
	b.rows++
	return cmp.Or(b.ids.add(v.id), b.created.add(v.created), b.search.add(v.search), b.records.add(record))
}

// ownerCode returns the code of an owner's word, which has the key only in base. The key is made
// once for each writing.
func (b *builder) ownerCode(word []byte) uint32 {
	key, written, known := bytes.Cut(word, []byte(valueEnd))
	if !known {
		written = word
	}
	code, hasCode := b.ownerCodes[string(written)]
	if !hasCode {
		if !known {
			key = []byte(index.OwnerKeyOf(string(written)))
		}
		if word = nil; len(key) > 0 {
			word = slices.Concat(key, []byte(valueEnd), written)
		}
		code = b.coded[codedOwner].code(word)
		b.ownerCodes[string(written)] = code
	}
	return code
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
	key := binary.BigEndian.AppendUint64(buffer[:0], uint64(v.id))
	return b.byID.sorter.Add(binary.BigEndian.AppendUint32(key, b.rows), nil)
}

func (b *builder) finishColumns() (err error) {
	for _, c := range b.columns {
		err = cmp.Or(err, c.finish())
	}
	return err
}

// writeOrders writes the orders, two of each field but the one that rows are numbered by.
func (b *builder) writeOrders() error {
	group, ctx := errgroup.WithContext(b.ctx)
	group.SetLimit(ordersAtOnce)
	group.Go(func() error { return b.writeByID(ctx) })
	group.Go(func() error {
		rows := make([]uint32, b.rows)
		for i := range rows {
			rows[i] = uint32(i)
		}
		return b.putReversed(index.Sort{Field: index.FilingDate, Ascending: true}, rows, b.days, b.dated)
	})
	for _, o := range b.orders {
		group.Go(func() error { return b.writeOrder(ctx, o) })
	}
	return group.Wait()
}

// sortBuffer is how much a sorter holds in memory. Seven of them work at a time. At 2 MiB a billion
// bytes make 500 runs, which are still merged in one pass.
const sortBuffer = 2 << 20

// Log visits the actions of Changes by the ids of their filings, those of one filing in their order.
// An action is its number among all of them, from 1 on.
type Log func(ctx context.Context, visit func(id int64, action uint64) error) error

// Changes are the filings that were put, in any order, until Build lays them out with the log of
// the actions. Of a filing the last action counts. Changes have to be closed.
type Changes struct {
	actions uint64
	sorted  *sorter.Sorter // stored values and records in the default order; keys end with the number of the action

	row        storedValues // of the last filing, for its row key
	key, value []byte       // of sorted, for the last filing
}

// NewChanges returns Changes with nothing in them. Temporary files go into dir.
func NewChanges(dir string) *Changes {
	return &Changes{sorted: sorter.New(dir, sortBuffer)}
}

// Put puts a filing, of which d is derived, and a record in any form.
func (c *Changes) Put(f *index.Filing, d *index.Derived, record []byte) error {
	c.row.id, c.row.words[codedDate] = f.ID, append(c.row.words[codedDate][:0], f.Text(index.FilingDate)...)
	key, err := appendRowKey(c.key[:0], &c.row)
	if err != nil {
		return err
	}
	c.actions++
	c.key = binary.BigEndian.AppendUint64(key, c.actions)
	c.value = append(appendValues(c.value[:0], f, d), record...)
	return c.sorted.Add(c.key, c.value)
}

// Remove counts the removal of a filing: which one the log says.
func (c *Changes) Remove() { c.actions++ }

// Close gives up memory and file. It may be called again.
func (c *Changes) Close() error { return c.sorted.Close() }
