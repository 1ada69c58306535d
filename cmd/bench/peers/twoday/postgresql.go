package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// indexes cover each question but that for texts, so that it is counted and ordered in an index alone, which VACUUM makes
// possible: the order, a county's amounts, trigrams, points.
var indexes = []string{
	"CREATE INDEX ON filings (day DESC NULLS LAST, id DESC)",
	"CREATE INDEX ON filings (county, day DESC NULLS LAST, id DESC) INCLUDE (amount)",
	"CREATE INDEX ON filings (county, amount)",
	"CREATE INDEX ON filings USING gin (texts gin_trgm_ops)",
	"CREATE INDEX ON filings USING gist (point) INCLUDE (day, id)",
	"VACUUM (ANALYZE) filings",
}

type postgreSQL struct {
	admin    *pgx.Conn
	database string         // made anew, and dropped in the end
	conns    chan *pgx.Conn // those that are free
	total    int            // of all filings: counted once, since they do not change
}

// mostConns is as many as the bench has clients.
const mostConns = 8

func newPostgreSQL(ctx context.Context, address, database string) (*postgreSQL, error) {
	admin, err := pgx.Connect(ctx, address)
	if err != nil {
		return nil, err
	}
	p := &postgreSQL{admin: admin, database: database, conns: make(chan *pgx.Conn, mostConns)}
	for _, statement := range []string{"DROP DATABASE IF EXISTS " + database + " WITH (FORCE)", "CREATE DATABASE " + database} {
		if _, err := admin.Exec(ctx, statement); err != nil {
			return nil, err
		}
	}
	for range mostConns {
		config, err := pgx.ParseConfig(address)
		if err != nil {
			return nil, err
		}
		config.Database = database
		config.RuntimeParams["jit"] = "off" // it costs more than it gains for queries of milliseconds
		config.RuntimeParams["work_mem"] = "64MB"
		conn, err := pgx.ConnectConfig(ctx, config)
		if err != nil {
			return nil, err
		}
		p.conns <- conn
	}
	return p, nil
}

func (p *postgreSQL) with(do func(*pgx.Conn) error) error {
	conn := <-p.conns
	defer func() { p.conns <- conn }()
	return do(conn)
}

func (p *postgreSQL) load(ctx context.Context, file string) error {
	return p.with(func(conn *pgx.Conn) error {
		for _, statement := range []string{
			"CREATE EXTENSION IF NOT EXISTS pg_trgm",
			"CREATE TABLE filings (id bigint PRIMARY KEY, county text, day date, amount float8, point point, texts text, filing text)",
		} {
			if _, err := conn.Exec(ctx, statement); err != nil {
				return err
			}
		}
		rows := make(chan []any, 1000)
		failed := make(chan error, 1)
		go func() {
			defer close(rows)
			failed <- eachFiling(file, func(f filing) error {
				day, _ := time.Parse(time.DateOnly, f.FilingDate)
				row := []any{f.ID, f.County, &day, f.FilingAmount, nil, f.texts(), string(f.text)}
				if f.FilingDate == "" {
					row[2] = nil
				}
				if f.Latitude != nil && f.Longitude != nil {
					row[4] = fmt.Sprintf("(%v,%v)", *f.Longitude, *f.Latitude)
				}
				select {
				case rows <- row:
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			})
		}()
		_, err := conn.CopyFrom(ctx, pgx.Identifier{"filings"}, []string{"id", "county", "day", "amount", "point", "texts", "filing"},
			pgx.CopyFromFunc(func() ([]any, error) { return <-rows, nil })) // nil is the end
		if err = errors.Join(err, <-failed); err != nil {
			return err
		}
		for _, statement := range indexes {
			if _, err := conn.Exec(ctx, statement); err != nil {
				return err
			}
		}
		return conn.QueryRow(ctx, "SELECT count(*) FROM filings").Scan(&p.total)
	})
}

// page sends count and rows together, in one round trip.
func (p *postgreSQL) page(ctx context.Context, q question) (result page, err error) {
	var conditions []string
	var values []any
	where := func(condition string, value any) {
		values = append(values, value)
		conditions = append(conditions, fmt.Sprintf(condition, len(values)))
	}
	if q.term != "" {
		where("texts LIKE $%d", "%"+strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(q.term)+"%")
	}
	if q.county != "" {
		where("county = $%d", q.county)
	}
	if q.minAmount != nil {
		where("amount >= $%d", *q.minAmount)
	}
	if q.box != nil {
		where("point <@ $%d::text::box", fmt.Sprintf("(%v,%v),(%v,%v)", q.box.east, q.box.north, q.box.west, q.box.south))
	}
	condition := ""
	if len(conditions) > 0 {
		condition = " WHERE " + strings.Join(conditions, " AND ")
	}
	var b pgx.Batch
	result.total = p.total
	if !q.all() {
		b.Queue("SELECT count(*) FROM filings"+condition, values...).QueryRow(func(row pgx.Row) error { return row.Scan(&result.total) })
	}
	// Only the page's rows are read from the table.
	rows := fmt.Sprintf("SELECT id, day FROM filings%s ORDER BY day DESC NULLS LAST, id DESC LIMIT $%d OFFSET $%d", condition, len(values)+1, len(values)+2)
	b.Queue("SELECT filing FROM ("+rows+") page JOIN filings USING (id) ORDER BY page.day DESC NULLS LAST, id DESC",
		append(values, q.limit, q.offset)...).Query(func(rows pgx.Rows) error {
		result.filings, err = pgx.CollectRows(rows, pgx.RowTo[json.RawMessage])
		return err
	})
	err = p.with(func(conn *pgx.Conn) error { return conn.SendBatch(ctx, &b).Close() })
	return result, err
}

func (p *postgreSQL) one(ctx context.Context, id int64) (text json.RawMessage, err error) {
	err = p.with(func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT filing FROM filings WHERE id = $1", id).Scan((*[]byte)(&text))
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return text, err
}

func (p *postgreSQL) end(ctx context.Context) error {
	_, err := p.admin.Exec(ctx, "DROP DATABASE "+p.database+" WITH (FORCE)")
	return errors.Join(err, p.admin.Close(ctx))
}
