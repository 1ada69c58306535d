package reindexer

import (
	"math/rand/v2"
	"time"
	"unique"

	"filings/index"
	"filings/index/generation"
)

// expectation is what a generation must hold once it is sealed.
type expectation struct {
	checksum generation.Checksum
	sample   *sample
}

func newExpectation() *expectation {
	return &expectation{checksum: generation.NewChecksum(), sample: &sample{random: rand.New(rand.NewPCG(1, 2)), records: map[int64]index.Record{}}}
}

func (e *expectation) add(f *index.Filing) {
	keep(f)
	e.checksum.Add(f)
	e.sample.offer(f.ID, f)
}

// keep puts copies of the texts into f that the checksum keeps: those of a record are parts of its line, which must not
// stay. Each time, not only when they are new: a map that is written to takes the key that it is given.
func keep(f *index.Filing) {
	for _, field := range []index.Field{index.County, index.FilingDate} {
		f.SetText(field, unique.Make(f.Text(field)).Value())
	}
}

// inMonth selects the filings of a month YYYY-MM.
func inMonth(month string) index.Filter {
	first, _ := time.Parse("2006-01", month) // a month of valid days
	last := first.AddDate(0, 1, -1)
	return index.Where(index.Days{From: first.Format(time.DateOnly), To: last.Format(time.DateOnly)})
}

// sampleSize is how many filings are read back whole. A fault that alters one in fifty filings escapes 200 of them less
// than once in fifty runs; faults that alter fewer are for the checksum, which counts all.
const sampleSize = 200

// sample keeps the records of some filings, each with the same chance, as the new generation must have them. It is the
// same for the same load.
type sample struct {
	random  *rand.Rand
	offered int64
	ids     []int64
	records map[int64]index.Record // nil: the filing must not be there
}

// add keeps the record of a filing, whatever the chance.
func (s *sample) add(id int64, record index.Record) {
	if _, sampled := s.records[id]; !sampled {
		s.ids = append(s.ids, id)
	}
	s.records[id] = record
}

// offer says what becomes of a filing: f, or nothing if f is nil. Of an id in the sample the last is kept.
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
