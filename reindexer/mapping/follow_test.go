package mapping

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestX42_Reads: the names that a program reads of its input, with line and column, whatever it writes between; none that it
// reads of something else, sets itself, or says may be missing.
func TestX42_Reads(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`.`:                                     ``,
		`{id: .no, owner: (.Owner_name|blank)}`: `no 1:6, Owner_name 1:19`,
		"# .comment\n{id: .\"Case number\",\n \"owner\": .[\"Owner \\u0041\"], caseNumber, \"city\"}": `Case number 2:6, Owner A 3:13, caseNumber 3:30, city 3:42`,
		`{a: .a.b.c, b: .a}`: `a 1:5`,
		`.apn as $apn | .liens[] | {id: id($apn; .number)}`:                           `apn 1:1, liens 1:16`,
		`. as $r | .liens[] | {id: .number, owner: $r.owner, x: ($r | .who)}`:         `liens 1:11, owner 1:45, who 1:62`,
		`. as {owner: $o, $apn, "a b": [$x], ("c"): $d} | {$o, $apn, x: $apn.y}`:      `owner 1:7, apn 1:18, a b 1:24`,
		`{a: .maybe?, b: (.maybe | blank), c: .["may be"]?}`:                          ``,
		`if has("gone") then .gone else .kept end | {a: .x}`:                          `kept 1:32`,
		`if .paid == "Y" then empty else . end | {a: .x}`:                             `paid 1:4, x 1:45`,
		`select(.status != "Paid") | {a: .x}`:                                         `status 1:8, x 1:33`,
		`del(.secret) | {a: .x}`:                                                      `x 1:20`,
		`.county = "Orange, FL" | .owner |= blank | .n += 1 | {county, owner, x: .z}`: `owner 1:26, n 1:44, z 1:73`,
		`def name: .last + ", " + .first; {owner: name, other: (.agent | name)}`:      `last 1:11, first 1:26, agent 1:56`,
		`def of(f): f | blank; def two($a; f): $a + f; {a: of(.x), b: two(.y; .z)}`:   `x 1:54, y 1:66, z 1:70`,
		`def f: f; f | .x`: ``,
		`[.street, .city] | map(blank // .none) | join(", ")`:                            `street 1:2, city 1:11`,
		`. as $r | [.a[] | {x: .b, y: $r.c}] | map(.d, $r.e)`:                            `a 1:12, c 1:32, e 1:49`,
		`{a: "x \(.one | "y\(.two)") z", b: .a, c: "a", d: .three}`:                      `one 1:10, a 1:36, three 1:51`,
		`{a: ("x" | sub("(?<n>x)"; .n)), b: (try .t catch .message)}`:                    `t 1:41`,
		`reduce .items[] as $i (.start; . + $i.n) | {a: .x}`:                             `items 1:8, start 1:24`,
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
			got = append(got, fmt.Sprintf("%s %d:%d", r.Name, r.Line, r.Column))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %s, want %s", text, strings.Join(got, ", "), want)
		}
	}
}

// TestX42_ReadsEnd: a program whose functions call each other again and again is followed for a while only.
func TestX42_ReadsEnd(t *testing.T) {
	t.Parallel()
	if _, err := Compile("f.jq", `def f: g, g, g; def g: f, f, f; def h(x): h(x | x), x; {a: f, b: h(.y)}`, today); err == nil {
		t.Error("g is not known in f")
	}
	p, err := Compile("f.jq", `def f(x): f(x, x), f(x | x); {a: f(.y), b: .z}`, today)
	if err != nil || len(p.Reads()) > 2 {
		t.Errorf("%v, %v", p.Reads(), err)
	}
}

// TestX42_DocumentsRead: the mappings of the documents read names at the places where they stand.
func TestX42_DocumentsRead(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/operate/load.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range regexp.MustCompile("(?s)```jq\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		p, err := Compile("load.md", program[1], today)
		if err != nil || len(p.Reads()) < 2 {
			t.Fatal(p.Reads(), err)
		}
		lines := strings.Split(program[1], "\n")
		for _, r := range p.Reads() {
			if rest := lines[r.Line-1][r.Column-1:]; !strings.HasPrefix(rest, "."+r.Name) && !strings.HasPrefix(rest, `."`+r.Name+`"`) && !strings.HasPrefix(rest, `"`+r.Name+`"`) {
				t.Errorf("%+v: %s", r, rest)
			}
		}
	}
}
