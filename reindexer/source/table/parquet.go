package table

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// parquetRows reads the rows of a Parquet file, a row group after the other.
type parquetRows struct {
	groups  []parquet.RowGroup
	rows    parquet.Rows // of the first group; nil: it is not open
	columns []parquetColumn
	page    []parquet.Row
	left    []parquet.Row // of page
	number  int
	buf     []byte
}

// parquetColumn is a column of values, or of lists of them.
type parquetColumn struct {
	name string
	list bool
	kind parquet.Type
	// item is the definition level of a list's item, which may be null.
	item int
}

func newParquet(f *parquet.File) (*parquetRows, error) {
	p := &parquetRows{groups: f.RowGroups(), page: make([]parquet.Row, 256)}
	// The library cannot read a group without rows, which is what a table without any is written as.
	p.groups = slices.DeleteFunc(slices.Clone(p.groups), func(g parquet.RowGroup) bool { return g.NumRows() == 0 })
	for _, c := range f.Root().Columns() {
		leaf, list := c, false
		for !leaf.Leaf() && len(leaf.Columns()) == 1 && leaf.MaxRepetitionLevel() <= 1 { // list, element
			leaf = leaf.Columns()[0]
		}
		list = leaf.MaxRepetitionLevel() == 1
		if !leaf.Leaf() || leaf.MaxRepetitionLevel() > 1 || leaf != c && !list {
			return nil, fmt.Errorf("its column %s is nested; values and lists of values are read: unnest it first", c.Name())
		}
		item := leaf.MaxDefinitionLevel()
		if leaf.Optional() {
			item--
		}
		p.columns = append(p.columns, parquetColumn{name: c.Name(), list: list, kind: leaf.Type(), item: item})
	}
	return p, nil
}

// Columns returns the names of the columns.
func (p *parquetRows) Columns() (names []string) {
	for _, c := range p.columns {
		names = append(names, c.name)
	}
	return names
}

// Close ends the reading.
func (p *parquetRows) Close() {
	if p.rows != nil {
		_ = p.rows.Close() // only read from
	}
}

func (p *parquetRows) Line() int             { return p.number }
func (p *parquetRows) OtherSheets() []string { return nil }

// Next returns the next row as a JSON object.
func (p *parquetRows) Next() (_ []byte, err error) {
	defer func() {
		if damage := recover(); damage != nil { // the library does so on some damaged files
			err = fmt.Errorf("the Parquet file is damaged: %v", damage)
		}
	}()
	for len(p.left) == 0 {
		if err := p.read(); err != nil {
			return nil, err
		}
	}
	row := p.left[0]
	p.left = p.left[1:]
	p.number++
	p.buf = append(p.buf[:0], '{')
	row.Range(func(column int, values []parquet.Value) bool {
		if column > 0 {
			p.buf = append(p.buf, ',')
		}
		c := p.columns[column]
		p.buf = append(AppendText(p.buf, []byte(c.name)), ':')
		p.buf = c.append(p.buf, values)
		return true
	})
	p.buf = append(p.buf, '}')
	return p.buf, nil
}

// read fills p.left, or returns io.EOF.
func (p *parquetRows) read() error {
	if len(p.groups) == 0 {
		return io.EOF
	}
	if p.rows == nil {
		p.rows = p.groups[0].Rows()
	}
	n, err := p.rows.ReadRows(p.page)
	p.left = p.page[:n]
	switch {
	case err == nil || n > 0 && errors.Is(err, io.EOF):
		return nil
	case !errors.Is(err, io.EOF):
		return fmt.Errorf("the Parquet file is damaged: %w", err)
	}
	err = p.rows.Close()
	p.rows, p.groups = nil, p.groups[1:]
	return err
}

func (c parquetColumn) append(dst []byte, values []parquet.Value) []byte {
	if !c.list {
		return c.appendValue(dst, values[0])
	}
	if len(values) == 1 && values[0].DefinitionLevel() == 0 {
		return append(dst, "null"...)
	}
	dst = append(dst, '[')
	for i, v := range values {
		if v.IsNull() && v.DefinitionLevel() < c.item { // an empty list
			break
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = c.appendValue(dst, v)
	}
	return append(dst, ']')
}

// appendValue appends a value as JSON: dates as YYYY-MM-DD, times as RFC 3339, decimals as numbers, bytes that are no text as
// PostgreSQL writes them. What is no number in JSON stays a text, for the record to refuse.
func (c parquetColumn) appendValue(dst []byte, v parquet.Value) []byte {
	if v.IsNull() {
		return append(dst, "null"...)
	}
	if logical := c.kind.LogicalType(); logical != nil {
		switch t := logical.Value.(type) {
		case *format.DateType:
			return AppendText(dst, time.Unix(int64(v.Int32())*86400, 0).UTC().AppendFormat(nil, time.DateOnly))
		case *format.TimestampType:
			return AppendText(dst, timeOf(t, v.Int64()).AppendFormat(nil, time.RFC3339Nano))
		case *format.DecimalType:
			return appendDecimal(dst, v, int(t.Scale))
		case *format.IntType:
			if !t.IsSigned {
				return strconv.AppendUint(dst, v.Uint64(), 10)
			}
		}
	}
	switch v.Kind() {
	case parquet.Boolean:
		return strconv.AppendBool(dst, v.Boolean())
	case parquet.Int32:
		return strconv.AppendInt(dst, int64(v.Int32()), 10)
	case parquet.Int64:
		return strconv.AppendInt(dst, v.Int64(), 10)
	case parquet.Float:
		return appendFloat(dst, float64(v.Float()), 32)
	case parquet.Double:
		return appendFloat(dst, v.Double(), 64)
	case parquet.Int96: // a time, as Impala and Spark wrote it
		days, nanos := v.Int96()[2], int64(v.Int96()[1])<<32|int64(v.Int96()[0])
		return AppendText(dst, time.Unix((int64(days)-2440588)*86400, nanos).UTC().AppendFormat(nil, time.RFC3339Nano))
	}
	if logical := c.kind.LogicalType(); (logical == nil || logical.Value == nil) && !utf8.Valid(v.ByteArray()) { // such as a shape
		return fmt.Appendf(dst, `"\\x%x"`, v.ByteArray())
	}
	return AppendText(dst, v.ByteArray())
}

func timeOf(t *format.TimestampType, n int64) time.Time {
	switch t.Unit.Value.(type) {
	case *format.MilliSeconds:
		return time.UnixMilli(n).UTC()
	case *format.MicroSeconds:
		return time.UnixMicro(n).UTC()
	}
	return time.Unix(0, n).UTC()
}

func appendFloat(dst []byte, v float64, bits int) []byte {
	text := strconv.AppendFloat(nil, v, 'f', -1, bits)
	if strings.ContainsAny(string(text), "NI") { // NaN, Inf
		return AppendText(dst, text)
	}
	return append(dst, text...)
}

// appendDecimal appends a whole number of 10^-scale.
func appendDecimal(dst []byte, v parquet.Value, scale int) []byte {
	n := new(big.Int)
	switch v.Kind() {
	case parquet.Int32:
		n.SetInt64(int64(v.Int32()))
	case parquet.Int64:
		n.SetInt64(v.Int64())
	default: // two's complement, big-endian
		b := v.ByteArray()
		n.SetBytes(b)
		if len(b) > 0 && b[0]&0x80 != 0 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(len(b))*8))
		}
	}
	digits := new(big.Int).Abs(n).String()
	if n.Sign() < 0 {
		dst = append(dst, '-')
	}
	if scale <= 0 {
		return append(dst, digits...)
	}
	if len(digits) <= scale {
		digits = strings.Repeat("0", scale+1-len(digits)) + digits
	}
	return append(append(append(dst, digits[:len(digits)-scale]...), '.'), digits[len(digits)-scale:]...)
}
