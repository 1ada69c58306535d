package reindexer

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// maxMessage is the longest message that is taken from a database. A row beyond it ends the reading; one between
	// maxLine and this is a reject.
	maxMessage = 64 << 20
	// goodbye is how long the end of a connection may take.
	goodbye = time.Second
)

// beginQuery begins a transaction that sees one state of the database and cannot change it, and fixes how values are
// written. It does not use start-up parameters for that: connection poolers refuse them.
const beginQuery = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SET LOCAL client_encoding = 'UTF8';
SET LOCAL datestyle = 'ISO, YMD';
SET LOCAL timezone = 'UTC';
SET LOCAL extra_float_digits = 3`

// query is an SQL query to a PostgreSQL database.
type query struct {
	config *pgconn.Config
	sql    string
}

// databaseInput makes the input of a query. The address is that of libpq, as are the variables and files that complete
// it: PGPASSWORD, ~/.pgpass and so on.
func databaseInput(address, shown, sql string) (input, error) {
	config, err := pgconn.ParseConfig(address)
	if err != nil {
		return input{}, fmt.Errorf("%w: the address %s or one of its parameters is not valid, or a file that it or a "+
			"variable PG… names cannot be read", ErrUsage, shown)
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "filings reindex"
	}
	return input{name: shown, query: &query{config: config, sql: sql}}, nil
}

// open sends the query. Its rows come as fast as they are read: what holds them back is the flow control of TCP, so
// that neither side keeps more than its buffers. A cursor would do no better, and the planner treats one as if only a
// tenth of its rows were wanted.
func (q *query) open(ctx context.Context, count *atomic.Int64) (*rows, error) {
	ctx, cancel := context.WithCancel(ctx)
	r := &rows{ctx: ctx, cancel: cancel, count: count}
	err := r.start(q)
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func (r *rows) start(q *query) (err error) {
	if r.conn, err = pgconn.ConnectConfig(r.ctx, q.config); err != nil {
		// A ConnectError repeats the user.
		var repeats *pgconn.ConnectError
		if errors.As(err, &repeats) {
			err = repeats.Unwrap()
		}
		return fmt.Errorf("connecting: %w", foreign(r.ctx, err))
	}
	r.conn.Frontend().SetMaxBodyLen(maxMessage)
	if _, err = r.conn.Exec(r.ctx, beginQuery).ReadAll(); err != nil {
		return fmt.Errorf("beginning a transaction: %w", foreign(r.ctx, err))
	}
	described, err := r.conn.Prepare(r.ctx, "", q.sql, nil)
	if err != nil {
		return fmt.Errorf("the query: %w", foreign(r.ctx, err))
	}
	if len(described.ParamOIDs) > 0 {
		return errors.New("the query has parameters such as $1, for which there are no values")
	}
	if r.columns, err = columnsOf(r.ctx, r.conn, described.Fields); err != nil {
		return err
	}
	r.result = r.conn.ExecParams(r.ctx, q.sql, nil, nil, nil, nil) // values as text
	return nil
}

// Close ends the query, finished or not.
func (r *rows) Close() {
	r.cancel() // or the rest of the rows would be read
	if r.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	_ = r.conn.Close(ctx) // only read from: there is nothing that closing could lose
}
