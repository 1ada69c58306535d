package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/cmd/testservers/servers"
	"filings/index/elastic"
	"filings/service/access"
)

// results returns the findings as `ok port`, without their details.
func results(found []finding) []string {
	var lines []string
	for _, f := range found {
		lines = append(lines, f.Result+" "+f.What)
	}
	return lines
}

// checked runs `check --json`.
func (f *fixture) checked(t *testing.T) (code int, found []finding, errs string) {
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
	f.must(t, f.must(t, "", "generate", "--count", "5"), "reindex", "--format", "ndjson", "-")
	a := startServing(t, f)
	f.settings.Listen, f.settings.RedirectListen, f.settings.OperationsListen = a.api.String(), a.redirect.String(), a.operations.String()
	out := f.must(t, "", "check")
	if n := strings.Count(out, "the service listens there"); n != 3 || strings.Contains(out, "warn") || !strings.Contains(out, "is live") {
		t.Errorf("of a service that runs:\n%s", out)
	}
}

// With the real servers, asking changes nothing.
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
	if running, err := store.Running(t.Context()); running != nil || err != nil {
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

// What is wrong is a line that fails and names the setting, never the password.
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
		set  func(*settings)
		code int
		want string // what fails, and a part of its detail
	}{
		{"no Elasticsearch", func(s *settings) { s.ElasticsearchURL = []string{"http://u:secret@127.0.0.1:9"} }, exitFailed, "elasticsearch FILINGS_ELASTICSEARCH_URL"},
		{"wrong credentials", func(s *settings) {
			s.ElasticsearchURL, s.ElasticsearchUsername, s.ElasticsearchPassword = []string{strict.URL}, "u", "secret"
		}, exitFailed, "elasticsearch FILINGS_ELASTICSEARCH_USERNAME"},
		{"no CA file", func(s *settings) { s.ElasticsearchURL, s.ElasticsearchCAFile = []string{strict.URL}, "missing.pem" }, exitFailed, "engine missing.pem"},
		{"no Redis", func(s *settings) { s.RedisURL = "redis://:secret@127.0.0.1:9" }, exitFailed, "key store FILINGS_REDIS_URL"},
		{"no folder", func(s *settings) { s.DataDir = "/dev/null" }, exitFailed, "data folder FILINGS_DATA_DIR"},
		{"no certificate", func(s *settings) { s.TLSCertFile, s.TLSKeyFile = "missing.pem", "missing.pem" }, exitFailed, "certificate FILINGS_TLS_CERT_FILE"},
		{"port is taken", func(s *settings) { s.Listen = taken.Addr().String() }, exitFailed, "port FILINGS_LISTEN"},
		{"port is taken", func(s *settings) { s.OperationsListen = taken.Addr().String() }, exitFailed, "port FILINGS_OPERATIONS_LISTEN"},
		{"not here", func(s *settings) { s.Listen = "192.0.2.1:8443" }, exitFailed, "port FILINGS_LISTEN"},
		{"wrong setting", func(s *settings) { s.FreeBurst, s.OperationsToken = 0, "secret" }, exitUsage, "settings FILINGS_FREE_BURST"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			test.set(&f.settings)
			code, found, errs := f.checked(t)
			what := slices.IndexFunc(found, func(f finding) bool {
				part, ok := strings.CutPrefix(test.want, f.What+" ")
				return ok && f.Result == resultFail && strings.Contains(f.Detail, part)
			})
			if code != test.code || what < 0 {
				t.Errorf("exit code %d, %v, want %d and %s", code, found, test.code, test.want)
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

func TestCheck_Folder(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := &checkup{s: f.settings}
	for mode, want := range map[os.FileMode]string{0o700: "ok data folder", 0o750: "warn data folder", 0o755: "warn data folder"} {
		_ = os.Mkdir(f.settings.DataDir, 0o700)
		if err := os.Chmod(f.settings.DataDir, mode); err != nil {
			t.Fatal(err)
		}
		c.found = nil
		if c.folder(); len(c.found) != 1 || results(c.found)[0] != want {
			t.Errorf("%o: %v, want %s", mode, c.found, want)
		}
	}
	if left, err := os.ReadDir(f.settings.DataDir); len(left) > 0 || err != nil {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestCheck_Certificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, other := filepath.Join(dir, "tls.pem"), filepath.Join(dir, "other.pem")
	for _, name := range []string{file, other} {
		if err := makeCertificate(name, testTime, os.Rename); err != nil {
			t.Fatal(err)
		}
	}
	given := settings{DataDir: dir, TLSCertFile: file, TLSKeyFile: file}
	for _, test := range []struct {
		name string
		s    settings
		at   time.Duration
		want string
	}{
		{"good", given, 0, resultOK},
		{"ends soon", given, certificateLife - certificateRenew + time.Hour, resultWarn},
		{"has ended", given, certificateLife + time.Hour, resultFail},
		{"has not begun", given, -24 * time.Hour, resultFail},
		{"another key", settings{DataDir: dir, TLSCertFile: file, TLSKeyFile: other}, 0, resultFail},
		{"self-signed", settings{DataDir: dir}, 0, resultOK},
		{"self-signed, ended", settings{DataDir: dir}, certificateLife + time.Hour, resultWarn},
		{"self-signed, none yet", settings{DataDir: t.TempDir()}, 0, resultOK},
	} {
		c := &checkup{s: test.s, now: func() time.Time { return testTime.Add(test.at) }}
		if c.certificate(); len(c.found) != 1 || c.found[0].Result != test.want {
			t.Errorf("%s: %v, want %s", test.name, c.found, test.want)
		}
	}
}

func TestCheck_Elasticsearch(t *testing.T) {
	t.Parallel()
	disk := func(available int64) []elastic.Disk {
		return []elastic.Disk{{Node: "n", Total: 1000, Available: available}}
	}
	for _, test := range []struct {
		name  string
		facts elastic.Health
		want  []string
	}{
		{"good", elastic.Health{Version: "8.19.7", Status: "green", DataNodes: 2, Disks: disk(160)}, []string{"ok elasticsearch", "ok privileges", "ok disk"}},
		{"one node", elastic.Health{Version: "10.0.0", Status: "yellow", DataNodes: 1}, []string{"ok elasticsearch", "ok privileges", "warn replicas"}},
		{"old", elastic.Health{Version: "7.17.0", Status: "green", DataNodes: 2}, []string{"fail elasticsearch", "ok privileges"}},
		{"not Elasticsearch", elastic.Health{DataNodes: 2}, []string{"fail elasticsearch", "ok privileges"}},
		{"red", elastic.Health{Version: "8.0.0", Status: "red", DataNodes: 2}, []string{"fail elasticsearch", "ok privileges"}},
		{"may not load", elastic.Health{Version: "8.0.0", DataNodes: 2, Lacks: []string{"write on filings"}}, []string{"ok elasticsearch", "fail privileges"}},
		{"disk is filling", elastic.Health{Version: "8.0.0", DataNodes: 2, Disks: disk(150)}, []string{"ok elasticsearch", "ok privileges", "warn disk"}},
		{"disk was full", elastic.Health{Version: "8.0.0", DataNodes: 2, Blocked: []string{"i"}}, []string{"ok elasticsearch", "ok privileges", "fail disk"}},
	} {
		c := &checkup{s: settings{Index: "filings", IndexReplicas: 1}}
		c.elasticsearch(test.facts)
		if diff := cmp.Diff(test.want, results(c.found)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.name, diff)
		}
	}
}

func TestCheck_Redis(t *testing.T) {
	t.Parallel()
	good := access.Facts{Version: "7.0.15", AppendOnly: true, Eviction: "noeviction", Clock: testTime}
	for _, test := range []struct {
		name   string
		change func(*access.Facts)
		want   string // what is not ok
	}{
		{"good", func(*access.Facts) {}, ""},
		{"not persistent", func(f *access.Facts) { f.AppendOnly = false }, "warn persistence"},
		{"evicts", func(f *access.Facts) { f.Eviction = "allkeys-lru" }, "warn eviction"},
		{"replica", func(f *access.Facts) { f.Replica = true }, "fail writing"},
		{"cluster", func(f *access.Facts) { f.Cluster = true }, "fail writing"},
		{"disk fails", func(f *access.Facts) { f.DiskFails = true }, "fail writing"},
		{"nearly full", func(f *access.Facts) { f.MaxMemory, f.UsedMemory = 100, 90 }, "warn writing"},
		{"has room", func(f *access.Facts) { f.MaxMemory, f.UsedMemory = 100, 89 }, ""},
		{"behind", func(f *access.Facts) { f.Clock = testTime.Add(-clockApart - 1) }, "warn clock"},
		{"ahead", func(f *access.Facts) { f.Clock = testTime.Add(clockApart + 1) }, "warn clock"},
		{"a bit ahead", func(f *access.Facts) { f.Clock = testTime.Add(clockApart) }, ""},
	} {
		facts := good
		test.change(&facts)
		c := &checkup{now: func() time.Time { return testTime }}
		c.redis(facts, testTime)
		got := slices.DeleteFunc(results(c.found), func(line string) bool { return strings.HasPrefix(line, "ok ") })
		if strings.Join(got, ", ") != test.want || len(c.found) != 5 {
			t.Errorf("%s: %v, want %s", test.name, c.found, test.want)
		}
	}
}
