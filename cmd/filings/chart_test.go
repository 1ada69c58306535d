package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"filings/cmd/filings/settings"
)

// inSecrets are the settings that the chart takes from a Secret alone.
var inSecrets = []string{
	"FILINGS_ELASTICSEARCH_PASSWORD", "FILINGS_ELASTICSEARCH_API_KEY", "FILINGS_OPERATIONS_TOKEN", "FILINGS_TOKEN_SECRETS",
	"FILINGS_SOCRATA_TOKENS", "FILINGS_ARCGIS_TOKENS",
}

// TestChart: what the chart says of the program is so. Its manifests are tested by `make chart`, whose libraries are none of the program's.
func TestChart(t *testing.T) {
	t.Parallel()
	const folder = "deploy/helm/filings"
	templates, err := filepath.Glob(folder + "/templates/*")
	if err != nil || len(templates) < 8 {
		t.Fatalf("error %v, templates %q", err, templates)
	}
	var text string
	read := func(file string) string {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, file := range templates {
		text += read(file)
	}
	values, schema := read(folder+"/values.yaml"), read(folder+"/values.schema.json")

	var s struct {
		Properties struct {
			Settings struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal([]byte(schema), &s); err != nil {
		t.Fatal(err)
	}
	rows := settings.Rows()
	byChart := regexp.MustCompile(`(?m)(FILINGS_[A-Z0-9_]+)(?:, value: "?|: )`).FindAllStringSubmatch(text, -1)
	listeners := map[string]string{}
	for _, row := range rows {
		_, inValues := s.Properties.Settings.Properties[row.Variable]
		places := 0
		for _, is := range []bool{inValues, slices.Contains(inSecrets, row.Variable), slices.ContainsFunc(byChart, func(m []string) bool { return m[1] == row.Variable })} {
			if is {
				places++
			}
		}
		if places != 1 {
			t.Errorf("%s is in %d of these: the chart's settings (values.schema.json), its templates, inSecrets", row.Variable, places)
		}
		listeners[row.Variable] = row.Default
	}
	for _, name := range regexp.MustCompile(`FILINGS_[A-Z0-9_]*[A-Z]`).FindAllString(text+values+schema, -1) {
		if !slices.ContainsFunc(rows, func(r settings.Row) bool { return r.Variable == name }) {
			t.Errorf("the chart names %s, which is no setting", name)
		}
	}

	for port, setting := range map[string]string{"https": "FILINGS_LISTEN", "http": "FILINGS_REDIRECT_LISTEN", "operations": "FILINGS_OPERATIONS_LISTEN"} {
		_, number, _ := strings.Cut(listeners[setting], ":")
		for _, want := range []string{"{name: " + port + ", containerPort: " + number + "}", "{name: " + setting + `, value: ":` + number + `"}`} {
			if !strings.Contains(text, want) {
				t.Errorf("the chart does not say %s, as the default of %s does", want, setting)
			}
		}
	}
	served := rows[slices.IndexFunc(rows, func(r settings.Row) bool { return r.Variable == "FILINGS_OPERATIONS_LISTEN" })].Meaning
	paths := regexp.MustCompile(`path: (/[a-z]+),`).FindAllStringSubmatch(text, -1)
	for _, path := range paths {
		if !strings.Contains(served, path[1]) {
			t.Errorf("the operations listener does not serve %s: %s", path[1], served)
		}
	}
	drain := regexp.MustCompile(`terminationGracePeriodSeconds: \{\{ add .Values.preStopSeconds .Values.requestTimeoutSeconds (\d)`).FindStringSubmatch(text)
	if len(paths) != 3 || drain == nil || drain[1]+"s" != drainTime.Round(time.Second).String() {
		t.Errorf("%d paths of the operations listener; and besides the time limit, stopping takes %v, the chart says %q", len(paths), drainTime, drain)
	}
	for in, want := range map[string]string{
		values:                       "\nrequestTimeoutSeconds: " + strings.TrimSuffix(listeners["FILINGS_REQUEST_TIMEOUT"], "s") + "\n",
		read(folder + "/Chart.yaml"): "\nappVersion: \"" + version + "\"",
		read(root + "/Dockerfile"):   "\nUSER " + regexp.MustCompile(`runAsUser: (\d+)`).FindStringSubmatch(text)[1] + ":",
		text:                         "\nenableServiceLinks: false\n",
	} {
		if !strings.Contains(in, want) {
			t.Errorf("nothing says %q in\n%.2000s", want, in)
		}
	}
}
