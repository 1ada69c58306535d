package export

import (
	"fmt"

	"filings/index"
)

// NewEncoder returns the encoder of a file in f with these fields, in the order of the record. resumed leaves out what
// stands before the first row.
func NewEncoder(f Format, fields []index.Field, resumed bool) (Encoder, error) {
	switch f {
	case NDJSON:
		return newNDJSON(fields), nil
	case CSV:
		return &csvEncoder{fields: fields, headed: resumed}, nil
	case Parquet:
		return newParquet(fields)
	case GeoJSON:
		return &geoJSON{ndjson: newNDJSON(fields)}, nil
	}
	return nil, fmt.Errorf("export: unknown format %q", f)
}

// EscapeFormulas makes e write a ' before each text that a spreadsheet would take for a formula, as OWASP has it for CSV. It
// reports whether e does: only CSV is read by what has formulas. It comes before the first Append.
func EscapeFormulas(e Encoder) bool {
	c, ok := e.(*csvEncoder)
	if ok {
		c.escapes = true
	}
	return ok
}
