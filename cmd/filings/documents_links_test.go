package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"filings/cmd/filings/settings"
)

// document is a text that people read.
type document struct {
	name     string // from the root, with slashes
	prose    string // the text without its fenced blocks, which are empty lines, so that lines keep their numbers
	blocks   []block
	headings []string // anchors, as GitHub makes them
}

// block is a fenced block of a document.
type block struct {
	line int    // of its first line of text, from 1
	info string // what stands behind the fence
	text string
}

// documents returns the README and everything in docs.
func documents(t *testing.T) []document {
	t.Helper()
	all := []document{readDocument(t, "README.md")}
	err := fs.WalkDir(os.DirFS(root), "docs", func(name string, d fs.DirEntry, err error) error {
		if err == nil && path.Ext(name) == ".md" {
			all = append(all, readDocument(t, name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		for i, line := range strings.Split(d.prose, "\n") {
			if strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t") {
				t.Errorf("%s:%d: an indented block: fence it, so that the tests see it", d.name, i+1)
			}
		}
	}
	return all
}

func readDocument(t *testing.T, name string) document {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	d := document{name: name}
	var prose []string
	inside := false
	for i, line := range strings.Split(string(text), "\n") {
		info, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && !inside:
			d.blocks = append(d.blocks, block{line: i + 2, info: info})
		case inside && !fence:
			d.blocks[len(d.blocks)-1].text += line + "\n"
		}
		if fence || inside {
			line = ""
		}
		inside = inside != fence
		prose = append(prose, line)
		if heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			d.headings = append(d.headings, anchor(heading, d.headings))
		}
	}
	if inside {
		t.Errorf("%s: the last fenced block does not end", name)
	}
	d.prose = strings.Join(prose, "\n")
	return d
}

var notInAnchors = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)

// anchor returns the anchor that GitHub gives a heading: lower case, without punctuation, hyphens for blanks, and a
// number where the document has the same one before.
func anchor(heading string, before []string) string {
	first := strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
	all := first
	for n := 1; slices.Contains(before, all); n++ {
		all = fmt.Sprintf("%s-%d", first, n)
	}
	return all
}

func TestAnchor(t *testing.T) {
	t.Parallel()
	var got []string
	for _, heading := range []string{"Map clusters", "What fails, and what a client gets", "`min_amount`: how?", "A – b", "Map clusters", "Map clusters"} {
		got = append(got, anchor(heading, got))
	}
	want := []string{"map-clusters", "what-fails-and-what-a-client-gets", "min_amount-how", "a--b", "map-clusters-1", "map-clusters-2"}
	if !slices.Equal(got, want) {
		t.Errorf("anchors %q, want %q", got, want)
	}
}

var linkTarget = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// Every relative link leads to a file of the project, its anchor to a heading there, and from the README one comes to
// every document.
func TestDocuments_Links(t *testing.T) {
	t.Parallel()
	all := map[string]document{}
	for _, d := range append(documents(t), readDocument(t, "cmd/filings/operate/README.md")) {
		all[d.name] = d
	}
	reached, next := map[string]bool{"README.md": true}, []string{"README.md"}
	for len(next) > 0 {
		from := all[next[0]]
		next = next[1:]
		for _, m := range linkTarget.FindAllStringSubmatchIndex(from.prose, -1) {
			link := from.prose[m[2]:m[3]]
			if strings.Contains(link, "://") {
				continue
			}
			line := 1 + strings.Count(from.prose[:m[0]], "\n")
			file, fragment, _ := strings.Cut(link, "#")
			target := path.Join(path.Dir(from.name), file)
			if file == "" {
				target = from.name
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil || strings.HasPrefix(target, "..") {
				t.Errorf("%s:%d: %s: there is no such file", from.name, line, link)
			}
			to, isDocument := all[target]
			if fragment != "" && !slices.Contains(to.headings, fragment) {
				t.Errorf("%s:%d: %s: there is no such heading; there are %q", from.name, line, link, to.headings)
			}
			if isDocument && !reached[target] {
				reached[target], next = true, append(next, target)
			}
		}
	}
	for name := range all {
		if !reached[name] {
			t.Errorf("no link leads from the README to %s", name)
		}
	}
}

// The README is the door: it is read before anything is known.
func TestDocuments_READMEIsShort(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(root + "/README.md")
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > 9_000 {
		t.Errorf("the README has %d bytes, want at most 9,000: the rest belongs in docs", len(text))
	}
}

// The README's table of figures repeats those of docs/figures.md.
func TestDocuments_Figures(t *testing.T) {
	t.Parallel()
	_, table, _ := strings.Cut(readDocument(t, "README.md").prose, "\n## Figures\n")
	all, found := readDocument(t, "docs/figures.md").prose, 0
	for _, row := range regexp.MustCompile(`(?m)^\|[^|]+\|(.*)\|$`).FindAllStringSubmatch(table, -1) {
		for cell := range strings.SplitSeq(row[1], "|") {
			if cell = strings.TrimSpace(cell); strings.ContainsAny(cell, "0123456789") {
				found++
				if !strings.Contains(all, "| "+cell+" |") {
					t.Errorf("the README says %s, which docs/figures.md does not", cell)
				}
			}
		}
	}
	if found < 8 {
		t.Errorf("only %d figures were found: this test does not see them", found)
	}
}

// named are the names in documents that code, Makefile or settings have to have. A name that ends in … is the beginning
// of some.
var named = []struct {
	what string
	name *regexp.Regexp
	all  func(t *testing.T) []string
}{
	{"test", regexp.MustCompile(`\bTest[A-Z]\w*(?:…|\b)`), testNames},
	{"target of make", regexp.MustCompile("(?:`|\n)make ([a-z-]+)"), makeTargets},
	{"setting", regexp.MustCompile(`\bFILINGS_[A-Z_]*[A-Z]\b`), settingNames},
	{"metric", regexp.MustCompile(`\bfilings_[a-z]\w+\b`), metricNames},
}

// All that the documents name exists.
func TestDocuments_Names(t *testing.T) {
	all := documents(t)
	for _, n := range named {
		names, found := n.all(t), 0
		for _, d := range all {
			text := d.prose
			for _, b := range d.blocks {
				text += "\n" + b.text
			}
			for _, m := range n.name.FindAllStringSubmatch(text, -1) {
				found++
				name, isPrefix := strings.CutSuffix(m[len(m)-1], "…")
				if !slices.ContainsFunc(names, func(known string) bool {
					return known == name || isPrefix && strings.HasPrefix(known, name)
				}) {
					t.Errorf("%s names the %s %s, which does not exist", d.name, n.what, m[len(m)-1])
				}
			}
		}
		if found < 3 {
			t.Errorf("the documents name a %s %d times: this test does not see them", n.what, found)
		}
	}
}

func testNames(t *testing.T) (names []string) {
	t.Helper()
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		text, err := os.ReadFile(file)
		for _, m := range declared.FindAllSubmatch(text, -1) {
			names = append(names, string(m[1]))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func makeTargets(t *testing.T) (names []string) {
	t.Helper()
	text, err := os.ReadFile(root + "/Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+):`).FindAllSubmatch(text, -1) {
		names = append(names, string(m[1]))
	}
	return names
}

func settingNames(*testing.T) (names []string) {
	for _, row := range settings.Rows() {
		names = append(names, row.Variable)
	}
	return names
}

func metricNames(t *testing.T) []string {
	names := []string{"filings_keys_breaker_state"} // only Redis has one; scrape has the embedded store
	for _, m := range scrape(t) {
		names = append(names, m.name, m.name+"_sum", m.name+"_count", m.name+"_bucket")
	}
	return names
}

// notOurs are words that CONTRIBUTING's table of words replaces.
var notOurs = regexp.MustCompile(`(?i)\b(?:remember(?:s|ed)?|dear(?:est)?|told|tellable|patience|goodbye|tally|pile|pump|ladder|rung|persists?|` +
	`nobody|hears|asks?|asked|asking|answers?|answered|questions?|mistakes?|whole numbers?|whoever|begun|given back|stamps?|retired)\b`)

// Documents use the words of CONTRIBUTING, but for what is code there, such as `FOR=answers`.
func TestDocuments_Words(t *testing.T) {
	t.Parallel()
	code := regexp.MustCompile("`[^`]*`")
	for _, d := range documents(t) {
		text := d.prose
		if d.name == "docs/CONTRIBUTING.md" {
			text, _, _ = strings.Cut(text, "\n## Words\n")
		}
		for i, line := range strings.Split(text, "\n") {
			if word := notOurs.FindString(code.ReplaceAllString(line, "")); word != "" {
				t.Errorf("%s:%d: %q is another word in docs/CONTRIBUTING.md", d.name, i+1, word)
			}
		}
	}
}
