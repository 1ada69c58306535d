package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"filings/reindexer/source/table"
	"filings/reindexer/web"
)

// column is a Column whose type is known.
type column struct {
	Column
	kind columnKind
}

// columnKind says how the text of an SQL value becomes a value of JSON.
type columnKind uint8

const (
	columnText      columnKind = 1 + iota // 0 is the kind of a type that no field has
	columnPadded                          // char(n), whose blanks at the end mean nothing
	columnNumber                          // as written: a numeric loses nothing
	columnBool                            // t or f
	columnTime                            // with a time zone, which is UTC in our transaction
	columnLocalTime                       // without one: taken as UTC
	columnList                            // an array of texts
)

// typesQuery describes types. The kind of an array is that of its elements.
const typesQuery = `SELECT t.oid::text, t.typname::text, t.typcategory::text, coalesce(e.typcategory::text, ''),
	pg_catalog.format_type(t.oid, NULL)
FROM pg_catalog.pg_type t LEFT JOIN pg_catalog.pg_type e ON t.typcategory = 'A' AND e.oid = t.typelem
WHERE t.oid = ANY ($1::oid[])`

// columnsOf checks the types of a query's columns, before its first row is requested.
func columnsOf(ctx context.Context, conn *pgconn.PgConn, fields []pgconn.FieldDescription, meant func(string) Column) ([]column, error) {
	if len(fields) == 0 {
		return nil, errors.New("the query returns no columns")
	}
	oids := make([]string, len(fields))
	for i, f := range fields {
		oids[i] = strconv.FormatUint(uint64(f.DataTypeOID), 10)
	}
	list := []byte("{" + strings.Join(oids, ",") + "}")
	types := conn.ExecParams(ctx, typesQuery, [][]byte{list}, nil, nil, nil).Read()
	if types.Err != nil {
		return nil, fmt.Errorf("reading the types of columns: %w", web.Foreign(ctx, types.Err))
	}
	columns := make([]column, len(fields))
	for i, f := range fields {
		columns[i].Column = meant(f.Name)
		shown := "" // as SQL writes the type
		for _, t := range types.Rows {
			if string(t[0]) == oids[i] {
				columns[i].kind, shown = kindOf(string(t[1]), string(t[2]), string(t[3])), string(t[4])
			}
		}
		if columns[i].kind == 0 && columns[i].Field { // of others the text is what a mapping reads
			return nil, fmt.Errorf("the column %s is of the type %s, which is neither text, number, boolean, date, "+
				"timestamp nor text[]: cast it in the query", columns[i].Name, shown)
		}
	}
	return columns, nil
}

// kindOf returns how values of a type are read, 0 where they are not. Of the categories of pg_type, S are texts, also
// those of extensions, E are enumerations, A are arrays.
func kindOf(name, category, elements string) columnKind {
	isText := func(category string) bool { return category == "S" || category == "E" }
	switch name {
	case "int2", "int4", "int8", "numeric", "float4", "float8":
		return columnNumber
	case "bool":
		return columnBool
	case "date":
		return columnText
	case "timestamptz":
		return columnTime
	case "timestamp":
		return columnLocalTime
	case "bpchar":
		return columnPadded
	}
	switch {
	case isText(category):
		return columnText
	case category == "A" && isText(elements):
		return columnList
	}
	return 0
}

// appendRow appends a row as a JSON object.
func appendRow(dst []byte, columns []column, values [][]byte) []byte {
	dst = append(dst, '{')
	for i, value := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(table.AppendText(dst, []byte(columns[i].Name)), ':')
		dst = columns[i].append(dst, value)
	}
	return append(dst, '}')
}

// append appends a value, nil for NULL, as JSON. What its type cannot have as JSON, such as NaN, stays a text, for the
// record to refuse.
func (c column) append(dst, value []byte) []byte {
	if value == nil {
		return append(dst, "null"...)
	}
	switch c.kind {
	case columnNumber:
		if bytes.ContainsAny(value[max(len(value)-1, 0):], "0123456789") { // neither NaN nor Infinity
			return append(dst, value...)
		}
	case columnBool:
		return strconv.AppendBool(dst, string(value) == "t")
	case columnPadded:
		value = bytes.TrimRight(value, " ")
	case columnTime:
		value = rfc3339(bytes.TrimSuffix(value, []byte("+00")))
	case columnLocalTime:
		value = rfc3339(value)
	case columnList:
		var items []*string
		err := pgtype.NewMap().Scan(pgtype.TextArrayOID, pgtype.TextFormatCode, value, &items)
		if err == nil { // else it has more than one dimension
			return appendList(dst, items)
		}
	case columnText:
		if c.List && len(value) == 0 {
			return append(dst, "null"...)
		}
		if c.List {
			var items []*string
			for item := range strings.SplitSeq(string(value), ";") {
				items = append(items, &item)
			}
			return appendList(dst, items)
		}
	}
	return table.AppendText(dst, value)
}

// appendList appends a list of texts and nulls.
func appendList(dst []byte, items []*string) []byte {
	dst = append(dst, '[')
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		if item == nil {
			dst = append(dst, "null"...)
			continue
		}
		dst = table.AppendText(dst, []byte(*item))
	}
	return append(dst, ']')
}

// rfc3339 writes a time of UTC, 2024-01-31 23:59:59. Infinity stays, for the record to refuse.
func rfc3339(value []byte) []byte {
	day, clock, found := bytes.Cut(value, []byte{' '})
	if !found {
		return value
	}
	return fmt.Appendf(nil, "%sT%sZ", day, clock)
}
