// Package trace begins and ends the spans of requests and loads, for OpenTelemetry. It owns the
// contents of spans: names of methods, patterns of paths, phases, kinds of errors, numbers. It
// refuses texts of clients and of filings: no key, path, query, term, record, account or message of
// an error is ever in a span.
//
// A span lies within the span of its context, and is recorded only if that is. So whoever times
// something needs no tracer, and without one a span costs a look into the context, and no memory.
package trace

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Tracer begins the span of a request or of a load. The nil one begins none.
type Tracer struct{ tracer trace.Tracer }

// New returns the Tracer of a provider, which decides which spans are recorded and where they go.
func New(provider trace.TracerProvider) *Tracer { return &Tracer{provider.Tracer(scope)} }

// scope names whose spans these are.
const scope = "filings"

// Request begins the span of a request, within the one that a proxy names by the headers
// traceparent and tracestate of Trace Context. "" where it names none.
func (t *Tracer) Request(traceparent, tracestate string) (context.Context, Span) {
	if t == nil {
		return context.Background(), Span{}
	}
	ctx := context.Background()
	if traceparent != "" {
		headers := propagation.MapCarrier{"traceparent": traceparent, "tracestate": tracestate}
		ctx = propagation.TraceContext{}.Extract(ctx, headers)
	}
	ctx, span := t.tracer.Start(ctx, "request", trace.WithSpanKind(trace.SpanKindServer))
	return ctx, Span{span}
}

// Load begins the span of a load.
func (t *Tracer) Load(ctx context.Context) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	ctx, span := t.tracer.Start(ctx, "reindex")
	return ctx, Span{span}
}

// Span is a span that has begun. The zero value is none.
type Span struct{ span trace.Span }

// start begins a span within that of ctx.
func start(ctx context.Context, name string, kind trace.SpanKind) (context.Context, Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, Span{}
	}
	ctx, span := parent.TracerProvider().Tracer(scope).Start(ctx, name, trace.WithSpanKind(kind))
	return ctx, Span{span}
}

// Database is a server, or a store in this process, each call of which is a span.
type Database struct {
	System     string // such as redis
	Collection string // that is read; "": not named
}

// Start begins the span of a call within that of ctx.
func (d Database) Start(ctx context.Context, operation string) (context.Context, Span) {
	ctx, s := start(ctx, operation, trace.SpanKindClient)
	if s.recorded() {
		s.span.SetAttributes(
			attribute.String("db.operation.name", operation), attribute.String("db.system.name", d.System))
		if d.Collection != "" {
			s.span.SetName(operation + " " + d.Collection)
			s.span.SetAttributes(attribute.String("db.collection.name", d.Collection))
		}
	}
	return ctx, s
}

// Phases returns a function that ends the span of the phase before, and begins the next one within
// the span of ctx; none for "".
func Phases(ctx context.Context) func(name string) {
	var last Span
	return func(name string) {
		last.End("")
		if last = (Span{}); name != "" {
			_, last = start(ctx, name, trace.SpanKindInternal)
		}
	}
}

func (s Span) recorded() bool { return s.span != nil && s.span.IsRecording() }

// Trace returns the id of the trace that s is part of, recorded or not; "" where there is none.
func (s Span) Trace() string {
	if s.span == nil {
		return ""
	}
	return s.span.SpanContext().TraceID().String()
}

// Text notes a text. "" is not noted.
func (s Span) Text(key, value string) {
	if value != "" && s.recorded() {
		s.span.SetAttributes(attribute.String(key, value))
	}
}

// Number notes a number.
func (s Span) Number(key string, value int64) {
	if s.recorded() {
		s.span.SetAttributes(attribute.Int64(key, value))
	}
}

// EndRequest ends the span of a request, by the names that OpenTelemetry has for HTTP. route is the
// pattern of its path, "" where it came to none. failure is the error's code, "" where the service
// did not fail.
func (s Span) EndRequest(method, route string, status int, failure string) {
	if s.recorded() {
		name := method
		if method == "OTHER" {
			method, name = "_OTHER", "HTTP"
		}
		if route != "" {
			name += " " + route
			s.span.SetAttributes(attribute.String("http.route", route))
		}
		s.span.SetName(name)
		s.span.SetAttributes(attribute.String("http.request.method", method),
			attribute.String("url.scheme", "https"), attribute.Int("http.response.status_code", status))
	}
	s.End(failure)
}

// EndLoad ends the span of a load, which made generation live, "" for none.
func (s Span) EndLoad(generation string, read, rejected int64, err error) {
	s.Text("filings.generation", generation)
	s.Number("filings.read", read)
	s.Number("filings.rejected", rejected)
	if err != nil {
		s.End("error")
		return
	}
	s.End("")
}

// End ends s. outcome is the one that metrics count, or the code of an error; "" is ok.
func (s Span) End(outcome string) {
	if s.span == nil {
		return
	}
	switch outcome {
	case "", "ok", "not_found", "gone", "ended": // none of which is a failure
	default:
		s.span.SetStatus(codes.Error, "")
		s.span.SetAttributes(attribute.String("error.type", outcome))
	}
	s.span.End()
}
