package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metric is the metric that a series of /metrics belongs to, with the labels of that series and the values that they have.
type metric struct {
	name, kind, help string
	labels           map[string]map[string]bool
}

// scrape returns the metrics of a service that has a generation and has served a request, by the names of their series:
// a histogram has three. Before, some of them have no series. Prometheus adds the labels job and instance.
func scrape(t *testing.T) map[string]metric {
	t.Helper()
	f := newFixture(t)
	f.must(t, f.must(t, "", "generate", "--count", "5"), "reindex", "--format", "ndjson", "-") // there is a load before the last one
	_, at, c, key := startServing(t, f)
	get(t.Context(), t, c, at.api+"/v1/filings", key)
	text := at.metrics(t) + redisMetrics(t)

	all := map[string]metric{}
	heads := regexp.MustCompile(`(?m)^# HELP (\S+) (.*)\n# TYPE \S+ (\w+)$`).FindAllStringSubmatch(text, -1)
	for _, head := range heads {
		series := []string{head[1]}
		if head[3] == "histogram" {
			series = []string{head[1] + "_bucket", head[1] + "_sum", head[1] + "_count"}
		}
		for _, name := range series {
			m := metric{head[1], head[3], head[2], map[string]map[string]bool{"job": {}, "instance": {}}}
			for _, sample := range regexp.MustCompile(`(?m)^`+name+`\{(.*)\} `).FindAllStringSubmatch(text, -1) {
				for label, value := range labelsOf(sample[1]) {
					if m.labels[label] == nil {
						m.labels[label] = map[string]bool{}
					}
					m.labels[label][value] = true
				}
			}
			all[name] = m
		}
	}
	all["up"] = metric{"up", "gauge", "", map[string]map[string]bool{"job": {}, "instance": {}}} // Prometheus's own
	return all
}

// redisMetrics returns what the key store adds where it is a Redis, which is not called for that.
func redisMetrics(t *testing.T) string {
	t.Helper()
	s := newFixture(t).settings
	s.RedisURL = "redis://127.0.0.1:1"
	registry := prometheus.NewRegistry()
	keys, err := openKeys(s, registry, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keys.Close() })
	w := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w.Body.String()
}

// labelsOf returns names and values in `a="x",b="y"`.
func labelsOf(text string) map[string]string {
	labels := map[string]string{}
	for _, m := range regexp.MustCompile(`(\w+)="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		labels[m[1]] = m[2]
	}
	return labels
}

// labelNames returns the names in `a="x",b=~"y"`.
func labelNames(matchers string) []string {
	var names []string
	for _, m := range regexp.MustCompile(`(\w+)(?:=~|!~|!=|=)"`).FindAllStringSubmatch(matchers, -1) {
		names = append(names, m[1])
	}
	return names
}

// The table of metrics, the dashboard and the alerts use metrics that /metrics shows, with labels that it has.
func TestREADMEMetrics(t *testing.T) {
	shown := scrape(t)
	checkTables(t, "operate/README.md", map[string]string{"metrics": metricsTable(shown)})

	rules, err := os.ReadFile("operate/alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	expressions := append(dashboardExpressions(t), strings.Split(string(rules), "- alert:")...)
	selector := regexp.MustCompile(`\b((?:filings|go|process)_\w+)\b(?:\{([^}]*)\})?`)
	grouped := regexp.MustCompile(`\b(?:by|on) \(([\w, ]+)\)`)
	found := 0
	for _, expression := range expressions {
		labels := map[string]bool{"le": true}
		for _, m := range selector.FindAllStringSubmatch(expression, -1) {
			found++
			if _, ok := shown[m[1]]; !ok {
				t.Errorf("/metrics has no %s: %.200s", m[1], expression)
			}
			for _, label := range labelNames(m[2]) {
				if shown[m[1]].labels[label] == nil {
					t.Errorf("%s has no label %s: %.200s", m[1], label, expression)
				}
			}
			for label := range shown[m[1]].labels {
				labels[label] = true
			}
		}
		for _, m := range grouped.FindAllStringSubmatch(expression, -1) {
			for label := range strings.SplitSeq(m[1], ", ") {
				if !labels[label] {
					t.Errorf("no metric has the label %s: %.200s", label, expression)
				}
			}
		}
	}
	if found < 40 {
		t.Errorf("only %d names of metrics were found: this test does not see them", found)
	}
}

// TestAlertSeries: alerts_test.yml feeds the alerts what the service exposes. Each series has the name and exactly the
// labels of one of a scrape; a label's value is in the scrape or in the metric's help, unless it depends on time and
// machine; and counters never fall.
func TestAlertSeries(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("operate/alerts_test.yml")
	if err != nil {
		t.Fatal(err)
	}
	shown := scrape(t)
	free := []string{"job", "instance", "generation", "status", "version", "revision", "goversion", "mapping", "county"}
	all := regexp.MustCompile(`\{series: '(\w+)\{([^}]*)\}', values: ([^}]+)\}`).FindAllStringSubmatch(string(text), -1)
	if n := strings.Count(string(text), "series: '"); n != len(all) || n < 30 {
		t.Errorf("%d of %d series were read", len(all), n)
	}
	for _, series := range all {
		m, labels := shown[series[1]], labelsOf(series[2])
		if diff := cmp.Diff(slices.Sorted(maps.Keys(m.labels)), slices.Sorted(maps.Keys(labels))); diff != "" {
			t.Errorf("%s has other labels (-scraped +fed)\n%s", series[0], diff)
		}
		for label, value := range labels {
			if !slices.Contains(free, label) && !m.labels[label][value] && !regexp.MustCompile(`\b`+regexp.QuoteMeta(value)+`\b`).MatchString(m.help) {
				t.Errorf("%s: %s is never %q", series[0], label, value)
			}
		}
		if m.kind != "gauge" && strings.Contains(series[3], "-") {
			t.Errorf("%s falls, and is a %s", series[0], m.kind)
		}
	}
}

// metricsTable is the operator's table of the program's own metrics.
func metricsTable(shown map[string]metric) string {
	rows := map[string]string{}
	for _, m := range shown {
		labels := slices.Sorted(maps.Keys(m.labels))
		labels = slices.DeleteFunc(labels, func(l string) bool { return slices.Contains([]string{"job", "instance", "le"}, l) })
		for i := range labels {
			labels[i] = "`" + labels[i] + "`"
		}
		if strings.HasPrefix(m.name, "filings_") {
			rows[m.name] = fmt.Sprintf("| `%s` | %s | %s | %s |\n", m.name, m.kind, strings.Join(labels, ", "), m.help)
		}
	}
	table := "| metric | type | labels | meaning |\n|---|---|---|---|\n"
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		table += rows[name]
	}
	return table
}

// dashboardExpressions returns the queries of the dashboard.
func dashboardExpressions(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("operate/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			all = append(all, target.Expr)
		}
	}
	return all
}
