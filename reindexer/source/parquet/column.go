package parquet

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"filings/reindexer/record"
)

// column is a column of values, or of lists of them.
type column struct {
	place int // which of the names it has; -1: it is not read
	list  bool
	kind  parquet.Type
	// item is the definition level of a list's item, which may be null.
	item int
}

// valueIn returns the value of c in a row.
func (c column) valueIn(values []parquet.Value) any {
	if !c.list {
		return c.value(values[0])
	}
	if len(values) == 1 && values[0].DefinitionLevel() == 0 {
		return nil
	}
	list := make([]any, 0, len(values))
	for _, v := range values {
		if v.IsNull() && v.DefinitionLevel() < c.item { // an empty list
			break
		}
		list = append(list, c.value(v))
	}
	return list
}

// value returns a value as jq has it: dates as YYYY-MM-DD, times as RFC 3339, times of a day as in
// it, decimals as numbers, UUIDs and bytes that are no text as PostgreSQL writes them. A value that
// is no number in JSON stays a text, for the record to refuse.
func (c column) value(v parquet.Value) any {
	if v.IsNull() {
		return nil
	}
	if logical := c.kind.LogicalType(); logical != nil {
		switch t := logical.Value.(type) {
		case *format.DateType:
			return time.Unix(int64(v.Int32())*86400, 0).UTC().Format(time.DateOnly)
		case *format.TimestampType:
			return timeOf(t.Unit, v.Int64()).Format(time.RFC3339Nano)
		case *format.TimeType:
			n := v.Int64()
			if v.Kind() == parquet.Int32 {
				n = int64(v.Int32())
			}
			return timeOf(t.Unit, n).Format("15:04:05.999999999")
		case *format.DecimalType:
			return record.Number(decimal(v, max(0, int(t.Scale))))
		case *format.UUIDType:
			if b := v.ByteArray(); len(b) == 16 { // a damaged file says it of any bytes
				return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
			}
		case *format.IntType:
			if !t.IsSigned {
				return record.Number(strconv.FormatUint(v.Uint64(), 10))
			}
		}
	}
	switch v.Kind() {
	case parquet.Boolean:
		return v.Boolean()
	case parquet.Int32:
		return int(v.Int32())
	case parquet.Int64:
		return record.Number(strconv.FormatInt(v.Int64(), 10))
	case parquet.Float:
		return float(float64(v.Float()), 32)
	case parquet.Double:
		return float(v.Double(), 64)
	case parquet.Int96: // a time, as Impala and Spark wrote it
		days, nanos := v.Int96()[2], int64(v.Int96()[1])<<32|int64(v.Int96()[0])
		return time.Unix((int64(days)-2440588)*86400, nanos).UTC().Format(time.RFC3339Nano)
	}
	text := string(v.ByteArray())
	logical := c.kind.LogicalType()
	if (logical == nil || logical.Value == nil) && !utf8.ValidString(text) { // such as a shape
		return fmt.Sprintf(`\x%x`, text)
	}
	return text
}

func timeOf(unit format.TimeUnit, n int64) time.Time {
	switch unit.Value.(type) {
	case *format.MilliSeconds:
		return time.UnixMilli(n).UTC()
	case *format.MicroSeconds:
		return time.UnixMicro(n).UTC()
	}
	return time.Unix(0, n).UTC()
}

// float returns a number as it is written; a text for NaN and Inf, which JSON lacks.
func float(v float64, bits int) any {
	text := strconv.FormatFloat(v, 'f', -1, bits)
	if strings.ContainsAny(text, "NI") {
		return text
	}
	return record.Number(text)
}

// decimal writes a whole number of 10^-scale: its digits with a point put in.
func decimal(v parquet.Value, scale int) string {
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
	width := scale + 1 // a zero before the point
	if n.Sign() < 0 {
		width++
	}
	digits := fmt.Sprintf("%0*d", width, n)
	if scale == 0 {
		return digits
	}
	return digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}
