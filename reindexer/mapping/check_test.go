package mapping

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
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

// TestX20_Where: a failure names the field that was being made; what the program makes does not depend on how often it fails.
func TestX20_Where(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, input, field, want string }{
		{"{a: (.a | money),\n b: (.b | money)}", `{"a":"1","b":"x"}`, "b", `the mapping fails: money cannot read "x"`},
		{"{a: (.a | money),\n b: (.b | money)}", `{"a":"y","b":"x"}`, "a", `the mapping fails: money cannot read "y"`},
		{`(.a | money) as $a | {b: $a}`, `{"a":"x"}`, "", `the mapping fails: money`},
		{`{x: 1, b: ((.a | number) + .c)}`, `{"a":"1","c":"x"}`, "b", `the mapping fails: cannot add`},
		{`{id: id("x"; (.a | number)), c: 1}`, `{"a":""}`, "id", `the mapping fails: id needs all`},
		{`.liens[] | {a: (.a | money)} | select(.a.b > 1)`, `{"liens":[{"a":"1"}]}`, "", `the mapping fails: expected an object`},
		{`.liens[] | . as $l | (.b | money) as $b | {a: (.a | money)}`, `{"liens":[{"a":"1","b":"1"},{"a":"1","b":"z"}]}`, "", `the mapping fails: money cannot read "z"`},
		{`if .a then {c: (.c | date("MM/DD/YYYY"))} else {d: (.c | point)} end`, `{"c":"x"}`, "d", `the mapping fails: point`},
		{`def f: money; {"d e": (.a | f)}`, `{"a":"x"}`, "d e", `the mapping fails: money`},
		{`def money: error("mine"); {a: (.a | money)}`, `{"a":"x"}`, "a", `the mapping fails: error: mine`},
		{`{a: (try (.a | money) catch error("no amount"))}`, `{"a":"x"}`, "a", `the mapping fails: error: no amount`},
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

// TestX42_Reads: the names that a program reads of its input, with line and column; none that it reads of something else, sets
// itself, or says may be missing, nor what functions of its own, loops and patterns read.
func TestX42_Reads(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`.`:                                     ``,
		`{id: .no, owner: (.Owner_name|blank)}`: `no 1:6, Owner_name 1:19`,
		"# .comment\n{id: .\"Case number\",\n \"owner\": .[\"Owner \\u0041\"], caseNumber, \"city\"}": `Case number 2:6, Owner A 1:1, caseNumber 3:30, city 3:42`,
		`{a: .a.b.c, b: .a}`: `a 1:5`,
		`.apn as $apn | .liens[] | {id: id($apn; .number)}`:                           `apn 1:1, liens 1:16`,
		`. as $r | .liens[] | {id: .number, owner: $r.owner, x: ($r | .who)}`:         `liens 1:11, owner 1:45, who 1:62`,
		`. as {owner: $o, $apn, "a b": [$x], ("c"): $d} | {$o, $apn, x: $apn.y}`:      ``,
		`{a: .maybe?, b: (.maybe | blank), c: .["may be"]?}`:                          ``,
		`if has("gone") then .gone else .kept end | {a: .x}`:                          `kept 1:32`,
		`if .paid == "Y" then empty else . end | {a: .x}`:                             `paid 1:4, x 1:45`,
		`select(.status != "Paid") | {a: .x}`:                                         `status 1:8, x 1:33`,
		`del(.secret) | {a: .x}`:                                                      `x 1:20`,
		`.county = "Orange, FL" | .owner |= blank | .n += 1 | {county, owner, x: .z}`: `owner 1:26, n 1:44, z 1:73`,
		`def name: .last + ", " + .first; {owner: name, other: (.agent | name)}`:      `agent 1:56`,
		`def of(f): f | blank; def two($a; f): $a + f; {a: of(.x), b: two(.y; .z)}`:   ``,
		`def f: f; f | .x`: ``,
		`[.street, .city] | map(blank // .none) | join(", ")`:                            `street 1:2, city 1:11`,
		`. as $r | [.a[] | {x: .b, y: $r.c}] | map(.d, $r.e)`:                            `a 1:12, c 1:32, e 1:49`,
		`{a: "x \(.one | "y\(.two)") z", b: .a, c: "a", d: .three}`:                      `one 1:10, a 1:36, three 1:51`,
		`{a: ("x" | sub("(?<n>x)"; .n)), b: (try .t catch .message)}`:                    `t 1:41`,
		`reduce .items[] as $i (.start; . + $i.n) | {a: .x}`:                             ``,
		`{a: (.b // .c), "\(.key)": 1, (.k2): 2, d: -(.neg), e: [.arr], f: .[.dyn:.to]}`: `b 1:6, c 1:12, key 1:20, k2 1:32, neg 1:46, arr 1:57, dyn 1:69, to 1:74`,
		`label $out | .x, break $out`:                                                    `x 1:14`,
		`.a as [$x] ?// $x | {b: $x, c: .d}`:                                             `a 1:1, d 1:32`,
		`{money: (.x | money), money2: (.money | money)}`:                                `x 1:10, money 1:32`,
		`"ä" as $x | {a: .b}`:                                                            `b 1:17`,
		`@base64 "\(.x)" | {a: .}`:                                                       `x 1:12`,
	} {
		p, err := Compile("f.jq", text, today)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var got []string
		for _, r := range p.Reads() {
			got = append(got, r.Name+" "+r.Place)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %s, want %s", text, strings.Join(got, ", "), want)
		}
	}
}

// TestX42_DocumentsRead: the mappings of the documents read names at the places where they stand.
func TestX42_DocumentsRead(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/operate/mappings.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range regexp.MustCompile("(?s)```jq\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		p, err := Compile("mappings.md", program[1], today)
		if err != nil || len(p.Reads()) < 2 {
			t.Fatal(p.Reads(), err)
		}
		lines := strings.Split(program[1], "\n")
		for _, r := range p.Reads() {
			var line, column int
			if _, err := fmt.Sscanf(r.Place, "%d:%d", &line, &column); err != nil {
				t.Fatal(err)
			}
			if rest := lines[line-1][column-1:]; !strings.HasPrefix(rest, "."+r.Name) && !strings.HasPrefix(rest, `."`+r.Name+`"`) && !strings.HasPrefix(rest, `"`+r.Name+`"`) {
				t.Errorf("%+v: %s", r, rest)
			}
		}
	}
}
