package elastic

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/cmd/testservers/servers"
	"filings/index/elastic/client"
)

// storeOver returns a store whose cluster gives these responses: by path, a status and a body.
func storeOver(t *testing.T, responses map[string]string, status map[string]int) *Store {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Elastic-Product", "Elasticsearch")
		if code := status[r.URL.Path]; code != 0 {
			w.WriteHeader(code)
		}
		_, _ = w.Write([]byte(responses[r.URL.Path]))
	}))
	t.Cleanup(server.Close)
	s, err := Open(Config{Addresses: []string{server.URL}, Index: "filings", Shards: 1})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// clusterResponses are those of Elasticsearch 8.19 with security, cut to what matters.
func clusterResponses() map[string]string {
	return map[string]string{
		"/_nodes/_local/_none":                                     `{"nodes":{"x":{"version":"8.19.7","build_flavor":"default"}}}`,
		"/_cluster/health":                                         `{"status":"yellow","number_of_data_nodes":2}`,
		"/_security/user/_has_privileges":                          `{"username":"u","has_all_requested":false,"cluster":{"monitor":false},"index":{"filings":{"manage":true,"monitor":true,"read":true,"write":true},"filings-*":{"write":false,"monitor":false,"read":true,"manage":false}}}`,
		"/filings-*/_settings/index.blocks.read_only_allow_delete": `{"filings-b":{"settings":{"index.blocks.read_only_allow_delete":"true"}},"filings-c":{"settings":{"index.blocks.read_only_allow_delete":"false"}},"filings-a":{"settings":{"index.blocks.read_only_allow_delete":"true"}}}`,
		"/_nodes/stats/fs":                                         `{"nodes":{"x":{"name":"hot","roles":["data_hot","ingest"],"fs":{"total":{"total_in_bytes":100,"available_in_bytes":9}}},"y":{"name":"boss","roles":["master"],"fs":{"total":{"total_in_bytes":100,"available_in_bytes":9}}}}}`,
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	got, err := storeOver(t, clusterResponses(), nil).Health(t.Context())
	want := Health{
		Product: Elasticsearch, Version: "8.19.7", Status: "yellow", DataNodes: 2,
		Lacks:   []string{"monitor on the cluster", "manage on filings-*", "monitor on filings-*", "write on filings-*"},
		Blocked: []string{"filings-a", "filings-b"},
		Disks:   []Disk{{"hot", 100, 9}},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

// TestSeal_LittleRoom: Elasticsearch begins no merge after which too little of a disk is left; who loads is told.
func TestSeal_LittleRoom(t *testing.T) {
	t.Parallel()
	for available, want := range map[string]string{
		"1050": "",
		"1049": "level=WARN msg=\"Elasticsearch may wait with merging until this node's disk has more room: free some space\" node=hot availableBytes=1049 neededBytes=1050\n",
	} {
		var log strings.Builder
		s := storeOver(t, map[string]string{
			"/filings-*/_stats/docs,store": `{"indices":{"filings-a":{"total":{"store":{"size_in_bytes":100}}},"filings-b":{"total":{"store":{"size_in_bytes":9000}}}}}`,
			"/filings-a/_block/write":      `{"acknowledged":true,"_shards":{"total":1,"successful":1,"failed":0}}`,
			"/filings-a/_forcemerge":       `{"acknowledged":true,"_shards":{"total":1,"successful":1,"failed":0}}`,
			"/filings-a/_refresh":          `{"acknowledged":true,"_shards":{"total":1,"successful":1,"failed":0}}`,
			"/filings-a/_settings":         `{"acknowledged":true,"_shards":{"total":1,"successful":1,"failed":0}}`,
			"/_nodes/stats/fs":             `{"nodes":{"x":{"name":"hot","roles":["data"],"fs":{"total":{"total_in_bytes":20000,"available_in_bytes":` + available + `}}}}}`,
		}, nil)
		s.storage.shards = 2
		s.storage.log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
		err := (&build{bulk: &bulk{storage: s.storage}, name: "filings-a"}).finalize(t.Context(), false)
		if log.String() != want || err != nil {
			t.Errorf("%s bytes: %s, want %s (%v)", available, &log, want, err)
		}
	}
}

// TestX49_OpenSearch: it has no builds of flavors, and no such request for privileges: managed ones
// refuse it as if credentials were wrong.
func TestX49_OpenSearch(t *testing.T) {
	t.Parallel()
	responses := clusterResponses()
	responses["/_nodes/_local/_none"] = `{"nodes":{"x":{"version":"3.6.0"}}}`
	got, err := storeOver(t, responses, map[string]int{"/_security/user/_has_privileges": http.StatusUnauthorized}).Health(t.Context())
	if err != nil || got.Product != OpenSearch || got.Version != "3.6.0" || got.Lacks != nil || got.Disks == nil {
		t.Errorf("%+v %v", got, err)
	}
}

// Credentials that may not look at the nodes get the rest.
func TestHealth_Refused(t *testing.T) {
	t.Parallel()
	got, err := storeOver(t, clusterResponses(), map[string]int{"/_nodes/stats/fs": http.StatusForbidden}).Health(t.Context())
	if err != nil || got.Disks != nil || got.Version == "" {
		t.Errorf("%+v %v", got, err)
	}
	_, err = storeOver(t, clusterResponses(), map[string]int{"/_nodes/_local/_none": http.StatusUnauthorized}).Health(t.Context())
	if !errors.Is(err, client.ErrCredentials) {
		t.Errorf("%v, want %v", err, client.ErrCredentials)
	}
	_, err = storeOver(t, clusterResponses(), map[string]int{"/_cluster/health": http.StatusForbidden}).Health(t.Context())
	if err == nil {
		t.Error("a refusal is no error")
	}
}

func TestHealth_Real(t *testing.T) {
	t.Parallel()
	s, err := Open(Config{Addresses: []string{servers.Elasticsearch(t)}, Index: "health", Shards: 1})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Health(t.Context())
	if err != nil || got.Product == "" || got.Version == "" || got.Status == "" || got.DataNodes == 0 || len(got.Disks) != got.DataNodes || got.Lacks != nil {
		t.Errorf("%+v %v", got, err)
	}
}
