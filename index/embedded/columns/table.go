package columns

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
	"sync"

	"github.com/klauspost/compress/s2"

	"filings/index"
	"filings/index/cache"
	"filings/index/wire"
)

// Table is the columns of a generation's filings, open for reading. It is safe for concurrent use.
// Chunks that it reads stay in a cache: all columns and orders take 140 bytes a filing, the bits of
// a filter an eighth of one. An evicted chunk is read again, at the speed of a copy. The methods of
// a Table return index.ErrUnavailable, with ErrDamaged, for damaged columns, and end with their
// contexts.
type Table struct {
	name   string
	rows   int
	source Source
	cache  *cache.Cache
	blocks sync.Pool // of *recordBlock: one of the longest records has 11 MB
}

// Open returns the Table of so many filings, whose columns are in source, and stay in c under name.
// Errors have that name.
func Open(name string, filings int64, source Source, c *cache.Cache) *Table {
	return &Table{name: name, rows: int(filings), source: source, cache: c}
}

func (t *Table) chunks() int { return (t.rows + ChunkRows - 1) / ChunkRows }

// rowsOf returns how many rows a chunk has.
func (t *Table) rowsOf(chunk int) int { return min(ChunkRows, t.rows-chunk*ChunkRows) }

// blocksOf returns how many blocks of rows a chunk has.
func (t *Table) blocksOf(chunk int) int { return (t.rowsOf(chunk) + rowsABlock - 1) / rowsABlock }

// cached returns the value that t keeps under text (the name of a column, for its chunks, or the
// text of a filter, which is no such name). If there is none, create makes it, and returns its size
// in bytes, too.
func cached[T any](
	ctx context.Context, t *Table, text string, chunk int, create func(context.Context) (T, int, error),
) (v T, err error) {
	if err := ctx.Err(); err != nil {
		return v, err
	}
	v, _, err = cache.Get(ctx, t.cache, cache.Key{Space: t.name, Text: text, Part: chunk}, create)
	return v, err
}

// decoded returns a chunk as decode reads it, which also returns the size of that in bytes, and
// false for a chunk that is not as it was written.
func decoded[T any](
	ctx context.Context, t *Table, name string, chunk int, decode func(data []byte) (T, int, bool),
) (T, error) {
	return cached(ctx, t, name, chunk, func(ctx context.Context) (v T, size int, err error) {
		data, err := t.source(ctx, name, chunk, 0, -1)
		if err != nil {
			return v, 0, err
		}
		if v, size, ok := decode(data); ok {
			return v, size, nil
		}
		return v, 0, t.damaged(chunk, name)
	})
}

func readColumn[T element](ctx context.Context, t *Table, name string, chunk int) ([]T, error) {
	return decoded(ctx, t, name, chunk, func(data []byte) ([]T, int, bool) {
		return decodeValues[T](data, t.rowsOf(chunk))
	})
}

// lookEvery is how many steps of a loop over words or groups are made between two looks at the
// context: a few milliseconds, so that a slot is free soon after its request has ended. Loops over
// rows look at it once a chunk, where they read a column.
const lookEvery = 4096

// ended returns the error of ctx at some of the steps of a loop.
func ended(ctx context.Context, step int) error {
	if step%lookEvery != 0 {
		return nil
	}
	return ctx.Err()
}

// readUncached is readColumn beside the cache. After a failure it reads nothing.
func readUncached[T element](ctx context.Context, t *Table, name string, chunk int, failed error) ([]T, error) {
	if failed != nil {
		return nil, failed
	}
	data, err := t.source(ctx, name, chunk, 0, -1)
	if err != nil {
		return nil, err
	}
	values, _, ok := decodeValues[T](data, t.rowsOf(chunk))
	if !ok {
		return nil, t.damaged(chunk, name)
	}
	return values, nil
}

// decodeValues returns so many values, and the size of data.
func decodeValues[T element](data []byte, n int) ([]T, int, bool) {
	values := make([]T, n)
	read, err := binary.Decode(data, binary.LittleEndian, values)
	return values, read, err == nil && read == len(data)
}

// dictionary returns the words of a coded column by their codes.
func (t *Table) dictionary(ctx context.Context, column string) ([]string, error) {
	return decoded(ctx, t, column+wordsSuffix, 0, func(data []byte) ([]string, int, bool) {
		words, ok := readTexts(data)
		return words, len(data) + 16*len(words), ok
	})
}

// starts returns the starts of the blocks in a chunk of search texts, and the end of the last one.
func (t *Table) starts(ctx context.Context, chunk int) ([]uint32, error) {
	return decoded(ctx, t, columnStarts, chunk, func(data []byte) ([]uint32, int, bool) {
		starts, size, ok := decodeValues[uint32](data, t.blocksOf(chunk)+1)
		return starts, size, ok && slices.IsSorted(starts)
	})
}

// Records calls visit for the records of rows, as they are stored, each with its position in rows.
func (t *Table) Records(ctx context.Context, rows []uint32, visit func(position int, record []byte) error) error {
	positions := make([]int, len(rows))
	for i := range positions {
		positions[i] = i
	}
	slices.SortFunc(positions, func(a, b int) int { return cmp.Compare(rows[a], rows[b]) })
	block, ok := t.blocks.Get().(*recordBlock)
	if !ok {
		block = new(recordBlock)
	}
	defer t.blocks.Put(block)
	block.next = -1
	for _, i := range positions {
		record, err := block.record(ctx, t, int(rows[i]))
		if err == nil {
			err = visit(i, record)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// recordBlock is the block of records that was read last. Blocks are not cached: who reads all of
// them would evict everything else.
type recordBlock struct {
	next int // the row after those that were read
	data []byte
	rest wire.Reader
}

// record returns the record of a row, valid until the next one.
func (b *recordBlock) record(ctx context.Context, t *Table, row int) (record []byte, err error) {
	number := row / rowsABlock
	if b.next < 0 || b.next > row || (b.next-1)/rowsABlock != number {
		packed, err := t.source(ctx, columnRecords, number, 0, -1)
		if err != nil {
			return nil, err
		}
		if b.data, err = s2.Decode(b.data[:cap(b.data)], packed); err != nil {
			return nil, t.damaged(number, columnRecords)
		}
		b.rest, b.next = wire.Reader{Rest: b.data}, number*rowsABlock
	}
	for ; b.next <= row; b.next++ {
		if record = b.rest.Text(); b.rest.Failed {
			return nil, t.damaged(number, columnRecords)
		}
	}
	return record, nil
}

// A list of ids with their rows is read in blocks of idsABlock, idSize bytes each.
const (
	idsABlock = 256
	idSize    = 8 + 4
)

// RowOf returns the row of the filing with an id; false for none.
func (t *Table) RowOf(ctx context.Context, id int64) (row uint32, ok bool, err error) {
	f := finder{t: t, read: -1, caches: true}
	return f.rowOf(ctx, id)
}

// finder finds rows by ids. It keeps the block that it read last, for the next higher ids.
type finder struct {
	t      *Table
	caches bool // blocks, for other ids that come alone
	read   int  // number of the block; -1: none
	pairs  []byte
}

func (f *finder) rowOf(ctx context.Context, id int64) (row uint32, ok bool, err error) {
	firsts, err := decoded(ctx, f.t, columnFirstIDs, 0, func(data []byte) ([]int64, int, bool) {
		return decodeValues[int64](data, (f.t.rows+idsABlock-1)/idsABlock)
	})
	block := sort.Search(len(firsts), func(i int) bool { return firsts[i] > id }) - 1
	if err != nil || block < 0 {
		return 0, false, err
	}
	if block != f.read {
		if f.caches {
			f.pairs, err = cached(ctx, f.t, columnByID, block, func(ctx context.Context) ([]byte, int, error) {
				pairs, err := f.block(ctx, block)
				return slices.Clone(pairs), len(pairs), err // without the rest of the read, for the cache
			})
		} else {
			f.pairs, err = f.block(ctx, block)
		}
		if err != nil {
			return 0, false, err
		}
		f.read = block
	}
	idAt := func(i int) int64 { return int64(binary.LittleEndian.Uint64(f.pairs[i*idSize:])) }
	i := sort.Search(len(f.pairs)/idSize, func(i int) bool { return idAt(i) >= id })
	if i*idSize == len(f.pairs) || idAt(i) != id {
		return 0, false, nil
	}
	row = binary.LittleEndian.Uint32(f.pairs[i*idSize+8:])
	return row, int(row) < f.t.rows, nil
}

// block reads a block.
func (f *finder) block(ctx context.Context, block int) ([]byte, error) {
	const aChunk = ChunkRows / idsABlock
	chunk, first := block/aChunk, block%aChunk*idsABlock
	return f.t.source(ctx, columnByID, chunk, first*idSize, min(first+idsABlock, f.t.rowsOf(chunk))*idSize)
}

// Place returns a Version of the city of the filing in a row, as written, and its ZIP code.
func (t *Table) Place(ctx context.Context, row uint32) (v index.Version, err error) {
	for column, word := range map[int]*string{codedCity: &v.City, codedZIP: &v.ZIP} {
		name := coded[column].name
		words, err := t.dictionary(ctx, name)
		if err != nil {
			return v, err
		}
		codes, err := readColumn[uint32](ctx, t, name, int(row/ChunkRows))
		if err != nil {
			return v, err
		}
		*word = words[codes[row%ChunkRows]]
	}
	return v, nil
}

func (t *Table) damaged(chunk int, name string) error {
	return fmt.Errorf("%s, chunk %d of %s: %w: %w", t.name, chunk, name, index.ErrUnavailable, ErrDamaged)
}

// EachRecord calls visit for every row in its order: with its record, valid until the next one, its
// Place, and the time of its addition, in microseconds since 1970 or index.NoTime. It reads beside
// the cache.
func (t *Table) EachRecord(
	ctx context.Context, visit func(record []byte, place index.Version, created int64) error,
) error {
	city, zip, block := coded[codedCity].name, coded[codedZIP].name, recordBlock{next: -1}
	cityWords, err1 := t.dictionary(ctx, city)
	zipWords, err := t.dictionary(ctx, zip)
	if err1 != nil {
		err = err1
	}
	for chunk := 0; chunk < t.chunks() && err == nil; chunk++ {
		cities, err1 := readUncached[uint32](ctx, t, city, chunk, err)
		zips, err2 := readUncached[uint32](ctx, t, zip, chunk, err1)
		var created []int64
		created, err = readUncached[int64](ctx, t, columnCreated, chunk, err2)
		for i := 0; i < len(created) && err == nil; i++ {
			if int(cities[i]) >= len(cityWords) || int(zips[i]) >= len(zipWords) {
				return t.damaged(chunk, city)
			}
			var record []byte
			if record, err = block.record(ctx, t, chunk*ChunkRows+i); err == nil {
				err = visit(record, index.Version{City: cityWords[cities[i]], ZIP: zipWords[zips[i]]}, created[i])
			}
		}
	}
	return err
}
