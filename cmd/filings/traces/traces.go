// Package traces sends spans to a collector, by OTLP over HTTP. It owns where they go and reads the
// variables of OpenTelemetry for that: the spans and their attributes are package trace's.
//
// The library that sends by HTTP (otlptracehttp) brings gRPC and its gateway, for types that it
// does not use: 70 packages. How spans become messages is the library's here too (otlptrace);
// sending one is the POST below.
package traces

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"filings/index/trace"
)

// Variables of OpenTelemetry that are read here; OTEL_TRACES_SAMPLER, OTEL_SERVICE_NAME,
// OTEL_RESOURCE_ATTRIBUTES and the limits OTEL_BSP_… are read by its library.
const (
	endpointVariable = "OTEL_EXPORTER_OTLP_ENDPOINT"
	headersVariable  = "OTEL_EXPORTER_OTLP_HEADERS"
)

const (
	sendTime = 10 * time.Second // for one batch: the default of OpenTelemetry
	lastTime = time.Second      // for the last spans when the process ends

	mostOfLimit = 1_000_000 // of spans that wait, and of milliseconds: a queue of 16 MB
)

// Open returns the tracer that the environment asks for, and a function that ends it after sending
// the last spans. Without an endpoint the tracer is nil. An error is of a variable's value.
func Open(version string, log *slog.Logger) (*trace.Tracer, func(), error) {
	endpoint := os.Getenv(endpointVariable)
	if endpoint == "" {
		return nil, func() {}, nil
	}
	c, err := newCollector(endpoint, os.Getenv(headersVariable))
	if err != nil {
		return nil, nil, err
	}
	for _, name := range []string{"OTEL_BSP_SCHEDULE_DELAY", "OTEL_BSP_EXPORT_TIMEOUT", "OTEL_BSP_MAX_QUEUE_SIZE",
		"OTEL_BSP_MAX_EXPORT_BATCH_SIZE"} {
		// The library passes over text, and ends the process at a queue of -1 or of 10^11 spans.
		if n, err := strconv.Atoi(os.Getenv(name)); os.Getenv(name) != "" && (err != nil || n < 1 || n > mostOfLimit) {
			return nil, nil, fmt.Errorf("%s: must be an integer from 1 to %d", name, mostOfLimit)
		}
	}
	var wrong error
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { wrong = errors.Join(wrong, err) }))
	described, err := resource.New(context.Background(), resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", "filings"),
			attribute.String("service.version", version)), resource.WithFromEnv())
	if err != nil {
		return nil, nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	exporter := otlptrace.NewUnstarted(c)
	provider := sdk.NewTracerProvider(sdk.WithResource(described), sdk.WithBatcher(exporter))
	if wrong != nil {
		return nil, nil, fmt.Errorf("OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG: %w", wrong)
	}
	otel.SetErrorHandler(
		otel.ErrorHandlerFunc(func(err error) { log.Warn("traces", slog.String("error", err.Error())) }))
	return trace.New(provider), func() {
		ctx, cancel := context.WithTimeout(context.Background(), lastTime)
		defer cancel()
		_ = provider.Shutdown(ctx) // failures are logged
	}, nil
}

// collector is where batches of spans go. It implements otlptrace.Client.
type collector struct {
	url    string
	header http.Header
	client http.Client
}

func newCollector(endpoint, headers string) (*collector, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%s: must be an http:// or https:// address", endpointVariable)
	}
	c := &collector{url: u.JoinPath("v1/traces").String(), client: http.Client{Timeout: sendTime, CheckRedirect: stay},
		header: http.Header{"Content-Type": {"application/x-protobuf"}}}
	for pair := range strings.SplitSeq(headers, ",") {
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if err != nil || !ok && strings.TrimSpace(pair) != "" {
			return nil, fmt.Errorf("%s: must be name=value, separated by commas, percent-encoded", headersVariable)
		}
		if ok {
			c.header.Set(strings.TrimSpace(name), value)
		}
	}
	return c, nil
}

// stay follows no redirect: spans and credentials are for the address of the settings alone.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Start and Stop do nothing: there is no connection to open or to close.
func (*collector) Start(context.Context) error { return nil }
func (*collector) Stop(context.Context) error  { return nil }

// UploadTraces sends a batch once. A batch that the collector does not take is lost: memory for spans has a limit.
func (c *collector) UploadTraces(ctx context.Context, spans []*otlp.ResourceSpans) error {
	body, err := proto.Marshal(&otlp.TracesData{ResourceSpans: spans}) // the same bytes as an ExportTraceServiceRequest
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header = c.header
	response, err := c.client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20)) // so that the connection is used again
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("the collector responded with %s: a batch of spans is lost", response.Status)
	}
	return nil
}
