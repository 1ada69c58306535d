package document

import (
	"strconv"
	"unicode/utf8"

	"filings/index"
)

// A code is a short text that sorts as a value does, and that many neighboring values share: if a < b, then the code
// of a is not above that of b. Counting a filter's filings by code, a few thousand counts at the most, shows near which
// value any offset lies (package reader).

// appendCodes appends the object x.code: the codes of f's sort keys, and of its id, which breaks ties. A filing date is
// its own code.
func appendCodes(dst []byte, f *index.Filing, d *index.Derived) []byte {
	code := members{append(dst, '{')}
	for _, field := range []index.Field{index.FilingAmount, index.CurrentAmount} {
		if v, ok := f.Number(field); ok {
			code.text(field.String(), numberCode(v))
		}
	}
	code.text(index.Owner.String(), textCode(d.Owner))
	if f.Has(index.CreatedAt) {
		code.text(index.CreatedAt.String(), f.CreatedAt.UTC().Format("2006-01-02"))
	}
	code.text(index.ID.String(), numberCode(float64(f.ID)))
	return append(code.dst, '}')
}

// numberCode is the code of a number: sign, exponent and the first 8 bits of the fraction, that is 256 codes for each
// doubling.
func numberCode(v float64) string {
	const digits = 5                                                      // of 16
	code := strconv.FormatUint(index.OrderedBits(v+0)>>(64-4*digits), 16) // -0 + 0 is 0
	return "00000"[len(code):] + code
}

// textCode is the code of a text: its first three characters. UTF-8 sorts by code point, so that texts cut between
// characters sort as they did.
func textCode(s string) string {
	end := 0
	for range 3 {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	return s[:end]
}
