package columns

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"math"
	"slices"

	"filings/index"
	"filings/index/sorter"
	"filings/index/wire"
)

// base is the table that another one is built from; nil for none.
type base struct {
	*Table
	moved []uint32 // by row: its row in the other one, or gone
}

// gone marks a row whose filing was replaced or deleted.
const gone = math.MaxUint32

func newBase(t *Table) *base {
	if t == nil {
		return nil
	}
	return &base{t, make([]uint32, t.rows)}
}

// merged calls visit for the items of s and those of base, which may be nil, in the order of their
// keys. An item of base has no value; that it has a value can be seen where it was yielded.
func merged(
	ctx context.Context, s *sorter.Sorter, base iter.Seq2[sorter.Item, error], visit func(key, value []byte) error,
) error {
	byKey := func(a, b sorter.Item) int { return bytes.Compare(a.Key, b.Key) }
	for pair, err := range sorter.Pairs(base, s.Items(ctx), byKey) { // those of an update are few
		item := pair[0] // no two are equal
		if item.Key == nil {
			item = pair[1]
		}
		if err == nil {
			err = visit(item.Key, item.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// baseRow is a row of base, as far as columns keep it: without the sort key of its owner.
type baseRow struct {
	row    int
	values storedValues
	record []byte
}

// rowsNow yields the row keys of b that are not gone, and sets row to each row before its key; nil
// without b.
func (b *base) rowsNow(ctx context.Context, row *baseRow) iter.Seq2[sorter.Item, error] {
	if b == nil {
		return nil
	}
	return func(yield func(sorter.Item, error) bool) {
		var key []byte
		err := b.eachRow(ctx, func(r *baseRow) (err error) {
			if b.moved[r.row] == gone {
				return nil
			}
			*row = *r
			if key, err = appendRowKey(key[:0], &r.values); err == nil && !yield(sorter.Item{Key: key}, nil) {
				err = errStopped
			}
			return err
		})
		if err != nil && err != errStopped {
			yield(sorter.Item{}, err)
		}
	}
}

// order yields the keys of the rows of b in an order, each with its row of now after it, without
// those that are gone; nil without b.
func (b *base) order(ctx context.Context, s index.Sort) iter.Seq2[sorter.Item, error] {
	if b == nil {
		return nil
	}
	return func(yield func(sorter.Item, error) bool) {
		var runs wire.Reader
		var key, rows []byte
		var length uint64
		fail := func(err error) { yield(sorter.Item{}, err) }
		nextRun := 0
		var buffer []byte
		for position := range b.rows {
			var err error
			if position%ChunkRows == 0 {
				rows, err = b.source(ctx, s.String(), position/ChunkRows, 0, -1)
			}
			for length == 0 && err == nil {
				if len(runs.Rest) == 0 {
					runs.Rest, err = b.source(ctx, s.String()+runsSuffix, nextRun, 0, -1)
					nextRun++
				}
				length, key = runs.Number(), runs.Text()
				if err == nil && runs.Failed {
					err = b.damaged(nextRun-1, s.String()+runsSuffix)
				}
			}
			if err == nil && len(rows) < 4 {
				err = b.damaged(position/ChunkRows, s.String())
			}
			if err != nil {
				fail(err)
				return
			}
			row := b.moved[binary.LittleEndian.Uint32(rows)]
			rows = rows[4:]
			length--
			if row == gone {
				continue
			}
			buffer = binary.BigEndian.AppendUint32(append(buffer[:0], key...), row)
			if !yield(sorter.Item{Key: buffer}, nil) {
				return
			}
		}
	}
}

// ids yields the ids of the rows of b, each with its row of now after it, without those that
// are gone; nil without b.
func (b *base) ids(ctx context.Context) iter.Seq2[sorter.Item, error] {
	if b == nil {
		return nil
	}
	return func(yield func(sorter.Item, error) bool) {
		var key []byte
		for chunk := range b.chunks() {
			pairs, err := b.source(ctx, columnByID, chunk, 0, -1)
			if err != nil {
				yield(sorter.Item{}, err)
				return
			}
			for pair := range slices.Chunk(pairs, idSize) {
				row := b.moved[binary.LittleEndian.Uint32(pair[8:])]
				if row == gone {
					continue
				}
				key = binary.BigEndian.AppendUint64(key[:0], binary.LittleEndian.Uint64(pair))
				if key = binary.BigEndian.AppendUint32(key, row); !yield(sorter.Item{Key: key}, nil) {
					return
				}
			}
		}
	}
}

// errStopped: the caller wants no more.
var errStopped = errors.New("stopped")

// eachRow visits all rows. Nothing of it stays in the cache, since nobody reads all of it again.
func (t *Table) eachRow(ctx context.Context, visit func(*baseRow) error) error {
	var words [len(coded)][]string
	for i, c := range coded {
		var err error
		if words[i], err = t.dictionary(ctx, c.name); err != nil {
			return err
		}
	}
	r, block := baseRow{}, recordBlock{next: -1}
	for chunk := range t.chunks() {
		c, err := t.wholeChunk(ctx, chunk)
		if err != nil {
			return err
		}
		for i := range t.rowsOf(chunk) {
			r.row = chunk*ChunkRows + i
			if !c.row(i, &words, &r.values) {
				return t.damaged(chunk, columnSearch)
			}
			if r.record, err = block.record(ctx, t, r.row); err == nil {
				err = visit(&r)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// wholeChunk is a chunk of all columns.
type wholeChunk struct {
	ids, created []int64
	codes        [len(coded)][]uint32
	numbers      [len(numbers)][]float64
	search       []byte // of the rows that were not read yet
}

func (t *Table) wholeChunk(ctx context.Context, chunk int) (c wholeChunk, err error) {
	c.ids, err = readUncached[int64](ctx, t, columnID, chunk, err)
	c.created, err = readUncached[int64](ctx, t, columnCreated, chunk, err)
	for i := range coded {
		c.codes[i], err = readUncached[uint32](ctx, t, coded[i].name, chunk, err)
	}
	for i := range numbers {
		c.numbers[i], err = readUncached[float64](ctx, t, numbers[i].field.String(), chunk, err)
	}
	if err == nil {
		c.search, err = t.source(ctx, columnSearch, chunk, 0, -1)
	}
	return c, err
}

// row sets v to the stored values of the i-th row. Rows come one after the other.
func (c *wholeChunk) row(i int, words *[len(coded)][]string, v *storedValues) bool {
	v.id, v.created = c.ids[i], c.created[i]
	for column, codes := range c.codes {
		if int(codes[i]) >= len(words[column]) {
			return false
		}
		v.words[column] = append(v.words[column][:0], words[column][codes[i]]...)
	}
	for column, values := range c.numbers {
		v.numbers[column] = values[i]
	}
	var ok bool
	v.search, c.search, ok = bytes.Cut(c.search, []byte{rowEnd})
	return ok
}
