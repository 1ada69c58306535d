package columns

import (
	"encoding/binary"
	"fmt"
	"math"

	"filings/index"
)

// orders are the sorts for which the rows are listed: all but the default one, which the rows are
// numbered by.
func orders() (sorts []index.Sort) {
	for _, field := range index.SortFields {
		for _, ascending := range []bool{true, false} {
			if s := (index.Sort{Field: field, Ascending: ascending}); s != index.DefaultSort {
				sorts = append(sorts, s)
			}
		}
	}
	return sorts
}

// First byte of a sort key: filings without the value come last in both directions.
const (
	keyPresent = 0
	keyMissing = 1
)

// appendSortKey appends the sort key of v in s: bytes that compare as s does. After it the row
// decides ties.
func appendSortKey(dst []byte, v *storedValues, s index.Sort) ([]byte, error) {
	start := len(dst)
	dst = append(dst, keyPresent)
	switch s.Field {
	case index.FilingDate:
		dst = appendTextKey(dst, v.words[codedDate])
	case index.Owner:
		dst = appendTextKey(dst, v.owner)
	case index.CreatedAt:
		if v.created != noTime {
			dst = binary.BigEndian.AppendUint64(dst, uint64(v.created)^1<<63)
		}
	default:
		n := numberOf(s.Field)
		if n < 0 {
			return nil, fmt.Errorf("filings are not sorted by %v", s.Field)
		}
		if number := v.numbers[n]; !math.IsNaN(number) {
			dst = binary.BigEndian.AppendUint64(dst, index.OrderedBits(number))
		}
	}
	if len(dst) == start+1 {
		dst[start] = keyMissing
		return dst, nil
	}
	if !s.Ascending {
		for i := start + 1; i < len(dst); i++ {
			dst[i] = ^dst[i]
		}
	}
	return dst, nil
}

// appendTextKey ends the text with a NUL, which no text contains, so that a text comes before those
// that it begins; and after them when all bits are flipped.
func appendTextKey(dst, text []byte) []byte {
	if len(text) == 0 {
		return dst
	}
	return append(append(dst, text...), 0)
}

// appendRowKey appends the key by which rows are numbered.
func appendRowKey(dst []byte, v *storedValues) ([]byte, error) {
	dst, err := appendSortKey(dst, v, index.DefaultSort)
	return binary.BigEndian.AppendUint64(dst, ^uint64(v.id)), err
}
