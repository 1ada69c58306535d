package edges

import (
	"strings"

	"filings/index"
)

// searchGroup tries which fields are searched, and where in a value a term may stand.
func searchGroup() Group {
	return Group{"P16", []*index.Filing{
		Filing(1, Values{index.Owner: "QUINCE ALEX", index.PropertyAddress: "12 Medlar Way, Samplow, FL", index.CaseNumber: "2024-QX-000123"}),
		Filing(2, Values{index.County: "Quincey, ZZ"}),
		Filing(3, Values{index.PropertyAddress: "99 Quince Ct"}),
		Filing(4, Values{index.CaseNumber: "quince"}),
		Filing(5, Values{index.FilingHolder: "Quince Bank", index.City: "Quince", index.AISummary: "quince", index.StandardizedAddress: "quince"}),
		Filing(6, Values{index.Owner: "ABC", index.PropertyAddress: "DEF", index.CaseNumber: "GHI", index.County: "Jkl, ZZ"}),
		Filing(7, Values{index.Owner: "  Two \t\n words \u00a0\u3000 here  "}),
		Filing(8, Values{index.Owner: "abcabcabd"}),
		Filing(9, Values{index.Owner: "xabc abx", index.CaseNumber: "bcd"}),
		Filing(10, Values{index.Owner: "mnopx nopq"}),
		Filing(11, Values{index.County: "Wide \t Open, ZZ"}),
	}, []Case{
		{"four fields, no others", Contains("quince"), []int64{1, 2, 3, 4}},
		{"any case", Contains("qUiNcE"), []int64{1, 2, 3, 4}},
		{"start of a value", Contains("quince a"), []int64{1}},
		{"end of a value", Contains("ce alex"), []int64{1}},
		{"whole value", Contains("12 Medlar Way, Samplow, FL"), []int64{1}},
		{"whole value and more", Contains("12 Medlar Way, Samplow, FLA"), nil},
		{"more and whole value", Contains("x12 Medlar Way, Samplow, FL"), nil},
		{"county only", Contains("quincey, z"), []int64{2}},
		{"state of a county", Contains("y, zz"), []int64{2}},
		{"whole county", Contains("quincey, zz"), []int64{2}},
		{"never across two values", Contains("abcdef"), nil},
		{"never across two values with a blank", Contains("abc def"), nil},
		{"never across two values, backwards", Contains("ghi abc"), nil},
		{"never across value and county", Contains("ghijkl"), nil},
		{"never across value and county, short", Contains("ij"), nil},
		{"never across two values, two characters", Contains("cd"), []int64{9}},
		{"white space is one blank", Contains("two words here"), []int64{7}},
		{"white space in the term too", Contains(" two\u2003 words\r\nhere "), []int64{7}},
		{"white space of a county", Contains("wide open"), []int64{11}},
		{"a repeated beginning", Contains("abcabd"), []int64{8}},
		{"overlapping itself", Contains("abcab"), []int64{8}},
		{"all its pieces, not in a row", Contains("mnopq"), nil},
		{"pieces over a blank", Contains("c ab"), []int64{9}},
		{"two terms", Both(Contains("quince"), Contains("medlar")), []int64{1}},
		{"nowhere", Contains("no such text"), nil},
		{"one of several", index.Where(index.Contains{Text: "no such text", Alternatives: []string{"abcabd", "ce ct"}}),
			[]int64{3, 8}},
		{"one of several, in a county", index.Where(index.Contains{Text: "y, zz",
			Alternatives: []string{"nothing", "nopq"}}), []int64{2, 10}},
		{"200 characters", Contains(strings.Repeat("ab", 100)), nil},
	}}
}

// shortGroup tries terms and values of one, two and three characters.
func shortGroup() Group {
	return Group{"P16 short", []*index.Filing{
		Filing(1, Values{index.Owner: "q"}),
		Filing(2, Values{index.CaseNumber: "qz"}),
		Filing(3, Values{index.PropertyAddress: "qzx"}),
		Filing(4, Values{index.Owner: "long name with q inside"}),
		Filing(5, Values{index.Owner: "ends with zx"}),
		Filing(6, Values{index.Owner: "zq"}),
		Filing(7, Values{index.County: "Qa, WY"}),
		Filing(8, Values{index.Owner: "b", index.CaseNumber: "j"}),
	}, []Case{
		{"one character", Contains("q"), []int64{1, 2, 3, 4, 6, 7}},
		{"one at the end", Contains("x"), []int64{3, 5}},
		{"one that is a value", Contains("j"), []int64{8}},
		{"one in a county", Contains("y"), []int64{7}},
		{"two characters", Contains("qz"), []int64{2, 3}},
		{"two at the end", Contains("zx"), []int64{3, 5}},
		{"two at the start", Contains("zq"), []int64{6}},
		{"two over a blank", Contains("h q"), []int64{4}},
		{"two of two values", Contains("bj"), nil},
		{"two in a county", Contains("qa"), []int64{7}},
		{"three characters", Contains("qzx"), []int64{3}},
		{"three over a blank", Contains("h z"), []int64{5}},
		{"a comma", Contains(","), []int64{1, 2, 3, 4, 5, 6, 7, 8}},
	}}
}
