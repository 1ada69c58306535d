package synthetic

import (
	"bufio"
	"fmt"
	"io"
	"time"

	"filings/index"
)

// Write writes count filings of New in the load format, a line of JSON each. The same count and seed write the same
// bytes.
func Write(w io.Writer, count int, seed uint64) error { return write(w, count, New(seed)) }

// WriteUntil writes count filings of NewUntil.
func WriteUntil(w io.Writer, count int, seed uint64, end time.Time) error {
	return write(w, count, NewUntil(seed, end))
}

func write(w io.Writer, count int, g *Generator) error {
	out := bufio.NewWriterSize(w, 1<<16)
	var f index.Filing
	var line []byte
	for range count {
		g.Next(&f)
		line = append(AppendLoad(line[:0], &f), '\n')
		if _, err := out.Write(line); err != nil {
			return fmt.Errorf("write synthetic filings: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write synthetic filings: %w", err)
	}
	return nil
}

// AppendLoad appends f as a JSON object in the load format: what it has in the fields that can be loaded, in the order
// of the table, without the fields that it lacks.
func AppendLoad(dst []byte, f *index.Filing) []byte {
	separator := byte('{')
	for _, field := range index.Fields() {
		if !field.Loaded() || !f.Has(field) {
			continue
		}
		dst = append(append(dst, separator, '"'), field.String()...)
		dst = appendValue(append(dst, '"', ':'), f, field)
		separator = ','
	}
	return append(dst, '}')
}

func appendValue(dst []byte, f *index.Filing, field index.Field) []byte {
	switch field {
	case index.ID:
		return fmt.Append(dst, f.ID)
	case index.CreatedAt:
		return append(f.CreatedAt.UTC().AppendFormat(append(dst, '"'), time.RFC3339Nano), '"')
	case index.Categories:
		separator := byte('[')
		for _, c := range f.Categories {
			dst = index.AppendString(append(dst, separator), c)
			separator = ','
		}
		return append(dst, ']')
	}
	if v, ok := f.Number(field); ok {
		return index.AppendNumber(dst, v)
	}
	return index.AppendString(dst, f.Text(field))
}
