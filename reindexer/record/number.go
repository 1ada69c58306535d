package record

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// isNumber reports whether s is a number as JSON writes it.
func isNumber(s string) bool {
	return s != "" && (s[0] == '-' || isDigit(s[0])) && isDigit(s[len(s)-1]) && jsontext.Value(s).IsValid()
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// cents returns the number that a JSON literal writes, rounded to two decimals, half away from
// zero, and whether that changed it. It rounds the decimal as written: 1.005 is 1.01, although the
// nearest float64 is a little less than 1.005. It is not ok if the number is beyond a float64.
func cents(literal string) (v float64, rounded, ok bool) {
	v, err := strconv.ParseFloat(literal, 64)
	if err != nil {
		return 0, false, false
	}
	dot := strings.IndexByte(literal, '.')
	if (dot < 0 || len(literal)-dot <= 3) && !strings.ContainsAny(literal, "eE") {
		return v, false, true
	}
	if math.Abs(v) < 0.001 { // written out, it may have a million zeros
		mantissa, _, _ := strings.Cut(strings.ToLower(literal), "e")
		return 0, strings.ContainsAny(mantissa, "123456789"), true
	}
	written, ok := new(big.Rat).SetString(literal)
	if !ok {
		return 0, false, false
	}
	text := written.FloatString(2)
	if whole, _ := new(big.Rat).SetString(text); whole.Cmp(written) == 0 {
		return v, false, true
	}
	v, err = strconv.ParseFloat(text, 64)
	return v, true, err == nil
}

// integer returns the integer that v is: digits alone. Decimals, be they 0, and exponents make it
// none: spreadsheets write a long id as 1.23457E+13, which is another one.
func (v *value) integer() (n int64, ok bool) {
	if v.kind != kindNumber {
		return 0, false
	}
	n, err := strconv.ParseInt(v.text, 10, 64)
	return n, err == nil
}
