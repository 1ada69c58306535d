package main

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"filings/reindexer"
	"filings/service/servicetest"
)

// collector is a collector that keeps what is sent to it, as the protocol's own types.
type collector struct {
	mu    sync.Mutex
	sent  []*otlp.ResourceSpans
	token string // of the last batch
}

// collect starts a collector, and has this process send to it.
func collect(t *testing.T) *collector {
	t.Helper()
	c := new(collector)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var batch otlp.TracesData
		if err := proto.Unmarshal(body, &batch); err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("%s %s: %v", r.URL.Path, r.Header, err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.sent, c.token = append(c.sent, batch.ResourceSpans...), r.Header.Get("Token")
	}))
	t.Cleanup(server.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "token=a%20b")
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "10")
	return c
}

// spans returns what was collected, by name.
func (c *collector) spans() map[string]*otlp.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[string]*otlp.Span{}
	for _, r := range c.sent {
		for _, s := range r.ScopeSpans {
			for _, span := range s.Spans {
				all[span.Name] = span
			}
		}
	}
	return all
}

// attributes are what a span or a resource holds, as text.
func attributes(all []*common.KeyValue) map[string]string {
	m := map[string]string{}
	for _, a := range all {
		m[a.Key] = a.Value.GetStringValue()
		if _, ok := a.Value.Value.(*common.AnyValue_IntValue); ok {
			m[a.Key] = fmt.Sprint(a.Value.GetIntValue())
		}
	}
	return m
}

// TestTraces: a load and a request come to a collector as the spans that the documents name, and nothing of what a client sent.
func TestTraces(t *testing.T) {
	c := collect(t)
	_, at, client, key := startServing(t, newFixture(t))
	get(t.Context(), t, client, at.api+"/v1/filings?county=Orange&min_amount=77", key)
	const request = "GET /v1/filings"
	servicetest.Until(t, "the request's span", func() bool { return c.spans()[request] != nil })
	spans := c.spans()
	within := func(outer string) (names []string) {
		for name, s := range spans {
			if string(s.ParentSpanId) == string(spans[outer].SpanId) && string(s.TraceId) == string(spans[outer].TraceId) {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		return names
	}
	phases := []string{reindexer.PhasePreparing, reindexer.PhaseLoading, reindexer.PhaseSealing, reindexer.PhaseVerifying, reindexer.PhaseComparing, reindexer.PhasePromoting, reindexer.PhasePruning}
	slices.Sort(phases)
	if diff := cmp.Diff(phases, within("reindex")); diff != "" {
		t.Errorf("spans of the load (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"admit", "counties filings", "live filings", "rows filings"}, within(request)); diff != "" {
		t.Errorf("spans of the request (-want +got)\n%s", diff)
	}
	load := attributes(spans["reindex"].Attributes)
	if load["filings.generation"] == "" {
		t.Error("the load names no generation")
	}
	delete(load, "filings.generation")
	for name, want := range map[string]map[string]string{
		"reindex":      {"filings.read": "5", "filings.rejected": "0"},
		request:        {"http.request.method": "GET", "http.route": "/v1/filings", "url.scheme": "https", "http.response.status_code": "200"},
		"admit":        {"db.system.name": "filings", "db.operation.name": "admit", "filings.verdict": "admitted"},
		"rows filings": {"db.system.name": "filings", "db.operation.name": "rows", "db.collection.name": "filings"},
	} {
		got := attributes(spans[name].Attributes)
		delete(got, "filings.generation")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if resource := attributes(c.sent[0].Resource.Attributes); resource["service.name"] != "filings" || resource["service.version"] != version || c.token != "a b" {
		t.Errorf("token %q, resource %v", c.token, slices.Sorted(maps.Keys(resource)))
	}
}

// A wrong variable ends the program at its start; a collector that refuses costs nothing but spans, and a line of the log.
func TestTraces_Variables(t *testing.T) {
	f := newFixture(t)
	filings := f.must(t, "", "generate", "--count", "1")
	refusing := httptest.NewServer(http.NotFoundHandler())
	defer refusing.Close()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	defer elsewhere.Close()
	redirecting := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer redirecting.Close()
	for _, tt := range []struct {
		name, value string
		code        int
		want        string
	}{
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318", exitUsage, "OTEL_EXPORTER_OTLP_ENDPOINT: must be an http:// or https:// address"},
		{"OTEL_EXPORTER_OTLP_HEADERS", "token", exitUsage, "OTEL_EXPORTER_OTLP_HEADERS: must be name=value"},
		{"OTEL_TRACES_SAMPLER", "some", exitUsage, "OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG: unsupported sampler"},
		{"OTEL_RESOURCE_ATTRIBUTES", "garbage", exitUsage, "OTEL_RESOURCE_ATTRIBUTES: "},
		{"OTEL_BSP_MAX_QUEUE_SIZE", "-1", exitUsage, "OTEL_BSP_MAX_QUEUE_SIZE: must be an integer from 1 to 1000000"},
		{"OTEL_BSP_MAX_QUEUE_SIZE", "99999999999", exitUsage, "OTEL_BSP_MAX_QUEUE_SIZE: must be an integer from 1 to 1000000"},
		{"OTEL_BSP_SCHEDULE_DELAY", "5s", exitUsage, "OTEL_BSP_SCHEDULE_DELAY: must be an integer from 1 to 1000000"},
		{"OTEL_BSP_EXPORT_TIMEOUT", "0", exitUsage, "OTEL_BSP_EXPORT_TIMEOUT: must be an integer from 1 to 1000000"},
		{"OTEL_TRACES_SAMPLER", "always_on", exitDone, "404 Not Found"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", redirecting.URL, exitDone, "307 Temporary Redirect"},
		{"OTEL_TRACES_SAMPLER", "always_off", exitDone, ""},
	} {
		t.Run(tt.name+"="+tt.value, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", refusing.URL)
			t.Setenv(tt.name, tt.value)
			code, _, errs := f.run(t.Context(), filings, "reindex", "--format", "ndjson", "-")
			if code != tt.code || !strings.Contains(errs, tt.want) || tt.want == "" && strings.Contains(errs, "WARN") {
				t.Errorf("exit code %d, want %d with %q\n%s", code, tt.code, tt.want, errs)
			}
		})
	}
}
