package edges

import (
	"strings"

	"filings/index"
)

// characterGroup tries characters that mean something to query languages, and characters beyond ASCII.
func characterGroup() Group {
	owner := func(id int64, name string) *index.Filing { return Filing(id, Values{index.Owner: name}) }
	return Group{"P16 characters", []*index.Filing{
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
		Filing(13, Values{index.CaseNumber: "2026-TL-17"}),
		Filing(14, Values{index.CaseNumber: "2026\u2011TL\u201117\u00ad"}),
		owner(15, "KAHO'OKELE, LEI"),
		owner(16, "KAHO‘OKELE, LEI"),
	}, []Case{
		{"star", Contains("star * q"), []int64{1}},
		{"star alone", Contains("*"), []int64{1}},
		{"star is no pattern", Contains("star*tick"), nil},
		{"question mark", Contains("y ? p"), []int64{1}},
		{"percent", Contains("% under"), []int64{1}},
		{"percent alone", Contains("%"), []int64{1}},
		{"percent is no pattern", Contains("star%tick"), nil},
		{"underscore", Contains("_ b"), []int64{1}},
		{"underscore alone", Contains("_"), []int64{1}},
		{"backslash", Contains(`\ quote`), []int64{1}},
		{"backslash alone", Contains(`\`), []int64{1}},
		{"quotes", Contains(`" tick '`), []int64{1}},
		{"quote alone", Contains(`'`), []int64{1, 15, 16}},
		{"İ is i", Contains("istanbul"), []int64{3}},
		{"İ in the term", Contains("İSTANBUL"), []int64{3}},
		{"ß is not ss", Contains("strasse"), nil},
		{"ẞ is ß", Contains("STRAẞE"), []int64{4}},
		{"Σ is σ at the end too", Contains("οδοσ σοφοσ"), []int64{5}},
		{"Σ is never ς", Contains("ς"), nil},
		{"one beyond the BMP", Contains("😁"), []int64{6}},
		{"two beyond the BMP", Contains("𝒳𝒴"), []int64{6}},
		{"three beyond the BMP", Contains("𝒳𝒴𝒵"), []int64{6}},
		{"beyond the BMP in another order", Contains("😁😀"), nil},
		{"case beyond the BMP", Contains("𐐨𐐩"), []int64{12}},
		{"composed is decomposed", Contains("école"), []int64{7, 8}},
		{"decomposed is composed", Contains("e\u0301cole"), []int64{7, 8}},
		{"a letter is not the one with an accent", Contains("ecole"), nil},
		{"ligature is not two letters", Contains("ﬁ"), []int64{9}},
		{"two letters are no ligature", Contains("fi"), nil},
		{"without blanks between words", Contains("族信"), []int64{10}},
		{"no white space: zero width", Contains("mark\u200bzero"), []int64{11}},
		{"replacement and noncharacter", Contains("\ufffdwidth\uffff"), []int64{11}},
		{"byte order mark", Contains("\ufeffmark"), []int64{11}},
		{"without what has no width", Contains("MARKZERO"), []int64{11}},
		{"dashes", Contains("2026‑TL–17"), []int64{13, 14}},
		{"apostrophes", Contains("kahoʻokele"), []int64{15, 16}},
	}}
}

// controlGroup tries control characters, which an engine might use for itself.
func controlGroup() Group {
	return Group{"P16 control", []*index.Filing{
		Filing(1, Values{index.Owner: "\x01\x01padded\x01\x01"}),
		Filing(2, Values{index.Owner: "padded", index.CaseNumber: "p"}),
		Filing(3, Values{index.Owner: "left\x01right"}),
		Filing(4, Values{index.Owner: "left", index.PropertyAddress: "right"}),
		Filing(5, Values{index.Owner: "\x02\x03\x1b\x7f\u0080"}),
		Filing(6, Values{index.Owner: "\x1funit\x1f"}),
	}, []Case{
		{"U+0001 alone", Contains("\x01"), []int64{1, 3}},
		{"U+0001 twice", Contains("\x01\x01"), []int64{1}},
		{"U+0001 thrice", Contains("\x01\x01\x01"), nil},
		{"U+0001 before a value", Contains("\x01padded"), []int64{1}},
		{"U+0001 after a value", Contains("padded\x01"), []int64{1}},
		{"U+0001 around a value", Contains("\x01\x01padded\x01\x01"), []int64{1}},
		{"U+0001 around a short value", Contains("\x01p\x01"), nil},
		{"U+0001 after a character", Contains("p\x01"), nil},
		{"U+0001 within a value", Contains("left\x01right"), []int64{3}},
		{"U+0001 between values", Contains("t\x01\x01r"), nil},
		{"U+0001 at the end of a value only", Contains("left\x01"), []int64{3}},
		{"U+0001 in a county", Contains("zz\x01"), nil},
		{"others", Contains("\x03\x1b\x7f\u0080"), []int64{5}},
		{"unit separator is no white space", Contains("\x1funit"), []int64{6}},
		{"NUL", Contains("left\x00"), nil},
		{"NUL alone", Contains("\x00"), nil},
		{"NUL, then what is there", Contains("\x00padded"), nil},
	}}
}

// longGroup tries values as long as they may be.
func longGroup() Group {
	long := func(middle string) string {
		n := len([]rune(middle))
		half := (index.MaxText - n) / 2
		return strings.Repeat("é", half) + middle + strings.Repeat("u", index.MaxText-n-half)
	}
	return Group{"P16 long", []*index.Filing{
		Filing(1, Values{index.Owner: long("needle")}),
		Filing(2, Values{index.PropertyAddress: long("nee dle")}),
		Filing(3, Values{index.CaseNumber: strings.Repeat("😀", index.MaxText-1) + "z"}),
		Filing(4, Values{index.Owner: strings.Repeat("ab ", index.MaxText/3)}),
		Filing(5, Values{index.County: strings.Repeat("k", index.MaxText-5) + "w, QQ"}),
		Filing(6, Values{index.AISummary: strings.Repeat("needle😀", index.MaxLongText/7)}), // not searched
	}, []Case{
		{"in the middle", Contains("needle"), []int64{1}},
		{"around the middle", Contains("ééneedleuu"), []int64{1}},
		{"over a blank", Contains("énee dleu"), []int64{2}},
		{"the last character", Contains("😀z"), []int64{3}},
		{"200 characters", Contains(strings.Repeat("é", 100) + "needle" + strings.Repeat("u", 94)), []int64{1}},
		{"200 characters beyond the BMP", Contains(strings.Repeat("😀", 200)), []int64{3}},
		{"many times", Contains("ab ab ab"), []int64{4}},
		{"many times, but not so", Contains("ab ab ba"), nil},
		{"county", Contains("kw, qq"), []int64{5}},
		{"its county by name", index.Where(index.InCounty(strings.Repeat("k", index.MaxText-5) + "w")), []int64{5}},
	}}
}
