package reindexer

import (
	"math/rand/v2"

	"filings/index"
)

// sampleSize is how many filings are read back whole. A fault that alters one in fifty filings
// escapes 200 of them less than once in fifty runs; faults that alter fewer are for the counts,
// which are of all.
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

// add keeps the record of a filing, whatever the chance.
func (s *sample) add(id int64, record index.Record) {
	if _, sampled := s.records[id]; !sampled {
		s.ids = append(s.ids, id)
	}
	s.records[id] = record
}

// offer says what becomes of a filing: f, or nothing if f is nil. Of an id in the sample the last
// is kept.
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
