package columns

import (
	"context"
	"encoding/binary"
	"fmt"
	"sort"

	"github.com/klauspost/compress/zstd"

	"filings/index"
	"filings/index/cache"
)

// Table is the columns of a generation's filings, open for reading. It is safe for concurrent use. What it reads stays in a
// cache: all columns and orders of a million filings take about 225 MiB, the bits of a filter on them an eighth of one. What
// is evicted is read again, at the speed of a copy. Its methods return
// index.ErrUnavailable, with ErrDamaged, for columns that are not as they were written, and end with their contexts.
type Table struct {
	name   string
	rows   int
	source Source
	cache  *cache.Cache

	decoder *zstd.Decoder // of records
}

// Open returns the Table of so many filings, whose columns are in source, and stay in c under name. Errors have that name.
func Open(name string, filings int64, source Source, c *cache.Cache) *Table {
	decoder, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true)) // these options are valid
	return &Table{name, int(filings), source, c, decoder}
}

// chunks returns how many chunks the columns have.
func (t *Table) chunks() int { return (t.rows + ChunkRows - 1) / ChunkRows }

// rowsOf returns how many rows a chunk has.
func (t *Table) rowsOf(chunk int) int { return min(ChunkRows, t.rows-chunk*ChunkRows) }

// cached returns what t keeps under text (the name of a column, whose chunk it is, or the text of a filter, which is no such
// name), or else what create returns, which also returns its size in bytes.
func cached[T any](
	ctx context.Context, t *Table, text string, chunk int, create func(context.Context) (T, int, error),
) (v T, err error) {
	if err := ctx.Err(); err != nil {
		return v, err
	}
	v, _, err = cache.Get(ctx, t.cache, cache.Key{Space: t.name, Text: text, Part: chunk}, create)
	return v, err
}

// decoded returns a chunk as decode reads it, which also returns the size of that in bytes, and false for a chunk that is
// not as it was written.
func decoded[T any](
	ctx context.Context, t *Table, name string, chunk int, decode func(data []byte) (T, int, bool),
) (T, error) {
	return cached(ctx, t, name, chunk, func(ctx context.Context) (v T, size int, err error) {
		data, err := t.source(ctx, name, chunk)
		if err != nil {
			return v, 0, err
		}
		if v, size, ok := decode(data); ok {
			return v, size, nil
		}
		return v, 0, t.damaged(chunk, name)
	})
}

// readColumn returns a chunk of a column.
func readColumn[T element](ctx context.Context, t *Table, name string, chunk int) ([]T, error) {
	return decoded(ctx, t, name, chunk, func(data []byte) ([]T, int, bool) {
		values := make([]T, t.rowsOf(chunk))
		n, err := binary.Decode(data, binary.LittleEndian, values)
		return values, n, err == nil && n == len(data)
	})
}

// dictionary returns the words of a coded column by their codes.
func (t *Table) dictionary(ctx context.Context, column string) ([]string, error) {
	return decoded(ctx, t, column+wordsSuffix, 0, func(data []byte) ([]string, int, bool) {
		words := splitTexts(data)
		return words, len(data) + 16*len(words), true
	})
}

// texts returns a chunk of the search texts.
func (t *Table) texts(ctx context.Context, chunk int) ([]byte, error) {
	return decoded(ctx, t, columnSearch, chunk, func(data []byte) ([]byte, int, bool) { return data, len(data), true })
}

// sparse is how many rows there may be for each that is wanted: where there are more, records are found by their ids.
const sparse = 16

// Records returns the records that Build was given for the rows of a page in the default order, or false where they are
// too far from each other, or too few, for that to be worth while. It ends with the first record with which they have more
// than so many bytes; 0 is no bound.
func (t *Table) Records(ctx context.Context, rows []uint32, bytes int) ([][]byte, bool, error) {
	if len(rows) < 100 || int(rows[len(rows)-1]-rows[0]) > sparse*len(rows) {
		return nil, false, nil
	}
	starts, err := t.recordStarts(ctx)
	if err != nil {
		return nil, false, err
	}
	records, size := make([][]byte, 0, len(rows)), 0
	for len(rows) > 0 {
		chunk := sort.Search(len(starts), func(i int) bool { return starts[i] > rows[0] }) - 1
		data, err := t.recordChunk(ctx, chunk)
		if err != nil {
			return nil, false, err
		}
		row := starts[chunk]
		for ; len(data) > 0 && len(rows) > 0; row++ {
			var record []byte
			if record, data = cutText(data); data == nil {
				break
			}
			if row == rows[0] {
				records, rows = append(records, record), rows[1:]
				if size += len(record); bytes > 0 && size > bytes {
					return records, true, nil
				}
			}
		}
		if len(rows) > 0 && (chunk+1 == len(starts) || row != starts[chunk+1]) {
			return nil, false, t.damaged(chunk, columnRecords)
		}
	}
	return records, true, nil
}

func (t *Table) recordStarts(ctx context.Context) ([]uint32, error) {
	return decoded(ctx, t, columnStarts, 0, func(data []byte) ([]uint32, int, bool) {
		starts := make([]uint32, len(data)/4)
		_, err := binary.Decode(data, binary.LittleEndian, starts)
		return starts, len(data), err == nil && len(starts) > 0 && starts[0] == 0
	})
}

// recordChunk returns a chunk of records. It is not kept: who reads all of them would evict everything else.
func (t *Table) recordChunk(ctx context.Context, chunk int) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data, err := t.source(ctx, columnRecords, chunk)
	if err != nil {
		return nil, err
	}
	if data, err = t.decoder.DecodeAll(data, nil); err != nil {
		return nil, t.damaged(chunk, columnRecords)
	}
	return data, nil
}

func (t *Table) damaged(chunk int, name string) error {
	return fmt.Errorf("%s, chunk %d of %s: %w: %w", t.name, chunk, name, index.ErrUnavailable, ErrDamaged)
}
