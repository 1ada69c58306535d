package elastictest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"
)

// Enter adds a sealed generation, whose index a test made, to the catalog that an index name has.
func Enter(t testing.TB, address, alias, name string) {
	t.Helper()
	document := address + "/" + alias + "-catalog/_doc/catalog"
	res, err := http.Get(document)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var stored struct {
		Source map[string]any `json:"_source"`
	}
	if err := json.NewDecoder(res.Body).Decode(&stored); err != nil {
		t.Fatal(err)
	}
	all, _ := stored.Source["generations"].([]any)
	stored.Source["generations"] = append(all, map[string]any{"name": name, "state": "sealed"})
	body, err := json.Marshal(stored.Source)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodPut, document, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	written, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if written.Body.Close(); written.StatusCode != http.StatusOK {
		t.Fatalf("PUT %s: %s", document, written.Status)
	}
}
