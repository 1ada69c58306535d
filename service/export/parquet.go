package export

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	codec "github.com/parquet-go/parquet-go/compress/zstd"

	"filings/index"
)

// A row group is held in memory until it is whole, so it ends with groupBytes of records, or of
// long texts, which compress less, with groupPages of compressed pages. Readers need not open
// thousands of groups: of the usual records it is some thousand rows.
const (
	groupBytes = 4 << 20
	groupPages = 1 << 20
	pageBuffer = 64 << 10
)

// parquetEncoder writes a Parquet file: dates as DATE, amounts and numbers as DOUBLE, integers as
// INT64, categories as a list of strings, everything else as a string; a missing value is null.
// Pages are compressed with zstd.
type parquetEncoder struct {
	fields  []index.Field
	output  *appender
	w       *parquet.GenericWriter[any]
	pages   *pageCodec
	columns [][]parquet.Value
	held    int // bytes of the records in the group that is being filled
}

func newParquet(fields []index.Field) (*parquetEncoder, error) {
	pages, err := newPageCodec()
	if err != nil {
		return nil, err
	}
	e := &parquetEncoder{fields: fields, output: &appender{}, pages: pages, columns: make([][]parquet.Value, len(fields))}
	s := schema(fields)
	e.w = parquet.NewGenericWriter[any](e.output, append(withoutBounds(s), s,
		parquet.Compression(pages),
		parquet.PageBufferSize(pageBuffer), parquet.WriteBufferSize(0), parquet.DataPageStatistics(false),
		parquet.CreatedBy("filings", "", ""))...)
	return e, nil
}

// pageCodec is parquet-go's zstd with a window of zstdWindow: its own takes 8 MiB for pages of a few long texts.
type pageCodec struct {
	codec.Codec
	encoder *zstd.Encoder
	written int // bytes, since the last row group
}

func newPageCodec() (*pageCodec, error) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithZeroFrames(true),
		zstd.WithEncoderCRC(false), zstd.WithWindowSize(zstdWindow), zstd.WithLowerEncoderMem(true))
	return &pageCodec{encoder: e}, err
}

// Encode implements compress.Codec.
func (c *pageCodec) Encode(dst, src []byte) ([]byte, error) {
	dst = c.encoder.EncodeAll(src, dst[:0])
	c.written += len(dst)
	return dst, nil
}

// schema returns the schema of these fields in their order, which parquet-go keeps in structs alone.
func schema(fields []index.Field) *parquet.Schema {
	members := make([]reflect.StructField, len(fields))
	for i, f := range fields {
		t, options := reflect.TypeFor[string](), ",optional"
		switch f.Info().Kind {
		case index.KindID:
			t, options = reflect.TypeFor[int64](), ""
		case index.KindInteger:
			t = reflect.TypeFor[int64]()
		case index.KindAmount, index.KindNumber, index.KindLatitude, index.KindLongitude:
			t = reflect.TypeFor[float64]()
		case index.KindDate:
			t, options = reflect.TypeFor[int32](), ",optional,date"
		case index.KindCategories:
			t, options = reflect.TypeFor[[]string](), ",list"
		}
		members[i] = reflect.StructField{
			Name: "F" + strconv.Itoa(i), Type: t, Tag: reflect.StructTag(fmt.Sprintf("parquet:%q", f.String()+options)),
		}
	}
	return parquet.NewSchema("filings",
		textsApart{parquet.SchemaOf(reflect.New(reflect.StructOf(members)).Interface())})
}

func (e *parquetEncoder) Append(dst []byte, records []index.Record) ([]byte, error) {
	for _, r := range records {
		var values [index.NumKeyed][]byte
		if err := r.Values(values[:], e.fields[len(e.fields)-1]); err != nil {
			return dst, err
		}
		for i, f := range e.fields {
			var err error
			if e.columns[i], err = appendValue(e.columns[i], i, f.Info().Kind, values[f]); err != nil {
				return dst, err
			}
		}
		e.held += len(r)
	}
	return e.write(dst, func() error {
		for i, c := range e.w.ColumnWriters() {
			if _, err := c.WriteRowValues(e.columns[i]); err != nil {
				return err
			}
			clear(e.columns[i])
			e.columns[i] = e.columns[i][:0]
		}
		if e.held < groupBytes && e.pages.written < groupPages {
			return nil
		}
		err := e.w.Flush()
		e.held, e.pages.written = 0, 0
		return err
	})
}

func (e *parquetEncoder) Close(dst []byte) ([]byte, error) { return e.write(dst, e.w.Close) }

// write has f write to the end of dst.
func (e *parquetEncoder) write(dst []byte, f func() error) ([]byte, error) {
	e.output.b = dst
	err := f()
	dst, e.output.b = e.output.b, nil
	return dst, err
}

// appendValue appends a JSON value to those of a column.
func appendValue(values []parquet.Value, column int, kind index.Kind, value []byte) ([]parquet.Value, error) {
	if kind == index.KindCategories {
		items := list(value)
		for i, item := range items {
			values = append(values, parquet.ByteArrayValue(item).Level(b2i(i > 0), 1, column))
		}
		if len(items) == 0 {
			values = append(values, parquet.NullValue().Level(0, 0, column))
		}
		return values, nil
	}
	if value[0] == 'n' { // null
		return append(values, parquet.NullValue().Level(0, 0, column)), nil
	}
	v, err := valueOf(kind, value)
	return append(values, v.Level(0, b2i(kind != index.KindID), column)), err
}

func valueOf(kind index.Kind, value []byte) (parquet.Value, error) {
	switch kind {
	case index.KindID, index.KindInteger:
		n, err := strconv.ParseInt(string(value), 10, 64)
		return parquet.Int64Value(n), err
	case index.KindAmount, index.KindNumber, index.KindLatitude, index.KindLongitude:
		n, err := strconv.ParseFloat(string(value), 64)
		return parquet.DoubleValue(n), err
	case index.KindDate:
		day, err := time.Parse(time.DateOnly, string(bytes.Trim(value, `"`)))
		return parquet.Int32Value(int32(day.Unix() / 86400)), err
	}
	text, err := textOf(value)
	return parquet.ByteArrayValue(text), err
}
