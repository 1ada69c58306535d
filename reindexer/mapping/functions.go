package mapping

import (
	"encoding/json"
	"math/big"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/itchyny/gojq"
)

// Function is one that programs have besides jq's own.
type Function struct {
	Name     string
	Usage    string // as a program writes it
	Help     string // its result
	Examples []Example

	least, most int // arguments
	call        func(r *run, v any, args []any) any
}

// Example is a program's output for an input, both as JSON. An error begins with "error: ".
type Example struct{ Program, Input, Output string }

// run is the state of a program that its functions know besides their arguments.
type run struct {
	forms  forms
	source string // whose records are read
	member string // of an object, that the program is making; "" for none

	unread map[string]int64 // values that a member could not be read from

	rows           int64            // that were read of the source
	tried, triedAt map[string]int64 // rows in which a try left out an error, by member, and the last of these
}

// Functions are the added functions. Each returns null for null and for the texts that blank knows,
// and an Error for a value that it cannot read.
var Functions = []Function{
	{"money", "money", "an amount of dollars as a number", []Example{
		{`money`, `"$1,234.50 "`, `1234.5`}, {`money`, `"(12.00)"`, `-12`}, {`money`, `"12.00-"`, `-12`},
		{`money`, `"$ -"`, `0`}, {`money`, `"see note"`, `error: money cannot read "see note"`},
	}, 0, 0, func(_ *run, v any, _ []any) any { return numeric("money", money, v) }},
	{"number", "number", "a decimal number", []Example{
		{`number`, `"1,234.5"`, `1234.5`}, {`number`, `"$7"`, `error: number cannot read "$7"`},
	}, 0, 0, func(_ *run, v any, _ []any) any { return numeric("number", number, v) }},
	{"date", `date("MM/DD/YYYY")`, "a day as YYYY-MM-DD. Parts of a form: `YYYY`, `YY` (the last such year that is not " +
		"after today), `MM`, `MON` and `MONTH` (English names), `DD`; or `ms`, milliseconds since 1970. The first of " +
		"several forms that fits counts. A time after the date is ignored, unless it has a zone: then the day is the " +
		"one in the zone after the forms, or in `--time-zone`", []Example{
		{`date("MM/DD/YYYY")`, `"8/21/2017"`, `"2017-08-21"`}, {`date("DD-MON-YY")`, `"3-Aug-17"`, `"2017-08-03"`},
		{`date("YYYY-MM-DD"; "YYYY/MM/DD")`, `"2025/07/21"`, `"2025-07-21"`},
		{`date("ms"; "America/New_York")`, `1767668400000`, `"2026-01-05"`},
		{`date("MM/DD/YYYY")`, `"13/1/2023"`, `error: date("MM/DD/YYYY"): there is no day "13/1/2023"`},
	}, 1, 8, func(r *run, v any, forms []any) any { return dateIn(v, forms, &r.forms) }},
	{"blank", "blank", "null for an empty string, `NA`, `N/A`, `NULL` and `-`, in any case, for an error of a " +
		"spreadsheet such as `#REF!`, and for the words that are its arguments; anything else unchanged", []Example{
		{`blank`, `" n/a "`, `null`}, {`blank`, `"A B"`, `"A B"`}, {`blank("None"; "nan")`, `"none"`, `null`},
	}, 0, 30, func(_ *run, v any, words []any) any {
		if Blank(v) || len(words) > 0 && isOneOf(v, words) {
			return nil
		}
		return v
	}},
	{"equals", `equals("OPEN"; "ACTIVE")`, "whether a string is one of these, in any case; `\"\"` stands for what " +
		"`blank` makes null", []Example{
		{`equals("OPEN"; "ACTIVE")`, `"Open "`, `true`}, {`equals("")`, `"N/A"`, `true`},
		{`equals("PAID")`, `"unpaid"`, `false`},
	}, 1, 30, func(_ *run, v any, words []any) any { return isOneOf(v, words) }},
	{"unread", "unread", "null, after `try … catch`. The report of the load counts these values by field. More than " +
		"5 % of a field's values are a warning", []Example{
		{`try money catch unread`, `"see note"`, `null`},
	}, 0, 0, func(r *run, _ any, _ []any) any {
		r.unread[r.member]++
		return nil
	}},
	{"text", "text", "a string as people see it: without spaces at its ends, invisible characters, and the signs " +
		"that keep a spreadsheet from reading it as a number; a number as its digits; null if `blank` returns null. " +
		"Several values become one string, with commas between them", []Example{
		{`text`, `1001`, `"1001"`}, {`text`, `" A B "`, `"A B"`}, {`text`, `"-"`, `null`},
		{`text`, `"=\"00123\""`, `"00123"`}, {`text`, `"'00123"`, `"00123"`},
		{`text(.street; .city; .zip)`, `{"street": "1 B ST", "city": "", "zip": 32801}`, `"1 B ST, 32801"`},
	}, 0, 30, func(_ *run, v any, values []any) any {
		if len(values) == 0 {
			return textIn(v)
		}
		return texts(values)
	}},
	{"point", "point", "latitude and longitude", []Example{
		{`point`, `"(42.39, -82.98)"`, `{"latitude":42.39,"longitude":-82.98}`},
		{`point | .latitude`, `"POINT (-82.98 42.39)"`, `42.39`},
		{`point | .longitude`, `"1 ELM ST\nDETROIT, MI\n(42.39, -82.98)"`, `-82.98`},
		{`point | .latitude`, `"{'type': 'Point', 'coordinates': [-82.98, 42.37]}"`, `42.37`},
	}, 0, 0, func(_ *run, v any, _ []any) any { return point(v) }},
	{"id", `id("Orange, FL"; .case)`, "a positive number of 53 bits, which JavaScript and spreadsheets hold exactly, " +
		"the same one for the same texts: the first bits of the SHA-256 of each text with a NUL after it. A missing " +
		"text is an error", []Example{
		{`id("Orange, FL"; .)`, `"K-1001"`, `8749413046620083`},
		{`id("Orange, FL"; .)`, `""`, `error: id needs all of its texts: number 2 is missing`},
	}, 1, 30, func(_ *run, _ any, texts []any) any { return id(texts) }},
	{"input_filename", "input_filename", "the name of the source, without its folder", []Example{
		{`input_filename`, `null`, `"orange.csv"`},
	}, 0, 0, func(r *run, _ any, _ []any) any {
		if r.source == "" {
			return nil
		}
		return path.Base(strings.ReplaceAll(r.source, `\`, "/"))
	}},
}

// options give a compiler the functions.
func (r *run) options() (options []gojq.CompilerOption) {
	for _, f := range Functions {
		call := func(v any, args []any) any { return f.call(r, v, args) }
		options = append(options, gojq.WithFunction(f.Name, f.least, f.most, call))
	}
	return options
}

// added returns the function of that name; nil where there is none.
func added(name string) *Function {
	for i := range Functions {
		if Functions[i].Name == name {
			return &Functions[i]
		}
	}
	return nil
}

// Reads returns a function's result for a value, and whether the function can read it.
func Reads(function string, today time.Time, args ...any) func(v any) (any, bool) {
	r, f := &run{forms: forms{today: today, known: map[string]layout{}}}, added(function)
	return func(v any) (any, bool) {
		result := f.call(r, v, args)
		return result, !isError(result)
	}
}

// texts is the function text of several values. gojq takes half of the time of a row for `map(blank
// // empty) | join(", ")`.
func texts(values []any) any {
	var parts []string
	for _, v := range values {
		switch part := textIn(v).(type) {
		case error:
			return part
		case string:
			parts = append(parts, part)
		}
	}
	if parts == nil {
		return nil
	}
	return strings.Join(parts, ", ")
}

// textIn is the function text.
func textIn(v any) any {
	switch s := v.(type) {
	case string:
		cleaned := clean(s)
		switch {
		case blankText(cleaned):
			return nil
		case len(cleaned) == len(s): // and no text is made of it
			return v
		}
		return cleaned
	case int, float64, *big.Int, json.Number:
		text, _ := gojq.Marshal(v) // a number
		return string(text)
	case nil:
		return nil
	}
	return cannotRead("text", v)
}

// isOneOf reports whether the text of a value is one of some words, in any case.
func isOneOf(v any, words []any) bool {
	text, _ := textIn(v).(string)
	return slices.ContainsFunc(words, func(word any) bool {
		w, ok := word.(string)
		return ok && strings.EqualFold(strings.TrimSpace(w), text)
	})
}

// numeric is a function that reads a number in a text. A number is itself.
func numeric(name string, read func(string) any, v any) any {
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		if v = clean(v); blankText(v) {
			return nil
		}
		return read(v)
	case json.Number:
		if len(v) > 1 && v[0] == '0' && v[1] != '.' { // with the zeros of a spreadsheet's format
			return number(v.String())
		}
		return v
	case int, float64, *big.Int:
		return v
	}
	return cannotRead(name, v)
}
