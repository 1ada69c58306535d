package index

import (
	"encoding/json"
	"fmt"
	"math/bits"
)

// Values sum up what filings have in each field (rule X38). A load counts them, and the catalog keeps them with a generation: no
// engine has every field in a form that it could count.
type Values [numFields]FieldValues

// FieldValues sum up one field. Least, Greatest and Sum are those of numbers and dates; a date is a number as 20260131 is.
type FieldValues struct {
	Filled   int64   `json:"filled"` // filings that have a value
	Least    Extreme `json:"least,omitzero"`
	Greatest Extreme `json:"greatest,omitzero"`
	Sum      float64 `json:"-"` // in cents; of what was counted in this process
}

// Extreme is a value that none goes beyond. Filings is how many have it: where the last of them was taken out again it is 0, and
// what the extreme is now is not known.
type Extreme struct {
	Value   float64 `json:"value"`
	Filings int64   `json:"filings"`
}

// measured are the fields whose values have extremes.
var measured = func() (set uint64) {
	for f, info := range fields {
		switch info.Kind {
		case KindAmount, KindNumber, KindInteger, KindDate, KindLatitude, KindLongitude:
			set |= 1 << f
		}
	}
	return set
}()

// Held is what Values count of a filing.
type Held struct {
	Filled  uint64    // as Filing.Filled says
	numbers []float64 // of the measured fields that it has, in their order
}

// HeldOf returns what Values count of f.
func HeldOf(f *Filing) Held {
	h := Held{Filled: f.Filled()}
	h.numbers = make([]float64, 0, bits.OnesCount64(h.Filled&measured))
	for filled := h.Filled & measured; filled != 0; filled &= filled - 1 {
		field := Field(bits.TrailingZeros64(filled))
		number, ok := f.Number(field)
		if !ok {
			number = float64(DayNumber(f.Text(field)))
		}
		h.numbers = append(h.numbers, number)
	}
	return h
}

// DayNumber returns 20260131 for 2026-01-31, and 0 for "".
func DayNumber[T string | []byte](day T) (n uint32) {
	for _, c := range []byte(day) {
		if c != '-' {
			n = 10*n + uint32(c-'0')
		}
	}
	return n
}

// DayText returns 2026-01-31 for 20260131, and "" for 0.
func DayText(n uint32) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%04d-%02d-%02d", n/10_000, n/100%100, n%100)
}

// Count counts a filing in, with n 1, or out again, with n -1.
func (v *Values) Count(h Held, n int64) {
	numbers := h.numbers
	for filled := h.Filled; filled != 0; filled &= filled - 1 {
		field := Field(bits.TrailingZeros64(filled))
		of := &v[field]
		of.Filled += n
		if measured&(1<<field) == 0 {
			continue
		}
		first := of.Filled == n
		of.Least.count(numbers[0], n, first, -1)
		of.Greatest.count(numbers[0], n, first, 1)
		of.Sum += float64(n) * Cents(numbers[0])
		if numbers = numbers[1:]; of.Filled == 0 {
			*of = FieldValues{}
		}
	}
}

func (e *Extreme) count(value float64, n int64, first bool, direction float64) {
	switch beyond := (value - e.Value) * direction; {
	case first || beyond > 0:
		*e = Extreme{value, n}
	case beyond == 0:
		e.Filings += n
	}
}

// Known reports whether all extremes are.
func (v *Values) Known() bool {
	for field, of := range v {
		if measured&(1<<field) != 0 && of.Filled > 0 && (of.Least.Filings == 0 || of.Greatest.Filings == 0) {
			return false
		}
	}
	return true
}

// MarshalJSON writes the fields that some filing has, by their names. City and CreatedAt are none of them: the records that an update
// takes out do not have them.
func (v *Values) MarshalJSON() ([]byte, error) {
	kept := map[string]FieldValues{}
	for field, of := range v {
		if of.Filled > 0 && Field(field) < numReturned {
			kept[fields[field].Name] = of
		}
	}
	return json.Marshal(kept)
}

// UnmarshalJSON reads what MarshalJSON wrote. Fields that this program does not know are left out.
func (v *Values) UnmarshalJSON(text []byte) error {
	var kept map[string]FieldValues
	err := json.Unmarshal(text, &kept)
	for field := range v {
		v[field] = kept[fields[field].Name]
	}
	return err
}

// JSON returns an extreme of field as a record has such a value: a number, or a date as text.
func (e Extreme) JSON(field Field) json.RawMessage {
	if fields[field].Kind != KindDate {
		return AppendNumber(nil, e.Value)
	}
	return AppendString(nil, DayText(uint32(e.Value)))
}
