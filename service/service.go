package service

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"

	"filings/index/generation"
	"filings/index/serving"
	"filings/service/access"
	"filings/service/accounts"
	"filings/service/edge"
	"filings/service/pages"
	"filings/service/params"
)

// Config is what a Service is made of. Engine, Access and RequestTimeout are needed; the zero value of any other field
// is one that works.
type Config struct {
	Engine *serving.Engine
	Access access.Store
	// RequestTimeout is the time for one request, all of it.
	RequestTimeout time.Duration
	// ActiveStatuses are the foreclosure statuses that foreclosure_filter=active selects, in any case (rule P14). None:
	// params.DefaultActive.
	ActiveStatuses []string
	// LegacyHasDataName is the legacy name of has_property_data (rule P20). "": params.DefaultLegacyHasData.
	LegacyHasDataName string
	// CORSOrigins are the origins whose scripts may read responses; "*" is all of them (rule T2).
	CORSOrigins []string
	// TrustedProxies are the peers that the plain listener believes (Redirect).
	TrustedProxies []netip.Prefix
	// Ready says why the process is not ready for reasons of its own, such as that it is stopping. nil: it always is.
	Ready func(context.Context) error
	// LastLoad returns the load that runs or ran last, for the metrics. nil: they have none.
	LastLoad func(context.Context) (*generation.Run, error)
	// OperationsToken is what a caller of /accounts on the operations listener shows. "": there is no /accounts.
	OperationsToken string
	Now             func() time.Time     // nil: time.Now
	Log             *slog.Logger         // nil: none
	Registry        *prometheus.Registry // nil: one of its own
}

// Service is the HTTP API.
type Service struct {
	config  Config
	now     func() time.Time
	log     *slog.Logger
	params  *params.Table
	files   []pages.File // need no key
	cors    edge.CORS
	metrics *metrics
	buffers sync.Pool    // of *[]byte: bodies while they are written
	refunds sync.RWMutex // read-locked by each refund; not a WaitGroup, which must not grow while it is waited for
	app     *fiber.App
}

// New returns a service. It fails when c lacks something, or c.Registry has metrics of another service.
func New(c Config) (*Service, error) {
	if c.Engine == nil || c.Access == nil || c.RequestTimeout <= 0 {
		return nil, errors.New("service: engine, access and a request timeout are needed")
	}
	if c.OperationsToken != "" && !accounts.ValidToken(c.OperationsToken) {
		return nil, errors.New("service: the operations token must be " + accounts.TokenForm)
	}
	c = c.withDefaults()
	s := &Service{config: c, now: c.Now, log: c.Log, params: params.New(c.LegacyHasDataName, c.ActiveStatuses), cors: newCORS(c.CORSOrigins)}
	var err error
	if s.files, err = pages.All(); err != nil {
		return nil, err
	}
	document, err := newDocument(s.params)
	if err != nil {
		return nil, err
	}
	s.files = append(s.files, pages.New(documentPath, contentType, document))
	s.buffers.New = func() any { return new([]byte) }
	if s.metrics, err = newMetrics(s); err != nil {
		return nil, err
	}
	s.app = s.newApp()
	return s, nil
}

func (c Config) withDefaults() Config {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Registry == nil {
		c.Registry = prometheus.NewRegistry()
	}
	return c
}

// API returns what the TLS listener serves.
func (s *Service) API() *fiber.App { return s.app }
