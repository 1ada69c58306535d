package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"filings/index"
	"filings/reindexer/record"
	"filings/service/cursor"
	"filings/service/edge"
	"filings/service/params"
)

// typeWords are the types of values as docs/api/fields.md and /v1/fields name them.
var typeWords = map[index.Kind]string{
	index.KindID: "integer", index.KindInteger: "integer", index.KindAmount: "number", index.KindNumber: "number",
	index.KindLatitude: "number", index.KindLongitude: "number", index.KindDate: "date", index.KindCategories: "strings",
	index.KindCounty: "string", index.KindText: "string", index.KindLongText: "string", index.KindDateRange: "string",
	index.KindDerived: "string",
}

// The data dictionary is the table of fields: names in their order, type, tier and meaning, and parameters that exist. Its
// examples make a record that a load accepts; its categories are the four.
func TestDocuments_Fields(t *testing.T) {
	t.Parallel()
	d := readDocument(t, "docs/api/fields.md")
	var takes []string
	for _, p := range params.New("", nil).Rows(params.Queried) {
		takes = append(takes, p.Name)
	}
	rows := regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (\\w+) \\| (\\w+) \\| (.+) \\| `(.+)` \\|(.*)\\|$").FindAllStringSubmatch(d.prose, -1)
	for _, f := range index.Fields() {
		if !f.Returned(index.Enterprise) && !f.IsKey() {
			continue
		}
		if len(rows) == 0 {
			t.Fatalf("%s has no row of %s", d.name, f)
		}
		row := rows[0]
		rows = rows[1:]
		info := f.Info()
		if got, want := row[1:4], []string{info.Name, typeWords[info.Kind], f.Reveals().String()}; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", d.name, got, want)
		}
		if !strings.HasPrefix(row[4], info.Help) {
			t.Errorf("%s: the meaning of %s must begin with that of the table of fields, %q", d.name, f, info.Help)
		}
		for _, m := range quoted.FindAllStringSubmatch(row[6], -1) {
			if !slices.Contains(takes, m[1]) {
				t.Errorf("%s: %s: there is no parameter %s", d.name, f, m[1])
			}
		}
	}
	if len(rows) > 0 {
		t.Errorf("%s has rows of no field: %q", d.name, rows)
	}
	checkExamples(t, d)
	_, categories, _ := strings.Cut(d.prose, "\n## Categories\n")
	categories, _, _ = strings.Cut(categories, "\n## ")
	var values []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(categories, -1) {
		values = append(values, m[1])
	}
	if !slices.Equal(values, index.CategoryValues) {
		t.Errorf("%s: the categories are %q, want %q", d.name, values, index.CategoryValues)
	}
}

// checkExamples reads the examples of the data dictionary as one record.
func checkExamples(t *testing.T, d document) {
	t.Helper()
	var members []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|.*\\| `([^`]+)` \\|[^|]*\\|$").FindAllStringSubmatch(d.prose, -1) {
		if _, known := index.ByName(m[1]); known {
			members = append(members, fmt.Sprintf("%q:%s", m[1], m[2]))
		}
	}
	text := "{" + strings.Join(members, ",") + "}"
	if !json.Valid([]byte(text)) {
		t.Fatalf("%s: the examples are no JSON: %s", d.name, text)
	}
	if _, err := record.Decode(index.Record(text)); err != nil {
		t.Errorf("%s: the examples make no record: %v", d.name, err)
	}
}

// The page of limits has the constants of the program.
func TestDocuments_Limits(t *testing.T) {
	t.Parallel()
	d := readDocument(t, "docs/api/limits.md")
	for limit, value := range map[string]int{
		"path":                             edge.MaxPath >> 10,
		"different names in a query":       params.MaxNames,
		"`limit` of a page by offset":      params.MaxLimit,
		"`limit` of changes":               params.DefaultChanges,
		"`ids`":                            index.MaxIDs,
		"`q`, a search term":               params.MaxTerm,
		"`radius`":                         index.MaxRadius,
		"`polygon`":                        index.MaxCorners,
		"`zoom`":                           params.MaxZoom,
		"parameters that a cursor holds":   cursor.MaxQuery,
		"groups of one response":           index.MaxGroups,
		"cells of map clusters":            index.MaxCells,
		"counties of an owner":             index.MaxOwnerCounties,
		"corrections of a misspelled word": index.MaxNearest,
		"burst of a visitor":               params.MaxVisitorBurst,
		"`aiSummary`":                      index.MaxLongText,
		"any other text":                   index.MaxText,
	} {
		row := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(limit) + ` \| ([^|]+) \|`).FindStringSubmatch(d.prose)
		if row == nil {
			t.Errorf("%s has no row of %s", d.name, limit)
		} else if !regexp.MustCompile(`\b` + grouped(value) + `\b`).MatchString(row[1]) {
			t.Errorf("%s: %s: %q, want %s", d.name, limit, row[1], grouped(value))
		}
	}
}

// The page of supported versions has those that the program names and that its tests use.
func TestDocuments_Versions(t *testing.T) {
	t.Parallel()
	d := readDocument(t, "docs/operate/versions.md")
	for _, v := range []struct{ row, file, version string }{
		{"Elasticsearch", "cmd/testservers/distribution.go", `elasticsearchVersion = "([\d.]+)"`},
		{"Elasticsearch", "cmd/filings/check/engine.go", `was tested on Elasticsearch ([\d.]+ to [\d.]+),`},
		{"OpenSearch", "cmd/filings/check/engine.go", `, OpenSearch ([\d.]+ and \d),`},
		{"Go, to compile", "go.mod", `\ngo (\d+\.\d+)`},
		{"Kubernetes, for the chart", "cmd/filings/deploy/helm/filings/Chart.yaml", `kubeVersion: ">=(\d+\.\d+)\.`},
	} {
		text, err := os.ReadFile(filepath.Join(root, v.file))
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(v.version).FindSubmatch(text)
		row := regexp.MustCompile(`(?m)^\| ` + v.row + ` \|.*$`).FindString(d.prose)
		if m == nil || !strings.Contains(row, string(m[1])) {
			t.Errorf("%s: the row of %s lacks %q of %s: %s", d.name, v.row, m, v.file, row)
		}
	}
}

// grouped writes n with commas between thousands.
func grouped(n int) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
