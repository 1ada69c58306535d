package synthetic

import (
	"math/bits"
	"math/rand/v2"
)

// dice draws whole numbers. It is not rand.Rand, whose methods may draw differently in another release.
type dice struct{ source rand.PCG }

func newDice(seed uint64) dice {
	var d dice
	d.source.Seed(seed, 0x66696c696e6773) // the second half of the seed: any constant
	return d
}

// below returns a number from 0 to n-1.
func (d *dice) below(n int) int {
	high, _ := bits.Mul64(d.source.Uint64(), uint64(n))
	return int(high)
}

// from returns a number from low to high, both included.
func (d *dice) from(low, high int) int { return low + d.below(high-low+1) }

// permille reports true n times in a thousand.
func (d *dice) permille(n int) bool { return d.below(1000) < n }

// early returns a number from 0 to n-1, small ones more often.
func (d *dice) early(n int) int { return min(d.below(n), d.below(n)) }

// octaves returns a number with a long tail: most are between 2^low and 2^(low+spread+2), and each further doubling is
// half as frequent, up to 2^(low+spread+tail).
func (d *dice) octaves(low, spread, tail int) int {
	k := low + d.below(spread) + bits.TrailingZeros64(d.source.Uint64()|1<<tail)
	return 1<<k + d.below(1<<k)
}

// pick returns one of list.
func pick[T any](d *dice, list []T) T { return list[d.below(len(list))] }
