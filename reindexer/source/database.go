package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"filings/reindexer/web"
)

const (
	// maxMessage is the longest message that is taken from a database.
	maxMessage = 64 << 20
	// closeTimeout is how long the end of a connection may take.
	closeTimeout = time.Second
)

// beginQuery begins a transaction that sees one state of the database and cannot change it, and
// fixes how values are written. It does not use start-up parameters for that: connection poolers
// refuse them.
const beginQuery = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SET LOCAL client_encoding = 'UTF8';
SET LOCAL datestyle = 'ISO, YMD';
SET LOCAL timezone = 'UTC';
SET LOCAL extra_float_digits = 3`

// databaseSource returns the rows of a query as a source. The address is that of libpq, as are the
// variables and files that complete it: PGPASSWORD, ~/.pgpass and so on.
func databaseSource(address, shown string, o Options) (Source, error) {
	config, err := pgconn.ParseConfig(address)
	if err != nil {
		return Source{}, fmt.Errorf("%w: the address %s or one of its parameters is not valid, or a file that it or a "+
			"variable PG… names cannot be read", ErrUsage, shown)
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "filings reindex"
	}
	s := Source{Name: shown, unit: "row", format: "postgres"}
	s.open = func(ctx context.Context, read *atomic.Int64) (*Reader, error) {
		ctx, cancel := context.WithCancel(ctx)
		q := &query{ctx: ctx, cancel: cancel, read: read, row: map[string]any{}}
		if err := q.start(config, o); err != nil {
			q.close()
			return nil, err
		}
		for _, c := range q.columns {
			q.names = append(q.names, c.Name)
		}
		return &Reader{Columns: q.names, records: q, close: q.close}, nil
	}
	return s, nil
}

// query reads the rows of a query. Rows come as fast as they are read: what holds them back is the
// flow control of TCP, so that neither side keeps more than its buffers. A cursor would do no
// better, and the planner treats one as if only a tenth of its rows were wanted.
type query struct {
	ctx     context.Context
	cancel  context.CancelFunc
	conn    *pgconn.PgConn
	result  *pgconn.ResultReader
	columns []column
	read    *atomic.Int64
	names   []string // of these
	number  int
	row     map[string]any // reused
}

func (q *query) start(config *pgconn.Config, o Options) (err error) {
	if q.conn, err = pgconn.ConnectConfig(q.ctx, config); err != nil {
		// A ConnectError repeats the user.
		var repeats *pgconn.ConnectError
		if errors.As(err, &repeats) {
			err = repeats.Unwrap()
		}
		return fmt.Errorf("connecting: %w", web.Foreign(q.ctx, err))
	}
	q.conn.Frontend().SetMaxBodyLen(maxMessage)
	if _, err = q.conn.Exec(q.ctx, beginQuery).ReadAll(); err != nil {
		return fmt.Errorf("beginning a transaction: %w", web.Foreign(q.ctx, err))
	}
	described, err := q.conn.Prepare(q.ctx, "", o.Query, nil)
	if err != nil {
		return fmt.Errorf("the query: %w", web.Foreign(q.ctx, err))
	}
	if len(described.ParamOIDs) > 0 {
		return errors.New("the query has parameters such as $1, for which there are no values")
	}
	if q.columns, err = columnsOf(q.ctx, q.conn, described.Fields, o.Column); err != nil {
		return err
	}
	q.result = q.conn.ExecParams(q.ctx, o.Query, nil, nil, nil, nil) // values as text
	return nil
}

// close ends the query, finished or not.
func (q *query) close() {
	q.cancel() // or the rest of the rows would be read
	if q.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	_ = q.conn.Close(ctx) // only read from: there is nothing that closing could lose
}

func (q *query) Line() int { return q.number }

func (q *query) Next() (Row, error) {
	if !q.result.NextRow() {
		return Row{}, q.end()
	}
	q.number++
	size := 0
	for i, value := range q.result.Values() {
		q.row[q.names[i]] = q.columns[i].value(value)
		size += len(value)
	}
	if q.read.Add(int64(size)); size > MaxLine {
		return Row{}, errLong
	}
	return Row{Value: q.row, Line: q.number, columns: q.names}, nil
}

// end tells the end of the rows apart from a failure. The server ends the rows with the number of
// them; without that message Close fails.
func (q *query) end() error {
	_, err := q.result.Close()
	if err == nil {
		return io.EOF
	}
	var long *pgproto3.ExceededMaxBodyLenErr
	if errors.As(err, &long) {
		return errors.New("the next row is too long to be read")
	}
	return web.Foreign(q.ctx, err)
}
