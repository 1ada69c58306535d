package elastic

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
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"
)

// Config says where Elasticsearch is and how its generations are laid out.
type Config struct {
	Addresses          []string // http:// or https:// URLs, at least one
	Username, Password string   // basic authentication; "" for none
	APIKey             string   // instead of Username and Password
	CAFile             string   // PEM file of the certificates to trust; "" for the system's
	Index              string   // alias of the live generation, and first part of the names of all
	Shards, Replicas   int      // of a sealed generation; at least 1 and 0

	Now    func() time.Time // nil: time.Now
	Logger *slog.Logger     // nil: nothing is logged
}

// indexName is what Elasticsearch takes as the name of an index, less the letters that no configuration needs. The
// length leaves room for what generations and the lock add to it; Elasticsearch's limit is 255 bytes.
var indexName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,127}$`)

// check names the first thing that is wrong. It shows neither addresses, which may hold passwords, nor credentials.
func (cfg Config) check() error {
	switch {
	case len(cfg.Addresses) == 0:
		return errors.New("elasticsearch: no address")
	case !indexName.MatchString(cfg.Index):
		return errors.New("elasticsearch: the index name must be 1 to 128 of a-z, 0-9, _ and -, a letter or digit first")
	case cfg.Shards < 1 || cfg.Shards > 1024:
		return errors.New("elasticsearch: the number of shards must be between 1 and 1024")
	case cfg.Replicas < 0:
		return errors.New("elasticsearch: the number of replicas must be 0 or more")
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

// newClient returns go-elasticsearch's transport (addresses, authentication, repetition) without its clients: these bring
// 860 packages of typed requests, which nobody here uses and everybody would have to compile. Its requests pass through
// wrap, which tests use to break connections.
func newClient(cfg Config, wrap func(http.RoundTripper) http.RoundTripper) (*client, error) {
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
	options := []elastictransport.Option{elastictransport.WithURLs(addresses...)}
	if cfg.Username != "" {
		options = append(options, elastictransport.WithBasicAuth(cfg.Username, cfg.Password))
	}
	if cfg.APIKey != "" {
		options = append(options, elastictransport.WithAPIKey(cfg.APIKey))
	}
	// The library repeats a request only if it was never sent, once on each address. Anything that may have been carried
	// out is repeated by those who know whether they may: client.read, persist, bulk.
	if len(addresses) == 1 {
		options = append(options, elastictransport.WithDisableRetry())
	} else {
		options = append(options, elastictransport.WithRetry(len(addresses)-1, neverAStatus),
			elastictransport.WithRetryOnError(func(_ *http.Request, err error) bool { return isUnsent(err) }))
	}
	over := func(rt http.RoundTripper) (*elastictransport.Client, error) {
		return elastictransport.NewClient(append(slices.Clip(options), elastictransport.WithTransport(wrap(rt)))...)
	}
	es, err1 := over(transport)
	queries, err2 := over(newQueries(addresses, transport.TLSClientConfig))
	if err1 != nil || err2 != nil {
		return nil, errors.New("elasticsearch: the client refuses these settings") // its reason may show an address
	}
	return &client{es: es, queries: queries}, nil
}

// neverAStatus stands for "repeat on no status"; an empty list would mean 502, 503 and 504.
const neverAStatus = -1

// isUnsent reports that no connection was made.
func isUnsent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

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
