package check

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"filings/cmd/filings/settings"
	"filings/index/elastic"
)

// An error of Elasticsearch names the setting that is about it, and none where it says itself what is wrong.
func TestExplain_Elasticsearch(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status     int
		body, want string // of the error's text
	}{
		{http.StatusUnauthorized, `{"error":{"type":"security_exception","reason":"no"},"status":401}`, "FILINGS_ELASTICSEARCH_USERNAME and _PASSWORD, or _API_KEY"},
		{http.StatusTooManyRequests, `{"error":{"type":"cluster_block_exception","reason":"disk usage exceeded"},"status":429}`, "disk usage exceeded"},
		{http.StatusForbidden, `{"error":{"type":"security_exception","reason":"not granted"},"status":403}`, "not granted"},
		{http.StatusBadGateway, "a proxy's page", "FILINGS_ELASTICSEARCH_URL"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, test.body, test.status) }))
		t.Cleanup(server.Close)
		s := settings.Settings{ElasticsearchURL: []string{server.URL}}
		store, err := elastic.Open(elastic.Config{Addresses: s.ElasticsearchURL, Index: "filings", Shards: 1})
		if err != nil {
			t.Fatal(err)
		}
		_, err = store.Live(t.Context())
		text := fmt.Sprint(Explain(s, err))
		if !strings.Contains(text, test.want) || strings.Contains(text, "_URL") != strings.Contains(test.want, "_URL") {
			t.Errorf("%d: %q, want %q", test.status, text, test.want)
		}
	}
}
