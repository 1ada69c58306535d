package index

import "github.com/cespare/xxhash/v2"

// Stamp stands for a filing where loads compare generations: equal stamps are taken for equal filings. Each part has a
// digest of 64 bits, so a change of one filing is missed once in 2^64. When it was added is not compared; a load looks it up
// for records that do not say it (rule X19).
type Stamp struct {
	ID      int64
	Digests [4]uint64 // of each part, in the order of Parts
	Created int64     // CreatedAt in microseconds of Unix time; NoTime for none
}

// NoTime is the Created of a filing without CreatedAt. No instant that a filing can have is that early.
const NoTime = -1 << 63

// StampOf returns the stamp of a filing as a generation has it, and was added at an instant in microseconds, or NoTime.
func StampOf(id int64, v Version, created int64) Stamp {
	s := Stamp{ID: id, Created: created}
	for i, part := range v.Record.byTier() {
		s.Digests[i] = xxhash.Sum64(part)
	}
	s.Digests[len(s.Digests)-1] = xxhash.Sum64String(v.City)
	return s
}

// Parts returns the parts in which two filings differ.
func (s Stamp) Parts(other Stamp) (parts Parts) {
	for i := range s.Digests {
		if s.Digests[i] != other.Digests[i] {
			parts |= 1 << i
		}
	}
	return parts
}
