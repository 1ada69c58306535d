package sieve

import (
	"strconv"

	"filings/index"
)

// markBits is how many bits of a mark count: with 10,000 entries one in 400 other marks is known, too.
const markBits = 22

// markOf returns the mark of an entry's key.
func (s *Sieve) markOf(k secretKey) uint32 {
	mark := addressMark(k.address, s.seed)
	switch k.parts {
	case ofID:
		id, _ := strconv.ParseUint(k.text, 10, 64)
		mark = id * s.seed
	case ofOwner:
		mark = index.OwnerMark(k.text, s.seed)
	}
	return uint32(mark >> 32)
}

func (s *Sieve) isKnown(mark uint64) bool {
	return s.marks.Has(int(uint32(mark>>32) % (1 << markBits)))
}

// mayHave reports whether a key of a filing may be in the list, by marks. The list may have a key
// that was made before rule X61 folded its text in another way.
func (s *Sieve) mayHave(f *index.Filing) bool {
	if s.kinds&ofID != 0 && s.known(uint64(f.ID)*s.seed) {
		return true
	}
	owner := f.Text(index.Owner)
	if s.kinds&ofOwner != 0 && (s.known(index.OwnerMark(owner, s.seed)) || index.Refolded(owner)) {
		return true
	}
	if s.kinds&ofAddress == 0 {
		return false
	}
	mayBe := func(text string) bool { return mayHaveAddress(text, s.seed, s.known) || index.Refolded(text) }
	written, standard := f.Text(index.PropertyAddress), f.Text(index.StandardizedAddress)
	return mayBe(written) || standard != written && mayBe(standard)
}
