package xlsx

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// dateFormats are the formats of numbers that have no code in a file, and show a date: those of all
// languages, and from 27 on those of East Asia.
var dateFormats = []int{14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58}

// literal matches the parts of a code that it shows unchanged, or does not show: texts, escaped
// characters, fillers, and brackets, such as a color or an elapsed time; and the halves of a day.
var literal = regexp.MustCompile(`(?i)"[^"]*"|\\.|_.|\*.|\[[^\]]*\]|am/pm|a/p`)

// showsDate reports whether a format's code shows a date, such as "m/d/yy h:mm", but not "h:mm".
func showsDate(code string) bool {
	shown := strings.ToLower(literal.ReplaceAllStringFunc(code, func(part string) string {
		if isElapsed(part) {
			return "h"
		}
		return ""
	}))
	shown, _, _ = strings.Cut(shown, ";") // the rest is for negative numbers, zero and texts
	if shown == "general" {
		return false
	}
	return strings.ContainsAny(shown, "yd") || strings.Contains(shown, "mmm") ||
		strings.Contains(shown, "m") && !strings.ContainsAny(shown, "hs")
}

// isElapsed reports whether a part is a time in brackets, such as [h].
func isElapsed(part string) bool {
	return slices.Contains([]string{"[h]", "[hh]", "[m]", "[mm]", "[s]", "[ss]"}, strings.ToLower(part))
}

// unshown matches the parts of a code of zeros that it does not show: colors, fillers, quotes.
var unshown = regexp.MustCompile(`\[[^<=>\]]*\]|_.|\*.|[\\"]`)

// zerosOf returns the zeros that a format shows before the digits of whole numbers, with signs
// between these: 00000, or 00000-0000. It is "" for any other format. Two of them, with a semicolon
// between them, are one for numbers of up to five digits, and one for longer ones.
func zerosOf(code string) string {
	zeros := unshown.ReplaceAllString(code, "")
	short, isZIP := strings.CutPrefix(zeros, "[<=99999]")
	if first, _, _ := strings.Cut(zeros, ";"); !isZIP {
		short = first
	}
	if strings.Trim(short, "0- /();") != "" || strings.Count(short, "0") < 2 {
		return ""
	}
	return short
}

// padded returns digits as a format of zeros shows them.
func padded(zeros, digits string) string {
	short, long, _ := strings.Cut(zeros, ";")
	wide := strings.Count(short, "0")
	if len(digits) > wide && long != "" {
		short, wide = long, strings.Count(long, "0")
	}
	digits = strings.Repeat("0", max(0, wide-len(digits))) + digits
	var b strings.Builder
	for extra := len(digits) - wide; short != ""; short = short[1:] {
		if short[0] != '0' {
			b.WriteByte(short[0])
			continue
		}
		b.WriteString(digits[:extra+1])
		digits, extra = digits[extra+1:], 0
	}
	return b.String()
}

// shortest returns a number with the fewest digits that are the same double, as people see it: Java
// writes 123.0 and 1.2345678E7.
func shortest(v float64) string {
	if size := math.Abs(v); size >= 1e15 || size < 1e-6 && size > 0 {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// The last day that a spreadsheet has is in the year 9999; lastFalse is the 29th of February 1900,
// which there never was.
const (
	lastDay   = 2958465
	lastFalse = 60
)

// dayOf returns the day with that number, and whether there is one. Hours stand after the point.
func dayOf(number float64, from1904 bool) (time.Time, bool) {
	if from1904 {
		number += 1462
	}
	if !(number >= 1 && number < lastDay+1) {
		return time.Time{}, false
	}
	day := int(number)
	if day < lastFalse {
		day++
	}
	return time.Date(1899, time.December, 30+day, 0, 0, 0, 0, time.UTC), true
}
