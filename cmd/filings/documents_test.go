package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/cmd/filings/settings"
	"filings/index"
	"filings/reindexer/mapping"
	"filings/service"
	"filings/service/openapi"
	"filings/service/params"
)

var update = flag.Bool("update", false, "write the documents' tables anew")

// root is the folder of the README, from here.
const root = "../.."

// The documents' tables are made from the tables that the program runs on.
func TestDocuments_Tables(t *testing.T) {
	checkTables(t, root+"/docs/api/requests.md", map[string]string{"endpoints": endpointsTable()})
	checkTables(t, root+"/docs/api/filters.md", map[string]string{"parameters": parametersTable()})
	checkTables(t, root+"/docs/api/tiers.md", map[string]string{"fields": fieldsTable()})
	checkTables(t, root+"/docs/operate/load.md", map[string]string{"functions": functionsTable()})
	checkTables(t, root+"/docs/operate/settings.md", map[string]string{"settings": settingsTable()})
}

// checkTables compares the tables of a file with what they are made from, or with -update writes them anew.
func checkTables(t *testing.T, file string, tables map[string]string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := string(text)
	for name, table := range tables {
		want = replaceTable(t, file, want, name, table)
	}
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("%s is out of date: `go test ./cmd/filings -run %s -update` (-want +got)\n%s", file, t.Name(), diff)
	}
}

func replaceTable(t *testing.T, file, text, name, table string) string {
	t.Helper()
	before, rest, ok := strings.Cut(text, "<!-- "+name+" -->\n")
	_, after, ok2 := strings.Cut(rest, "<!-- end -->")
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table of %s", file, name)
	}
	return before + "<!-- " + name + " -->\n" + table + "<!-- end -->" + after
}

func settingsTable() string {
	var b strings.Builder
	b.WriteString("| variable | default | meaning |\n|---|---|---|\n")
	for _, row := range settings.Rows() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", row.Variable, strings.ReplaceAll(row.Default, ",", ", "), row.Meaning)
	}
	return b.String()
}

func functionsTable() string {
	var b strings.Builder
	b.WriteString("| function | returns | examples |\n|---|---|---|\n")
	for _, f := range mapping.Functions {
		var examples []string
		for _, e := range f.Examples {
			examples = append(examples, fmt.Sprintf("`%s \\| %s` → `%s`", e.Input, strings.ReplaceAll(e.Program, "|", `\|`), e.Output))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.Usage, f.Help, strings.Join(examples, "; "))
	}
	return b.String()
}

func fieldsTable() string {
	tiers := []string{"free", "pro", "enterprise"}
	var b strings.Builder
	b.WriteString("| field | from tier | meaning |\n|---|---|---|\n")
	for _, f := range index.Fields() {
		if f.Returned(index.Enterprise) {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f, tiers[f.Info().Tier], f.Info().Help)
		}
	}
	return b.String()
}

func endpointsTable() string {
	var b strings.Builder
	b.WriteString("| endpoint | summary | required parameters | legacy path |\n|---|---|---|---|\n")
	for _, e := range service.Endpoints() {
		var required []string
		for _, p := range params.New("", nil).Of(e.Takes) {
			if p.RequiredBy(e.Takes) && !p.InPath {
				required = append(required, code(p.Name))
			}
		}
		fmt.Fprintf(&b, "| `GET %s` | %s | %s | %s |\n", openapi.Template(e.Path), e.Summary, strings.Join(required, ", "), code(openapi.Template(e.Legacy)))
	}
	return b.String()
}

// code sets a text, unless it is empty, as code.
func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

func parametersTable() string {
	var b strings.Builder
	b.WriteString("| parameter | legacy name | meaning | example |\n|---|---|---|---|\n")
	for _, p := range params.New("", nil).Of(params.Queried) {
		if p.InPath {
			continue
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` |\n", p.Name, code(p.Legacy), p.Help, p.Example)
	}
	return b.String()
}
