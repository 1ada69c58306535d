package sidecar

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"filings/index"
)

// facts are what counts of a filing for its county, its owner and its words. They are kept with its
// fingerprint, so that an update reads no filing. Texts are empty where they are missing.
type facts struct {
	owner, county, date []byte  // as written
	address             []byte  // SearchText
	amount              float64 // NaN for none
	located             bool    // it has both coordinates
	trust, estate       bool
}

// FingerprintOf returns the fingerprint of a filing with its facts; d and record are those of f.
func FingerprintOf(f *index.Filing, d *index.Derived, record index.Record) index.Fingerprint {
	created := int64(index.NoTime)
	if f.Has(index.CreatedAt) {
		created = f.CreatedAt.UnixMicro()
	}
	of := index.FingerprintOf(f.ID, index.Version{Record: record, City: d.WrittenCity, ZIP: d.ZIP}, created)
	var buffer [256]byte
	of.Facts = string(appendFacts(buffer[:0], f, d))
	return of
}

// appendFacts appends the facts of f as readFacts reads them.
func appendFacts(dst []byte, f *index.Filing, d *index.Derived) []byte {
	for _, text := range [...]string{
		f.Text(index.Owner), f.Text(index.County), f.Text(index.FilingDate), d.Search[1],
	} {
		dst = protowire.AppendString(dst, text)
	}
	amount, ok := f.Number(index.FilingAmount)
	if !ok {
		amount = math.NaN()
	}
	flags := byte(0)
	for i, is := range [...]bool{f.Has(index.Latitude) && f.Has(index.Longitude), d.Trust, d.Estate} {
		if is {
			flags |= 1 << i
		}
	}
	return append(binary.LittleEndian.AppendUint64(dst, math.Float64bits(amount)), flags)
}

// readFacts reads what appendFacts wrote. Texts refer to data.
func readFacts(data []byte) (f facts, err error) {
	c := cutter{data: data}
	f.owner, f.county, f.date, f.address = c.text(), c.text(), c.text(), c.text()
	if c.failed || len(c.data) != 9 {
		return f, ErrDamaged
	}
	f.amount = math.Float64frombits(binary.LittleEndian.Uint64(c.data))
	flags := c.data[8]
	f.located, f.trust, f.estate = flags&1 != 0, flags&2 != 0, flags&4 != 0
	return f, nil
}
