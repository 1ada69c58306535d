package embedded

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"

	"filings/index"
)

// numChunks returns how many chunks the columns have.
func (g *snapshot) numChunks() int { return (g.rows + chunkRows - 1) / chunkRows }

// rowsOf returns how many rows a chunk has.
func (g *snapshot) rowsOf(chunk int) int { return min(chunkRows, g.rows-chunk*chunkRows) }

// blob reads a chunk from the file.
func (g *snapshot) blob(ctx context.Context, name string, chunk int) ([]byte, error) {
	var data []byte
	sum := ^checksum(nil) // of no chunk that is missing
	err := g.query(ctx, g.chunks, func(rows *sql.Rows) error { return rows.Scan(&data, &sum) }, name, chunk)
	if err == nil && checksum(data) != sum {
		return nil, g.damaged(name, chunk)
	}
	return data, err
}

func (g *snapshot) damaged(name string, chunk int) error {
	return fmt.Errorf("generation %s, chunk %d of %s: %w: %w", g.name, chunk, name, index.ErrUnavailable, errDamaged)
}

// readColumn returns a chunk of a column.
func readColumn[T value](ctx context.Context, g *snapshot, name string, chunk int) ([]T, error) {
	return cached(ctx, g, cacheKey{kindValues, name, chunk}, func(ctx context.Context) ([]T, int, error) {
		data, err := g.blob(ctx, name, chunk)
		if err != nil {
			return nil, 0, err
		}
		values := make([]T, g.rowsOf(chunk))
		if n, err := binary.Decode(data, binary.LittleEndian, values); err != nil || n != len(data) {
			return nil, 0, g.damaged(name, chunk)
		}
		return values, len(data), nil
	})
}

// readDictionary returns the words of a coded column by their codes.
func (g *snapshot) readDictionary(ctx context.Context, column string) ([]string, error) {
	return cached(ctx, g, cacheKey{kindDictionary, column, 0}, func(ctx context.Context) ([]string, int, error) {
		data, err := g.blob(ctx, column+wordsSuffix, 0)
		if err != nil {
			return nil, 0, err
		}
		words := splitTexts(data)
		return words, len(data) + 16*len(words), nil
	})
}

// readTexts returns a chunk of the search texts.
func (g *snapshot) readTexts(ctx context.Context, chunk int) ([]byte, error) {
	return cached(ctx, g, cacheKey{kindTexts, columnSearch, chunk}, func(ctx context.Context) ([]byte, int, error) {
		data, err := g.blob(ctx, columnSearch, chunk)
		return data, len(data), err
	})
}
