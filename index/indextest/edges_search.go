package indextest

import (
	"strings"

	"filings/index"
)

func contains(term string) index.Filter {
	return index.Where(index.Contains{Text: index.SearchText(term)})
}

// searchGroup tries which fields are searched, and where in a value a term may stand.
func searchGroup() group {
	return group{"P16", []*index.Filing{
		made(1, values{index.Owner: "QUINCE ALEX", index.PropertyAddress: "12 Medlar Way, Samplow, FL", index.CaseNumber: "2024-QX-000123"}),
		made(2, values{index.County: "Quincey, ZZ"}),
		made(3, values{index.PropertyAddress: "99 Quince Ct"}),
		made(4, values{index.CaseNumber: "quince"}),
		made(5, values{index.FilingHolder: "Quince Bank", index.City: "Quince", index.AISummary: "quince", index.StandardizedAddress: "quince"}),
		made(6, values{index.Owner: "ABC", index.PropertyAddress: "DEF", index.CaseNumber: "GHI", index.County: "Jkl, ZZ"}),
		made(7, values{index.Owner: "  Two \t\n words \u00a0\u3000 here  "}),
		made(8, values{index.Owner: "abcabcabd"}),
		made(9, values{index.Owner: "xabc abx", index.CaseNumber: "bcd"}),
		made(10, values{index.Owner: "mnopx nopq"}),
	}, []edgeCase{
		{"four fields, no others", contains("quince"), []int64{1, 2, 3, 4}},
		{"any case", contains("qUiNcE"), []int64{1, 2, 3, 4}},
		{"start of a value", contains("quince a"), []int64{1}},
		{"end of a value", contains("ce alex"), []int64{1}},
		{"whole value", contains("12 Medlar Way, Samplow, FL"), []int64{1}},
		{"whole value and more", contains("12 Medlar Way, Samplow, FLA"), nil},
		{"more and whole value", contains("x12 Medlar Way, Samplow, FL"), nil},
		{"county only", contains("quincey, z"), []int64{2}},
		{"state of a county", contains("y, zz"), []int64{2}},
		{"whole county", contains("quincey, zz"), []int64{2}},
		{"never across two values", contains("abcdef"), nil},
		{"never across two values with a blank", contains("abc def"), nil},
		{"never across two values, backwards", contains("ghi abc"), nil},
		{"never across value and county", contains("ghijkl"), nil},
		{"never across value and county, short", contains("ij"), nil},
		{"never across two values, two characters", contains("cd"), []int64{9}},
		{"white space is one blank", contains("two words here"), []int64{7}},
		{"white space in the term too", contains(" two\u2003 words\r\nhere "), []int64{7}},
		{"a repeated beginning", contains("abcabd"), []int64{8}},
		{"overlapping itself", contains("abcab"), []int64{8}},
		{"all its pieces, not in a row", contains("mnopq"), nil},
		{"pieces over a blank", contains("c ab"), []int64{9}},
		{"two terms", both(contains("quince"), contains("medlar")), []int64{1}},
		{"nowhere", contains("no such text"), nil},
		{"200 characters", contains(strings.Repeat("ab", 100)), nil},
	}}
}

// shortGroup tries terms and values of one, two and three characters.
func shortGroup() group {
	return group{"P16 short", []*index.Filing{
		made(1, values{index.Owner: "q"}),
		made(2, values{index.CaseNumber: "qz"}),
		made(3, values{index.PropertyAddress: "qzx"}),
		made(4, values{index.Owner: "long name with q inside"}),
		made(5, values{index.Owner: "ends with zx"}),
		made(6, values{index.Owner: "zq"}),
		made(7, values{index.County: "Qa, WY"}),
		made(8, values{index.Owner: "b", index.CaseNumber: "j"}),
	}, []edgeCase{
		{"one character", contains("q"), []int64{1, 2, 3, 4, 6, 7}},
		{"one at the end", contains("x"), []int64{3, 5}},
		{"one that is a value", contains("j"), []int64{8}},
		{"one in a county", contains("y"), []int64{7}},
		{"two characters", contains("qz"), []int64{2, 3}},
		{"two at the end", contains("zx"), []int64{3, 5}},
		{"two at the start", contains("zq"), []int64{6}},
		{"two over a blank", contains("h q"), []int64{4}},
		{"two of two values", contains("bj"), nil},
		{"two in a county", contains("qa"), []int64{7}},
		{"three characters", contains("qzx"), []int64{3}},
		{"three over a blank", contains("h z"), []int64{5}},
		{"a comma", contains(","), []int64{1, 2, 3, 4, 5, 6, 7, 8}},
	}}
}
