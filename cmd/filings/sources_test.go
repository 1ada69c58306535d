package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"filings/cmd/testservers/servers"
	"filings/reindexer"
	"filings/reindexer/s3"
)

// lien is a row of a portal.
func lien(n int) map[string]any {
	return map[string]any{"n": n, "Owner": fmt.Sprintf("OWNER %d", n), "Due": "$1,250.50", "Filed": "1/31/2026"}
}

// writeMap writes a mapping of rows of liens to the records of a county.
func writeMap(t *testing.T, dir, name, county string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	text := fmt.Sprintf(`{id: id("%[1]s"; .n), county: "%[1]s", owner: .Owner, filingAmount: (.Due | money), filingDate: (.Filed | date("MM/DD/YYYY"))}`, county)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestX45_Nightly loads from S3, Socrata and ArcGIS, as a night does; the next night finds nothing new, until something is.
func TestX45_Nightly(t *testing.T) {
	t.Parallel()
	address, id, secret := servers.S3(t)
	client := s3.New(s3.Config{Endpoint: address, AccessKeyID: id, SecretAccessKey: secret}, nil)
	if err := client.Put(t.Context(), s3.Object{Bucket: "counties", Key: "kings.ndjson"}, strings.NewReader(`{"id":1,"county":"Kings, NY"}`+"\n")); err != nil {
		t.Fatal(err)
	}
	portals := []*servers.Portal{{Token: "t0ken"}, {Token: "t0ken"}}
	var hosts []string
	for _, p := range portals {
		p.Put(lien(1), lien(2))
		server := httptest.NewServer(p)
		t.Cleanup(server.Close)
		hosts = append(hosts, strings.TrimPrefix(server.URL, "http://"))
	}
	dir := t.TempDir()
	environment := []string{"FILINGS_DATA_DIR=" + filepath.Join(dir, "data"), "FILINGS_S3_ENDPOINT=" + address, "AWS_ACCESS_KEY_ID=" + id, "AWS_SECRET_ACCESS_KEY=" + secret,
		"FILINGS_SOCRATA_TOKENS=127.0.0.1=t0ken", "FILINGS_ARCGIS_TOKENS=127.0.0.1=t0ken"}
	load := func() (report reindexer.Report) {
		t.Helper()
		out := runProgram(t, environment, "reindex", "--if-changed", "s3://counties/kings.ndjson",
			"--map", writeMap(t, dir, "orange.jq", "Orange, FL"), "socrata://"+hosts[0]+"/abcd-1234?$where=n > 0",
			"--map", writeMap(t, dir, "lake.jq", "Lake, FL"), "arcgis+http://"+hosts[1]+"/rest/FeatureServer/0")
		if err := json.Unmarshal([]byte(out), &report); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return report
	}
	if report := load(); report.Indexed != 5 || !report.Promoted || report.Unchanged {
		t.Errorf("the first night: %+v", report)
	}
	began := time.Now()
	if report := load(); !report.Unchanged || report.Promoted {
		t.Errorf("the second night: %+v", report)
	}
	t.Logf("nothing new was found in %v", time.Since(began))
	portals[1].Put(lien(3))
	if report := load(); report.Indexed != 6 || !report.Promoted {
		t.Errorf("the third night: %+v", report)
	}
}

// TestPlan loads counties by a plan, of which one fails on the second night, and tries them without loading.
func TestPlan(t *testing.T) {
	t.Parallel()
	p := &servers.Portal{}
	p.Put(lien(1), lien(2))
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	dir := t.TempDir()
	writeMap(t, dir, "orange.jq", "Orange, FL")
	file, polk := filepath.Join(dir, "counties.yaml"), filepath.Join(dir, "polk.csv")
	for path, text := range map[string]string{polk: "id,county\n1,\"Polk, FL\"\n", file: `
counties:
  - county: Orange, FL
    sources: ["socrata://u:` + secret + `@` + strings.TrimPrefix(server.URL, "http://") + `/abcd-1234"]
    map: orange.jq
  - county: Polk, FL
    sources: [polk.csv]
`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	environment := []string{"FILINGS_DATA_DIR=" + filepath.Join(dir, "data")}
	command := func(code int, args ...string) (report reindexer.Report, out string) {
		t.Helper()
		cmd := programCommand(environment, append(args, "--plan", file)...)
		text, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if got := 0; errors.As(err, &exit) {
			got = exit.ExitCode()
			if got != code {
				t.Errorf("filings %v: exit code %d, want %d:\n%s", args, got, code, text)
			}
		} else if code != 0 {
			t.Errorf("filings %v: exit code 0, want %d:\n%s", args, code, text)
		}
		if strings.Contains(string(text), secret) {
			t.Errorf("filings %v shows a secret:\n%s", args, text)
		}
		if i := strings.Index(string(text), `{"generation"`); i >= 0 {
			line, _, _ := strings.Cut(string(text)[i:], "\n")
			if err := json.Unmarshal([]byte(line), &report); err != nil {
				t.Error(err)
			}
		}
		return report, string(text)
	}
	if _, out := command(0, "check"); !strings.Contains(out, "Orange, FL") || !strings.Contains(out, "2 rows of 1 sources make 2 records") {
		t.Errorf("check: %s", out)
	}
	if report, _ := command(0, "reindex"); report.Indexed != 3 {
		t.Errorf("%+v", report)
	}
	if report, _ := command(0, "reindex", "--if-changed"); !report.Unchanged {
		t.Errorf("%+v", report)
	}
	p.Put(lien(3))
	if err := os.WriteFile(polk, []byte("id,county\nx,\"Polk, FL\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, out := command(1, "check"); !strings.Contains(out, "fail  Polk, FL") {
		t.Errorf("check: %s", out)
	}
	if report, _ := command(1, "reindex"); report.Promoted || report.Failed["Polk, FL"] == "" {
		t.Errorf("%+v", report)
	}
	if report, _ := command(1, "reindex", "--keep-going"); !report.Promoted || report.Filings != 4 || !strings.Contains(report.Failed["Polk, FL"], "too many rejected") {
		t.Errorf("%+v", report)
	}
	if report, _ := command(0, "reindex", "--only", "Orange, FL"); !report.Promoted || report.Filings != 4 || report.Failed != nil {
		t.Errorf("%+v", report)
	}
	command(2, "reindex", "--only", "Lake, FL")
	command(2, "reindex", "--update")
	command(2, "reindex", polk)
}

// TestX45_Killed kills a load in the middle of a dataset: what is live stays, and the next load brings everything.
func TestX45_Killed(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "kills")
	p := &servers.Portal{}
	p.Put(lien(1), lien(2))
	var hangs atomic.Bool
	met := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hangs.Load() && strings.Contains(r.URL.Query().Get("$where"), ":id >") {
			met <- struct{}{}
			<-r.Context().Done()
			return
		}
		p.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	environment := []string{"FILINGS_DATA_DIR=" + filepath.Join(dir, "data")}
	args := []string{"reindex", "--map", writeMap(t, dir, "orange.jq", "Orange, FL"), "socrata://" + strings.TrimPrefix(server.URL, "http://") + "/abcd-1234"}
	runProgram(t, environment, args...)
	before := runProgram(t, environment, "generations")
	hangs.Store(true)
	p.Put(lien(3))
	cmd := programCommand(environment, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-met
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if after := runProgram(t, environment, "generations"); after != before {
		t.Errorf("after the kill:\n%s\nbefore:\n%s", after, before)
	}
	hangs.Store(false)
	if out := runProgram(t, environment, args...); !strings.Contains(out, `"filings":3`) {
		t.Errorf("the next load: %s", out)
	}
}
