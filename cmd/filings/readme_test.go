package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/service"
)

var update = flag.Bool("update", false, "write the README's tables anew")

const readme = "../../README.md"

// The README's tables are made from the tables that the program runs on.
func TestREADMETables(t *testing.T) {
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	want := string(text)
	for name, table := range map[string]string{
		"settings":   settingsTable(),
		"parameters": parametersTable(),
		"fields":     fieldsTable(),
	} {
		want = replaceTable(t, want, name, table)
	}
	if *update {
		if err := os.WriteFile(readme, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("README.md is out of date: `go test ./cmd/filings -run README -update` (-want +got)\n%s", diff)
	}
}

func replaceTable(t *testing.T, text, name, table string) string {
	t.Helper()
	before, rest, ok := strings.Cut(text, "<!-- "+name+" -->\n")
	_, after, ok2 := strings.Cut(rest, "<!-- end -->")
	if !ok || !ok2 {
		t.Fatalf("README.md has no place for the table of %s", name)
	}
	return before + "<!-- " + name + " -->\n" + table + "<!-- end -->" + after
}

func settingsTable() string {
	var b strings.Builder
	b.WriteString("| variable | default | meaning |\n|---|---|---|\n")
	for _, row := range settingRows() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", row.variable, strings.ReplaceAll(row.byDefault, ",", ", "), row.meaning)
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

func parametersTable() string {
	var b strings.Builder
	b.WriteString("| parameter | legacy name | meaning | example |\n|---|---|---|---|\n")
	for _, p := range service.Parameters() {
		legacy := ""
		if p.Legacy != "" {
			legacy = "`" + p.Legacy + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` |\n", p.Name, legacy, p.Help, p.Example)
	}
	return b.String()
}
