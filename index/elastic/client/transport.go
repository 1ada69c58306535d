package client

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"
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

// check names the first thing that is wrong. It shows neither addresses, which may hold passwords, nor credentials.
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
	loads, err1 := cfg.over(addresses, transport)
	queries, err2 := cfg.over(addresses, &queries{
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

// over returns go-elasticsearch's transport over rt. The library repeats a request only if it was
// never sent, once on each address. Anything that may have been carried out is repeated by those
// who know whether they may: Read, Retry.
func (cfg Config) over(addresses []*url.URL, rt http.RoundTripper) (*elastictransport.Client, error) {
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
		// Go's default keeps 2 idle connections to a host, and would dial anew for nearly every query of a busy service.
		MaxIdleConnsPerHost: 128,
		IdleConnTimeout:     90 * time.Second,
		// Without this Elasticsearch would compress every page: more of its CPU than the network is worth.
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
