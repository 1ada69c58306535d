package servers

import (
	"encoding/json"
	"net/http"
	"syscall"
	"testing"
)

// End sends a signal to the process of a node of an Elasticsearch on this machine; node is _local, _master or a name.
// It is for one of the test's own, which `testservers -nodes` and `testservers -restart` start.
func End(t testing.TB, address, node string, signal syscall.Signal) {
	t.Helper()
	var found struct {
		Nodes map[string]struct {
			Process struct{ ID int }
		}
	}
	res, err := http.Get(address + "/_nodes/" + node + "/process")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&found); err != nil {
		t.Fatal(err)
	}
	if len(found.Nodes) != 1 {
		t.Fatalf("%d nodes are %s, want 1", len(found.Nodes), node)
	}
	for _, n := range found.Nodes {
		if err := syscall.Kill(n.Process.ID, signal); err != nil {
			t.Fatal(err)
		}
	}
}
