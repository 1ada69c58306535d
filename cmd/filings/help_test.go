package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"filings/cmd/filings/settings"
)

// Every command says what it is for, and shows how it is called.
func TestHelp_Examples(t *testing.T) {
	t.Parallel()
	var walk func(*cobra.Command) int
	walk = func(c *cobra.Command) (n int) {
		for _, below := range c.Commands() {
			if below.Runnable() && below.IsAvailableCommand() && c.Name() != "completion" { // the shells' texts are cobra's
				n++
				if below.Short == "" || !strings.Contains(below.Example, "filings") {
					t.Errorf("%s: %q, example %q", below.CommandPath(), below.Short, below.Example)
				}
			}
			n += walk(below)
		}
		return n
	}
	if n := walk((&program{}).root()); n < 15 {
		t.Errorf("only %d commands were found", n)
	}
}

func TestHelp_NoSuchCommand(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"sevre":           "did you mean serve?",
		"keys lst":        "did you mean list?",
		"help sevre":      "did you mean serve?",
		"help keys crate": "did you mean create?",
		"help serve now":  `unknown command "now" for "filings serve"`,
		"zzzzzz":          "see `filings help`",
		"completion tcsh": `unknown command "tcsh"`,
		"completion":      "must be bash, zsh, fish or powershell",
	} {
		code, out, errs := newFixture(t).run(t.Context(), "", strings.Fields(args)...)
		if code != exitUsage || !strings.Contains(errs, want) || out != "" || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q, %q, want one line with %s", args, code, out, errs, want)
		}
	}
}

// completions returns what a shell is offered for a command line whose last word is begun.
func (f *fixture) completions(t *testing.T, args ...string) (words []string, directive string) {
	t.Helper()
	_, out, _ := f.run(t.Context(), "", append([]string{"__complete"}, args...)...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return lines[:len(lines)-1], lines[len(lines)-1]
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if got := f.must(t, "", "completion", shell); !strings.Contains(got, "filings") {
			t.Errorf("%s: %q", shell, got)
		}
	}
	in := f.must(t, "", "generate", "--count", "5")
	f.must(t, in, "reindex", "--format", "ndjson", "-")
	before := strings.TrimSpace(f.must(t, "", "generations", "--json"))
	f.must(t, in, "reindex", "--format", "ndjson", "-")
	got, _ := f.completions(t, "rollback", "")
	if len(got) != 1 || !strings.Contains(before, got[0]) {
		t.Errorf("rollback offers %v, want the generation of %s", got, before)
	}
	const files, none = ":0", ":4"
	for _, test := range []struct {
		args, want, directive string
	}{
		{"keys tier --tier ", "free starter pro enterprise", ":36"},
		{"keys create --tier ", "free starter pro enterprise", ":36"},
		{"load --format ", "ndjson csv json xlsx parquet", none},
		{"load --rejects ", "", files},
		{"load ", "", files},
		{"reindex ", "", files},
		{"serve ", "", none},
	} {
		words, directive := f.completions(t, strings.Split(test.args, " ")...)
		if strings.Join(words, " ") != test.want || directive != test.directive {
			t.Errorf("%s: %v %s, want %s %s", test.args, words, directive, test.want, test.directive)
		}
	}
	if words, _ := f.completions(t, "c"); !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "check\t") }) {
		t.Errorf("c: %v", words)
	}
	f.settings.ElasticsearchURL = []string{"http://127.0.0.1:9"}
	if words, directive := f.completions(t, "rollback", ""); len(words) != 0 || directive != ":36" {
		t.Errorf("without a server: %v %s", words, directive)
	}
}

// The manual page has all that the help has, and nothing in it is taken for an instruction.
func TestMan(t *testing.T) {
	t.Parallel()
	page := newFixture(t).must(t, "", "man")
	for _, row := range settings.Rows() {
		if !strings.Contains(page, "\n"+row.Variable+"\n") {
			t.Errorf("no %s", row.Variable)
		}
	}
	for _, want := range []string{`.SS "filings keys create \-\-user U`, `\-\-max\-rejects`, "\n.SH \"SETTINGS\"\n", ".SS \"filings check"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%.2000s", want, page)
		}
	}
	for line := range strings.SplitSeq(page, "\n") {
		if macro, _, _ := strings.Cut(line, " "); strings.HasPrefix(line, "'") ||
			strings.HasPrefix(line, ".") && !slices.Contains([]string{".TH", ".SH", ".SS", ".nf", ".fi"}, macro) {
			t.Errorf("an instruction: %s", line)
		}
	}
	r := &roff{}
	if r.section("SH", `a "b"`, ".x\n'y\n\\z"); r.String() != ".SH \"a \\(dqb\\(dq\"\n.nf\n\\&.x\n\\&'y\n\\ez\n.fi\n" {
		t.Errorf("%q", r.String())
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if a, b := f.must(t, "", "version"), f.must(t, "", "--version"); a != b || !strings.HasPrefix(a, "filings "+version) {
		t.Errorf("%q and %q", a, b)
	}
}
