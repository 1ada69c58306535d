package index

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"strconv"
)

// Values sum up what filings have in each field (rule X38). A load counts them, and the catalog keeps them with a generation: no
// engine has every field in a form that it could count.
type Values [numFields]FieldValues

// FieldValues sum up one field. Least, Greatest and Sum are those of numbers and dates; a date is a
// number as 20260131 is. Ids have extremes of their own, since no float64 holds all of them.
type FieldValues struct {
	Filled     int64            `json:"filled"` // filings that have a value
	Least      Extreme[float64] `json:"least,omitzero"`
	Greatest   Extreme[float64] `json:"greatest,omitzero"`
	LeastID    Extreme[int64]   `json:"leastId,omitzero"`
	GreatestID Extreme[int64]   `json:"greatestId,omitzero"`
	Sum        float64          `json:"-"` // in cents; of what was counted in this process
}

// Extreme is a value that none goes beyond. Filings is how many have it: where the last of them was
// taken out again it is 0, and the extreme is not known.
type Extreme[N int64 | float64] struct {
	Value   N     `json:"value"`
	Filings int64 `json:"filings"`
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
	Filled  uint64 // as Filing.Filled says
	id      int64
	numbers []float64 // of the measured fields that it has, in their order
}

// HeldOf returns what Values count of f.
func HeldOf(f *Filing) Held {
	h := Held{Filled: f.Filled(), id: f.ID}
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
		first := of.Filled == n
		if field == ID {
			of.LeastID.count(h.id, n, first, -1)
			of.GreatestID.count(h.id, n, first, 1)
		}
		if measured&(1<<field) == 0 {
			continue
		}
		of.Least.count(numbers[0], n, first, -1)
		of.Greatest.count(numbers[0], n, first, 1)
		of.Sum += float64(n) * Cents(numbers[0])
		if numbers = numbers[1:]; of.Filled == 0 {
			*of = FieldValues{}
		}
	}
}

func (e *Extreme[N]) count(value N, n int64, first bool, direction N) {
	switch beyond := (value - e.Value) * direction; {
	case first || beyond > 0:
		*e = Extreme[N]{value, n}
	case beyond == 0:
		e.Filings += n
	}
}

// Known reports whether all extremes are.
func (v *Values) Known() bool {
	for field, of := range v {
		least, greatest := of.Extremes(Field(field))
		if (measured|1<<ID)&(1<<field) != 0 && of.Filled > 0 && (least == nil || greatest == nil) {
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

// Extremes returns the least and the greatest value of field as a record has such values: numbers,
// or dates as texts; nil where that is not known, and where there is none.
func (v FieldValues) Extremes(field Field) (least, greatest json.RawMessage) {
	if field == ID {
		return v.LeastID.json(appendID), v.GreatestID.json(appendID)
	}
	write := AppendNumber
	if fields[field].Kind == KindDate {
		write = func(dst []byte, day float64) []byte { return AppendString(dst, DayText(uint32(day))) }
	}
	return v.Least.json(write), v.Greatest.json(write)
}

func appendID(dst []byte, id int64) []byte { return strconv.AppendInt(dst, id, 10) }

func (e Extreme[N]) json(write func(dst []byte, value N) []byte) json.RawMessage {
	if e.Filings == 0 {
		return nil
	}
	return write(nil, e.Value)
}
