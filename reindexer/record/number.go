package record

import (
	"strconv"
	"strings"
)

// isNumber reports whether s is a number as JSON writes it.
func isNumber(s string) bool {
	p := scanner{text: s}
	_, err := p.number()
	return err == nil && p.at == len(s)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// cents returns the number that a JSON literal writes, rounded to two decimals, half away from zero, and whether that
// changed it. It rounds the decimal as written: 1.005 is 1.01, although the nearest float64 is a little less than 1.005.
// It is not ok if the number is beyond a float64.
func cents(literal string) (v float64, rounded, ok bool) {
	v, err := strconv.ParseFloat(literal, 64)
	if err != nil {
		return 0, false, false
	}
	dot := strings.IndexByte(literal, '.')
	if (dot < 0 || len(literal)-dot <= 3) && !strings.ContainsAny(literal, "eE") {
		return v, false, true
	}
	d := apart(literal)
	keep := d.point + 2
	if keep >= len(d.digits) || strings.Trim(d.digits[max(keep, 0):], "0") == "" {
		return v, false, true
	}
	whole := "0"
	if keep > 0 {
		whole = d.digits[:keep]
	}
	if keep >= 0 && d.digits[keep] >= '5' {
		whole = increment(whole)
	}
	if d.negative {
		whole = "-" + whole
	}
	v, err = strconv.ParseFloat(whole+"e-2", 64)
	return v, true, err == nil
}

// integer returns the integer that v is. A number with decimals, be they 0, is none; one with an exponent is, if no decimals
// are left: 1.5e3.
func (v *value) integer() (n int64, ok bool) {
	if v.kind != kindNumber {
		return 0, false
	}
	digits := v.text
	if strings.ContainsAny(digits, ".eE") {
		// Beyond 19 digits a number fits no field. The limit keeps 1e999999999 from being written out.
		d := apart(digits)
		if d.point < len(d.digits) || d.point > 19 {
			return 0, false
		}
		digits = "0" + d.digits + strings.Repeat("0", d.point-len(d.digits))
		if d.negative {
			digits = "-" + digits
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil
}

// decimal is a number literal taken apart: 0.digits times ten to the power of point. The first digit is not 0; the last
// ones are as written.
type decimal struct {
	negative bool
	digits   string
	point    int
}

// maxExponent is more than any float64 has and small enough to be added to the length of a line.
const maxExponent = 1 << 30

func apart(literal string) (d decimal) {
	literal, d.negative = strings.CutPrefix(literal, "-")
	mantissa, exponent := literal, 0
	if e := strings.IndexAny(literal, "eE"); e >= 0 {
		mantissa = literal[:e]
		// Out of range, Atoi returns the nearest number that it can.
		n, _ := strconv.Atoi(literal[e+1:])
		exponent = max(-maxExponent, min(n, maxExponent))
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	all := whole + fraction
	d.digits = strings.TrimLeft(all, "0")
	d.point = len(whole) + exponent - (len(all) - len(d.digits))
	return d
}

// increment adds one to a row of decimal digits.
func increment(digits string) string {
	b := []byte("0" + digits)
	for i := len(b) - 1; ; i-- {
		if b[i] != '9' {
			b[i]++
			return string(b)
		}
		b[i] = '0'
	}
}
