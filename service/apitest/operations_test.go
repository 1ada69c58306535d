package apitest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"filings/index"
	"filings/index/generation"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
)

// deadEngine is an engine that is not there.
type deadEngine struct{ index.Engine }

func (deadEngine) Live(context.Context) (index.Reader, error) {
	return nil, fmt.Errorf("dial: %w", index.ErrUnavailable)
}

func TestT4_Health(t *testing.T) {
	t.Parallel()
	whole := func(*service.Config) {}
	for _, tt := range []struct {
		name   string
		engine index.Engine
		change func(*service.Config)
		want   string
	}{
		{"ready", oracle(nil), whole, "ok\n"},
		{"ready before the first load", servicetest.Still{Reader: index.Empty{}}, whole, "ok\n"},
		{"no index", deadEngine{}, whole, "index\n"},
		{"no keys", oracle(nil), func(c *service.Config) { _ = c.Access.Close() }, "keys\n"},
		{"stopping", oracle(nil), func(c *service.Config) { c.Ready = func(context.Context) error { return errors.New("stopping") } }, "process\n"},
	} {
		t.Run("T4 "+tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, tt.engine, tt.change)
			status := http.StatusServiceUnavailable
			if tt.want == "ok\n" {
				status = http.StatusOK
			}
			if a := send(t, s.Service.Operations(), http.MethodGet, "/readyz"); a.status != status || a.body != tt.want {
				t.Errorf("/readyz: %d %q, want %q", a.status, a.body, tt.want)
			}
			if a := send(t, s.Service.Operations(), http.MethodGet, "/livez"); a.status != http.StatusOK {
				t.Errorf("/livez: %d", a.status)
			}
		})
	}
}

// loadsOf is a store with these loads.
type loadsOf []generation.Run

func (l loadsOf) Loads(context.Context) ([]generation.Run, error) { return l, nil }
func (l loadsOf) Fresh(context.Context) (map[string]index.Freshness, error) {
	return map[string]index.Freshness{"Orange, FL": {Loaded: 7, Checked: 1_000_000}}, nil
}
func (l loadsOf) Generations(context.Context) ([]generation.Info, error) { return nil, nil }

func TestT4_Metrics(t *testing.T) {
	t.Parallel()
	var s *site
	withLoad := func(c *service.Config) {
		began := time.Unix(1_000_000, 0)
		c.Store = loadsOf{
			{Started: began, Renewed: began.Add(2 * time.Hour), Outcome: generation.OutcomePromoted, Withholds: true},
			{Started: began, Renewed: began.Add(90 * time.Second), Outcome: generation.OutcomeFailed, Read: 12, Indexed: 11, Rejected: 1, Bytes: 5, TotalBytes: 6, Source: "a.csv", Error: "no",
				Failed: map[string]string{"Lake, FL": "its column is gone", "Orange, FL": "it was brought by a later load"}},
			{Started: began, Renewed: began.Add(30 * time.Second), Outcome: generation.OutcomeUnchanged},
			{Started: began, Renewed: began.Add(20 * time.Second), Outcome: generation.OutcomePromoted, Rejected: 7},
			{Started: began, Renewed: began.Add(10 * time.Second), Outcome: generation.OutcomePromoted, Rejected: 8},
		}
	}
	l := servicetest.Limits()
	l[access.Starter] = access.Limit{Quota: 0, Burst: 1}
	s = newSiteWith(t, caching{oracle(fixture(t))}, l, withLoad)
	s.get(t, access.Pro, "/v1/filings")
	s.get(t, access.Pro, "/v1/filings")
	s.get(t, access.Free, "/v1/liens/1")
	s.get(t, access.Free, "/v1/zebra/am/i")
	s.get(t, access.Starter, "/v1/me")
	s.get(t, "", "/v1/me")
	a := send(t, s.Service.Operations(), http.MethodGet, "/metrics")
	for _, line := range []string{
		`filings_http_requests_total{route="/v1/filings",status="200",tier="pro"} 2`,
		`filings_http_requests_total{route="/v1/liens/:id",status="200",tier="free"} 1`,
		`filings_http_requests_total{route="none",status="404",tier="free"} 1`,
		`filings_http_requests_total{route="none",status="429",tier="starter"} 1`,
		`filings_http_requests_total{route="none",status="401",tier="none"} 1`,
		`filings_http_request_duration_seconds_count{route="/v1/filings"} 2`,
		`filings_http_requests_in_flight 0`,
		`filings_admissions_total{verdict="admitted"} 4`,
		`filings_admissions_total{verdict="daily"} 1`,
		`filings_admission_duration_seconds_count{outcome="ok"} 5`,
		`filings_engine_call_duration_seconds_count{call="rows",outcome="ok"} 1`,
		`filings_cache_hits_total 3`, // the filing is on the page, which is kept
		`filings_cache_misses_total 1`,
		`filings_live_generation_info{generation="filings-20260315-000000.000000-v1"} 1`,
		`filings_live_generation_created_timestamp_seconds 1.7735328e+09`,
		`filings_last_load_started_timestamp_seconds 1e+06`,
		`filings_last_load_duration_seconds 90`,
		`filings_last_load_promoted 0`,
		`filings_load_county_failed{county="Lake, FL"} 1`,
		`filings_load_county_failed{county="Orange, FL"} 0`,
		`filings_load_previous_records_rejected 7`,
		`filings_load_success_timestamp_seconds 1.00003e+06`,
		`filings_load_outcomes{outcome="died"} 0`,
		`filings_load_outcomes{outcome="failed"} 1`,
		`filings_load_read_bytes 5`,
		`filings_load_source_bytes 6`,
		`filings_county_last_loaded_timestamp_seconds{county="Orange, FL"} 7`,
		`filings_last_load_ended 1`,
		`filings_last_load_records_read 12`,
		`filings_last_load_records_indexed 11`,
		`filings_last_load_records_rejected 1`,
	} {
		if !strings.Contains(a.body, line+"\n") {
			t.Errorf("no line %s in\n%s", line, a.body)
		}
	}
	for _, word := range []string{"zebra", "user-pro", s.Keys[access.Pro][:8]} {
		if strings.Contains(a.body, word) {
			t.Errorf("metrics show %q", word)
		}
	}
}

// TestT4_Parameters: requests are counted by the names of the table, never by values or names that a client made up.
func TestT4_Parameters(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	s.get(t, access.Enterprise, "/v1/liens?lien_type=aardvark&zebra=1&limit=0&"+url.QueryEscape("zebra=am")+"&limit%5b=i")
	s.get(t, access.Enterprise, "/v1/filings?limit=7&zebra")
	s.get(t, access.Enterprise, "/v1/filings/export?format=csv")
	a := send(t, s.Service.Operations(), http.MethodGet, "/metrics")
	for _, line := range []string{
		`filings_parameters_total{endpoint="/v1/filings",parameter="limit"} 2`,
		`filings_parameters_total{endpoint="/v1/filings",parameter="lien_type"} 1`,
		`filings_parameters_total{endpoint="/v1/filings",parameter="filing_type"} 0`,
		`filings_parameters_total{endpoint="/v1/filings/export",parameter="format"} 1`,
	} {
		if !strings.Contains(a.body, line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
	if strings.Contains(a.body, "zebra") || strings.Contains(a.body, "aardvark") {
		t.Error("metrics show what a client sent")
	}
}

func TestT4_NotUnderTheAPI(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(nil))
	for _, path := range []string{"/livez", "/readyz", "/metrics"} {
		if a := s.get(t, "", path); a.status != http.StatusUnauthorized {
			t.Errorf("%s on the API: %d", path, a.status)
		}
	}
	for path, status := range map[string]int{"/v1/me": 404, "/": 404} {
		if a := send(t, s.Service.Operations(), http.MethodGet, path); a.status != status {
			t.Errorf("%s on operations: %d", path, a.status)
		}
	}
}

// TestLog reads the log as an operator's program does, and looks for what must never be in it.
func TestLog(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	for _, target := range []string{"/v1/filings?city=Secretville", "/v1/filings/search?q=secretname", "/v1/secret/path", "/v1/counties/secret/months"} {
		s.get(t, access.Pro, target, "User-Agent", "secret")
	}
	s.get(t, "", "/v1/me", "X-API-Key", "ak_live_secret")
	lines := strings.Split(strings.TrimSpace(s.Log.String()), "\n")
	if len(lines) != 5 {
		t.Fatalf("%d lines for 5 requests:\n%s", len(lines), s.Log)
	}
	var first struct {
		Msg, ID, Method, Route, User, Tier string
		Status, Bytes                      int
		MS                                 *float64
	}
	if err := json.Unmarshal([]byte(lines[0]), &first); err != nil {
		t.Fatal(err)
	}
	if first.Msg != "request" || first.Method != "GET" || first.Route != "/v1/filings" || first.Status != 200 || first.Bytes == 0 ||
		first.MS == nil || first.User != "user-pro" || first.Tier != "pro" || !strings.HasPrefix(first.ID, "req_") {
		t.Errorf("%s", lines[0])
	}
	for _, word := range []string{"ecret", s.Keys[access.Pro]} {
		if strings.Contains(s.Log.String(), word) {
			t.Errorf("%q is in the log:\n%s", word, s.Log)
		}
	}
}
