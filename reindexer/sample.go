package reindexer

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"filings/index"
	"filings/index/sorter"
)

// sampleSize is how many filings are read back whole. A fault that alters one in fifty filings
// escapes 200 of them less than once in fifty runs; the counts, which are of all, find rarer ones.
const sampleSize = 200

// sample keeps the records of some filings, each with the same chance, as the new generation must
// have them. It is the same for the same load.
type sample struct {
	random  *rand.Rand
	offered int64
	ids     []int64
	records map[int64]index.Record // nil: the filing must not be there
}

func newSample() *sample {
	return &sample{random: rand.New(rand.NewPCG(1, 2)), records: map[int64]index.Record{}}
}

// add keeps the record of a filing in any case.
func (s *sample) add(id int64, record index.Record) {
	if _, sampled := s.records[id]; !sampled {
		s.ids = append(s.ids, id)
	}
	s.records[id] = record
}

// offer sets a filing to f, or removes it if f is nil. The sample keeps the last filing of an id.
func (s *sample) offer(id int64, f *index.Filing) {
	if _, sampled := s.records[id]; !sampled {
		s.offered++
		if len(s.ids) < sampleSize {
			s.ids = append(s.ids, id)
		} else {
			i := s.random.Int64N(s.offered)
			if i >= sampleSize {
				return
			}
			delete(s.records, s.ids[i])
			s.ids[i] = id
		}
	}
	if f == nil {
		s.records[id] = nil
		return
	}
	s.records[id] = index.AppendRecord(nil, f)
}

// few is of how many values on a field is compared.
const few = guarded / 2

// shape has the values of a county that guards compare (rule X68).
type shape struct {
	medians []float64 // of amounts; not a number for fewer than few values
	newest  uint32    // the latest day that is not after today; 0 for none
	later   int64     // filings of a day after today
}

func newShape() shape { return shape{medians: []float64{math.NaN(), math.NaN()}} }

// amounts are the fields whose medians are compared.
func amounts() []index.Field { return []index.Field{index.FilingAmount, index.CurrentAmount} }

// middle is where the median of so many values stands: the lower one of two.
func middle(values int64) int64 { return (values - 1) / 2 }

// spreadMemory is how much of a valueSorter is in memory, in bytes.
const spreadMemory = 16 << 20

// valueSorter sorts the values that shapes are made of, by county and field: those of a dry run, which
// builds nothing that has an order.
type valueSorter struct{ *sorter.Sorter }

// add takes the values of a filing.
func (v valueSorter) add(f *index.Filing) error {
	for _, field := range append(amounts(), index.FilingDate) {
		number, ok := f.Number(field)
		if field == index.FilingDate {
			number, ok = float64(index.DayNumber(f.Text(field))), f.Has(field)
		}
		if !ok {
			continue
		}
		bits := math.Float64bits(number) | 1<<63 // in the order of the numbers, as bytes
		if number < 0 {
			bits = ^math.Float64bits(number)
		}
		key := append([]byte(index.Fold(f.Text(index.County))), byte(field))
		if err := v.Add(binary.BigEndian.AppendUint64(key, bits), nil); err != nil {
			return err
		}
	}
	return nil
}

// shapes returns the shapes of all counties, by their folded names, which have these counts.
func (v valueSorter) shapes(ctx context.Context, counts index.Counts, today time.Time) (map[string]shape, error) {
	shapes, counts := map[string]shape{}, folded(counts)
	var group []byte
	var place int64
	day := index.DayNumber(today.Format(time.DateOnly))
	for item, err := range v.Items(ctx) {
		if err != nil {
			return nil, err
		}
		head := item.Key[:len(item.Key)-8]
		bits := binary.BigEndian.Uint64(item.Key[len(head):])
		if place++; !bytes.Equal(head, group) {
			place, group = 0, append(group[:0], head...)
		}
		number := math.Float64frombits(bits &^ (1 << 63))
		if bits>>63 == 0 {
			number = math.Float64frombits(^bits)
		}
		county, field := string(head[:len(head)-1]), index.Field(head[len(head)-1])
		s, known := shapes[county]
		if !known {
			s = newShape()
		}
		if i := slices.Index(amounts(), field); i >= 0 {
			if filled := counts.Counties[county].Has(field); filled >= few && place == middle(filled) {
				s.medians[i] = number
			}
		} else if n := uint32(number); n <= day {
			s.newest = n
		} else {
			s.later++
		}
		shapes[county] = s
	}
	return shapes, nil
}

// isAbroad reports whether the point of a filing is outside of the box around the United States and
// their territories: 0, 0 is, and each whose numbers change places or signs.
func isAbroad(f *index.Filing) bool {
	latitude, hasLatitude := f.Number(index.Latitude)
	longitude, hasLongitude := f.Number(index.Longitude)
	return hasLatitude && hasLongitude && (latitude < -15 || latitude > 72 || longitude > -64 && longitude < 144)
}
