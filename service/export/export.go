// Package export writes filings as a file: NDJSON, CSV, Parquet or GeoJSON. It owns these formats,
// their compression, the stream that reads pages of an engine and turns them into the bytes of a
// file, and the bounds of an export: the lease of its account, its slot in the process, and its
// price. It refuses to know HTTP: its caller refuses requests, and counts and logs how it ended.
//
// # Design
//
// An Encoder turns records into bytes, a batch at a time. Records are canonical JSON in the order
// of the table of fields (index.Record), so that a line of NDJSON is a record as the list shows it,
// and the values of the other formats are cut out of it.
//
// A Stream prefetches one page while it sends another, so that engine and network work at the same
// time, and holds no more than these two pages and one batch. While the process has other requests
// it prefetches nothing and pauses: they come first. A page is as many rows as are expected to fill
// pageBytes. The stream ends well only when it has delivered as many rows as were counted before;
// anything else is an error, and so never looks complete.
//
// A Sender is the body of the response: a Stream with deadlines for its connection, which renews
// the Lease while it runs. It says how many rows it has handed on, and Charge refunds the others.
package export

import (
	"filings/index"
)

// Format is the form of an export, as the parameter names it.
type Format string

const (
	NDJSON  Format = "ndjson"
	CSV     Format = "csv"
	Parquet Format = "parquet"
	GeoJSON Format = "geojson"
)

// Formats are all formats, the default one first.
var Formats = []Format{NDJSON, CSV, Parquet, GeoJSON}

// MediaType returns the Content-Type of f.
func (f Format) MediaType() string {
	switch f {
	case CSV:
		return "text/csv; charset=utf-8"
	case Parquet:
		return "application/vnd.apache.parquet"
	case GeoJSON:
		return "application/geo+json"
	}
	return "application/x-ndjson"
}

// Fields returns the fields that a tier sees, in the order of the record.
func Fields(t index.Tier) (fields []index.Field) {
	for _, f := range index.Fields() {
		if f.Returned(t) {
			fields = append(fields, f)
		}
	}
	return fields
}

// Encoder writes the rows of one file.
type Encoder interface {
	// Append appends to dst the next bytes of the file with these records, which may be none yet.
	// It keeps none of them. index.ErrRecord: one is none, and the rest of dst must not be sent.
	Append(dst []byte, records []index.Record) ([]byte, error)
	// Close appends the end of the file.
	Close(dst []byte) ([]byte, error)
}
