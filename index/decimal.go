package index

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Decimal is a number as a request has it. Of those that have the same nearest float64, each is another one.
type Decimal struct {
	Nearest float64
	text    string // without zeros that say nothing; "": the shortest decimal of Nearest, which records have
}

// ParseDecimal reads a number: digits, with a minus before them or not, and a point with digits or not.
func ParseDecimal(text string) (d Decimal, ok bool) {
	digits, negative := strings.CutPrefix(text, "-")
	whole, fraction, point := strings.Cut(digits, ".")
	if strings.Trim(whole+fraction, "0123456789") != "" || whole == "" || point && fraction == "" {
		return d, false
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return d, false
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

// over is how d compares with the shortest decimal of Nearest.
func (d Decimal) over() int {
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
	a, negative := strings.CutPrefix(d.String(), "-")
	b, too := strings.CutPrefix(e.String(), "-")
	switch {
	case negative && !too:
		return -1
	case too && !negative:
		return 1
	}
	whole, fraction, _ := strings.Cut(a, ".")
	other, rest, _ := strings.Cut(b, ".")
	order := cmp.Or(cmp.Compare(len(whole), len(other)), cmp.Compare(whole, other), cmp.Compare(fraction, rest))
	if negative {
		return -order
	}
	return order
}

// Least returns the least number whose shortest decimal is d or more: as a lower bound it is d, exactly.
func (d Decimal) Least() float64 {
	if d.over() > 0 {
		return math.Nextafter(d.Nearest, math.Inf(1))
	}
	return d.Nearest
}

// Greatest returns the greatest number whose shortest decimal is d or less: as an upper bound it is d, exactly.
func (d Decimal) Greatest() float64 {
	if d.over() < 0 {
		return math.Nextafter(d.Nearest, math.Inf(-1))
	}
	return d.Nearest
}

// Within reports whether d is from least to greatest.
func (d Decimal) Within(least, greatest float64) bool {
	return d.Greatest() >= least && d.Least() <= greatest
}
