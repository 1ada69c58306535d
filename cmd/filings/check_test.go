package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/cmd/filings/check"
	"filings/cmd/filings/settings"
	"filings/cmd/testservers/servers"
	"filings/index/elastic"
	"filings/index/generation"
	"filings/index/indextest"
)

// results returns the findings as `ok port`, without their details.
func results(found []check.Finding) []string {
	var lines []string
	for _, f := range found {
		lines = append(lines, f.Result+" "+f.Subject)
	}
	return lines
}

// checked runs `check --json`.
func (f *fixture) checked(t *testing.T) (code int, found []check.Finding, errs string) {
	t.Helper()
	code, out, errs := f.run(t.Context(), "", "check", "--json")
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	return code, found, errs
}

func TestCheck_Embedded(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	code, found, errs := f.checked(t)
	want := []string{"ok settings", "ok data folder", "ok certificate", "warn generation", "ok key store", "ok port", "ok port", "ok port"}
	if diff := cmp.Diff(want, results(found)); diff != "" || code != exitDone || errs != "" {
		t.Errorf("exit code %d, %q, before anything was done (-want +got)\n%s", code, errs, diff)
	}
	if _, err := os.Stat(f.settings.DataDir); err == nil {
		t.Error("a check made the data folder")
	}
	l, _, _, _ := startServing(t, f)
	f.settings.Listen, f.settings.RedirectListen, f.settings.OperationsListen = address(l.api), address(l.redirect), address(l.operations)
	out := f.must(t, "", "check")
	if n := strings.Count(out, "the service listens there"); n != 3 || strings.Contains(out, "warn") || !strings.Contains(out, "is live") {
		t.Errorf("of a service that runs:\n%s", out)
	}
}

// TestCheck_OtherGenerations: a generation that is not live, and cannot be searched, is a warning.
func TestCheck_OtherGenerations(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	load := func() string {
		f.must(t, `{"id":1,"county":"Orange, FL"}`+"\n", "reindex", "-")
		var all []generation.Info
		if err := json.Unmarshal([]byte(f.must(t, "", "generations", "--json")), &all); err != nil {
			t.Fatal(err)
		}
		return all[0].Name
	}
	older, live := load(), load()
	_, found, _ := f.checked(t)
	if lines := results(found); !slices.Contains(lines, "ok generation") || slices.Contains(lines, "warn generation") {
		t.Errorf("%v", found)
	}
	if err := os.WriteFile(filepath.Join(f.settings.DataDir, "generations", older+".db"), []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := f.must(t, "", "check")
	if !strings.Contains(out, older+", which is not live, cannot be searched") || !strings.Contains(out, live+" is live") {
		t.Errorf("%s", out)
	}
}

// A check of the real servers changes nothing on them.
func TestCheck_Servers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	address := servers.Elasticsearch(t)
	f.settings.ElasticsearchURL, f.settings.RedisURL = []string{address, "http://127.0.0.1:9"}, servers.Redis(t)
	f.settings.Index = fmt.Sprintf("check-%d", rand.Uint32())
	code, found, errs := f.checked(t)
	lines := results(found)
	for _, want := range []string{"ok elasticsearch", "warn elasticsearch", "ok privileges", "warn generation", "ok key store", "ok clock"} {
		if !slices.Contains(lines, want) {
			t.Errorf("no %s in %v", want, found)
		}
	}
	if code != exitDone || errs != "" || slices.Contains(lines, "warn replicas") {
		t.Errorf("exit code %d, %q, %v", code, errs, found)
	}
	store, err := elastic.Open(elastic.Config{Addresses: []string{address}, Index: f.settings.Index, Shards: 1})
	if err != nil {
		t.Fatal(err)
	}
	if running, err := indextest.Running(t.Context(), store); running != nil || err != nil {
		t.Errorf("%v %v", running, err)
	}
	res, err := http.Get(address + "/_cat/indices/" + f.settings.Index + "*?expand_wildcards=all&h=index")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if made, err := io.ReadAll(res.Body); len(made) > 0 || err != nil {
		t.Errorf("a check made an index: %s %v", made, err)
	}
}

// A cluster with search.allow_expensive_queries: false fails searches by a term, and nothing else; one with a low search.max_buckets groups.
func TestCheck_SearchesRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	address, name := servers.Elasticsearch(t), fmt.Sprintf("check-%d", rand.Uint32())
	t.Cleanup(func() { servers.DeleteIndices(t, address, name) })
	f.settings.ElasticsearchURL, f.settings.Index = []string{address}, name
	var loaded struct{ Generation string }
	if err := json.Unmarshal([]byte(f.must(t, f.must(t, "", "generate", "--count", "10"), "reindex", "--format", "ndjson", "-")), &loaded); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	elasticsearch := httputil.NewSingleHostReverseProxy(u)
	for _, test := range []struct{ has, setting, reason string }{
		{`"prefix"`, "search.allow_expensive_queries", "[prefix] queries cannot be executed when 'search.allow_expensive_queries' is set to false."},
		{`"composite":{"size":65000`, "search.max_buckets", "Trying to create too many buckets. Must be less than or equal to: [1000] but was [65000]. " +
			"This limit can be set by changing the [search.max_buckets] cluster level setting."},
	} {
		t.Run(test.setting, func(t *testing.T) {
			strict := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil || !bytes.Contains(body, []byte(test.has)) {
					r.Body = io.NopCloser(bytes.NewReader(body))
					elasticsearch.ServeHTTP(w, r)
					return
				}
				w.Header().Set("X-Elastic-Product", "Elasticsearch")
				w.WriteHeader(http.StatusBadRequest)
				_, _ = fmt.Fprintf(w, `{"error":{"root_cause":[{"type":"exception","reason":%q}]},"status":400}`, test.reason)
			}))
			defer strict.Close()
			f.settings.ElasticsearchURL = []string{strict.URL}
			code, found, _ := f.checked(t)
			if code != exitFailed || !slices.ContainsFunc(found, func(f check.Finding) bool {
				return f.Result == "fail" && f.Subject == "generation" && strings.Contains(f.Detail, test.setting)
			}) {
				t.Errorf("exit code %d, %v", code, found)
			}
		})
	}

	f.settings.ElasticsearchURL = []string{address}
	res, err := http.Post(address+"/"+loaded.Generation+"/_close", "application/json", nil)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatal(res, err)
	}
	_ = res.Body.Close()
	code, found, _ := f.checked(t)
	if text := fmt.Sprint(found); code != exitFailed || !strings.Contains(text, "(the index was closed: open it in Elasticsearch)") || strings.Contains(text, "is Elasticsearch up") {
		t.Errorf("a closed index: exit code %d, %v", code, found)
	}
}

// A wrong setting is a line that fails and names it, never the password.
func TestCheck_Wrong(t *testing.T) {
	t.Parallel()
	strict := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, `{"error":{"type":"security_exception","reason":"unable to authenticate user [u] with secret"},"status":401}`, http.StatusUnauthorized)
	}))
	t.Cleanup(strict.Close)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	go func() {
		for {
			c, err := taken.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
	for _, test := range []struct {
		name string
		set  func(*settings.Settings)
		code int
		want string // what fails, and a part of its detail
	}{
		{"no Elasticsearch", func(s *settings.Settings) { s.ElasticsearchURL = []string{"http://u:secret@127.0.0.1:9"} }, exitFailed, "elasticsearch FILINGS_ELASTICSEARCH_URL"},
		{"wrong credentials", func(s *settings.Settings) {
			s.ElasticsearchURL, s.ElasticsearchUsername, s.ElasticsearchPassword = []string{strict.URL}, "u", "secret"
		}, exitFailed, "elasticsearch FILINGS_ELASTICSEARCH_USERNAME"},
		{"no CA file", func(s *settings.Settings) {
			s.ElasticsearchURL, s.ElasticsearchCAFile = []string{strict.URL}, "missing.pem"
		}, exitFailed, "engine missing.pem"},
		{"no Redis", func(s *settings.Settings) { s.RedisURL = "redis://:secret@127.0.0.1:9" }, exitFailed, "key store FILINGS_REDIS_URL"},
		{"no folder", func(s *settings.Settings) { s.DataDir = "/dev/null" }, exitFailed, "data folder FILINGS_DATA_DIR"},
		{"a folder that nobody can create", func(s *settings.Settings) { s.DataDir = "/proc/some/data" }, exitFailed, "data folder FILINGS_DATA_DIR"},
		{"no certificate", func(s *settings.Settings) { s.TLSCertFile, s.TLSKeyFile = "missing.pem", "missing.pem" }, exitFailed, "certificate FILINGS_TLS_CERT_FILE"},
		{"port is taken", func(s *settings.Settings) { s.Listen = taken.Addr().String() }, exitFailed, "port FILINGS_LISTEN"},
		{"port is taken", func(s *settings.Settings) { s.OperationsListen = taken.Addr().String() }, exitFailed, "port FILINGS_OPERATIONS_LISTEN"},
		{"not here", func(s *settings.Settings) { s.Listen = "192.0.2.1:8443" }, exitFailed, "port FILINGS_LISTEN"},
		{"one port for two", func(s *settings.Settings) { s.Listen, s.OperationsListen = ":8443", ":8443" }, exitUsage, "settings FILINGS_OPERATIONS_LISTEN"},
		{"a name that is taken", func(s *settings.Settings) { s.LegacyHasDataName = "county" }, exitUsage, "settings FILINGS_LEGACY_HAS_DATA_NAME"},
		{"no name", func(s *settings.Settings) { s.LegacyHasDataName = "" }, exitUsage, "settings FILINGS_LEGACY_HAS_DATA_NAME"},
		{"wrong setting", func(s *settings.Settings) { s.FreeBurst, s.OperationsToken = 0, "secret" }, exitUsage, "settings FILINGS_FREE_BURST"},
		{"a burst that no store can count", func(s *settings.Settings) { s.ProBurst = 1_000_000_001 }, exitUsage, `settings FILINGS_PRO_BURST="1000000001": must be 1 to 1000000000`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			test.set(&f.settings)
			code, found, errs := f.checked(t)
			what := slices.IndexFunc(found, func(f check.Finding) bool {
				part, ok := strings.CutPrefix(test.want, f.Subject+" ")
				return ok && f.Result == check.Fail && strings.Contains(f.Detail, part)
			})
			if code != test.code || what < 0 {
				t.Errorf("exit code %d, %v, want %d and %s", code, found, test.code, test.want)
			}
			if n := strings.Count(fmt.Sprint(found), "FILINGS_LEGACY_HAS_DATA_NAME"); n > 1 {
				t.Errorf("says %d times what is wrong with one setting: %v", n, found)
			}
			if all := fmt.Sprint(found, errs); strings.Contains(all, "secret") || strings.Contains(all, "127.0.0.1:9 ") {
				t.Errorf("shows what it must not: %s", all)
			}
		})
	}
}

func TestCheck_WrongPassword(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.settings.RedisURL = strings.Replace(servers.Redis(t), "redis://", "redis://nobody:secret@", 1)
	if code, found, errs := f.checked(t); code != exitFailed || !slices.Contains(results(found), "fail key store") ||
		strings.Contains(fmt.Sprint(found, errs), "secret") {
		t.Errorf("exit code %d, %v, %s", code, found, errs)
	}
}
