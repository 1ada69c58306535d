package indextest

import (
	"strings"

	"filings/index"
)

// characterGroup tries characters that mean something to query languages, and characters beyond ASCII.
func characterGroup() group {
	owner := func(id int64, name string) *index.Filing { return made(id, values{index.Owner: name}) }
	return group{"P16 characters", []*index.Filing{
		owner(1, `Star * Query ? Percent % Under _ Back \ Quote " Tick '`),
		owner(2, "Star x Query y Percent z Under w Back v Quote u Tick t"),
		owner(3, "İSTANBUL HOLDINGS"),
		owner(4, "Straße 9"),
		owner(5, "ΟΔΟΣ ΣΟΦΟΣ"),
		owner(6, "😀😁 GMBH 𝒳𝒴𝒵"),
		owner(7, "e\u0301cole"), // e and a combining accent
		owner(8, "école"),
		owner(9, "ﬁne oak"),
		owner(10, "家族信託"),
		owner(11, "\ufeffmark\u200bzero\ufffdwidth\uffff"),
		owner(12, "𐐀𐐁"),
	}, []edgeCase{
		{"star", contains("star * q"), []int64{1}},
		{"star alone", contains("*"), []int64{1}},
		{"star is no pattern", contains("star*tick"), nil},
		{"question mark", contains("y ? p"), []int64{1}},
		{"percent", contains("% under"), []int64{1}},
		{"percent alone", contains("%"), []int64{1}},
		{"percent is no pattern", contains("star%tick"), nil},
		{"underscore", contains("_ b"), []int64{1}},
		{"underscore alone", contains("_"), []int64{1}},
		{"backslash", contains(`\ quote`), []int64{1}},
		{"backslash alone", contains(`\`), []int64{1}},
		{"quotes", contains(`" tick '`), []int64{1}},
		{"quote alone", contains(`'`), []int64{1}},
		{"İ is i", contains("istanbul"), []int64{3}},
		{"İ in the term", contains("İSTANBUL"), []int64{3}},
		{"ß is not ss", contains("strasse"), nil},
		{"ẞ is ß", contains("STRAẞE"), []int64{4}},
		{"Σ is σ at the end too", contains("οδοσ σοφοσ"), []int64{5}},
		{"Σ is never ς", contains("ς"), nil},
		{"one beyond the BMP", contains("😁"), []int64{6}},
		{"two beyond the BMP", contains("𝒳𝒴"), []int64{6}},
		{"three beyond the BMP", contains("𝒳𝒴𝒵"), []int64{6}},
		{"beyond the BMP in another order", contains("😁😀"), nil},
		{"case beyond the BMP", contains("𐐨𐐩"), []int64{12}},
		{"composed is not decomposed", contains("école"), []int64{8}},
		{"decomposed is not composed", contains("e\u0301cole"), []int64{7}},
		{"ligature is not two letters", contains("ﬁ"), []int64{9}},
		{"two letters are no ligature", contains("fi"), nil},
		{"without blanks between words", contains("族信"), []int64{10}},
		{"no white space: zero width", contains("mark\u200bzero"), []int64{11}},
		{"replacement and noncharacter", contains("\ufffdwidth\uffff"), []int64{11}},
		{"byte order mark", contains("\ufeffm"), []int64{11}},
	}}
}

// controlGroup tries control characters, which an engine might use for itself.
func controlGroup() group {
	return group{"P16 control", []*index.Filing{
		made(1, values{index.Owner: "\x01\x01padded\x01\x01"}),
		made(2, values{index.Owner: "padded", index.CaseNumber: "p"}),
		made(3, values{index.Owner: "left\x01right"}),
		made(4, values{index.Owner: "left", index.PropertyAddress: "right"}),
		made(5, values{index.Owner: "\x02\x03\x1b\x7f\u0080"}),
		made(6, values{index.Owner: "\x1funit\x1f"}),
	}, []edgeCase{
		{"U+0001 alone", contains("\x01"), []int64{1, 3}},
		{"U+0001 twice", contains("\x01\x01"), []int64{1}},
		{"U+0001 thrice", contains("\x01\x01\x01"), nil},
		{"U+0001 before a value", contains("\x01padded"), []int64{1}},
		{"U+0001 behind a value", contains("padded\x01"), []int64{1}},
		{"U+0001 around a value", contains("\x01\x01padded\x01\x01"), []int64{1}},
		{"U+0001 around a short value", contains("\x01p\x01"), nil},
		{"U+0001 behind a character", contains("p\x01"), nil},
		{"U+0001 within a value", contains("left\x01right"), []int64{3}},
		{"U+0001 between values", contains("t\x01\x01r"), nil},
		{"U+0001 at the end of a value only", contains("left\x01"), []int64{3}},
		{"U+0001 in a county", contains("zz\x01"), nil},
		{"others", contains("\x03\x1b\x7f\u0080"), []int64{5}},
		{"unit separator is no white space", contains("\x1funit"), []int64{6}},
		{"NUL", contains("left\x00"), nil},
		{"NUL alone", contains("\x00"), nil},
		{"NUL, then what is there", contains("\x00padded"), nil},
	}}
}

// longGroup tries values as long as they may be.
func longGroup() group {
	long := func(middle string) string {
		n := len([]rune(middle))
		half := (index.MaxText - n) / 2
		return strings.Repeat("é", half) + middle + strings.Repeat("u", index.MaxText-n-half)
	}
	return group{"P16 long", []*index.Filing{
		made(1, values{index.Owner: long("needle")}),
		made(2, values{index.PropertyAddress: long("nee dle")}),
		made(3, values{index.CaseNumber: strings.Repeat("😀", index.MaxText-1) + "z"}),
		made(4, values{index.Owner: strings.Repeat("ab ", index.MaxText/3)}),
		made(5, values{index.County: strings.Repeat("k", index.MaxText-5) + "w, QQ"}),
		made(6, values{index.AISummary: strings.Repeat("needle😀", index.MaxLongText/7)}), // not searched
	}, []edgeCase{
		{"in the middle", contains("needle"), []int64{1}},
		{"around the middle", contains("ééneedleuu"), []int64{1}},
		{"over a blank", contains("énee dleu"), []int64{2}},
		{"the last character", contains("😀z"), []int64{3}},
		{"200 characters", contains(strings.Repeat("é", 100) + "needle" + strings.Repeat("u", 94)), []int64{1}},
		{"200 characters beyond the BMP", contains(strings.Repeat("😀", 200)), []int64{3}},
		{"many times", contains("ab ab ab"), []int64{4}},
		{"many times, but not so", contains("ab ab ba"), nil},
		{"county", contains("kw, qq"), []int64{5}},
		{"its county by name", index.Where(index.InCounty(strings.Repeat("k", index.MaxText-5) + "w")), []int64{5}},
	}}
}
