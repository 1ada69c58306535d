package apitest

import (
	"encoding/json"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"filings/index/serving"
	"filings/index/trace"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
)

// documentedFields returns the fields of a record by the table of that name in the operator's documentation: name and
// type, of those that are there on one of the occasions.
func documentedFields(t *testing.T, table string, occasions ...string) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../cmd/filings/operate/README.md")
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
			if slices.Contains(strings.Split(row[3], ", "), occasion) {
				fields[row[1]] = row[2]
			}
		}
	}
	return fields
}

// last returns the last record in a log.
func last(t *testing.T, log *servicetest.Log) (record map[string]any) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &record); err != nil {
		t.Fatal(err)
	}
	return record
}

// lastRecord returns the fields of the last record in a log: name and JSON type.
func lastRecord(t *testing.T, log *servicetest.Log) map[string]string {
	t.Helper()
	fields := map[string]string{}
	for name, value := range last(t, log) {
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
	traced := newOffice(t, func(c *service.Config) { c.Tracer = trace.New(sdk.NewTracerProvider()) })
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
	traced.get(t, access.Pro, "/v1/filings")
	check("traces", traced.Log, "request", "known caller", "traces")
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

// TestLog_Client: the log names the address that a request comes from, which no client can invent. app.Test's peer is
// 0.0.0.0.
func TestLog_Client(t *testing.T) {
	t.Parallel()
	behind := func(networks ...string) *site {
		return newSite(t, oracle(nil), func(c *service.Config) {
			for _, network := range networks {
				c.TrustedProxies = append(c.TrustedProxies, netip.MustParsePrefix(network))
			}
		})
	}
	alone, proxied, chained := behind(), behind("0.0.0.0/32"), behind("0.0.0.0/32", "10.0.0.0/8", "fd00::/8")
	for _, tt := range []struct {
		name      string
		site      *site
		forwarded []string // each a header of its own
		want      string
	}{
		{"no proxy", alone, nil, "0.0.0.0"},
		{"no proxy, forged", alone, []string{"203.0.113.7"}, "0.0.0.0"},
		{"a proxy that says nothing", proxied, nil, "0.0.0.0"},
		{"a proxy", proxied, []string{"203.0.113.7"}, "203.0.113.7"},
		{"forged before the proxy's", proxied, []string{"198.51.100.1, 203.0.113.7"}, "203.0.113.7"},
		{"forged in a header of its own", proxied, []string{"198.51.100.1", "203.0.113.7"}, "203.0.113.7"},
		{"a forged trusted address", chained, []string{"10.9.9.9, 203.0.113.7"}, "203.0.113.7"},
		{"two proxies", chained, []string{"198.51.100.1,203.0.113.7 , 10.1.2.3"}, "203.0.113.7"},
		{"two proxies, two headers", chained, []string{"203.0.113.7", "10.1.2.3"}, "203.0.113.7"},
		{"the second is not trusted", proxied, []string{"203.0.113.7, 10.1.2.3"}, "10.1.2.3"},
		{"a client among the proxies", chained, []string{"10.1.2.3, 10.4.5.6"}, "10.1.2.3"},
		{"IPv6", chained, []string{"2001:db8::7, fd00::1"}, "2001:db8::7"},
		{"IPv4 in IPv6", chained, []string{"203.0.113.7, ::ffff:10.1.2.3"}, "203.0.113.7"},
		{"no address", chained, []string{"203.0.113.7, unknown, 10.1.2.3"}, "10.1.2.3"},
		{"a line of the log", proxied, []string{`","user":"admin`}, "0.0.0.0"},
		{"empty", proxied, []string{""}, "0.0.0.0"},
		{"empty before a comma", proxied, []string{", 203.0.113.7,"}, "0.0.0.0"},
	} {
		t.Run(tt.name, func(t *testing.T) { // one after another: it is the last record that counts
			var headers []string
			for _, f := range tt.forwarded {
				headers = append(headers, "X-Forwarded-For", f)
			}
			tt.site.get(t, access.Pro, "/v1/me", headers...)
			if got := last(t, tt.site.Log)["client"]; got != tt.want {
				t.Errorf("client %v, want %s", got, tt.want)
			}
		})
	}
}
