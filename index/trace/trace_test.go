package trace_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"filings/index/trace"
)

// request does with spans what a request does.
func request(tracer *trace.Tracer) {
	ctx, span := tracer.Request("", "")
	for _, operation := range []string{"live", "rows"} {
		_, call := trace.Database{System: "redis", Collection: "filings"}.Start(ctx, operation)
		call.Text("filings.verdict", "admitted")
		call.End("ok")
	}
	_ = span.Trace()
	span.EndRequest("GET", "/v1/filings", 200, "")
}

// TestTraces_Off: without a tracer, spans take no memory.
func TestTraces_Off(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { request(nil) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkRequest(b *testing.B) {
	for name, options := range map[string][]sdk.TracerProviderOption{"off": nil, "none": {sdk.WithSampler(sdk.NeverSample())},
		"1%": {sdk.WithSampler(sdk.TraceIDRatioBased(0.01))}, "all": {}} {
		var tracer *trace.Tracer
		if name != "off" {
			tracer = trace.New(sdk.NewTracerProvider(append(options, sdk.WithBatcher(tracetest.NewNoopExporter()))...))
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				request(tracer)
			}
		})
	}
}

// A phase ends when the next one begins; what is within it is not within the next one.
func TestTraces_Phases(t *testing.T) {
	t.Parallel()
	spans := tracetest.NewInMemoryExporter()
	ctx, load := trace.New(sdk.NewTracerProvider(sdk.WithSyncer(spans))).Load(t.Context())
	next := trace.Phases(ctx)
	for _, phase := range []string{"preparing", "loading", ""} {
		next(phase)
	}
	load.EndLoad("", 2, 1, context.Canceled)
	type span struct{ name, within, status string }
	var got []span
	names := map[string]string{}
	for _, s := range spans.GetSpans() {
		names[s.SpanContext.SpanID().String()] = s.Name
	}
	for _, s := range spans.GetSpans() {
		got = append(got, span{s.Name, names[s.Parent.SpanID().String()], s.Status.Code.String()})
	}
	if diff := cmp.Diff([]span{{"preparing", "reindex", "Unset"}, {"loading", "reindex", "Unset"}, {"reindex", "", "Error"}}, got, cmp.AllowUnexported(span{})); diff != "" {
		t.Errorf("spans (-want +got)\n%s", diff)
	}
}
