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
	m := uint32(mark>>32) % (1 << markBits)
	return s.marks[m/64]&(1<<(m%64)) != 0
}

// mayHave reports whether a key of a filing may be in the list, by marks.
func (s *Sieve) mayHave(f *index.Filing) bool {
	if s.kinds&ofID != 0 && s.known(uint64(f.ID)*s.seed) {
		return true
	}
	if s.kinds&ofOwner != 0 && s.known(index.OwnerMark(f.Text(index.Owner), s.seed)) {
		return true
	}
	if s.kinds&ofAddress == 0 {
		return false
	}
	written, standard := f.Text(index.PropertyAddress), f.Text(index.StandardizedAddress)
	return mayHaveAddress(written, s.seed, s.known) || standard != written && mayHaveAddress(standard, s.seed, s.known)
}
