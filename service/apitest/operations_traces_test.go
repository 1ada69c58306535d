package apitest

import (
	"net/netip"
	"testing"

	"github.com/valyala/fasthttp"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"filings/index/trace"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
)

// TestTraces_Context: only a trusted proxy names the trace of a request, and whether it is recorded. The log has its id.
// app.Test's peer is 0.0.0.0.
func TestTraces_Context(t *testing.T) {
	t.Parallel()
	const named = "0af7651916cd43dd8448eb211c80319c"
	for _, tt := range []struct {
		name, proxy, traceparent string
		taken, recorded          bool
	}{
		{"trusted", "0.0.0.0/32", "00-" + named + "-b7ad6b7169203331-01", true, true},
		{"trusted, not recorded", "0.0.0.0/32", "00-" + named + "-b7ad6b7169203331-00", true, false},
		{"trusted, malformed", "0.0.0.0/32", "00-" + named + "-01", false, true},
		{"trusted, none", "0.0.0.0/32", "", false, true},
		{"another's", "10.0.0.0/8", "00-" + named + "-b7ad6b7169203331-01", false, true},
		{"another's, not to be recorded", "10.0.0.0/8", "00-" + named + "-b7ad6b7169203331-00", false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			spans := tracetest.NewInMemoryExporter()
			s := newSite(t, oracle(nil), func(c *service.Config) {
				c.Tracer = trace.New(sdk.NewTracerProvider(sdk.WithSyncer(spans)))
				c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix(tt.proxy)}
			})
			s.get(t, access.Pro, "/v1/filings", "traceparent", tt.traceparent)
			id, _ := last(t, s.Log)["trace_id"].(string)
			if len(id) != 32 || (id == named) != tt.taken {
				t.Errorf("trace %q", id)
			}
			all := spans.GetSpans()
			if (len(all) > 0) != tt.recorded {
				t.Errorf("%d spans", len(all))
			}
			for _, span := range all {
				if span.SpanContext.TraceID().String() != id {
					t.Errorf("%s is of another trace", span.Name)
				}
			}
		})
	}
}

// TestTraces_Failures: a span fails where the service does, and not where a client does.
func TestTraces_Failures(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]string{"/v1/filings?limit=0": "Unset", "/v1/filings": "Error", "/nowhere/of/mine": "Unset"} {
		spans := tracetest.NewInMemoryExporter()
		s := newSite(t, deadEngine{}, func(c *service.Config) { c.Tracer = trace.New(sdk.NewTracerProvider(sdk.WithSyncer(spans))) })
		s.get(t, access.Pro, target)
		all := spans.GetSpans()
		request := all[len(all)-1]
		if got := request.Status.Code.String(); got != want || request.Name != "GET /v1/filings" && target[1] == 'v' || target[1] == 'n' && request.Name != "GET" {
			t.Errorf("%s: %s is %s, want %s", target, request.Name, got, want)
		}
	}
}

// BenchmarkTraces is a page of the cache: the shortest request that there is, of which spans are the greatest part.
func BenchmarkTraces(b *testing.B) {
	for _, of := range []struct {
		name   string
		tracer *trace.Tracer
	}{
		{"off", nil},
		{"1%", trace.New(sdk.NewTracerProvider(sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(0.01))), sdk.WithBatcher(tracetest.NewNoopExporter())))},
	} {
		b.Run(of.name, func(b *testing.B) {
			limits := servicetest.Limits()
			limits[access.Pro] = access.Limit{Quota: 1 << 40, Burst: 1_000_000_000}
			s := newSiteWith(b, caching{oracle(nil)}, limits, func(c *service.Config) { c.Tracer = of.tracer })
			handle := s.App.Handler()
			request := wire(b, "GET /v1/filings HTTP/1.1\r\nHost: h\r\nX-API-Key: "+s.Keys[access.Pro]+"\r\n\r\n")
			b.ReportAllocs()
			for b.Loop() {
				var c fasthttp.RequestCtx
				request.CopyTo(&c.Request)
				handle(&c)
				if c.Response.StatusCode() != 200 {
					b.Fatal(c.Response.StatusCode(), string(c.Response.Body()))
				}
			}
		})
	}
}
