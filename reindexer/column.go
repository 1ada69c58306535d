package reindexer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"filings/index"
)

// column is a column of a query.
type column struct {
	name string // of the field, or as the query calls it where no field is meant
	kind columnKind
}

// columnKind says how the text of an SQL value becomes a value of JSON.
type columnKind uint8

const (
	columnText      columnKind = iota
	columnPadded               // char(n), whose blanks at the end mean nothing
	columnNumber               // as written: a numeric loses nothing
	columnBool                 // t or f
	columnTime                 // with a time zone, which is UTC in our transaction
	columnLocalTime            // without one: taken as UTC
	columnList                 // an array of texts
	columnSplit                // a text, cut at each semicolon
)

// typesQuery asks what types are. The kind of an array is that of its elements.
const typesQuery = `SELECT t.oid::text, t.typname::text, t.typcategory::text, coalesce(e.typcategory::text, ''),
	pg_catalog.format_type(t.oid, NULL)
FROM pg_catalog.pg_type t LEFT JOIN pg_catalog.pg_type e ON t.typcategory = 'A' AND e.oid = t.typelem
WHERE t.oid = ANY ($1::oid[])`

// columnsOf checks the columns of a query, before its first row is asked for.
func columnsOf(ctx context.Context, conn *pgconn.PgConn, fields []pgconn.FieldDescription) ([]column, error) {
	if len(fields) == 0 {
		return nil, errors.New("the query returns no columns")
	}
	types, err := typesOf(ctx, conn, fields)
	if err != nil {
		return nil, fmt.Errorf("asking for the types of columns: %w", foreign(ctx, err))
	}
	columns, names := make([]column, len(fields)), make([]string, len(fields))
	for i, f := range fields {
		columns[i].name = canonical(f.Name)
		names[i] = columns[i].name
		field, known := index.ByName(names[i])
		if !known && names[i] != deletedName {
			continue // its values are ignored, whatever they are
		}
		t := types[f.DataTypeOID]
		kind, ok := t.kind()
		if !ok {
			return nil, fmt.Errorf("the column %s is of the type %s, which is neither text, number, boolean, date, "+
				"timestamp nor text[]: cast it in the query", names[i], t.shown)
		}
		if kind == columnText && known && field.Info().Kind == index.KindCategories {
			kind = columnSplit
		}
		columns[i].kind = kind
	}
	return columns, checkNames("the result of the query", names)
}

// canonical returns the name that a column stands for: SQL makes names that are not quoted lower case.
func canonical(name string) string {
	for _, f := range index.Fields() {
		if f.Loaded() && strings.EqualFold(f.String(), name) {
			return f.String()
		}
	}
	if strings.EqualFold(name, deletedName) {
		return deletedName
	}
	return name
}

// sqlType is a type as the catalogue of a database describes it.
type sqlType struct {
	name, category, elements string
	shown                    string // as SQL writes it
}

func typesOf(ctx context.Context, conn *pgconn.PgConn, fields []pgconn.FieldDescription) (map[uint32]sqlType, error) {
	oids := make([]string, len(fields))
	for i, f := range fields {
		oids[i] = strconv.FormatUint(uint64(f.DataTypeOID), 10)
	}
	list := []byte("{" + strings.Join(oids, ",") + "}")
	result := conn.ExecParams(ctx, typesQuery, [][]byte{list}, nil, nil, nil).Read()
	types := map[uint32]sqlType{}
	for _, row := range result.Rows {
		oid, err := strconv.ParseUint(string(row[0]), 10, 32)
		if err != nil {
			return nil, err
		}
		types[uint32(oid)] = sqlType{string(row[1]), string(row[2]), string(row[3]), string(row[4])}
	}
	return types, result.Err
}

// kind tells how values of t are read; it is not ok where they are not.
func (t sqlType) kind() (_ columnKind, ok bool) {
	switch t.name {
	case "int2", "int4", "int8", "numeric", "float4", "float8":
		return columnNumber, true
	case "bool":
		return columnBool, true
	case "date":
		return columnText, true
	case "timestamptz":
		return columnTime, true
	case "timestamp":
		return columnLocalTime, true
	case "bpchar":
		return columnPadded, true
	}
	// The categories of pg_type: S are texts, also those of extensions, E are enumerations.
	isText := func(category string) bool { return category == "S" || category == "E" }
	switch {
	case isText(t.category):
		return columnText, true
	case t.category == "A" && isText(t.elements):
		return columnList, true
	}
	return 0, false
}

// append appends a value, nil for NULL, as JSON.
func (c column) append(dst, value []byte) []byte {
	if value == nil {
		return append(dst, "null"...)
	}
	switch c.kind {
	case columnNumber:
		if isNumber(string(value)) { // neither NaN nor Infinity
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
		return appendList(dst, value)
	case columnSplit:
		return appendSplit(dst, string(value))
	}
	return appendText(dst, value)
}

// appendText leaves what is not UTF-8 as it is, which only a database without an encoding sends: the record is rejected
// for it then.
func appendText(dst, value []byte) []byte {
	if !utf8.Valid(value) {
		return append(append(append(dst, '"'), value...), '"')
	}
	return index.AppendString(dst, string(value))
}

// rfc3339 writes a time of UTC, 2024-01-31 23:59:59. Infinity stays, for the record to refuse.
func rfc3339(value []byte) []byte {
	day, clock, found := bytes.Cut(value, []byte{' '})
	if !found {
		return value
	}
	return fmt.Appendf(nil, "%sT%sZ", day, clock)
}

// appendList appends an array, which may have NULLs, as a list.
func appendList(dst, value []byte) []byte {
	var items []*string
	if err := pgtype.NewMap().Scan(pgtype.TextArrayOID, pgtype.TextFormatCode, value, &items); err != nil {
		return appendText(dst, value) // of more than one dimension; the record refuses a text
	}
	dst = append(dst, '[')
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		if item == nil {
			dst = append(dst, "null"...)
			continue
		}
		dst = appendText(dst, []byte(*item))
	}
	return append(dst, ']')
}

// appendSplit appends a text in the form that categories have in CSV (rule L1) as a list.
func appendSplit(dst []byte, value string) []byte {
	if value == "" {
		return append(dst, "null"...)
	}
	dst = append(dst, '[')
	for i, item := range strings.Split(value, ";") {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendText(dst, []byte(item))
	}
	return append(dst, ']')
}
