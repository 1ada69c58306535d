package synthetic

import (
	"bufio"
	"fmt"
	"io"

	"filings/index"
)

// Write writes the next count filings of g in the load format, a line of JSON each.
func Write(w io.Writer, count int, g *Generator) error {
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
		dst = index.AppendValue(append(dst, '"', ':'), f, field)
		separator = ','
	}
	return append(dst, '}')
}
