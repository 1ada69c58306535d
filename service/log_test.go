package service_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index/serving"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
)

// documentedFields returns the fields of a record by the table of that name in the operator's documentation: name and
// type, of those that are there on one of the occasions.
func documentedFields(t *testing.T, table string, occasions ...string) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../cmd/filings/operate/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "<!-- log "+table+" -->")
	rows, _, _ := strings.Cut(rest, "<!-- end -->")
	if !ok {
		t.Fatalf("there is no table of %s", table)
	}
	fields := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (\\w+) \\| ([^|]+) \\|").FindAllStringSubmatch(rows, -1) {
		for _, occasion := range append(occasions, "always") {
			if row[3] == occasion {
				fields[row[1]] = row[2]
			}
		}
	}
	return fields
}

// lastRecord returns the fields of the last record in a log: name and JSON type.
func lastRecord(t *testing.T, log *servicetest.Log) map[string]string {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	var record map[string]any
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &record); err != nil {
		t.Fatal(err)
	}
	fields := map[string]string{}
	for name, value := range record {
		fields[name] = "another"
		switch value.(type) {
		case string:
			fields[name] = "string"
		case float64:
			fields[name] = "number"
		}
	}
	return fields
}

// TestLog_Format holds records to exactly the fields that are documented: programs of operators read them.
func TestLog_Format(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	dead := newOffice(t, func(c *service.Config) { c.Engine, _ = serving.New(deadEngine{}, serving.Config{}) })
	check := func(what string, log *servicetest.Log, table string, occasions ...string) {
		t.Helper()
		if diff := cmp.Diff(documentedFields(t, table, occasions...), lastRecord(t, log)); diff != "" {
			t.Errorf("%s: fields (-documented +logged)\n%s", what, diff)
		}
	}
	o.get(t, access.Pro, "/v1/filings")
	check("200", o.Log, "request", "known caller")
	o.get(t, access.Pro, "/v1/filings?limit=0")
	check("400", o.Log, "request", "known caller", "refused")
	o.get(t, "", "/v1/filings")
	check("401", o.Log, "request", "refused")
	dead.get(t, access.Pro, "/v1/filings")
	check("500", dead.Log, "request", "known caller", "refused", "5xx")

	o.request(t, "GET", "/accounts", "")
	check("accounts", o.Log, "account")
	o.request(t, "GET", "/accounts", "", "Authorization", "Bearer")
	check("accounts, 401", o.Log, "account", "refused")
	_ = o.Store.Close()
	o.request(t, "GET", "/accounts", "")
	check("accounts, 503", o.Log, "account", "refused", "5xx")
}
