package servers

import (
	"encoding/json"
	"net/http"
	"testing"
)

// DeleteIndices deletes the indices of an Elasticsearch whose names begin with prefix, one by one: clusters refuse to
// delete by pattern.
func DeleteIndices(t testing.TB, address, prefix string) {
	t.Helper()
	var indices map[string]json.RawMessage
	res, err := http.Get(address + "/" + prefix + "*/_alias?expand_wildcards=all")
	if err == nil {
		err = json.NewDecoder(res.Body).Decode(&indices)
		_ = res.Body.Close()
	}
	for name := range indices {
		var req *http.Request
		if req, err = http.NewRequest(http.MethodDelete, address+"/"+name, nil); err != nil {
			break
		}
		if res, err = http.DefaultClient.Do(req); err != nil {
			break
		}
		_ = res.Body.Close()
	}
	if err != nil {
		t.Errorf("delete the indices %s*: %v", prefix, err)
	}
}
