package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"filings/reindexer/record"
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
func columnsOf(
	ctx context.Context, conn *pgconn.PgConn, fields []pgconn.FieldDescription, meant func(string) Column,
) ([]column, error) {
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
		if twice := slices.ContainsFunc(columns[:i], func(c column) bool { return c.Name == columns[i].Name }); twice {
			return nil, fmt.Errorf("the list of its columns has %.200q twice: name one of them with AS", columns[i].Name)
		}
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

// kindOf returns how values of a type are read, 0 where they are not. Of the categories of pg_type,
// S are texts, also those of extensions, E are enumerations, A are arrays.
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

// value returns a value, nil for NULL, as jq has it. What its type cannot have as JSON, such as
// NaN, stays a text, for the record to refuse.
func (c column) value(value []byte) any {
	if value == nil {
		return nil
	}
	switch c.kind {
	case columnNumber:
		if bytes.ContainsAny(value[max(len(value)-1, 0):], "0123456789") { // neither NaN nor Infinity
			return record.Number(string(value))
		}
	case columnBool:
		return string(value) == "t"
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
			return listOf(items)
		}
	case columnText:
		if c.List && len(value) == 0 {
			return nil
		}
		if c.List {
			list := []any{}
			for item := range strings.SplitSeq(string(value), ";") {
				list = append(list, item)
			}
			return list
		}
	}
	return string(value)
}

// listOf returns a list of texts and nulls.
func listOf(items []*string) []any {
	list := make([]any, len(items))
	for i, item := range items {
		if item != nil {
			list[i] = *item
		}
	}
	return list
}

// rfc3339 writes a time of UTC, 2024-01-31 23:59:59. Infinity stays, for the record to refuse.
func rfc3339(value []byte) []byte {
	day, clock, found := bytes.Cut(value, []byte{' '})
	if !found {
		return value
	}
	return fmt.Appendf(nil, "%sT%sZ", day, clock)
}
