package apitest

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"filings/cmd/testservers/servers"
)

// TestOpenAPI_Linters: two linters that people use, with the rules that they recommend, report nothing.
func TestOpenAPI_Linters(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "clients")
	dir := t.TempDir()
	document, rules := filepath.Join(dir, "openapi.json"), filepath.Join(dir, "rules.yaml")
	write(t, document, []byte(newSite(t, oracle(nil)).get(t, "", "/openapi.json").body))
	write(t, rules, []byte(`extends: ["spectral:oas"]`))
	t.Run("spectral", func(t *testing.T) {
		t.Parallel()
		output(t, exec.CommandContext(t.Context(), servers.Tool(t, "spectral"), "lint", "--ruleset", rules, "--fail-severity", "hint", document))
	})
	t.Run("redocly", func(t *testing.T) {
		t.Parallel()
		command := exec.CommandContext(t.Context(), servers.Tool(t, "redocly"), "lint", "--extends", "recommended", "--format", "json", document)
		command.Dir = dir
		out := output(t, command)
		var report struct {
			Totals   *struct{ Errors, Warnings, Ignored int }
			Problems json.RawMessage
		}
		if err := json.Unmarshal(out, &report); err != nil || report.Totals == nil {
			t.Fatalf("%v: %s", err, out)
		}
		if *report.Totals != (struct{ Errors, Warnings, Ignored int }{}) {
			t.Errorf("%+v: %s", *report.Totals, report.Problems)
		}
	})
}

// TestOpenAPI_Names: what generated clients name types after has one name: choices are written once, and those that several
// places share are schemas; what GeoJSON calls a type is a constant; no schema has a name of ours for a usual one.
func TestOpenAPI_Names(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(nil))
	choices := map[string]int{}
	for _, enum := range regexp.MustCompile(`"enum":\[[^]]*\]`).FindAllString(s.get(t, "", "/openapi.json").body, -1) {
		if choices[enum]++; choices[enum] > 1 {
			t.Errorf("written more than once: %s", enum)
		}
	}
	doc := s.description(t)
	for _, name := range []string{"Category", "ForeclosureFilter", "SortBy", "SortOrder", "Tier"} {
		if schema := doc.Components.Schemas[name]; schema == nil || len(schema.Value.Enum) == 0 {
			t.Errorf("%s is no schema with choices", name)
		}
	}
	for name, schema := range doc.Components.Schemas {
		if regexp.MustCompile(`Answer|Figures`).MatchString(name) {
			t.Errorf("a schema is called %s", name)
		}
		if kind := schema.Value.Properties["type"]; kind != nil && kind.Ref == "" && !strings.HasSuffix(name, fmt.Sprint(kind.Value.Const)) {
			t.Errorf("%s: the type is %v", name, kind.Value.Const)
		}
		if tier := schema.Value.Properties["tier"]; tier != nil && tier.Ref != "#/components/schemas/Tier" {
			t.Errorf("%s: the tier is %+v", name, tier)
		}
	}
	for path, item := range doc.Paths.Map() {
		for _, p := range item.Get.Parameters {
			if list := p.Value.Schema.Value.Type.Is("array"); list && (p.Value.Style != "form" || p.Value.Explode == nil || !*p.Value.Explode) {
				t.Errorf("%s: %s is not said to be repeated", path, p.Value.Name)
			}
		}
	}
}

// TestOpenAPI_ExamplesOnce: the examples of responses stand in one place each.
func TestOpenAPI_ExamplesOnce(t *testing.T) {
	t.Parallel()
	doc := newSite(t, oracle(nil)).description(t)
	used := map[string]int{}
	for path, item := range doc.Paths.Map() {
		for status, r := range item.Get.Responses.Map() {
			if r.Ref != "" {
				continue // to the responses to errors, of which there is one each
			}
			for _, media := range r.Value.Content {
				for name, example := range media.Examples {
					if used[example.Ref]++; example.Ref == "" {
						t.Errorf("%s, %s: the example %s is written out", path, status, name)
					}
				}
			}
		}
	}
	for name := range doc.Components.Examples {
		uses := 2
		if strings.HasPrefix(name, "Changes") || strings.HasPrefix(name, "Clusters") { // which have no legacy path
			uses = 1
		}
		if used["#/components/examples/"+name] != uses {
			t.Errorf("%s has %d uses, want one by the current path and one by the legacy one, if there is one", name, used["#/components/examples/"+name])
		}
	}
	if len(doc.Components.Examples) != 16 {
		t.Errorf("%d examples, want those of four operations by three tiers, of clusters, and of three in GeoJSON", len(doc.Components.Examples))
	}
}
