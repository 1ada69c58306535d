package xlsx

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// dateFormats are the formats of numbers that have no code in a file, and show a date: those of all
// languages, and from 27 on those of East Asia.
var dateFormats = []int{14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58}

// literal matches what a code shows as it is, or does not show: texts, escaped characters, fillers,
// and what stands in brackets, such as a color or an elapsed time; and the halves of a day.
var literal = regexp.MustCompile(`(?i)"[^"]*"|\\.|_.|\*.|\[[^\]]*\]|am/pm|a/p`)

// showsDate reports whether a format's code shows a date, such as "m/d/yy h:mm", but not "h:mm" or
// "mm:ss".
func showsDate(code string) bool {
	shown := strings.ToLower(literal.ReplaceAllStringFunc(code, func(part string) string {
		if isElapsed(part) {
			return "h"
		}
		return ""
	}))
	shown, _, _ = strings.Cut(shown, ";") // what follows is for negative numbers, zero and texts
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

// The last day that a spreadsheet has is in the year 9999; lastFalse is the 29th of February 1900,
// which there never was.
const (
	lastDay   = 2958465
	lastFalse = 60
)

// dayOf returns the day with that number, and whether there is one. Hours are what stands after the
// point.
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
