package columns

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"golang.org/x/sync/errgroup"

	"filings/index"
	"filings/index/sidecar"
)

// builder lays filings out in columns: those of a table that is built from, if there is one, and what changes in it.
type builder struct {
	ctx     context.Context
	to      Sink
	base    *Table // nil for none
	changes *Changes
	moved   []uint32 // by row of base: its row now, or gone
	dropped bitset   // the actions that later ones of the same filing made void
	rows    uint32

	ids, created *column[int64]
	coded        [len(coded)]*codedColumn
	numbers      [len(numbers)]*column[float64]
	search       *textColumn
	records      *recordColumn
	columns      []interface{ finish() error }
	orders       []*ordering
	days         bitset // the rows that begin another day
	day          []byte // of the last row that has one
	dated        int    // how many rows have one
	byID         *ordering
	counter      counter
	owners       *sidecar.Owners
	ownerCodes   []uint32 // of codedOwner, by the writing
}

// gone marks a row of base whose filing was deleted.
const gone = math.MaxUint32

// Build lays out the filings of base, which may be nil, as changes say, in columns, which it writes to a Sink, and returns
// what it counted. Temporary files go into dir. Changes can be built once.
func Build(ctx context.Context, base *Table, changes *Changes, to Sink, dir string) (Stats, error) {
	b := newBuilder(ctx, base, changes, to, dir)
	var err error
	for _, step := range []func() error{b.settle, b.layOut, b.finishColumns, b.writeOrders} {
		if err == nil {
			err = step()
		}
	}
	for _, o := range append(b.orders, b.byID) {
		err = errors.Join(err, o.sorter.Close())
	}
	if err != nil {
		return Stats{}, err
	}
	return b.counter.total(), nil
}

func newBuilder(ctx context.Context, base *Table, changes *Changes, to Sink, dir string) *builder {
	b := &builder{
		ctx: ctx, to: to, base: base, changes: changes,
		ids:     newColumn[int64](columnID, to),
		created: newColumn[int64](columnCreated, to),
		search:  newTextColumn(to),
		records: &recordColumn{to: to},
		byID:    newOrdering(index.Sort{}, dir),
		counter: newCounter(),
		owners:  sidecar.NewOwners(),
	}
	if base != nil {
		b.moved = make([]uint32, base.rows)
	}
	b.columns = append(b.columns, b.ids, b.created, b.search, b.records)
	for i, c := range coded {
		b.coded[i] = newCodedColumn(c.name, isSorted(i), to)
		b.columns = append(b.columns, b.coded[i])
	}
	for i, c := range numbers {
		b.numbers[i] = newColumn[float64](c.field.String(), to)
		b.columns = append(b.columns, b.numbers[i])
	}
	for _, field := range index.SortFields {
		if field != index.DefaultSort.By {
			b.orders = append(b.orders, newOrdering(index.Sort{By: field, Ascending: true}, dir))
		}
	}
	return b
}

// settle finds out which actions count, and which filings of base they replace or remove.
func (b *builder) settle() error {
	b.dropped = newBitset(int(b.changes.actions) + 1)
	var last int64
	var before uint64
	find := finder{t: b.base, read: -1}
	return b.changes.byID.Each(b.ctx, func(key, _ []byte) error {
		id, action := int64(binary.BigEndian.Uint64(key)), binary.BigEndian.Uint64(key[8:])
		again := id == last
		last, before, action = id, action, before
		if again {
			b.dropped.set(int(action))
			return nil
		}
		if b.base == nil {
			return nil
		}
		row, ok, err := find.rowOf(b.ctx, id)
		if ok {
			b.moved[row] = gone
		}
		return err
	})
}

// layOut gives each filing its row: base and what was put are in the default order, which is that of the rows.
func (b *builder) layOut() error {
	var v storedValues
	var old baseRow
	return merged(b.ctx, b.changes.sorted, b.baseRows(&old), func(key, data []byte) error {
		if b.rows == gone {
			return fmt.Errorf("more than %d filings", b.rows)
		}
		if data == nil {
			b.moved[old.row] = b.rows
			return b.addRow(&old.values, old.record)
		}
		if b.dropped.has(int(binary.BigEndian.Uint64(key[len(key)-8:]))) {
			return nil
		}
		values, record := cutText(data)
		if err := v.read(values); err != nil {
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
			b.days.set(int(b.rows))
			b.day = append(b.day[:0], day...)
		}
	}
	owner := b.ownerCode(v)
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
	b.counter.add(v)
	b.rows++
	return cmp.Or(b.ids.add(v.id), b.created.add(v.created), b.search.add(v.search), b.records.add(record))
}

// ownerCode counts v for its owner, and returns the code of the owner's word, which it makes once for each writing.
func (b *builder) ownerCode(v *storedValues) uint32 {
	facts := v.facts()
	writing := b.owners.Add(facts)
	if writing < 0 {
		return 0
	}
	if writing == len(b.ownerCodes) {
		var word []byte
		if key := b.owners.Key(writing); key != "" {
			word = append(append([]byte(key), valueEnd...), facts.Owner...)
		}
		b.ownerCodes = append(b.ownerCodes, b.coded[codedOwner].code(word))
	}
	return b.ownerCodes[writing]
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
	group.Go(func() error { return b.owners.Write(sidecar.Sink(b.to)) })
	group.Go(func() error {
		rows := make([]uint32, b.rows)
		for i := range rows {
			rows[i] = uint32(i)
		}
		return b.putReversed(index.Sort{By: index.FilingDate, Ascending: true}, rows, b.days, b.dated)
	})
	for _, o := range b.orders {
		group.Go(func() error {
			distinct, err := b.writeOrder(ctx, o)
			if o.sort.By == index.Owner {
				b.counter.owners = int64(distinct)
			}
			return err
		})
	}
	return group.Wait()
}
