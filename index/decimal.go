package index

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Decimal is a number as a request has it, exactly: several may have the same nearest float64.
type Decimal struct {
	Nearest float64
	text    string // without zeros that say nothing; "": the shortest decimal of Nearest, which records have
}

// mostExponent is about the exponent of the greatest and of the least float64.
const mostExponent = 400

// ParseDecimal reads a number: digits, with a minus before them or not, and a point with digits or
// not, and an exponent or not.
func ParseDecimal(text string) (d Decimal, ok bool) {
	digits, negative := strings.CutPrefix(text, "-")
	exponent := 0
	if i := strings.IndexAny(digits, "eE"); i >= 0 {
		var err error
		exponent, err = strconv.Atoi(digits[i+1:])
		if err != nil || exponent < -mostExponent || exponent > mostExponent {
			return d, false
		}
		digits = digits[:i]
	}
	whole, fraction, point := strings.Cut(digits, ".")
	if strings.Trim(whole+fraction, "0123456789") != "" || whole == "" || point && fraction == "" {
		return d, false
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return d, false
	}
	if exponent > 0 {
		fraction += strings.Repeat("0", max(0, exponent-len(fraction)))
		whole, fraction = whole+fraction[:exponent], fraction[exponent:]
	} else if exponent < 0 {
		whole = strings.Repeat("0", max(0, -exponent-len(whole))) + whole
		place := len(whole) + exponent
		whole, fraction = whole[:place], whole[place:]+fraction
	}
	whole, fraction = cmp.Or(strings.TrimLeft(whole, "0"), "0"), strings.TrimRight(fraction, "0")
	if digits = whole; fraction != "" {
		digits += "." + fraction
	}
	if negative && digits != "0" { // not -0, so that equal requests have equal texts
		digits = "-" + digits
	}
	if d.Nearest = v + 0; digits != shortest(d.Nearest) {
		d.text = digits
	}
	return d, true
}

// shortest writes the shortest decimal that reads back as v.
func shortest(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// String returns d without zeros that say nothing.
func (d Decimal) String() string { return cmp.Or(d.text, shortest(d.Nearest)) }

// fraction returns d, exactly.
func (d Decimal) fraction() *big.Rat {
	r, _ := new(big.Rat).SetString(d.String())
	return r
}

// excess is how d compares with the shortest decimal of Nearest.
func (d Decimal) excess() int {
	if d.text == "" {
		return 0
	}
	return d.Cmp(Decimal{Nearest: d.Nearest})
}

// Cmp compares d with e, exactly.
func (d Decimal) Cmp(e Decimal) int {
	if d.Nearest != e.Nearest {
		return cmp.Compare(d.Nearest, e.Nearest)
	}
	if d.text == e.text {
		return 0
	}
	a, aNegative := strings.CutPrefix(d.String(), "-")
	b, bNegative := strings.CutPrefix(e.String(), "-")
	switch {
	case aNegative && !bNegative:
		return -1
	case bNegative && !aNegative:
		return 1
	}
	aWhole, aFraction, _ := strings.Cut(a, ".")
	bWhole, bFraction, _ := strings.Cut(b, ".")
	order := cmp.Or(cmp.Compare(len(aWhole), len(bWhole)), cmp.Compare(aWhole, bWhole), cmp.Compare(aFraction, bFraction))
	if aNegative {
		return -order
	}
	return order
}

// Least returns the least number whose shortest decimal is at least d: the same lower bound.
func (d Decimal) Least() float64 {
	if d.excess() > 0 {
		return math.Nextafter(d.Nearest, math.Inf(1))
	}
	return d.Nearest
}

// Greatest returns the greatest number whose shortest decimal is at most d: the same upper bound.
func (d Decimal) Greatest() float64 {
	if d.excess() < 0 {
		return math.Nextafter(d.Nearest, math.Inf(-1))
	}
	return d.Nearest
}

// Fits reports whether d is from least to greatest.
func (d Decimal) Fits(least, greatest float64) bool {
	return d.Greatest() >= least && d.Least() <= greatest
}

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
