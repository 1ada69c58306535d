package index

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"unique"
)

// Values sum up the filings' values of each field (rule X38). A load counts them, and the catalog
// keeps them with a generation: no engine has every field in a form that it could count.
type Values [numFields]FieldValues

// FieldValues sum up one field. Least, Greatest and Sum are those of numbers and dates; a date is a
// number as 20260131 is. Ids have extremes of their own, since no float64 holds all of them.
type FieldValues struct {
	Filled     int64            `json:"filled"` // filings that have a value
	Least      Extreme[float64] `json:"least,omitzero"`
	Greatest   Extreme[float64] `json:"greatest,omitzero"`
	LeastID    Extreme[int64]   `json:"leastId,omitzero"`
	GreatestID Extreme[int64]   `json:"greatestId,omitzero"`
	Sum        float64          `json:"-"` // in cents; of filings counted in this process
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

// FilingValues has the values of a filing that Values and Counts count; the zero value is no
// filing. It keeps no part of the line that a filing was read from.
type FilingValues struct {
	Filled  uint64 // as Filing.Filled says
	County  string
	month   string // YYYY-MM; "" for none
	id      int64
	numbers []float64 // of the measured fields that it has, in their order
}

// ValuesOf returns the values of f.
func ValuesOf(f *Filing) FilingValues {
	day := f.Text(FilingDate)
	h := FilingValues{Filled: f.Filled(), id: f.ID}
	h.County, h.month = unique.Make(f.Text(County)).Value(), unique.Make(day[:min(7, len(day))]).Value()
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

// number returns the value of a measured field.
func (h FilingValues) number(field Field) (v float64, ok bool) {
	if h.Filled&measured&(1<<field) == 0 {
		return 0, false
	}
	return h.numbers[bits.OnesCount64(h.Filled&measured&(1<<field-1))], true
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
func (v *Values) Count(h FilingValues, n int64) {
	numbers := h.numbers
	for filled := h.Filled; filled != 0; filled &= filled - 1 {
		field := Field(bits.TrailingZeros64(filled))
		sums := &v[field]
		sums.Filled += n
		first := sums.Filled == n
		if field == ID {
			sums.LeastID.count(h.id, n, first, -1)
			sums.GreatestID.count(h.id, n, first, 1)
		}
		if measured&(1<<field) == 0 {
			continue
		}
		sums.Least.count(numbers[0], n, first, -1)
		sums.Greatest.count(numbers[0], n, first, 1)
		sums.Sum += float64(n) * Cents(numbers[0])
		if numbers = numbers[1:]; sums.Filled == 0 {
			*sums = FieldValues{}
		}
	}
}

func (e *Extreme[N]) count(value N, n int64, first bool, direction N) {
	switch excess := (value - e.Value) * direction; {
	case first || excess > 0:
		*e = Extreme[N]{value, n}
	case excess == 0:
		e.Filings += n
	}
}

// Known reports whether all extremes are.
func (v *Values) Known() bool {
	for field, sums := range v {
		least, greatest := sums.Extremes(Field(field))
		if (measured|1<<ID)&(1<<field) != 0 && sums.Filled > 0 && (least == nil || greatest == nil) {
			return false
		}
	}
	return true
}

// MarshalJSON writes the fields that some filing has, by their names. City, ZIP and CreatedAt are
// none of them: the records that an update takes out do not have them.
func (v *Values) MarshalJSON() ([]byte, error) {
	kept := map[string]FieldValues{}
	for field, sums := range v {
		if sums.Filled > 0 && Field(field) < NumReturned {
			kept[fields[field].Name] = sums
		}
	}
	return json.Marshal(kept)
}

// UnmarshalJSON reads the JSON of MarshalJSON. Fields that this program does not know are ignored.
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

// Counts count filings by county, by month and by field. A load is verified by those of the filings
// that it put: the engine must have the same. Guards compare those of two generations.
type Counts struct {
	Filings  int64                   `json:"filings"`
	Counties map[string]CountyCounts `json:"counties"` // by County as written
	Months   map[string]int64        `json:"months"`   // YYYY-MM; filings without a date under ""
	// WithoutFields: which fields the filings have was not counted.
	WithoutFields bool `json:"-"`
}

// CountyCounts are the part of Counts that belongs to one county.
type CountyCounts struct {
	Filings  int64        `json:"filings"`
	Amounts  int64        `json:"amounts"`
	SumCents float64      `json:"sumCents"` // of FilingAmount
	Filled   *FieldCounts `json:"-"`        // nil for none
}

// Has returns how many filings of the county have a value in a field.
func (c CountyCounts) Has(field Field) int64 {
	if c.Filled == nil {
		return 0
	}
	return c.Filled[field]
}

// FieldCounts are how many filings have a value in each field.
type FieldCounts [numFields]int64

// FilledCounties is up to how many counties fields are counted: more would make the catalog large.
// There are some 3,200.
const FilledCounties = 5_000

// unfilled are fields that are not counted: a filing without them is none, or its record does not
// have them.
const unfilled = 1<<ID | 1<<County | 1<<City | 1<<ZIP | 1<<CreatedAt

// NewCounts returns the counts of no filings.
func NewCounts() Counts {
	return Counts{Counties: map[string]CountyCounts{}, Months: map[string]int64{}}
}

// CountsOf counts r's filings, without fields, as its engine finds them in the filings themselves.
func CountsOf(ctx context.Context, r Reader) (Counts, error) {
	s := NewCounts()
	s.WithoutFields = true
	counties, err := r.Groups(ctx, Filter{}, GroupQuery{Dimensions: []Dimension{ByCounty}, AsWritten: true})
	if err != nil {
		return s, fmt.Errorf("counting by county: %w", err)
	}
	for _, g := range counties.List {
		s.Filings += g.Filings
		s.Counties[g.Keys[0]] = CountyCounts{Filings: g.Filings, Amounts: g.Amounts, SumCents: g.SumCents}
	}
	months, err := r.Groups(ctx, Filter{}, GroupQuery{Dimensions: []Dimension{ByMonth}, AsWritten: true})
	if err != nil {
		return s, fmt.Errorf("counting by month: %w", err)
	}
	for _, g := range months.List {
		s.Months[g.Keys[0]] = g.Filings
	}
	return s, nil
}

// Count counts a filing in, with n 1, or out again, with n -1.
func (s *Counts) Count(h FilingValues, n int64) {
	s.Filings += n
	c, known := s.Counties[h.County]
	s.WithoutFields = s.WithoutFields || !known && len(s.Counties) == FilledCounties
	c.Filings += n
	if v, ok := h.number(FilingAmount); ok {
		c.Amounts += n
		c.SumCents += float64(n) * Cents(v)
	}
	if c.Filled == nil && !s.WithoutFields {
		c.Filled = new(FieldCounts)
	}
	for filled := h.Filled &^ unfilled; filled != 0 && !s.WithoutFields; filled &= filled - 1 {
		c.Filled[bits.TrailingZeros64(filled)] += n
	}
	s.Counties[h.County] = c
	s.Months[h.month] += n
}

// Add adds other counts n times.
func (s *Counts) Add(counts Counts, n int64) {
	s.Filings += n * counts.Filings
	s.WithoutFields = s.WithoutFields || counts.WithoutFields
	for county, o := range counts.Counties {
		s.AddCounty(county, o, n)
	}
	for month, filings := range counts.Months {
		s.Months[month] += n * filings
	}
}

// SetFields sets how many filings have a value in each field, as other counts of the same filings
// say.
func (s *Counts) SetFields(counts Counts) {
	s.WithoutFields = counts.WithoutFields
	for county, c := range s.Counties {
		c.Filled = counts.Counties[county].Filled
		s.Counties[county] = c
	}
}

// AddCounty adds n times the counts of a county to those of another one, or the same.
func (s *Counts) AddCounty(county string, o CountyCounts, n int64) {
	c := s.Counties[county]
	c.Filings += n * o.Filings
	c.Amounts += n * o.Amounts
	c.SumCents += float64(n) * o.SumCents
	if c.Filled == nil && o.Filled != nil {
		c.Filled = new(FieldCounts)
	}
	if o.Filled != nil {
		for field, filings := range o.Filled {
			c.Filled[field] += n * filings
		}
	}
	s.Counties[county] = c
}

// Diff returns how got differs from s, the expected counts, in words, but for fields; nil for not
// at all.
func (s Counts) Diff(got Counts) (diffs []string) {
	differ := func(name string, want, got any) {
		if want != got {
			diffs = append(diffs, fmt.Sprintf("%s: %v expected, %v found", name, want, got))
		}
	}
	differ("filings", s.Filings, got.Filings)
	for _, name := range union(s.Counties, got.Counties) {
		w, g := s.Counties[name], got.Counties[name]
		differ("filings in "+name, w.Filings, g.Filings)
		differ("filings with an amount in "+name, w.Amounts, g.Amounts)
		if !sameSum(w.SumCents, g.SumCents) {
			differ("sum of amounts in "+name, Dollars(w.SumCents), Dollars(g.SumCents))
		}
	}
	for _, month := range union(s.Months, got.Months) {
		name := "filings of " + month
		if month == "" {
			name = "filings without a date"
		}
		differ(name, s.Months[month], got.Months[month])
	}
	return diffs
}

// sameSum compares sums exactly where whole cents are exact, and beyond that to twelve digits,
// since the order of adding then makes a difference.
func sameSum(a, b float64) bool {
	return a == b || math.Abs(a) >= 1<<53 && math.Abs(a-b) <= 1e-12*math.Abs(a)
}

func union[V any](a, b map[string]V) []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(names)
	return slices.Compact(names)
}
