package columns

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"filings/index"
)

// noTime is the created of a filing without CreatedAt.
const noTime = index.NoTime

// storedValues are the stored values of a filing: what it is found and sorted by.
type storedValues struct {
	id      int64
	created int64 // microseconds since 1970, or noTime
	words   [len(coded)][]byte
	numbers [len(numbers)]float64
	owner   []byte // folded, for sorting
	search  []byte // the texts of index.Derived, each followed by textEnd
}

// textEnd ends a value of the search texts. It occurs in no UTF-8, so that no term is found across it.
const textEnd = 0xff

// rowEnd ends the search texts of a row, and occurs in no UTF-8 either.
const rowEnd = 0xfe

// appendValues appends the stored values of f to dst, as read reads them: id, created, a bit for
// each number that there is, those numbers, and the texts, each after its length. d is what is
// derived of f.
func appendValues(dst []byte, f *index.Filing, d *index.Derived) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(f.ID))
	created := int64(noTime)
	if f.Has(index.CreatedAt) {
		created = f.CreatedAt.UnixMicro()
	}
	dst = binary.LittleEndian.AppendUint64(dst, uint64(created))
	present := len(dst)
	dst = append(dst, 0)
	for i, c := range numbers {
		if v, ok := c.value(f, d); ok {
			dst[present] |= 1 << i
			dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
		}
	}
	for _, c := range coded {
		dst = protowire.AppendString(dst, c.word(f, d))
	}
	dst = protowire.AppendString(dst, d.Owner)
	size := 0
	for _, s := range d.Search {
		size += len(s) + 1
	}
	dst = protowire.AppendVarint(dst, uint64(size))
	for _, s := range d.Search {
		dst = append(append(dst, s...), textEnd)
	}
	return dst
}

// read sets v to what appendValues wrote, and returns what follows. v refers to data.
func (v *storedValues) read(data []byte) (rest []byte, err error) {
	if len(data) < 17 {
		return nil, ErrDamaged
	}
	v.id = int64(binary.LittleEndian.Uint64(data))
	v.created = int64(binary.LittleEndian.Uint64(data[8:]))
	present, data := data[16], data[17:]
	for i := range v.numbers {
		v.numbers[i] = math.NaN()
		if present&(1<<i) == 0 {
			continue
		}
		if len(data) < 8 {
			return nil, ErrDamaged
		}
		v.numbers[i] = math.Float64frombits(binary.LittleEndian.Uint64(data))
		data = data[8:]
	}
	for i := range v.words {
		v.words[i], data = cutText(data)
	}
	v.owner, data = cutText(data)
	if v.search, data = cutText(data); data == nil {
		return nil, ErrDamaged
	}
	return data, nil
}

// cutText cuts a text off data that stands after its length. The rest is nil if there is none.
func cutText(data []byte) (s, rest []byte) {
	s, n := protowire.ConsumeBytes(data)
	if n < 0 {
		return nil, nil
	}
	return s, data[n:]
}

// splitTexts returns the texts that stand in data, each after its length.
func splitTexts(data []byte) (all []string) {
	for len(data) > 0 {
		var s []byte
		if s, data = cutText(data); data == nil {
			return all
		}
		all = append(all, string(s))
	}
	return all
}
