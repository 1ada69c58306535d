package mcp

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"
)

// TestX51_List: the list of tools is short, since a model reads it before each conversation: at four bytes a token 2,600 tokens. Its schemas
// have only what the function declarations of all vendors know, and no object without properties, which some refuse.
func TestX51_List(t *testing.T) {
	t.Parallel()
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	w := newServer(t).Serve(http.MethodPost, header, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), nil)
	if most := 4 * 2600; len(w.Body) > most {
		t.Errorf("%d bytes, at most %d may be", len(w.Body), most)
	}
	t.Logf("%d bytes", len(w.Body))
	var list struct {
		Result struct {
			Tools []struct {
				Name   string
				Input  map[string]any `json:"inputSchema"`
				Output any            `json:"outputSchema"`
			}
		}
	}
	if err := json.Unmarshal(w.Body, &list); err != nil || len(list.Result.Tools) != 7 {
		t.Fatalf("%v: %s", err, w.Body)
	}
	for _, tool := range list.Result.Tools {
		if tool.Output != nil {
			t.Errorf("%s promises structured content, which no result has", tool.Name)
		}
		known(t, tool.Name, tool.Input)
	}
}

// known looks for what is not known everywhere in a schema.
func known(t *testing.T, name string, schema map[string]any) {
	t.Helper()
	for keyword := range schema {
		if !slices.Contains([]string{"type", "description", "enum", "items", "properties", "required"}, keyword) {
			t.Errorf("%s has %s", name, keyword)
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	if schema["type"] == "object" && len(properties) == 0 {
		t.Errorf("%s is an object without properties", name)
	}
	if items, ok := schema["items"].(map[string]any); ok != (schema["type"] == "array") {
		t.Errorf("%s: a list without items, or items without a list", name)
	} else if ok {
		known(t, name+"[]", items)
	}
	for property, of := range properties {
		known(t, name+"."+property, of.(map[string]any))
	}
}
