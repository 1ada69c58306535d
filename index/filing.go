package index

import "time"

// Filing is one public record as it was loaded. The zero Filing has no value in any field.
//
// A Filing carries valid values only: the reindexer checks the rules L3 and L4 before it makes one.
type Filing struct {
	ID         int64
	CreatedAt  time.Time // to the microsecond
	Categories []string

	text   [numFields]string
	number [numFields]float64
	set    uint64 // a bit a field that has a number
}

// Text returns the text, date or date range in f; "" is a missing value.
func (f *Filing) Text(field Field) string { return f.text[field] }

// SetText sets the text, date or date range in f; "" removes it.
func (f *Filing) SetText(field Field, v string) { f.text[field] = v }

// Number returns the number in f and whether there is one.
func (f *Filing) Number(field Field) (float64, bool) {
	return f.number[field], f.set&(1<<field) != 0
}

// SetNumber sets the number in f. Negative zero becomes zero, so that no engine tells them apart.
func (f *Filing) SetNumber(field Field, v float64) {
	if v == 0 {
		v = 0
	}
	f.number[field], f.set = v, f.set|1<<field
}

// Has reports whether f has a value.
func (f *Filing) Has(field Field) bool {
	switch field {
	case ID:
		return f.ID != 0
	case CreatedAt:
		return !f.CreatedAt.IsZero()
	case Categories:
		return len(f.Categories) > 0
	}
	return f.text[field] != "" || f.set&(1<<field) != 0
}

// Filled returns a bit, 1<<field, for each loaded field in which f has a value.
func (f *Filing) Filled() uint64 {
	filled := f.set
	for field := range f.text {
		if f.text[field] != "" {
			filled |= 1 << field
		}
	}
	for _, field := range []Field{ID, CreatedAt, Categories} {
		if f.Has(field) {
			filled |= 1 << field
		}
	}
	return filled
}

// Reset removes every value, so that one Filing can carry many records after each other.
func (f *Filing) Reset() { *f = Filing{Categories: f.Categories[:0]} }
