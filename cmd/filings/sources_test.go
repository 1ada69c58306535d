package main

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
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
		"FILINGS_SOCRATA_TOKEN=t0ken", "FILINGS_ARCGIS_TOKENS=127.0.0.1=t0ken"}
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
