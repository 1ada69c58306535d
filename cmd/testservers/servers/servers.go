// Package servers is for tests that need a real Elasticsearch, Redis or PostgreSQL. It owns the
// names of the environment variables in which cmd/testservers leaves their addresses, finds the
// programs that tests run, and decides on tests where one is missing: they skip, or fail with
// REQUIRE_SERVICES=1. With TEST_QUICK=1 everything is missing, and that is no failure. It ends
// nodes and deletes indices for tests that need that. It starts no server.
package servers

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
)

// The environment variables that cmd/testservers sets for the command that it runs.
const (
	ElasticsearchVariable = "TEST_ELASTICSEARCH_URL"
	RedisVariable         = "TEST_REDIS_URL"
	PostgresVariable      = "TEST_POSTGRES_URL"
	RequireVariable       = "REQUIRE_SERVICES" // 1: a test that lacks its server fails
	QuickVariable         = "TEST_QUICK"       // 1: a test that needs a server, a browser or another program is left out
	NightlyVariable       = "TEST_NIGHTLY"     // 1: the tests of `make nightly` run too
)

// Elasticsearch returns the address of a real Elasticsearch: of its first node, if there are several. Without one the
// test is left out.
func Elasticsearch(t testing.TB) string {
	t.Helper()
	return ElasticsearchNodes(t)[0]
}

// ElasticsearchNodes returns the addresses of all nodes of a real Elasticsearch. Without one the test is left out.
func ElasticsearchNodes(t testing.TB) []string {
	t.Helper()
	return strings.Split(need(t, ElasticsearchVariable), ",")
}

// OpenSearch reports whether Elasticsearch is one. As in the program, only Elasticsearch's builds have flavors.
func OpenSearch(t testing.TB) bool {
	t.Helper()
	var local struct {
		Nodes map[string]struct {
			Flavor string `json:"build_flavor"`
		}
	}
	res, err := http.Get(Elasticsearch(t) + "/_nodes/_local/_none")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&local); err != nil || len(local.Nodes) != 1 {
		t.Fatalf("the local node of %d: %v", len(local.Nodes), err)
	}
	for _, node := range local.Nodes {
		return node.Flavor == ""
	}
	return false
}

// Redis returns the redis:// address of a real Redis. Without one the test is left out.
func Redis(t testing.TB) string {
	t.Helper()
	return need(t, RedisVariable)
}

// Postgres returns the postgres:// address of a database of a real PostgreSQL, in which tests may make tables of names
// of their own. Without one the test is left out.
func Postgres(t testing.TB) string {
	t.Helper()
	return need(t, PostgresVariable)
}

func need(t testing.TB, variable string) string {
	t.Helper()
	Slow(t, variable)
	address := os.Getenv(variable)
	if address == "" {
		Lack(t, "%s is not set; `make test` sets it", variable)
	}
	return address
}
