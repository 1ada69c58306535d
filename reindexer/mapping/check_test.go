package mapping

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"filings/reindexer/source"
)

// TestX42_Hints: usual mistakes in a program are said with what to write.
func TestX42_Hints(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{id: .Parcel ID}`: `f.jq:1:14: unexpected token "ID"; a name with blanks is in quotes: ."Parcel ID"`,
		"{id: 1,\n owner: (.Owner full name | blank)}": `a name with blanks is in quotes: ."Owner full name"`,
		`{county: 'Orange, FL'}`:                       `f.jq:1:10: unexpected token "'"; texts are in double quotes`,
		`{a: money(.x)}`:                               `f.jq:1:5: function not defined: money/1; it is used as .column | money`,
		`{a: (.x | date)}`:                             `f.jq:1:11: function not defined: date/0; it is used as .column | date("MM/DD/YYYY")`,
		`{id: id}`:                                     `it is used as id("Orange, FL"; .case)`,
		`{a: (.2024 | money)}`:                         `f.jq:1:6: .2024 is a number; the column of that name is ."2024"`,
		`{a: date("MM/DD/YYYY; YYYY-MM-DD")}`:          `several forms are several texts`,
		`{a: (if .a = "" then 1 else 2 end)}`:          `f.jq:1:9: .a = "" sets a value, which is always true; == compares`,
		`select(.paid = "no") | {a: .b}`:               `f.jq:1:8: .paid = "no" sets a value`,
		`if (.a = "") and .b then . else empty end`:    `sets a value`,
		`{county: "County, ST"}`:                       `f.jq:1:10: "County, ST" stands for a county and its state, such as "Orange, FL": write yours`,
		`"County, ST" as $c | {county: $c}`:            `f.jq:1:1: "County, ST" stands for`,
		`{county: (.County + ", ST")}`:                 `f.jq:1:21: ", ST" stands for a county`,
		`{county: "\(.County), ST"}`:                   `", ST" stands for`,
		"{\n filingType: \"Filing type\"}":             `f.jq:2:14: "Filing type" stands for a type`,
	} {
		if _, err := Compile("f.jq", text, today); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestX42_Numbers: a number that is counted with, or compared, is no column.
func TestX42_Numbers(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{a: ((.lien | money) * .5)}`, `{a: (.25 + (.b | number))}`, `select((.a | number) > .0825) | {a: .b}`, `{a: ((.a | number) // .5)}`} {
		if _, err := Compile("f.jq", text, today); err != nil {
			t.Error(err)
		}
	}
}

// TestX42_CellsAreTexts: a program that takes a cell of CSV for null, for false or for a number is wrong for CSV, and right for
// forms that have such values.
func TestX42_CellsAreTexts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{a: (.a // .b)}`:                                          `f.jq:1:6: .a is "" where it is empty, which // keeps: (.a | blank) // …`,
		`select(.lien > 100) | {a: .b}`:                            `f.jq:1:8: .lien is a text, never a number or null: (.lien | number) > 100`,
		`if 5 == ."no of" then . else empty end`:                   `."no of" is a text, never a number or null`,
		`select(.paid == null) | {a: .b}`:                          `.paid is a text, never a number or null`,
		`{a: (if .REDEEMED then 1 else 2 end)}`:                    `f.jq:1:9: .REDEEMED is a text, which is true where it is empty too: .REDEEMED | blank`,
		`.a as $x | if $x == -1 then . else empty end`:             `$x is a text`,
		`select(.a and (.b | blank)) | {a: .b}`:                    `.a is a text, which is true`,
		`{a: (.a | not)}`:                                          `is a text, which is true`,
		`{a: ((.a | blank) // .b), b: (.c? // 1), c: (.d == "5")}`: ``,
		`select((.lien | money) > 100 and .x == "y") | {a: .b}`:    ``,
		`{a: (.b.c // 1)}`:                                         ``,
	} {
		p, err := Compile("f.jq", text, today)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Begin(source.Source{}, &source.Reader{Format: source.NDJSON}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if err := p.Begin(source.Source{}, &source.Reader{Format: source.CSV}); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestX20_Where: a failure names the field that was being made, and the place in the program that fails; what the program makes
// does not depend on how often it fails.
func TestX20_Where(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, input, field, want string }{
		{"{a: (.a | money),\n b: (.b | money)}", `{"a":"1","b":"x"}`, "b", `the mapping fails at f.jq:2:11: money cannot read "x"`},
		{"{a: (.a | money),\n b: (.b | money)}", `{"a":"y","b":"x"}`, "a", `at f.jq:1:11: money cannot read "y"`},
		{`(.a | money) as $a | {b: $a}`, `{"a":"x"}`, "", `at f.jq:1:7: money`},
		{`{x: 1, b: ((.a | number) + .c)}`, `{"a":"1","c":"x"}`, "b", `at f.jq:1:8: cannot add`},
		{`{id: id("x"; (.a | number)), c: 1}`, `{"a":""}`, "id", `at f.jq:1:6: id needs all`},
		{`.liens[] | {a: (.a | money)} | select(.a.b > 1)`, `{"liens":[{"a":"1"}]}`, "", `the mapping fails: expected an object`},
		{`.liens[] | . as $l | (.b | money) as $b | {a: (.a | money)}`, `{"liens":[{"a":"1","b":"1"},{"a":"1","b":"z"}]}`, "", `at f.jq:1:28: money cannot read "z"`},
		{`if .a then {c: (.c | date("MM/DD/YYYY"))} else {d: (.c | point)} end`, `{"c":"x"}`, "d", `at f.jq:1:58: point`},
		{`def f: money; {"d e": (.a | f)}`, `{"a":"x"}`, "d e", `at f.jq:1:8: money`},
		{`def money: error("mine"); {a: (.a | money)}`, `{"a":"x"}`, "a", `at f.jq:1:28: error: mine`},
		{`{a: (try (.a | money) catch error("no amount"))}`, `{"a":"x"}`, "a", `at f.jq:1:2: error: no amount`},
		{`.x`, `{"x":{"a":1}}`, "", ``},
	} {
		p, err := Compile("f.jq", tt.text, today)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		var in any
		if err := json.Unmarshal([]byte(tt.input), &in); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			_, err = p.Run(in)
			var failure *Failure
			if tt.want == "" && err == nil {
				continue
			}
			if !errors.As(err, &failure) || failure.Field != tt.field || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %+v: %v, want %s: %s", tt.text, failure, err, tt.field, tt.want)
			}
		}
	}
}
