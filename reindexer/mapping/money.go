package mapping

import (
	"regexp"
	"strconv"
	"strings"
)

// money reads an amount of dollars: "$1,234.50", "1234.5", "$ 5"; and, below zero, "-$5", "5-",
// "(12.00)", "$(12.00)".
func money(s string) any {
	digits, signs, dollars := s, 0, 0
	for last := ""; digits != last && digits != "-"; {
		last = digits
		switch {
		case strings.HasPrefix(digits, "$"):
			digits, dollars = digits[1:], dollars+1
		case strings.HasPrefix(digits, "-"):
			digits, signs = digits[1:], signs+1
		case strings.HasSuffix(digits, "-"):
			digits, signs = digits[:len(digits)-1], signs+1
		case strings.HasPrefix(digits, "(") && strings.HasSuffix(digits, ")"):
			digits, signs = digits[1:len(digits)-1], signs+1
		}
		digits = strings.TrimSpace(digits)
	}
	v, ok := decimal(digits)
	switch {
	case digits == "-" && signs == 0: // "$ -" is how spreadsheets write zero
		return 0
	case signs > 1:
		return fail("money cannot read %s: it has two signs", quoted(s))
	case !ok || dollars > 1:
		return fail(`money cannot read %s; it reads amounts such as "$1,234.50" and "(12.00)"`, quoted(s))
	}
	return signed(v, signs == 1)
}

// number reads a decimal: "1,234.5", "-7".
func number(s string) any {
	digits, negative := strings.CutPrefix(s, "-")
	v, ok := decimal(digits)
	if !ok {
		return fail(`number cannot read %s; it reads decimals such as "1,234.5" and "-7"`, quoted(s))
	}
	return signed(v, negative)
}

// thousands matches a decimal with commas between thousands.
var thousands = regexp.MustCompile(`^\d{1,3}(,\d{3})+(\.\d*)?$`)

// decimal reads digits, with or without commas between thousands and a fraction.
func decimal(text string) (float64, bool) {
	if strings.Trim(text, "0123456789.,") != "" || strings.Contains(text, ",") && !thousands.MatchString(text) {
		return 0, false
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	return v, err == nil
}
