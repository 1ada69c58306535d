package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"
	"github.com/valyala/fasthttp"

	"filings/index"
)

// Config says where Elasticsearch is and how to reach it.
type Config struct {
	Addresses          []string // http:// or https:// URLs, at least one
	Username, Password string   // basic authentication; "" for none
	APIKey             string   // instead of Username and Password
	CAFile             string   // PEM file of the certificates to trust; "" for the system's

	RetryFor time.Duration                             // how long Retry goes on after a first failure; 0: two minutes
	Wrap     func(http.RoundTripper) http.RoundTripper // goes around connections, as a test's faults do; nil: nothing
	Logger   *slog.Logger                              // nil: nothing is logged
}

// check names the first thing that is wrong. It shows neither addresses, which may hold passwords,
// nor credentials.
func (cfg Config) check() error {
	switch {
	case len(cfg.Addresses) == 0:
		return errors.New("elasticsearch: no address")
	case cfg.APIKey != "" && (cfg.Username != "" || cfg.Password != ""):
		return errors.New("elasticsearch: give either an API key or a user name and password")
	case (cfg.Username == "") != (cfg.Password == ""):
		return errors.New("elasticsearch: a user name needs a password, and a password a user name")
	}
	for i, address := range cfg.Addresses {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
			return fmt.Errorf("elasticsearch: address %d is not a URL like https://host:9200", i+1)
		}
	}
	return nil
}

// Open returns a client. It reads the CA file and sends nothing.
func Open(cfg Config) (*Client, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	transport, err := newTransport(cfg.CAFile)
	if err != nil {
		return nil, err
	}
	addresses := make([]*url.URL, len(cfg.Addresses))
	for i, address := range cfg.Addresses {
		if addresses[i], err = url.Parse(strings.TrimRight(address, "/")); err != nil {
			return nil, errors.New("elasticsearch: an address is no URL") // the reason would show it
		}
	}
	loads, err1 := cfg.transport(addresses, transport)
	queries, err2 := cfg.transport(addresses, &queries{
		hosts: newHosts(addresses, transport.TLSClientConfig, 0),
		parts: newHosts(addresses, transport.TLSClientConfig, LargestPart),
	})
	if err1 != nil || err2 != nil {
		return nil, errors.New("elasticsearch: the client refuses these settings") // its reason may show an address
	}
	c := &Client{
		loads: whole{next: loads}, queries: whole{next: queries, reads: true}, retryFor: cfg.RetryFor, log: cfg.Logger,
	}
	if c.retryFor == 0 {
		c.retryFor = retryFor
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

// transport returns go-elasticsearch's transport over rt. The library repeats a request only if it
// was never sent, once on each address. Anything that may have been carried out is repeated by
// those who know whether they may: Read, Retry.
func (cfg Config) transport(addresses []*url.URL, rt http.RoundTripper) (*elastictransport.Client, error) {
	if cfg.Wrap != nil {
		rt = cfg.Wrap(rt)
	}
	options := []elastictransport.Option{elastictransport.WithURLs(addresses...), elastictransport.WithTransport(rt)}
	if cfg.Username != "" {
		options = append(options, elastictransport.WithBasicAuth(cfg.Username, cfg.Password))
	}
	if cfg.APIKey != "" {
		options = append(options, elastictransport.WithAPIKey(cfg.APIKey))
	}
	if len(addresses) == 1 {
		options = append(options, elastictransport.WithDisableRetry())
	} else {
		options = append(options, elastictransport.WithRetry(len(addresses)-1, neverAStatus),
			elastictransport.WithRetryOnError(func(_ *http.Request, err error) bool {
				var op *net.OpError
				return errors.As(err, &op) && op.Op == "dial" // no connection was made
			}))
	}
	return elastictransport.NewClient(options...)
}

// neverAStatus stands for "repeat on no status"; an empty list would mean 502, 503 and 504.
const neverAStatus = -1

func newTransport(caFile string) (*http.Transport, error) {
	t := &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout: 5 * time.Second,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
		// Go's default keeps 2 idle connections to a host, and would dial anew for nearly every
		// query of a busy service.
		MaxIdleConnsPerHost: 128,
		IdleConnTimeout:     90 * time.Second,
		// Without this Elasticsearch would compress every page, for more CPU than the network is worth.
		DisableCompression: true,
		// Bulk requests are megabytes: the default of 4 kB would cut each into a thousand writes.
		WriteBufferSize: 64 << 10,
		ReadBufferSize:  16 << 10,
	}
	if caFile == "" {
		return t, nil
	}
	if info, err := os.Stat(caFile); err == nil && !info.Mode().IsRegular() { // of a pipe nothing may ever come
		return nil, fmt.Errorf("elasticsearch: the CA file %s must be a regular file", caFile)
	}
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, fmt.Errorf("elasticsearch: reading the CA file: %w", err)
	}
	t.TLSClientConfig.RootCAs = x509.NewCertPool()
	if !t.TLSClientConfig.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("elasticsearch: the CA file %s holds no certificate in PEM form", caFile)
	}
	return t, nil
}

// queries is an http.RoundTripper for requests that only read. It takes a third of the CPU that
// net/http takes for a page (70 µs instead of 210, eight at a time), since no goroutines of its own
// stand between the caller and the connection. For the same reason it ignores that a context is
// cancelled, and keeps to its deadline. A request whose time is up closes its connection, at which
// Elasticsearch ends the search, though not at once: an aggregation goes on for up to two seconds.
// So where nobody waits (index.IsDetached) it awaits the response for lingers longer and drops it:
// whoever limits the searches in progress knows then that this one has ended.
type queries struct {
	hosts map[string]*fasthttp.HostClient // by scheme and host, as addresses have them
	parts map[string]*fasthttp.HostClient // the same, for responses of at most LargestPart bytes
}

// LargestPart is the most bytes of a response to a request whose context InParts returned.
const LargestPart = 2 << 20

// ErrTooLarge is a response that was not read, since it has more than LargestPart bytes.
var ErrTooLarge = errors.New("elasticsearch responded with more than there is room for")

type inParts struct{}

// InParts returns a context whose requests are for something that can be requested in smaller
// parts: a response of more than LargestPart bytes is ErrTooLarge.
func InParts(ctx context.Context) context.Context { return context.WithValue(ctx, inParts{}, true) }

const (
	// longestQuery is the time of a query whose context has no deadline, as in a load's verification.
	longestQuery = time.Minute
	// queryConnections is how many queries may be in progress on one node. Elasticsearch runs three
	// for every two cores at a time, and has room for a thousand more that wait. A query without a
	// connection waits for one, up to its deadline.
	queryConnections = 256
	// queryDial is short, since a client waits for the response, and there may be another node.
	queryDial = time.Second
	// lingers is more than a page of the most expensive aggregation takes on a busy machine.
	lingers = 5 * time.Second
)

// newHosts returns clients of responses of so many bytes at most; 0 is no bound.
func newHosts(addresses []*url.URL, trust *tls.Config, largest int) map[string]*fasthttp.HostClient {
	hosts := map[string]*fasthttp.HostClient{}
	dialer := &net.Dialer{Timeout: queryDial, KeepAlive: 15 * time.Second}
	for _, a := range addresses {
		hosts[a.Scheme+"://"+a.Host] = &fasthttp.HostClient{
			Addr:                     fasthttp.AddMissingPort(a.Host, a.Scheme == "https"),
			IsTLS:                    a.Scheme == "https",
			TLSConfig:                trust,
			Dial:                     func(address string) (net.Conn, error) { return dialer.Dial("tcp", address) },
			MaxConns:                 queryConnections,
			MaxConnWaitTimeout:       longestQuery,
			MaxResponseBodySize:      largest,
			ReadBufferSize:           64 << 10, // a page of 20 in one read
			DisablePathNormalizing:   true,
			NoDefaultUserAgentHeader: true,
		}
	}
	return hosts
}

// RoundTrip implements http.RoundTripper.
func (q *queries) RoundTrip(req *http.Request) (*http.Response, error) {
	hosts := q.hosts
	if req.Context().Value(inParts{}) != nil {
		hosts = q.parts
	}
	host := hosts[req.URL.Scheme+"://"+req.URL.Host]
	if host == nil {
		return nil, errors.New("elasticsearch: a request to an address that is not set")
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	deadline, ok := req.Context().Deadline()
	if !ok {
		deadline = time.Now().Add(longestQuery)
	}
	detached := index.IsDetached(req.Context())
	if detached {
		deadline = deadline.Add(lingers)
	}
	request, response := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(request)
	defer fasthttp.ReleaseResponse(response)
	err := fill(request, req)
	if err == nil {
		err = host.DoDeadline(request, response, deadline)
	}
	if err == nil && detached {
		err = req.Context().Err()
	}
	if err == nil {
		err = checkEnd(response.Body())
	}
	res := &http.Response{StatusCode: response.StatusCode(), Header: http.Header{}, ContentLength: -1, Request: req}
	switch {
	case errors.Is(err, fasthttp.ErrBodyTooLarge): // as the body's: the request's would be held against the node
		res.StatusCode, res.Body = http.StatusOK, tooLarge{}
	case err != nil:
		return nil, queryError(err)
	default:
		res.Body = newContent(bytes.Clone(response.Body())) // whose memory is used again
	}
	return res, nil
}

// fill makes target the same request as req.
func fill(target *fasthttp.Request, req *http.Request) error {
	target.Header.SetMethod(req.Method)
	target.SetRequestURI(req.URL.String())
	for name, values := range req.Header {
		for _, v := range values {
			target.Header.Add(name, v)
		}
	}
	if req.Body == nil {
		return nil
	}
	defer req.Body.Close()
	_, err := io.Copy(target.BodyWriter(), req.Body)
	return err
}

// tooLarge is the body of a response that was too large.
type tooLarge struct{}

func (tooLarge) Read([]byte) (int, error) { return 0, ErrTooLarge }
func (tooLarge) Close() error             { return nil }

// checkEnd looks at the last byte of a response: fasthttp takes a connection that is reset within a
// body for the body's end.
func checkEnd(response []byte) error {
	if text := bytes.TrimRight(response, " \r\n"); len(text) > 0 && text[0] == '{' && text[len(text)-1] != '}' {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// queryError turns fasthttp's own errors into those of the standard library.
func queryError(err error) error {
	switch {
	case errors.Is(err, fasthttp.ErrTimeout), errors.Is(err, fasthttp.ErrTLSHandshakeTimeout),
		errors.Is(err, fasthttp.ErrNoFreeConns):
		return fmt.Errorf("%w: %w", context.DeadlineExceeded, err)
	case errors.Is(err, fasthttp.ErrConnectionClosed):
		return io.EOF
	}
	return err
}
