package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// metric is one metric of /metrics.
type metric struct {
	name, kind, help string
	labels           map[string]bool
}

// scrape returns the metrics of a service that has a generation and has served a request, by the names of their series:
// a histogram has three. Before, some of them have no series.
func scrape(t *testing.T) map[string]metric {
	t.Helper()
	_, at, c, key := startServing(t, newFixture(t))
	get(t.Context(), t, c, at.api+"/v1/filings", key)
	text := at.metrics(t)

	all := map[string]metric{}
	heads := regexp.MustCompile(`(?m)^# HELP (\S+) (.*)\n# TYPE \S+ (\w+)$`).FindAllStringSubmatch(text, -1)
	for _, head := range heads {
		m := metric{head[1], head[3], head[2], map[string]bool{"job": true, "instance": true}}
		series := []string{m.name}
		if m.kind == "histogram" {
			series = []string{m.name + "_bucket", m.name + "_sum", m.name + "_count"}
		}
		for _, name := range series {
			for _, sample := range regexp.MustCompile(`(?m)^`+name+`\{(.*)\} `).FindAllStringSubmatch(text, -1) {
				for _, label := range labelNames(sample[1]) {
					m.labels[label] = true
				}
			}
			all[name] = m
		}
	}
	return all
}

// labelNames returns the names in `a="x",b=~"y"`.
func labelNames(matchers string) []string {
	var names []string
	for _, m := range regexp.MustCompile(`(\w+)(?:=~|!~|!=|=)"`).FindAllStringSubmatch(matchers, -1) {
		names = append(names, m[1])
	}
	return names
}

// The table of metrics, the dashboard and the alerts speak of what /metrics shows, with labels that it has.
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
				if !shown[m[1]].labels[label] {
					t.Errorf("%s has no label %s: %.200s", m[1], label, expression)
				}
			}
			maps.Copy(labels, shown[m[1]].labels)
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
