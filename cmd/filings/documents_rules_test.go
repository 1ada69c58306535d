package main

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const ruleName = `[A-Z][0-9]{1,2}`

var (
	// ruleRow is a row of docs/rules.md: the rule's name, and its tests.
	ruleRow = regexp.MustCompile(`(?m)^\| (` + ruleName + `) \| [^|]+ \| ([^|]+) \|$`)
	// citedRules are rules that a comment or a document names: "rule K6", "rules L3 and L4", and
	// "K6: ..." as the first words of a comment.
	citedRules = regexp.MustCompile(`\brules?:? (` + ruleName + `(?:(?:,? and |, | to | or )` + ruleName + `)*)\b|` +
		`(?m)^\s*(?://|#|--) (` + ruleName + `(?:, ` + ruleName + `)*): `)
	// testOfRules is the declaration of a test; its name may have rules among its words.
	testOfRules = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)(\w+))\(`)
	wordOfRules = regexp.MustCompile(`^(?:` + ruleName + `)+$`)
	// caseOfRules is the name of a case, which begins with its rules: "P6 P11 filtered".
	caseOfRules = regexp.MustCompile(`"((?:[EPAKTLX][0-9]{1,2} )*[EPAKTLX][0-9]{1,2})[: "]`)
	eachRule    = regexp.MustCompile(ruleName)
	// nextLine goes on with a comment in the next line.
	nextLine = regexp.MustCompile(`\n\s*(?://|#|--) `)
)

// ruled are tests by the rule that they hold: "TestK6_Refund" for a name, "TestParameters/P9" for
// the cases of a test.
type ruled map[string][]string

// citations are files by the rule that they name.
type citations map[string][]string

// read adds what the text of a file names.
func (c citations) read(tests ruled, file, text string) {
	cite := func(names string) []string {
		rules := eachRule.FindAllString(names, -1)
		for _, rule := range rules {
			c[rule] = append(c[rule], file)
		}
		return rules
	}
	for _, m := range citedRules.FindAllStringSubmatch(nextLine.ReplaceAllString(text, " "), -1) {
		cite(m[1])
	}
	for _, m := range citedRules.FindAllStringSubmatch(text, -1) {
		cite(m[2])
	}
	if path.Ext(file) != ".go" {
		return
	}
	var cases []string
	for _, m := range caseOfRules.FindAllStringSubmatch(text, -1) {
		if strings.HasSuffix(file, "_test.go") || strings.Contains(file, "/indextest/") {
			cases = append(cases, cite(m[1])...)
		}
	}
	for _, m := range testOfRules.FindAllStringSubmatch(text, -1) {
		for _, word := range strings.Split(m[2], "_") {
			if wordOfRules.MatchString(word) {
				for _, rule := range cite(word) {
					tests[rule] = append(tests[rule], m[1])
				}
			}
		}
		for _, rule := range cases {
			tests[rule] = append(tests[rule], m[1]+"/"+rule)
		}
	}
}

// Every rule that the repository names has a row in docs/rules.md, and the tests of each row are
// there and of that rule.
func TestDocuments_NamesOfRules(t *testing.T) {
	t.Parallel()
	cited, tests := citations{}, ruled{}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if slices.Contains([]string{".git", "testdata", "node_modules", "bin", "dist", "scalar"}, d.Name()) {
				return fs.SkipDir
			}
			return err
		}
		read := []string{".go", ".js", ".lua", ".sql", ".md", ".sh", ".yml", ".yaml", "Makefile"}
		if slices.Contains(read, cmp.Or(path.Ext(d.Name()), name)) {
			text, err := os.ReadFile(filepath.Join(root, name))
			cited.read(tests, name, string(text))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{}
	for _, row := range ruleRow.FindAllStringSubmatch(readDocument(t, "docs/rules.md").prose, -1) {
		rule := row[1]
		if rows[rule] {
			t.Errorf("docs/rules.md has two rows of %s", rule)
		}
		rows[rule] = true
		for _, m := range quoted.FindAllStringSubmatch(row[2], -1) {
			name, isPrefix := strings.CutSuffix(m[1], "…")
			if !slices.ContainsFunc(tests[rule], func(test string) bool {
				return test == name || isPrefix && strings.HasPrefix(test, name)
			}) {
				t.Errorf("docs/rules.md: %s is no test of rule %s. Its tests are %q", m[1], rule, tests[rule])
			}
		}
		if !strings.Contains(row[2], "`") {
			t.Errorf("docs/rules.md: rule %s has no test", rule)
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(cited)) {
		if !rows[rule] {
			t.Errorf("docs/rules.md has no row of rule %s, which %s names. Add one next to related rules: "+
				"| %[1]s | what holds, in plain words | `Test%[1]s_…` |", rule, slices.Compact(cited[rule]))
		}
	}
	if len(rows) < 100 || len(cited) < 100 {
		t.Errorf("%d rows and %d rules were found: this test does not see them", len(rows), len(cited))
	}
}
