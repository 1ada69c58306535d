package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"filings/cmd/testservers/servers"
)

// TestUnits: systemd reads the units, the service and the load have few rights, and the service has the time to stop that it takes.
func TestUnits(t *testing.T) {
	t.Parallel()
	analyze, dir := servers.Program(t, "systemd-analyze"), t.TempDir()
	units, err := filepath.Glob("operate/*.*e*")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"verify"}
	for _, unit := range units {
		if !slices.Contains([]string{".service", ".timer"}, filepath.Ext(unit)) {
			continue
		}
		text, err := os.ReadFile(unit)
		if err != nil {
			t.Fatal(err)
		}
		// It looks whether the programs are there.
		text = regexp.MustCompile(`(?m)^ExecStart=(/etc/filings/|filings\b)\S*`).ReplaceAll(text, []byte("ExecStart=/bin/sh"))
		at := filepath.Join(dir, filepath.Base(unit))
		if err := os.WriteFile(at, text, 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, at)
	}
	verify := exec.Command(analyze, args...)
	verify.Env = append(os.Environ(), "SYSTEMD_UNIT_PATH="+dir+":")
	if out, err := verify.CombinedOutput(); err != nil || len(args) != 5 || len(out) > 0 {
		t.Errorf("%v: error %v\n%s", args, err, out)
	}
	out, err := exec.Command(analyze, "security", "--offline=true", "--threshold=20", "--no-pager", filepath.Join(dir, "filings-load.service"), filepath.Join(dir, "filings.service")).CombinedOutput()
	if err != nil {
		t.Errorf("error %v\n%s", err, out)
	}
	load, err := os.ReadFile("operate/filings-load.service")
	if err != nil || !strings.Contains(string(load), "\nUnsetEnvironment=FILINGS_REDIS_URL FILINGS_TOKEN_SECRETS FILINGS_OPERATIONS_TOKEN ") {
		t.Errorf("error %v: the load has the secrets of the API", err)
	}
	service, err := os.ReadFile("operate/filings.service")
	if !strings.Contains(string(service), "\nMemoryMax=75%\n") {
		t.Error("the unit of the service has no MemoryMax")
	}
	_, after, _ := strings.Cut(string(service), "\nTimeoutStopSec=")
	line, _, _ := strings.Cut(after, "\n")
	seconds, _ := strconv.Atoi(line)
	if takes := 5*time.Second + drainTime; err != nil || time.Duration(seconds)*time.Second <= takes { // with the default FILINGS_REQUEST_TIMEOUT
		t.Errorf("error %v: stopping takes %v, the unit has %q", err, takes, line)
	}
}

// X47: what docs/operate/nightly.md says is so, from the portal to the alert: its commands run, and what /metrics shows after a load that
// failed makes the alert fire, which is silent after the one before.
func TestX47_FromPortalToAlert(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "documents")
	promtool := servers.Program(t, "promtool")
	servers.Program(t, "bash")
	all := documents(t)
	at := slices.IndexFunc(all, func(d document) bool { return d.name == "docs/operate/nightly.md" })
	p := servedPlace(t, makeTools(t))
	p.run(t, all[at])
	operations := p.placeholders[slices.Index(p.placeholders, "127.0.0.1:9090")+1]
	rules, err := filepath.Abs("operate/alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, fails := range []bool{false, true} {
		fires := ""
		if fails {
			if out, err := p.command("reindex", "none.ndjson").CombinedOutput(); err == nil {
				t.Fatalf("a load of nothing did not fail\n%s", out)
			}
			fires = "        exp_alerts: [{exp_labels: {severity: ticket}, exp_annotations: {summary: The last load promoted nothing. `filings generations` says how far it came., runbook_url: docs/operate/runbook.md#a-load-failed}}]\n"
		}
		test := "rule_files: [" + rules + "]\ntests:\n  - interval: 1m\n    input_series:\n"
		shown := regexp.MustCompile(`(?m)^(filings_last_load_\w+) (\S+)$`).FindAllStringSubmatch(site{operations: "http://" + operations}.metrics(t), -1)
		for _, series := range shown {
			test += fmt.Sprintf("      - {series: '%s{job=\"filings\",instance=\"a\"}', values: '%s %[2]s'}\n", series[1], series[2])
		}
		test += "    alert_rule_test:\n      - eval_time: 1m\n        alertname: FilingsLoadFailed\n" + fires
		file := filepath.Join(t.TempDir(), "test.yml")
		writeFile(t, file, test, 0o644)
		if out, err := exec.Command(promtool, "test", "rules", file).CombinedOutput(); err != nil || len(shown) < 8 {
			t.Errorf("after a load that failed (%v): error %v\n%s\n%s", fails, err, out, strings.TrimSpace(test))
		}
	}
}
