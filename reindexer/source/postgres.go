package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"

	"filings/reindexer/web"
)

const (
	// maxMessage is the longest message that is taken from a database.
	maxMessage = 64 << 20
	// closeTimeout is how long the end of a connection may take.
	closeTimeout = time.Second
)

// beginQuery begins a transaction that sees one state of the database and cannot change it, and
// fixes how values are written. Connection poolers refuse start-up parameters for that.
const beginQuery = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SET LOCAL client_encoding = 'UTF8';
SET LOCAL datestyle = 'ISO, YMD';
SET LOCAL timezone = 'UTC';
SET LOCAL extra_float_digits = 3`

// postgresSource returns the rows of a query as a source. The address is that of libpq, as are the
// variables and files that complete it: PGPASSWORD, ~/.pgpass and so on.
func postgresSource(address, shown string, o Options) (Source, error) {
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
		q := &query{ctx: ctx, cancel: cancel, read: read, rows: newJSONRows(Form{Format: s.format})}
		columns, err := q.start(config, o)
		if err != nil {
			q.close()
			return nil, err
		}
		return &Reader{Columns: columns, records: q, close: q.close}, nil
	}
	return s, nil
}

// query reads the rows of a query, which the server writes as JSON. Rows come as fast as they are
// read: the flow control of TCP holds them back, so neither side keeps more than its buffers. A
// cursor would do no better, and the planner treats one as if only a tenth of its rows were wanted.
type query struct {
	ctx    context.Context
	cancel context.CancelFunc
	conn   *pgconn.PgConn
	result *pgconn.ResultReader
	read   *atomic.Int64
	number int
	rows   jsonRows
}

// start sends the query, and returns the names of its columns.
func (q *query) start(config *pgconn.Config, o Options) (names []string, err error) {
	if q.conn, err = pgconn.ConnectConfig(q.ctx, config); err != nil {
		// A ConnectError repeats the user.
		var repeats *pgconn.ConnectError
		if errors.As(err, &repeats) {
			err = repeats.Unwrap()
		}
		refused := errors.As(err, new(*pgconn.PgError))
		if err = web.Foreign(q.ctx, err); !refused && q.ctx.Err() == nil {
			err = web.Away(err)
		}
		return nil, fmt.Errorf("connecting: %w", err)
	}
	q.conn.Frontend().SetMaxBodyLen(maxMessage)
	if _, err = q.conn.Exec(q.ctx, beginQuery).ReadAll(); err != nil {
		return nil, fmt.Errorf("beginning a transaction: %w", web.Foreign(q.ctx, err))
	}
	described, err := q.conn.Prepare(q.ctx, "", o.Query, nil)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the query: %w", web.Foreign(q.ctx, err))
	case len(described.ParamOIDs) > 0:
		return nil, errors.New("the query has parameters such as $1, for which there are no values")
	case len(described.Fields) == 0:
		return nil, errors.New("the query returns no columns")
	}
	var aliases, values []string
	for i, field := range described.Fields {
		name, list := o.Column(field.Name)
		if slices.Contains(names, name) {
			return nil, fmt.Errorf("the list of its columns has %.200q twice: name one of them with AS", name)
		}
		names, aliases = append(names, name), append(aliases, fmt.Sprintf("c%d", i))
		values = append(values, valueOf(aliases[i], field.DataTypeOID, list)+` AS "`+strings.ReplaceAll(name, `"`, `""`)+`"`)
	}
	q.result = q.conn.ExecParams(q.ctx, fmt.Sprintf("SELECT row_to_json(r) FROM (SELECT %s FROM (%s\n) q (%s)) r",
		strings.Join(values, ", "), strings.TrimRight(o.Query, "; \t\r\n"), strings.Join(aliases, ", ")), nil, nil, nil, nil)
	return names, nil
}

// valueOf returns the SQL of a column: times are RFC 3339, of UTC; blanks at the end of char(n)
// mean nothing; a text that stands for a list is one, cut at each semicolon.
func valueOf(column string, oid uint32, list bool) string {
	switch {
	case list:
		return fmt.Sprintf("CASE json_typeof(to_json(%[1]s)) WHEN 'string' "+
			"THEN to_json(string_to_array(nullif(%[1]s::text, ''), ';')) ELSE to_json(%[1]s) END", column)
	case oid == pgtype.BPCharOID:
		return column + "::text"
	case oid == pgtype.TimestampOID, oid == pgtype.TimestamptzOID: // infinity stays, for the record to refuse
		return fmt.Sprintf("replace(to_json(%s::timestamptz) #>> '{}', '+00:00', 'Z')", column)
	}
	return column
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
	text := string(q.result.Values()[0])
	q.read.Add(int64(len(text)))
	return q.rows.row(text, q.number, false)
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
