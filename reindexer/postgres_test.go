package reindexer

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"filings/cmd/testservers/servers"
	"filings/index"
)

// queryPostgres reads the rows of a query.
func queryPostgres(t *testing.T, sql string, s settings) outcome {
	t.Helper()
	all, err := Config{Inputs: inputs(servers.Postgres(t)), Query: sql}.sources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all[0].Name = "db"
	return readSource(t, all[0], s)
}

// execute runs statements.
func execute(t *testing.T, sql string) {
	t.Helper()
	conn, err := pgconn.Connect(context.Background(), servers.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(context.Background(), sql).ReadAll(); err != nil {
		t.Fatal(err)
	}
}

// TestPostgres_Values reads each SQL type and compares with the NDJSON of the same values.
func TestPostgres_Values(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, columns, json string
	}{
		{"names in any case", `'Ann' AS OWNER, 'X' AS "CaseNumber"`, `"owner":"Ann","caseNumber":"X"`},
		{"NULL", `NULL AS owner, NULL::numeric AS filingAmount, NULL::text[] AS categories, NULL::timestamptz AS createdAt`, ``},
		{"empty text", `'' AS owner, '' AS categories, '{}'::text[] AS ignored`, `"ignored":[]`},
		{"characters", `E'a"\\\n\u00e9\U0001F600\x7f' AS owner`, `"owner":"a\"\\\né😀\u007f"`},
		{"char(n) is padded", `'Ann'::char(9) AS owner`, `"owner":"Ann"`},
		{"varchar and name", `'Ann'::varchar(9) AS owner, 'X'::name AS "caseNumber"`, `"owner":"Ann","caseNumber":"X"`},
		{"integers", `1999::int2 AS yearBuilt, 7::int4 AS filingAmount`, `"yearBuilt":1999,"filingAmount":7`},
		{"numeric is exact", `1.005::numeric AS filingAmount, 90071992547409.93 AS currentAmount`, `"filingAmount":1.005,"currentAmount":90071992547409.93`},
		{"numeric beyond float64's digits", `123456789012.345000000000000001 AS filingAmount`, `"filingAmount":123456789012.345000000000000001`},
		{"float8", `0.1::float8 AS latitude, -1e-20::float8 AS longitude`, `"latitude":0.1,"longitude":-1e-20`},
		{"date", `'2024-02-29'::date AS filingDate`, `"filingDate":"2024-02-29"`},
		{"date as text", `'2024-02-29' AS filingDate`, `"filingDate":"2024-02-29"`},
		{"timestamptz", `'2024-01-31 23:59:59.123456-05'::timestamptz AS createdAt`, `"createdAt":"2024-02-01T04:59:59.123456Z"`},
		{"timestamp is UTC", `'2024-01-31 23:59:59'::timestamp AS createdAt`, `"createdAt":"2024-01-31T23:59:59Z"`},
		{"time as text", `'2024-01-31T23:59:59Z' AS createdAt`, `"createdAt":"2024-01-31T23:59:59Z"`},
		{"text[]", `ARRAY['residential','land'] AS categories`, `"categories":["residential","land"]`},
		{"text with semicolons", `'residential;land' AS categories`, `"categories":["residential","land"]`},
		{"other texts with semicolons", `'residential;land'::varchar(99) AS categories`, `"categories":["residential","land"]`},
		{"float4", `0.1::float4 AS latitude, '-0'::float4 AS longitude`, `"latitude":0.1,"longitude":-0`},
		{"a list in JSON", `'["land"]'::json AS categories`, `"categories":["land"]`},
		{"a number in JSON", `'90071992547409.93'::jsonb AS filingAmount`, `"filingAmount":90071992547409.93`},
		{"unknown columns of any type", `'{"a":[1]}'::jsonb AS x, '\x00'::bytea AS y, point(1,2) AS z, 5 AS "a ""%s"" \ é"`, `"x":1,"y":1,"z":1,"a \"%s\" \\ é":5`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			json := `{"id":9223372036854775807,"county":"Orange, FL",` + test.json + "}\n"
			want := read(t, strings.ReplaceAll(json, ",}", "}"), settings{})
			if len(want.rejects) > 0 || want.failures != nil {
				t.Fatalf("%v, %v", want.rejects, want.failures)
			}
			got := queryPostgres(t, "SELECT 9223372036854775807 AS id, 'Orange, FL' AS county, "+test.columns, settings{})
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(outcome{}, index.Filing{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestPostgres_OtherColumns: what a mapping reads has the type that the column has, whatever its name; what has a form in JSON has
// that, and all else is the text that it is in SQL.
func TestPostgres_OtherColumns(t *testing.T) {
	t.Parallel()
	query := `SELECT 7 AS n, 1.50 AS amount, false AS redeemed, 'x'::char(9) AS code, ARRAY['a', NULL] AS l, '2024-01-31 23:59:59'::timestamp AS at,
		'{"a":1}'::json AS j, 'a;b' AS t, ARRAY[1,2] AS i, NULL::bool AS none`
	all, err := Config{Inputs: inputs(servers.Postgres(t)), Query: query}.sources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, err := all[0].Open(t.Context(), new(atomic.Int64))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	want := `{"n":7,"amount":1.50,"redeemed":false,"code":"x","l":["a",null],"at":"2024-01-31T23:59:59Z","j":{"a":1},"t":"a;b","i":[1,2],"none":null}`
	if record, err := r.Next(); err != nil || record.Text() != want {
		t.Errorf("error %v, %s\nwant %s", err, record.Text(), want)
	}
}

// TestPostgres_Rejects has rows that NDJSON would not take either.
func TestPostgres_Rejects(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, values string
		want         Reject
	}{
		{"L3 no county", `7 AS id, NULL AS county`, Reject{ID: 7, Field: "county", Reason: "is missing",
			Record: `{"id":7,"county":null}`}},
		{"L4 NaN", `7 AS id, 'A, FL' AS county, 'NaN'::numeric AS filingAmount`, Reject{ID: 7, Field: "filingAmount",
			Reason: `the text "NaN" is not a number`, Record: `{"id":7,"county":"A, FL","filingAmount":"NaN"}`}},
		{"L4 number as text", `'7' AS id, 'A, FL' AS county`, Reject{Field: "id",
			Reason: `the text "7" is not an integer from 1 to 9223372036854775807`, Record: `{"id":"7","county":"A, FL"}`}},
		{"L4 infinity", `7 AS id, 'A, FL' AS county, 'infinity'::timestamptz AS createdat`, Reject{ID: 7, Field: "createdAt",
			Reason: `the text "infinity" is not an RFC 3339 time such as 2024-01-31T23:59:59Z, years 1600 to 2999`,
			Record: `{"id":7,"county":"A, FL","createdAt":"infinity"}`}},
		{"L4 NULL in a list", `7 AS id, 'A, FL' AS county, ARRAY['land',NULL] AS categories`, Reject{ID: 7,
			Field: "categories", Reason: "a list is not a list of texts",
			Record: `{"id":7,"county":"A, FL","categories":["land",null]}`}},
		{"L4 boolean", `7 AS id, 'A, FL' AS county, true AS owner`, Reject{ID: 7, Field: "owner",
			Reason: "the boolean true is not text", Record: `{"id":7,"county":"A, FL","owner":true}`}},
		{"L4 an object", `7 AS id, 'A, FL' AS county, '{"b":1}'::jsonb AS aisummary`, Reject{ID: 7, Field: "aiSummary",
			Reason: "an object is not text", Record: `{"id":7,"county":"A, FL","aiSummary":{"b": 1}}`}},
		{"L4 money", `7 AS id, 'A, FL' AS county, 1::numeric::money AS filingAmount`, Reject{ID: 7, Field: "filingAmount",
			Reason: `the text "$1.00" is not a number`, Record: `{"id":7,"county":"A, FL","filingAmount":"$1.00"}`}},
		{"L4 numbers in a list", `7 AS id, 'A, FL' AS county, ARRAY[1] AS categories`, Reject{ID: 7, Field: "categories",
			Reason: "a list is not a list of texts", Record: `{"id":7,"county":"A, FL","categories":[1]}`}},
		{"L4 a name twice", `7 AS id, 'A, FL' AS county, '{"a":1,"a":2}'::json AS aiSummary`, Reject{ID: 7, Field: "aiSummary",
			Reason: `the name "a" appears twice`, Record: `{"id":7,"county":"A, FL","aiSummary":{"a":1,"a":2}}`}},
		{"L4 deleted in a full load", `7 AS id, 'A, FL' AS county, false AS deleted`, Reject{ID: 7, Field: "deleted",
			Reason: "is only for --update; a full load or --replace already removes filings that the source lacks", Record: `{"id":7,"county":"A, FL","deleted":false}`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := queryPostgres(t, "SELECT "+test.values, settings{})
			test.want.File, test.want.Line = "db", 1
			if diff := cmp.Diff([]Reject{test.want}, got.rejects); diff != "" || got.failures != nil {
				t.Errorf("error %v, rejects (-want +got):\n%s", got.failures, diff)
			}
		})
	}
}

func TestPostgres_Update(t *testing.T) {
	t.Parallel()
	got := queryPostgres(t, `VALUES (1,'A, FL',NULL), (2,NULL,true), (3,'A, FL',false), (4,NULL,NULL)`, settings{update: true})
	if got.failures == nil || !strings.Contains(got.failures.Error(), `the list of its columns lacks id; it is column1,column2,column3`) {
		t.Errorf("error %v", got.failures)
	}
	got = queryPostgres(t, `SELECT * FROM (VALUES (1,'A, FL',NULL), (2,NULL,true), (3,'A, FL',false), (4,NULL,NULL))
		AS changes (id, county, deleted) ORDER BY id;`, settings{update: true})
	var ids []int64
	for _, f := range got.filings {
		ids = append(ids, f.ID)
	}
	if diff := cmp.Diff([]int64{1, 3}, ids); diff != "" {
		t.Errorf("filings (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int64{2}, got.deleted); diff != "" {
		t.Errorf("deleted (-want +got):\n%s", diff)
	}
	if len(got.rejects) != 1 || got.rejects[0].Line != 4 || got.rejects[0].Reason != "is missing" {
		t.Errorf("rejects %v, want row 4 without a county", got.rejects)
	}
}

// TestPostgres_Failures each say what is wrong and where.
func TestPostgres_Failures(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"SELEC 1":                        `the query: ERROR: syntax error at or near "SELEC"`,
		"-- nothing":                     "the query returns no columns",
		"COMMIT":                         "the query returns no columns",
		"SELECT 1 AS id; SELECT 2 AS id": "cannot insert multiple commands",
		"SELECT $1::int AS id, 'A, FL' AS county":    "the query has parameters",
		"SELECT 1 AS id, 'A, FL' AS county, 2 AS ID": `the list of its columns has "id" twice`,
		"SELECT 1 AS id": "lacks county",
		"SELECT i AS id, 'A, FL' AS county, 1/(3-i) FROM generate_series(1,5) AS i": "db, row 2: ERROR: division by zero",
		"SELECT nextval('filings_absent') AS id, 'A, FL' AS county":                 "does not exist",
		"CREATE TABLE filings_made AS SELECT 1 AS id":                               "the query returns no columns",
		"SELECT 1 AS id, 'A, FL' AS county, repeat('x', 65*1024*1024) AS owner":     "db: the next row is too long",
	} {
		got := queryPostgres(t, sql, settings{})
		if !errors.Is(got.failures, ErrSource) || !strings.Contains(got.failures.Error(), want) {
			t.Errorf("%.60s: error %v, want %q", sql, got.failures, want)
		}
	}
}

func TestL6_PostgresLongRows(t *testing.T) {
	t.Parallel()
	got := queryPostgres(t, `SELECT i AS id, 'A, FL' AS county, CASE i WHEN 1 THEN repeat('x', 17000000) END AS owner
		FROM generate_series(1,2) AS i`, settings{})
	if len(got.rejects) != 0 || !errors.Is(got.failures, ErrSource) || !strings.HasSuffix(got.failures.Error(), "row 1: the record is longer than 16 MiB") {
		t.Errorf("%d filings, error %v, rejects %.300v", len(got.filings), got.failures, got.rejects)
	}
}

// TestPostgres_OnlyReads tries to write: through a function, and by a statement that is no SELECT.
func TestPostgres_OnlyReads(t *testing.T) {
	t.Parallel()
	table := "filings_" + strings.ToLower(rand.Text()[:10])
	execute(t, "CREATE TABLE "+table+" (id int); CREATE FUNCTION "+table+"() RETURNS int LANGUAGE sql AS 'INSERT INTO "+table+" VALUES (1) RETURNING id'")
	t.Cleanup(func() { execute(t, "DROP FUNCTION "+table+"(); DROP TABLE "+table) })
	for query, want := range map[string]string{
		"SELECT " + table + "() AS id, 'A, FL' AS county":                      "in a read-only transaction",
		"INSERT INTO " + table + " VALUES (1) RETURNING id, 'A, FL' AS county": `syntax error at or near "INTO"`,
	} {
		if got := queryPostgres(t, query, settings{}); got.failures == nil || !strings.Contains(got.failures.Error(), want) {
			t.Errorf("%s: error %v", query, got.failures)
		}
	}
}

// TestPostgres_OneState changes a table between two parts of a query's result.
func TestPostgres_OneState(t *testing.T) {
	t.Parallel()
	table := "filings_" + strings.ToLower(rand.Text()[:10])
	execute(t, "CREATE TABLE "+table+" AS SELECT i AS id, 'A, FL' AS county, repeat('x', 5000) AS owner FROM generate_series(1,20000) AS i")
	t.Cleanup(func() { execute(t, "DROP TABLE "+table) })
	all, err := Config{Inputs: inputs(servers.Postgres(t)), Query: "SELECT * FROM " + table}.sources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := newReading(all, false, false, func(reject Reject) error { return &reject })
	n := 0
	err = r.readSources(t.Context(), func(*index.Filing, bool) error {
		if n++; n == 1 {
			execute(t, "DELETE FROM "+table)
		}
		return nil
	})
	if n != 20000 || err != nil {
		t.Errorf("%d rows, error %v", n, err)
	}
}

// TestPostgres_Ends closes a query early, and ends another by its context, in the midst of very many rows.
func TestPostgres_Ends(t *testing.T) {
	t.Parallel()
	all, err := Config{Inputs: inputs(servers.Postgres(t)),
		Query: "SELECT generate_series(1,1000000000000) AS id, 'A, FL' AS county"}.sources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	enough := errors.New("enough")
	for _, end := range []func() error{func() error { return enough }, func() error { cancel(); return nil }} {
		r := newReading(all, true, false, func(reject Reject) error { return &reject })
		err := r.readSources(ctx, func(f *index.Filing, _ bool) error {
			if f.ID == 10 {
				return end()
			}
			return nil
		})
		if err != enough && !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	}
}

// TestPostgres_CutConnection cuts the connection between two rows.
func TestPostgres_CutConnection(t *testing.T) {
	t.Parallel()
	address, err := url.Parse(servers.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	proxy, cut := cutting(t, address.Host)
	address.Host = proxy
	q := address.Query()
	q.Set("sslmode", "disable")
	address.RawQuery = q.Encode()
	all, err := Config{Inputs: inputs(address.String()),
		Query: "SELECT i AS id, 'A, FL' AS county, repeat('x', 5000) AS owner FROM generate_series(1,200000) AS i"}.sources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := newReading(all, false, false, func(reject Reject) error { return &reject })
	err = r.readSources(t.Context(), func(f *index.Filing, _ bool) error {
		if f.ID == 100 {
			cut()
		}
		return nil
	})
	if !errors.Is(err, ErrSource) || !strings.Contains(err.Error(), ", row ") {
		t.Errorf("error %v", err)
	}
}

// cutting starts a proxy for one connection, and returns its address and what cuts the connection.
func cutting(t *testing.T, host string) (string, func()) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	var near atomic.Pointer[net.Conn]
	go func() {
		in, err := listener.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", host)
		if err != nil {
			in.Close()
			return
		}
		near.Store(&in)
		go pipe(in, out)
		pipe(out, in)
	}()
	return listener.Addr().String(), func() { (*near.Load()).Close() }
}

func pipe(to, from net.Conn) {
	defer to.Close()
	io.Copy(to, from)
}
