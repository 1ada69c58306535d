package service

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"filings/index/serving"
	"filings/index/trace"
	"filings/service/access"
	"filings/service/edge"
	"filings/service/params"
)

// call is one request while it is handled.
type call struct {
	http      *fiber.Ctx
	id        string // names the request in meta, in a header and in the log (rule E5)
	route     string // the endpoint's path as a pattern
	began     time.Time
	span      trace.Span
	traced    context.Context    // has the span
	cancel    context.CancelFunc // of the request's time
	known     bool               // the caller is: admission is set, with any verdict
	admission access.Admission
	query     *params.Raw       // the query string, once it is split
	unread    error             // why it cannot be read
	price     int64             // requests taken of the quota; 0: none yet, since their number is not known (rule X7)
	keyStore  time.Duration     // that the key store took
	reader    *serving.Reader   // of the generation that responds; nil: none was needed yet
	streams   bool              // the body is sent after the handlers' return, and ends the request
	ended     bool              // it is counted and logged
	tallied   bool              // its parameters are counted
	free      bool              // it costs nothing, with any outcome
	token     *verified         // the token that was sent instead of a key; nil: none was
	bearer    string            // that token
	label     string            // of that token, in the log
	geoJSON   bool              // the path says so
	compared  bool              // a value that no filing has was looked for among all that there are
	inPath    map[string]string // parameters of a path that was not routed; nil: it was
}

// noRoute stands for the route of requests that were refused before they came to one: an unbounded
// number of paths must not become an unbounded number of labels, and a path may hold text that does
// not belong into a log.
const noRoute = "none"

// routed is a route for a span, which has none where it came to none.
func routed(route string) string {
	if route == noRoute {
		return ""
	}
	return route
}

type callKey struct{}

func callOf(c *fiber.Ctx) *call { return c.Locals(callKey{}).(*call) }

// limitTime gives a request the time of one from now on.
func (s *Service) limitTime(k *call) {
	if k.cancel != nil {
		k.cancel()
	}
	var ctx context.Context
	ctx, k.cancel = context.WithTimeout(k.traced, s.config.RequestTimeout-min(refundTime, s.config.RequestTimeout/10))
	k.http.SetUserContext(ctx)
}

// Left implements serving.Client.
func (k *call) Left() bool { return edge.HungUp(k.http.Context().Conn()) }

// searched reports whether filings, or values of them, were looked for, in engine or cache.
func (k *call) searched() bool {
	if k.reader == nil || k.compared {
		return k.compared
	}
	_, hits, misses := k.reader.Took()
	return hits+misses > 0
}

// param returns a parameter of the path, as it is there.
func (k *call) param(name string) string {
	if k.inPath != nil {
		return k.inPath[name]
	}
	return k.http.Params(name)
}

// applied says in a header that a preference of the request was applied.
func (k *call) applied(preference string) {
	if earlier := k.http.GetRespHeader(headerApplied); earlier != "" && !strings.Contains(earlier, preference) {
		preference = earlier + ", " + preference
	}
	k.http.Set(headerApplied, preference)
}

// bodyBytes is the length of the body, 0 for HEAD of a stream.
func (k *call) bodyBytes() int {
	if k.http.Response().IsBodyStream() {
		return 0
	}
	return len(k.http.Response().Body())
}

// traceID is the attribute of a log record that names k's trace, if it has one.
func (k *call) traceID() []slog.Attr {
	if id := k.span.Trace(); id != "" {
		return []slog.Attr{slog.String("trace_id", id)}
	}
	return nil
}

// appendCaller appends the attributes of a log record that say who sent k.
func (k *call) appendCaller(attributes []slog.Attr) []slog.Attr {
	if k.known {
		attributes = append(attributes, slog.String("user", k.admission.User), slog.String("tier", string(k.admission.Tier)))
	}
	if k.label != "" {
		attributes = append(attributes, slog.String("label", k.label))
	}
	return append(attributes, k.traceID()...)
}

// setTiming says how long key store and engine took, and whether the cache had all that was
// requested of the engine (rule X40).
func (k *call) setTiming() {
	ms := func(took time.Duration) string { return strconv.FormatFloat(took.Seconds()*1000, 'f', 3, 64) }
	text := "keystore;dur=" + ms(k.keyStore)
	if k.reader != nil {
		switch took, hits, misses := k.reader.Took(); {
		case misses > 0:
			text += ", engine;dur=" + ms(took) + ", cache;desc=miss"
		case hits > 0:
			text += ", engine;dur=" + ms(0) + ", cache;desc=hit"
		}
	}
	k.http.Set(headerTiming, text)
}

// refundTime is kept of each request's time for the refund of its quota, since a request mostly
// fails by using up the rest. A tenth of the request's time, where that is less.
const refundTime = 500 * time.Millisecond
