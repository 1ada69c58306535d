package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"filings/cmd/filings/settings"
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
	checkTables(t, root+"/docs/api/filters.md", parameterTables())
	checkTables(t, root+"/docs/operate/mappings.md", map[string]string{"functions": functionsTable()})
	checkTables(t, root+"/docs/operate/options.md", map[string]string{"options": optionsTable()})
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

func optionsTable() string {
	var b strings.Builder
	b.WriteString("| option | effect | default |\n|---|---|---|\n")
	(&program{}).loadCommand().Flags().VisitAll(func(f *pflag.Flag) {
		name, usage := pflag.UnquoteUsage(f)
		defaults := f.DefValue
		if slices.Contains([]string{"", "0", "false", "[]"}, defaults) {
			defaults = ""
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", strings.TrimSpace("--"+f.Name+" "+strings.ToUpper(name)), strings.ReplaceAll(usage, "|", `\|`), defaults)
	})
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

func endpointsTable() string {
	var b strings.Builder
	b.WriteString("| endpoint | summary | required parameters | legacy path |\n|---|---|---|---|\n")
	for _, e := range service.Endpoints() {
		var required []string
		for _, p := range params.New("", nil).Rows(e.Takes) {
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

// purposes are the filters by the table of docs/api/filters.md that they stand in.
var purposes = map[string][]string{
	"text":  {"q", "typos"},
	"party": {"owner", "holder", "exclude_holders"},
	"place": {"county", "state", "exclude_counties", "city", "zip", "address", "bounds_north", "bounds_south", "bounds_east",
		"bounds_west", "near", "radius", "polygon", "has_coordinates"},
	"type":   {"filing_type", "filing_types", "exclude_filing_types"},
	"date":   {"date_range", "month", "date_start", "date_end", "added_since", "added_until"},
	"amount": {"min_amount", "max_amount", "min_current_amount", "max_current_amount"},
	"property": {"categories", "exclude_categories", "property_type", "has_property_data", "foreclosure_filter",
		"min_equity_percent", "min_acres", "max_acres"},
	"ids": {"ids"},
}

// parameterTables returns a table for each purpose, and one of all other parameters by name.
func parameterTables() map[string]string {
	rows, others := map[string]string{}, []string{}
	for _, p := range params.New("", nil).Rows(params.Queried) {
		row := fmt.Sprintf("| `%s` | %s | `%s` | %s |\n", p.Name, p.Help, p.Example, takenBy(&p))
		switch {
		case p.InPath:
		case p.Takers&params.Search != 0:
			rows[p.Name] = row
		default:
			others = append(others, row)
		}
	}
	const head = "| parameter | meaning | example | on |\n|---|---|---|---|\n"
	tables := map[string]string{}
	for purpose, names := range purposes {
		tables[purpose] = head
		for _, name := range names {
			tables[purpose] += rows[name]
			delete(rows, name)
		}
	}
	others = slices.Sorted(slices.Values(slices.AppendSeq(others, maps.Values(rows))))
	tables["others"] = head + strings.Join(others, "")
	return tables
}

// takenBy names the endpoints that take p: all that take filters but a few, or these alone.
func takenBy(p *params.Parameter) string {
	named := map[params.Endpoints]string{params.List: "list", params.Search: "search", params.Clusters: "clusters",
		params.Groups: "groups", params.CountyStats: "county statistics", params.OneFiling: "one filing",
		params.OneCounty: "months, date ranges", params.NoFilters: "statistics, counties, fields",
		params.Export: "export", params.Changes: "changes", params.Owners: "owners", params.Tiles: "tiles",
		params.TileSets: "`tiles.json`", params.Tokens: "tokens", params.Coverage: "coverage"}
	const filtered = params.List | params.Search | params.Clusters | params.Groups | params.Export | params.Changes |
		params.Tiles | params.TileSets | params.Tokens
	var with, without, besides []string
	for on := params.List; on <= params.Queried; on <<= 1 {
		switch {
		case p.Takers&on == 0 && filtered&on != 0:
			without = append(without, named[on])
		case p.Takers&on != 0 && filtered&on != 0:
			with = append(with, named[on])
		case p.Takers&on != 0:
			besides = append(besides, named[on])
		}
	}
	all := "all"
	switch {
	case len(with) <= len(without):
		return strings.Join(append(with, besides...), ", ")
	case len(without) > 0:
		all += " but " + strings.Join(without, ", ")
	}
	if len(besides) > 0 {
		all += "; also " + strings.Join(besides, ", ")
	}
	return all
}
