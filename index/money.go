package index

import "math"

// Cents returns an amount of dollars in cents, as a whole number. Amounts are rounded to the cent
// when they are loaded, so this is exact up to 2^53 cents (90 trillion dollars), and so are sums of
// it.
func Cents(dollars float64) float64 {
	if c := dollars * 100; !math.IsInf(c, 0) {
		return math.Round(c)
	}
	return math.Copysign(math.MaxFloat64, dollars)
}

// Dollars returns whole cents in dollars.
func Dollars(cents float64) float64 { return cents / 100 }

// AverageDollars returns a sum of cents divided by n, in dollars rounded to the cent, half away
// from zero; 0 for n = 0.
func AverageDollars(cents float64, n int64) float64 {
	if n == 0 {
		return 0
	}
	if math.Abs(cents) >= 1<<53 {
		return Dollars(math.Round(cents / float64(n)))
	}
	whole := int64(cents)
	q, r := whole/n, whole%n
	switch {
	case 2*r >= n:
		q++
	case -2*r >= n:
		q--
	}
	return Dollars(float64(q))
}

// Percent returns part of whole in percent with two decimals, half away from zero; 0 for a whole of
// 0.
func Percent(part, whole int64) float64 { return AverageDollars(float64(part)*10_000, whole) }

// OrderedBits maps numbers to integers in the same order: the bits of a float sort as the number
// does once those of negative ones are all flipped, and of the others the sign.
func OrderedBits(v float64) uint64 {
	b := math.Float64bits(v)
	if b>>63 == 1 {
		return ^b
	}
	return b | 1<<63
}
