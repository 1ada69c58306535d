// Package bitset has sets of small numbers, such as those of rows and owners: a bit each, in words
// of 64. It doesn't know what is numbered.
package bitset

import (
	"iter"
	"math"
	"math/bits"
)

// Set is a set of numbers below its capacity. Sets that are combined have the same capacity.
type Set []uint64

// New returns an empty Set for the numbers below capacity.
func New(capacity int) Set { return make(Set, (capacity+63)/64) }

// Full returns the Set of the numbers below end.
func Full(end int) Set {
	s := New(end)
	for i := range s {
		s[i] = math.MaxUint64
	}
	s.Truncate(end)
	return s
}

// Add adds a number.
func (s Set) Add(number int) { s[uint(number)/64] |= 1 << (uint(number) % 64) }

// Has reports whether s has a number.
func (s Set) Has(number int) bool { return s[uint(number)/64]>>(uint(number)%64)&1 == 1 }

// Truncate removes end and all greater numbers.
func (s Set) Truncate(end int) {
	if i := end / 64; i < len(s) {
		s[i] &= 1<<(end%64) - 1
		clear(s[i+1:])
	}
}

// Keep removes the numbers that kept lacks.
func (s Set) Keep(kept Set) {
	for i := range s {
		s[i] &= kept[i]
	}
}

// IsEmpty reports whether s has no number.
func (s Set) IsEmpty() bool {
	for _, word := range s {
		if word != 0 {
			return false
		}
	}
	return true
}

// Count returns how many numbers s has.
func (s Set) Count() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// Numbers yields the numbers in rising order.
func (s Set) Numbers() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range s {
			for ; word != 0; word &= word - 1 {
				if !yield(i*64 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}
