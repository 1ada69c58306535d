package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"filings/cmd/testservers/servers"
)

// TestAlerts: each alert rises when it should, with the words it should, and not when nothing is wrong.
func TestAlerts(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "documents")
	if out, err := exec.Command(servers.Program(t, "promtool"), "test", "rules", "operate/alerts_test.yml").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	rules, err := os.ReadFile("operate/alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	tests, err := os.ReadFile("operate/alerts_test.yml")
	if err != nil {
		t.Fatal(err)
	}
	alerts := regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(string(rules), -1)
	for _, alert := range alerts {
		if rises := "alertname: " + alert[1] + "\n        exp_alerts:"; !strings.Contains(string(tests), rises) {
			t.Errorf("no test makes %s rise", alert[1])
		}
		if silent := "alertname: " + alert[1] + "}"; !strings.Contains(string(tests), silent) {
			t.Errorf("no test keeps %s silent", alert[1])
		}
	}
	if len(alerts) == 0 {
		t.Error("no alerts were found")
	}
	pages := map[string][]string{}
	for _, d := range documents(t) {
		pages[d.name] = d.headings
	}
	books := regexp.MustCompile(`runbook_url: (\S+)#(\S+)`).FindAllStringSubmatch(string(rules), -1)
	for _, book := range books {
		if !slices.Contains(pages[book[1]], book[2]) {
			t.Errorf("%s has no section %s", book[1], book[2])
		}
	}
	if len(books) != len(alerts) {
		t.Errorf("%d of %d alerts name a section of the documents", len(books), len(alerts))
	}
}

// TestAlerts_RunbookURL: the documented command makes a link of the runbook of each alert, in the rules and in their tests.
func TestAlerts_RunbookURL(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("operate/README.md")
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile(`(?m)^sed -i .*runbook_url.*$`).FindString(string(readme))
	run := exec.Command(servers.Program(t, "sh"), "-ec", command)
	run.Dir = t.TempDir()
	before := map[string]string{}
	for _, name := range []string{"alerts.yml", "alerts_test.yml"} {
		text, err := os.ReadFile(filepath.Join("operate", name))
		if err != nil {
			t.Fatal(err)
		}
		before[name] = string(text)
		writeFile(t, filepath.Join(run.Dir, name), before[name], 0o644)
	}
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%q: %v\n%s", command, err, out)
	}
	for name, text := range before {
		changed, err := os.ReadFile(filepath.Join(run.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		links := regexp.MustCompile(`runbook_url: https://git\.example\.com/filings/blob/main/docs/operate/\w+\.md#`).FindAll(changed, -1)
		if all := strings.Count(text, "runbook_url: "); all == 0 || len(links) != all {
			t.Errorf("%s: %d of %d runbooks became links", name, len(links), all)
		}
	}
	check := exec.Command(servers.Program(t, "promtool"), "test", "rules", "alerts_test.yml")
	check.Dir = run.Dir
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// watcher is a Prometheus on loopback that watches one service by the rules of operate/alerts.yml.
type watcher struct{ url string }

func startPrometheus(t *testing.T, service string) watcher {
	t.Helper()
	program, dir := servers.Program(t, "prometheus"), t.TempDir()
	rules, err := filepath.Abs("operate/alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(config, fmt.Appendf(nil, `
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [%q]
scrape_configs: [{job_name: filings, static_configs: [{targets: [%q]}]}]
`, rules, service), 0o600); err != nil {
		t.Fatal(err)
	}
	address := freeAddress(t)
	cmd := exec.Command(program, "--config.file="+config, "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+address, "--log.level=error")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return watcher{"http://" + address}
}

// query reads the data of a response of Prometheus.
func (w watcher) query(path string, into any) error {
	res, err := http.Get(w.url + path)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var response struct {
		Status, Error string
		Data          json.RawMessage
	}
	if err := json.NewDecoder(res.Body).Decode(&response); err != nil {
		return err
	}
	if response.Status != "success" {
		return fmt.Errorf("%s: %s", path, response.Error)
	}
	return json.Unmarshal(response.Data, into)
}

// series returns how many series an expression has now.
func (w watcher) series(expression string) (int, error) {
	var data struct{ Result []json.RawMessage }
	err := w.query("/api/v1/query?query="+url.QueryEscape(expression), &data)
	return len(data.Result), err
}

// TestPrometheus has a real Prometheus watch a service: every panel of the dashboard shows something, and every rule can
// be evaluated.
func TestPrometheus(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "documents")
	f := newFixture(t)
	f.settings.ProBurst, f.settings.ProDailyQuota = 1_000_000, 1_000_000
	l, at, c, key := startServing(t, f)
	w := startPrometheus(t, address(l.operations))
	eventually(t, "Prometheus has seen the service's counters rise", func() bool {
		get(t.Context(), t, c, at.api+"/v1/filings", key)
		n, err := w.series(`rate(filings_http_requests_total{status="200"}[10s]) > 0`)
		return err == nil && n > 0
	})
	fill := strings.NewReplacer("$job", "filings", "$__rate_interval", "10s")
	for _, expression := range dashboardExpressions(t) {
		switch n, err := w.series(fill.Replace(expression)); {
		case err != nil:
			t.Error(err)
		case n == 0 && !strings.Contains(expression, "filings_keys_"): // which the embedded key store lacks
			t.Errorf("no series: %s", expression)
		}
	}
	var rules struct {
		Groups []struct {
			Rules []struct{ Name, Health, LastError string }
		}
	}
	eventually(t, "the rules were evaluated", func() bool {
		if err := w.query("/api/v1/rules", &rules); err != nil {
			t.Fatal(err)
		}
		for _, r := range rules.Groups[0].Rules {
			if r.Health == "unknown" {
				return false
			}
		}
		return true
	})
	for _, r := range rules.Groups[0].Rules {
		if r.Health != "ok" {
			t.Errorf("%s: %s: %s", r.Name, r.Health, r.LastError)
		}
	}
}
