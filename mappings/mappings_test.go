package mappings

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBody(t *testing.T) {
	t.Parallel()
	body, err := Body(map[string]any{"number_of_shards": 3, "sort.missing": []string{"_first", "_first"}})
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Settings struct {
			Index    map[string]any
			Analysis map[string]any
		}
		Mappings struct {
			Dynamic string
			Source  map[string]any `json:"_source"`
		}
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"number_of_shards": 3.0,
		"sort.field":       []any{"x.day", "id"},
		"sort.order":       []any{"desc", "desc"},
		"sort.missing":     []any{"_first", "_first"},
	}
	if diff := cmp.Diff(want, got.Settings.Index); diff != "" {
		t.Errorf("index settings (-want +got):\n%s", diff)
	}
	if got.Settings.Analysis["analyzer"] == nil {
		t.Error("the analyzer is lost")
	}
	if got.Mappings.Dynamic != "strict" || got.Mappings.Source["excludes"] == nil {
		t.Errorf("mappings: dynamic %q, _source %v", got.Mappings.Dynamic, got.Mappings.Source)
	}
}

// One request's settings must not show up in the next one's.
func TestBody_StartsAnew(t *testing.T) {
	t.Parallel()
	first, err := Body(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Body(map[string]any{"number_of_shards": 3}); err != nil {
		t.Fatal(err)
	}
	second, err := Body(nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("(-first +second):\n%s", diff)
	}
}

// An object that says `dynamic` itself would fall out of the root's strictness.
func TestMapping_StrictEverywhere(t *testing.T) {
	t.Parallel()
	var all any
	if err := json.Unmarshal(filings, &all); err != nil {
		t.Fatal(err)
	}
	found := 0
	var walk func(v any)
	walk = func(v any) {
		if o, ok := v.(map[string]any); ok {
			if d, ok := o["dynamic"]; ok {
				found++
				if d != "strict" {
					t.Errorf("dynamic is %v", d)
				}
			}
			for _, member := range o {
				walk(member)
			}
		}
	}
	walk(all)
	if found == 0 {
		t.Error("dynamic is not set")
	}
}
