package embedded

import (
	"encoding/binary"

	"filings/index"
	"filings/index/embedded/columns"
)

// emptyRecord is the record of a filing without values.
var emptyRecord = index.AppendRecord(nil, &index.Filing{})

// encoder makes what is stored of filings. A record is stored without what it has in common with
// the end of emptyRecord, behind the number of these bytes.
type encoder struct {
	derived        index.Derived
	record, stored []byte
}

// put puts a filing into changes, and returns its fingerprint.
func (e *encoder) put(f *index.Filing, changes *columns.Changes) (index.Fingerprint, error) {
	e.derived = index.Derive(f)
	e.record = index.AppendRecord(e.record[:0], f)
	tail := commonTail(e.record, emptyRecord)
	e.stored = append(binary.AppendUvarint(e.stored[:0], uint64(tail)), e.record[:len(e.record)-tail]...)
	return index.FingerprintOf(f, &e.derived, e.record), changes.Put(f, &e.derived, e.stored)
}

// whole returns the record that is stored.
func whole(stored []byte) (index.Record, error) {
	tail, n := binary.Uvarint(stored)
	if n <= 0 || tail > uint64(len(emptyRecord)) {
		return nil, columns.ErrDamaged
	}
	record := make(index.Record, 0, len(stored)-n+int(tail))
	return append(append(record, stored[n:]...), emptyRecord[len(emptyRecord)-int(tail):]...), nil
}

// commonTail returns how many bytes a and b have in common at their ends.
func commonTail(a, b []byte) int {
	n := 0
	for ; len(a)-n >= 8 && len(b)-n >= 8; n += 8 { // most of a record without values
		if binary.LittleEndian.Uint64(a[len(a)-n-8:]) != binary.LittleEndian.Uint64(b[len(b)-n-8:]) {
			break
		}
	}
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
