// Package service owns the HTTP API: the table of endpoints and their handlers, the responder, the
// table of errors, the fields of a filing that a tier sees, and the operations listener. It refuses
// to know how filings are stored (package index), how keys and quotas are kept (package access),
// and the content of the pages for people: /docs, the documents below it, /llms.txt and /explore
// (package pages). It opens no sockets: certificates, addresses and the life of the process belong
// to the program.
//
// # From a request to its response
//
// One chain of middleware, in this order, for these reasons:
//
//  1. observe gives the request its id and its time limit, and is the only one that ends a request:
//     errors and panics from everything below come to it. It writes the error, counts and writes
//     the one record of the log.
//  2. edge.Framed refuses requests that a proxy in front may have read in another way, and closes
//     the connection.
//  3. preflight responds to a browser's CORS preflight, which carries no key. The OpenAPI document
//     and the pages for people need none either: they are sent next (routes.go).
//  4. admit calls the key store once: key, burst and quota. A browser's token is verified before
//     that (browsers.go). It stands before the routes, so that without a key no client learns which
//     paths there are, and sets the quota's headers before anything can fail, so that 400, 404, 405
//     and 500 carry them too.
//  5. wellFormed refuses a path that is no URL; then the router: one of the endpoints, else 404, or
//     405 with Allow. HEAD is handled as GET without its body, and counts like it.
//  6. serve (respond.go) parses the parameters (package params), calls the endpoint's handler, and
//     responds.
//
// The access log has id, method, route (the pattern), status, ms, the client's IP address, bytes,
// user, tier, code, and, for a 5xx, the error. Paths and queries are left out: they name people.
//
// The time limit covers all of it. A tenth of it, half a second at most, is kept for the refund of
// a request that failed: it mostly fails because the rest was used up.
//
// # Endpoints and responses
//
// An endpoint is one row (endpoints.go) and one handler, a function from a Reader and a
// params.Request to a Result. Routes, the OpenAPI document and the documents' table range over the
// rows.
//
// The responder owns everything else. A request has one Reader, so one generation; the generation's
// name, the canonical text of the request and the tier make the tag, which is compared before the
// handler is called. Tags are weak, since meta differs from response to response. If the generation
// is gone meanwhile, the request is handled once more. Records are bytes from the engine to the
// client; a tier's part of a record is a prefix of it (index.Record), so there is nothing to decode
// and no list of fields to get wrong; and text that is not a record's own, in its own order, is not
// sent (rule X23). Clusters of a map have two forms, chosen by Accept: the envelope, and GeoJSON
// without it; each has a tag of its own. A body is compressed in the same way for GET and for HEAD.
//
// # Errors
//
// An error is of a kind, and one table (errors.go) maps each kind to status, code and message. Only
// a refusal made here carries a message of its own to the client; every other error is exposed by
// its kind, and logged. While an engine does not respond, requests are refused at once (packages
// serving and breaker); Redis has the same in front of it. There is no Retry-After on a 500: the
// specification keeps it for 429. A body that comes with a GET means nothing: up to 4 KiB it is
// read and left alone, since some clients send an empty object; a larger one is refused, and so is
// one in chunks.
package service

import (
	"cmp"
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"

	"filings/index/serving"
	"filings/index/trace"
	"filings/service/access"
	"filings/service/edge"
	"filings/service/export"
	"filings/service/mcp"
	"filings/service/pages"
	"filings/service/params"
	"filings/service/tokens"
)

// Config has the parts and options of a Service. Engine, Access and RequestTimeout are needed; the
// zero value of any other field is one that works.
type Config struct {
	Engine *serving.Engine
	Access access.Store
	// RequestTimeout is the time for one request, all of it.
	RequestTimeout time.Duration
	// Exports is how many exports are sent at a time, ExportTimeout the time for one of them,
	// ExportStall how long a client may take nothing of it, ExportWait how long an export waits for
	// its slot. 0: 4, 15 minutes, 30 and 15 seconds.
	Exports                                int
	ExportTimeout, ExportStall, ExportWait time.Duration
	// ActiveStatuses are the foreclosure statuses that foreclosure_filter=active selects, in any
	// case (rule P14). None: params.DefaultActive.
	ActiveStatuses []string
	// LegacyHasDataName is the legacy name of has_property_data (rule P20). "":
	// params.DefaultLegacyHasData.
	LegacyHasDataName string
	// EscapeFormulas has every CSV export write a ' before texts that spreadsheets take for formulas.
	EscapeFormulas bool
	// ServerTiming says in responses to known callers how long key store and engine took.
	ServerTiming bool
	// MCP lets assistants call the API as tools at /mcp (rule X50). MCPResult is how many bytes a
	// result has at the most; 0: 24,000.
	MCP       bool
	MCPResult int
	// FiltersByTier refuses filters by fields that the caller's tier does not show.
	FiltersByTier bool
	// TokenSecrets sign and verify the tokens of browsers (rule X32). None: there are no tokens.
	TokenSecrets tokens.Secrets
	// PublicURL is the address of the API for clients, without a slash at its end. "": https:// and
	// the host that a request names.
	PublicURL string
	// CORSOrigins are the origins whose scripts may read responses; "*" is all of them (rule T2).
	CORSOrigins []string
	// TrustedProxies are the peers that the plain listener believes (Redirect); the log names their
	// clients.
	TrustedProxies []netip.Prefix
	// Tracer begins the spans of requests; from TrustedProxies it takes the parent that they name.
	// nil: none.
	Tracer *trace.Tracer
	// KeyStore names the database of Access in these spans.
	KeyStore trace.Database
	// Ready says why the process is not ready for reasons of its own, such as that it is stopping.
	// nil: it always is.
	Ready func(context.Context) error
	// Store has the loads and generations that operators see. nil: they see none.
	Store Loads
	// Withheld is the list of withheld filings, which operators change. nil: they cannot.
	Withheld Withholder
	// Tiles are the base map of /explore. The zero value: none.
	Tiles pages.Tiles
	// OperationsToken is the token that a caller of /accounts, /loads and /generations on the
	// operations listener shows. "": there are none.
	OperationsToken string
	Now             func() time.Time     // nil: time.Now
	Log             *slog.Logger         // nil: none
	Registry        *prometheus.Registry // nil: one of its own
}

// Service is the HTTP API.
type Service struct {
	config    Config
	now       func() time.Time
	log       *slog.Logger
	params    *params.Table
	rows      []endpoint           // the table of endpoints
	endpoints map[string]*endpoint // its rows by path, of which some are patterns, and by legacy path
	files     []pages.File         // need no key
	tools     *mcp.Server          // of assistants; nil: they are off
	cors      edge.CORS
	metrics   *metrics
	lacked    atomic.Value // string: the last reason of /readyz
	buffers   sync.Pool    // of *[]byte: bodies while they are written
	tokens    verifiedTokens
	unread    sync.Once    // an X-Forwarded-For was
	refunds   sync.RWMutex // read-locked by each refund; not a WaitGroup, which must not grow while it is waited for
	app       *fiber.App

	exports    *export.Slots
	exporting  context.Context // ends with all exports
	cutExports context.CancelCauseFunc
	latest     atomic.Int64 // when the latest request but an export ended, in nanoseconds of Unix time
}

// Defaults of Config.
const (
	defaultExports       = 4
	defaultExportTimeout = 15 * time.Minute
	defaultExportStall   = 30 * time.Second
	defaultExportWait    = 15 * time.Second
	defaultMCPResult     = 24_000
)

func (c Config) withDefaults() Config {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Exports = cmp.Or(c.Exports, defaultExports)
	c.ExportTimeout = cmp.Or(c.ExportTimeout, defaultExportTimeout)
	c.ExportStall = cmp.Or(c.ExportStall, defaultExportStall)
	c.ExportWait = cmp.Or(c.ExportWait, defaultExportWait)
	c.MCPResult = cmp.Or(c.MCPResult, defaultMCPResult)
	if c.Registry == nil {
		c.Registry = prometheus.NewRegistry()
	}
	return c
}

// API returns the application of the TLS listener.
func (s *Service) API() *fiber.App { return s.app }
