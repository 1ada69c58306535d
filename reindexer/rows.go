package reindexer

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"filings/index"
)

// rows reads the rows of a query. Each is written as a JSON object, with NULL as null, and then read by the rules of
// NDJSON, so that a reject shows exactly what was checked.
type rows struct {
	ctx     context.Context
	cancel  context.CancelFunc
	conn    *pgconn.PgConn
	result  *pgconn.ResultReader
	columns []column
	count   *atomic.Int64
	number  int
	buf     []byte
}

func (r *rows) place() int { return r.number }

func (r *rows) next(rec *record, filing *index.Filing) error {
	if !r.result.NextRow() {
		return r.end()
	}
	r.number++
	r.buf = r.object(r.buf[:0], r.result.Values())
	r.count.Add(int64(len(r.buf)))
	if len(r.buf) > maxLine {
		rec.begin(r.number, string(r.buf[:shownOfLong]), filing)
		rec.failLong()
		r.buf = nil // it need not stay that large
		return nil
	}
	rec.begin(r.number, string(r.buf), filing)
	_ = rec.readJSON() // noted in rec
	return nil
}

// end tells the end of the rows from a failure. The server ends the rows with the number of them; without that message
// Close fails.
func (r *rows) end() error {
	_, err := r.result.Close()
	if err == nil {
		return io.EOF
	}
	var long *pgproto3.ExceededMaxBodyLenErr
	if errors.As(err, &long) {
		return errors.New("the next row is too long to be read")
	}
	return foreign(r.ctx, err)
}

// object appends a row as a JSON object.
func (r *rows) object(dst []byte, values [][]byte) []byte {
	dst = append(dst, '{')
	for i, value := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = index.AppendString(dst, r.columns[i].name)
		dst = append(dst, ':')
		dst = r.columns[i].append(dst, value)
	}
	return append(dst, '}')
}
