package index

import "github.com/cespare/xxhash/v2"

// Fingerprint stands for a filing where loads compare generations: equal fingerprints are taken for equal filings. Each field
// group has a digest of 64 bits, so a change of one filing is missed once in 2^64. When it was added is not compared; a load looks
// it up for records that do not say it (rule X19).
type Fingerprint struct {
	ID      int64
	Digests [4]uint64 // of each field group, in their order
	Created int64     // CreatedAt in microseconds of Unix time; NoTime for none
	Facts   string    // what an engine that cannot read its filings again keeps with it, in its own words; "" for nothing
}

// NoTime is the Created of a filing without CreatedAt. No instant that a filing can have is that early.
const NoTime = -1 << 63

// FingerprintOf returns the fingerprint of a filing as a generation has it, which was added at an instant in microseconds, or
// at NoTime.
func FingerprintOf(id int64, v Version, created int64) Fingerprint {
	f := Fingerprint{ID: id, Created: created}
	for i, members := range v.Record.byTier() {
		f.Digests[i] = xxhash.Sum64(members)
	}
	f.Digests[len(f.Digests)-1] = xxhash.Sum64String(v.City)
	return f
}

// DiffersIn returns the field groups in which two filings differ.
func (f Fingerprint) DiffersIn(other Fingerprint) (groups FieldGroups) {
	for i := range f.Digests {
		if f.Digests[i] != other.Digests[i] {
			groups |= 1 << i
		}
	}
	return groups
}
