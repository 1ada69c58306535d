package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// habit is a turn of phrase that a native reader has to decode, with the one to write instead.
type habit struct {
	found   *regexp.Regexp
	instead string
}

// habits are counted in prose: code and blocks are spaces there, and lines are joined.
var habits = []habit{
	{regexp.MustCompile(`(?i)\bwhere\b(?:[^=]|$)`), "if, when or unless; a place is `in which` or `at which`"},
	{regexp.MustCompile(`\b(?:is|are|be|was|were) (?:then |so )?an? [1-5]\d\d\b`), "returns `400`"},
	{regexp.MustCompile(`[;,:] (?:or )?else\b`), "otherwise"},
	{regexp.MustCompile(`(?i)\bbesides?\b`), "next to, compared with, in addition to, during"},
	{regexp.MustCompile(`\b(?:(?:is|are|was|were|knows?) (?:no|none)|(?:has|have|had) none)\b`), "negate the verb: isn't, doesn't have"},
	{regexp.MustCompile(`\bof (?:its|their|your|our|my) own(?:$|[.,;:)]| \|| (?:and|as|at|by|for|in|is|on|that|to|with)\b)`), "its own, a separate"},
	{regexp.MustCompile(`(?i)\b(?:left|leaves?|leaving) out\b`), "skip, ignore, omit, exclude"},
	{regexp.MustCompile(`\bas (?:it|they) (?:is|are|was|were|stands?|stood)\b`), "unchanged, exactly"},
	{regexp.MustCompile(`(?i)\banew\b`), "again, from scratch"},
	{regexp.MustCompile(`(?:^|[.:] |\| |- )Of [a-z]`), "begin with who acts"},
	{regexp.MustCompile(`\bof which\b`), "of them"},
	{regexp.MustCompile(`(?i)\bin turns\b`), "alternately, interleaved"},
	{regexp.MustCompile(`(?i)\bso that\b`), "so, or two sentences"},
	{regexp.MustCompile(`(?i)\bmeanwhile\b`), "while it runs"},
	{regexp.MustCompile(`(?i)\bwhat\b`), "a noun in place of the clause"},
	{regexp.MustCompile(`(?:^|[.:] |\| |- )Who(?:ever)? [a-z]+s\b`), "name who acts"},
	{regexp.MustCompile(`\bso (?:many|far|much)\b`), "n, this many, at most n meters away"},
	{regexp.MustCompile(`\b(?:gone|goes|go|going|went) on with\b`), "resumes, continues"},
	{regexp.MustCompile(`(?i)\b(?:mend(?:s|ed)?|by hand)\b`), "fix; manually"},
	{regexp.MustCompile(`(?i)\b(?:blanks?|misspelt|neighbours?|metres?|licence|telephone)\b`), "space; American spelling"},
}

// voiced are texts that people read: the documents, except the records of runs, which stay as written, and others.
func voiced(t *testing.T) []document {
	t.Helper()
	all := append(documents(t), readDocument(t, "cmd/filings/operate/README.md"), readDocument(t, ".github/SECURITY.md"))
	all = slices.DeleteFunc(all, func(d document) bool { return strings.HasPrefix(d.name, "docs/records/") })
	help, err := filepath.Glob("help/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range help {
		all = append(all, readDocument(t, "cmd/filings/"+filepath.ToSlash(name)))
	}
	return all
}

var (
	inlineCode  = regexp.MustCompile("`[^`]*`")
	linkAddress = regexp.MustCompile(`\]\([^)]*\)`)
	paragraph   = regexp.MustCompile(`\n\s*\n`)
)

// voice returns how many words d has, and each habit in it with its surroundings.
func voice(d document) (words int, found []string) {
	for _, text := range paragraph.Split(linkAddress.ReplaceAllString(inlineCode.ReplaceAllString(d.prose, "` `"), "]"), -1) {
		text = strings.Join(strings.Fields(text), " ")
		words += strings.Count(text, " ") + 1
		for _, h := range habits {
			for _, at := range h.found.FindAllStringIndex(text, -1) {
				around := text[max(0, at[0]-30):min(len(text), at[1]+30)]
				found = append(found, fmt.Sprintf("%q: write %s", strings.ToValidUTF8(around, ""), h.instead))
			}
		}
	}
	return words, found
}

// mostPerThousand is how many habits a new text may have in 1,000 words.
const mostPerThousand = 3

// Documents and help texts are in plain English: the README has none of the habits, a new text at most three in 1,000
// words, and any other no more than its budget in testdata/voice.txt, which -update lowers and never raises.
func TestDocuments_Voice(t *testing.T) {
	t.Parallel()
	const file = "testdata/voice.txt"
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	budgets := map[string]int{}
	for line := range strings.Lines(string(kept)) {
		var name string
		var budget int
		if _, err := fmt.Sscan(line, &budget, &name); err != nil {
			t.Fatalf("%s: %q: %v", file, line, err)
		}
		budgets[name] = budget
	}
	lowered := map[string]int{}
	for _, d := range voiced(t) {
		words, found := voice(d)
		most := words * mostPerThousand / 1000
		if d.name == "README.md" {
			most = 0
		}
		if budget, ok := budgets[d.name]; ok {
			if len(found) > most {
				lowered[d.name] = min(budget, len(found))
			}
			most = max(most, budget)
		}
		if len(found) > most {
			t.Errorf("%s has %d habits in %d words, want at most %d (rules: docs/CONTRIBUTING.md#voice):\n%s",
				d.name, len(found), words, most, strings.Join(found[:min(len(found), 20)], "\n"))
		}
	}
	if *update {
		var b bytes.Buffer
		for _, name := range slices.Sorted(maps.Keys(lowered)) {
			fmt.Fprintf(&b, "%d %s\n", lowered[name], name)
		}
		writeFile(t, file, b.String(), 0o644)
	}
}

func TestVoice(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"Where no county is written so, it is a 400.":                  2,
		"A load may be killed: what it\nleft, the next one deletes.":   1,
		"Of owners: the start of a name. Who reads comes from `what`":  2,
		"If no county matches, the service returns `400`.":             0,
		"A key of its own, beside\n[another one](what.md); else none.": 3,
		"The place is on the map.\n\nOf a folder it reads the files.":  1,
	} {
		if _, found := voice(document{prose: text}); len(found) != want {
			t.Errorf("%q has %q, want %d", text, found, want)
		}
	}
}
