package columns

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"iter"

	"filings/index"
	"filings/index/sorter"
)

// sortBuffer is how much a sorter holds in memory. Seven of them work at a time. At 2 MiB a billion
// bytes make 500 runs, which are still merged in one pass.
const sortBuffer = 2 << 20

// Changes are the filings that were put and removed, of which the last action counts. They are
// collected in any order, until Build lays them out. They have to be closed.
type Changes struct {
	actions uint64
	sorted  *sorter.Sorter // stored values and records in the default order; keys end with the number of the action
	byID    *sorter.Sorter // the numbers of the actions by id

	row        storedValues // of the last filing: what rows are numbered by
	key, value []byte       // of sorted, for the last filing
}

// NewChanges returns Changes with nothing in them. Temporary files go into dir.
func NewChanges(dir string) *Changes {
	return &Changes{sorted: sorter.New(dir, sortBuffer), byID: sorter.New(dir, sortBuffer)}
}

// Put puts a filing, of which d is derived, and a record, whatever that is.
func (c *Changes) Put(f *index.Filing, d *index.Derived, record []byte) error {
	c.row.id, c.row.words[codedDate] = f.ID, append(c.row.words[codedDate][:0], f.Text(index.FilingDate)...)
	key, err := appendRowKey(c.key[:0], &c.row)
	if err = cmp.Or(err, c.act(f.ID)); err != nil {
		return err
	}
	c.key = binary.BigEndian.AppendUint64(key, c.actions)
	c.value = append(appendValues(c.value[:0], f, d), record...)
	return c.sorted.Add(c.key, c.value)
}

// Remove removes the filing with an id.
func (c *Changes) Remove(id int64) error { return c.act(id) }

func (c *Changes) act(id int64) error {
	c.actions++
	var key [16]byte
	binary.BigEndian.PutUint64(key[:], uint64(id)) // ids are positive
	binary.BigEndian.PutUint64(key[8:], c.actions)
	return c.byID.Add(key[:], nil)
}

// Close gives up memory and files. It may be called again.
func (c *Changes) Close() error { return errors.Join(c.sorted.Close(), c.byID.Close()) }

// appendRowKey appends what rows are numbered by.
func appendRowKey(dst []byte, v *storedValues) ([]byte, error) {
	dst, err := appendSortKey(dst, v, index.DefaultSort)
	return binary.BigEndian.AppendUint64(dst, ^uint64(v.id)), err
}

// merged calls visit for the items of s and the keys of base, which may be nil, in the order of
// their keys. A key of base comes with the value nil; that it has a value can be seen where it was
// yielded.
func merged(
	ctx context.Context, s *sorter.Sorter, base iter.Seq2[[]byte, error], visit func(key, value []byte) error,
) error {
	if base == nil {
		return s.Each(ctx, visit)
	}
	type item struct{ key, value []byte }
	// Those of an update are few: pulling them costs less than pulling base.
	next, stop := iter.Pull2(func(yield func(item, error) bool) {
		err := s.Each(ctx, func(key, value []byte) error {
			if !yield(item{key, value}, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && err != errStopped {
			yield(item{}, err)
		}
	})
	defer stop()
	one, err, more := next()
	for key, failed := range base {
		for more && err == nil && string(one.key) < string(key) {
			if err = visit(one.key, one.value); err == nil {
				one, err, more = next()
			}
		}
		if err = errors.Join(failed, err); err == nil {
			err = visit(key, nil)
		}
		if err != nil {
			return err
		}
	}
	for more && err == nil {
		if err = visit(one.key, one.value); err == nil {
			one, err, more = next()
		}
	}
	return err
}

// baseRow is a row of a table that is built from, as far as columns keep it: without what it is sorted by as owner.
type baseRow struct {
	row    int
	values storedValues
	record []byte
}

// baseRows yields what rows of base are numbered by, those that are not gone, and puts each into
// row before; nil without base.
func (b *builder) baseRows(row *baseRow) iter.Seq2[[]byte, error] {
	if b.base == nil {
		return nil
	}
	return func(yield func([]byte, error) bool) {
		var key []byte
		err := b.base.eachRow(b.ctx, func(r *baseRow) (err error) {
			if b.moved[r.row] == gone {
				return nil
			}
			*row = *r
			if key, err = appendRowKey(key[:0], &r.values); err == nil && !yield(key, nil) {
				err = errStopped
			}
			return err
		})
		if err != nil && err != errStopped {
			yield(nil, err)
		}
	}
}

// errStopped: the caller wants no more.
var errStopped = errors.New("stopped")

// eachRow visits all rows. Nothing of it stays in the cache, since nobody reads all of it again.
func (t *Table) eachRow(ctx context.Context, visit func(*baseRow) error) error {
	var words [len(coded)][][]byte
	for i, c := range coded {
		all, err := t.dictionary(ctx, c.name)
		if err != nil {
			return err
		}
		for _, word := range all {
			words[i] = append(words[i], []byte(word))
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
func (c *wholeChunk) row(i int, words *[len(coded)][][]byte, v *storedValues) bool {
	v.id, v.created = c.ids[i], c.created[i]
	for column, codes := range c.codes {
		if int(codes[i]) >= len(words[column]) {
			return false
		}
		v.words[column] = words[column][codes[i]]
	}
	for column, values := range c.numbers {
		v.numbers[column] = values[i]
	}
	var ok bool
	v.search, c.search, ok = bytes.Cut(c.search, []byte{rowEnd})
	return ok
}
