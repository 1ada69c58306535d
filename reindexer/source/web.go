package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"
)

const (
	// dialTimeout and headerTimeout bound how long a server may take to be reached, for TCP and TLS each, and to begin its
	// response, which it may first have to make.
	dialTimeout   = 15 * time.Second
	headerTimeout = 60 * time.Second
	// stallTimeout is how long no byte may come. A whole transfer may take as long as it likes.
	stallTimeout = 60 * time.Second
	// maxRedirects is enough for http to https to a storage service, and ends a circle.
	maxRedirects = 5
)

// web reads the files of web servers.
type web struct {
	transport http.RoundTripper
	stall     time.Duration
}

func newWeb() web {
	return web{stall: stallTimeout, transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: dialTimeout}).DialContext,
		TLSHandshakeTimeout:   dialTimeout,
		ResponseHeaderTimeout: headerTimeout,
		DisableCompression:    true, // the bytes are wanted as they are stored
		DisableKeepAlives:     true, // that server gets no other request
		ForceAttemptHTTP2:     true,
	}}
}

// source returns the source at u, whose format is known by its name, else by its media type.
func (w web) source(u *url.URL, f Form) Source {
	f = f.named(u.Path)
	s := Source{Name: publicAddress(u), unit: f.unit(), format: f.Format}
	s.open = func(ctx context.Context, read *atomic.Int64) (*Reader, error) {
		from, format, err := w.open(ctx, u, f.Format)
		if err != nil {
			return nil, err
		}
		f := f
		f.Format = format
		return open(ctx, from, f, nil, read)
	}
	return s
}

// open requests u. The body that it returns ends with ctx.
func (w web) open(ctx context.Context, u *url.URL, format string) (io.ReadCloser, string, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	response, err := w.get(ctx, u)
	if err != nil {
		cancel(nil)
		return nil, "", err
	}
	b := newBody(ctx, cancel, response, w.stall)
	if format == "" {
		format = formatOfMedia(response.Header.Get("Content-Type"))
	}
	switch {
	case format == "":
		err = errors.New("neither its name nor its Content-Type says the format: give --format")
	case response.ProtoMajor == 1 && response.ContentLength < 0 && len(response.TransferEncoding) == 0:
		err = errors.New("the server does not announce how long its response is, so that a cut connection would look like " +
			"the end: fetch it to a file first")
	}
	if err != nil {
		b.Close()
	}
	return b, format, err
}

// get requests u, follows redirects, and returns a response with the status 200.
func (w web) get(ctx context.Context, u *url.URL) (*http.Response, error) {
	for range maxRedirects + 1 {
		response, err := w.send(ctx, u)
		if err != nil {
			return nil, err
		}
		if response.StatusCode == http.StatusOK {
			return response, nil
		}
		response.Body.Close()
		switch response.StatusCode {
		case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
			http.StatusPermanentRedirect:
		default:
			return nil, fmt.Errorf("%s responds with status %d %s", publicAddress(u), response.StatusCode,
				http.StatusText(response.StatusCode))
		}
		if u, err = redirected(u, response); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("more than %d redirects, the last of them to %s", maxRedirects, publicAddress(u))
}

// send sends one request. It does without http.Client, which would send the parameters of this address to the next server
// of a redirect, and repeats addresses in its errors.
func (w web) send(ctx context.Context, u *url.URL) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, errors.New("the address is not well-formed")
	}
	request.Header.Set("Accept-Encoding", "identity")
	request.Header.Set("User-Agent", "filings")
	if u.User != nil {
		password, _ := u.User.Password()
		request.SetBasicAuth(u.User.Username(), password)
	}
	response, err := w.transport.RoundTrip(request)
	if err != nil {
		return nil, foreign(ctx, err)
	}
	return response, nil
}

// redirected returns where the response of u redirects to. Only the same server gets the user and password again.
func redirected(u *url.URL, response *http.Response) (*url.URL, error) {
	to, err := response.Location()
	switch {
	case err != nil || to.Scheme != "http" && to.Scheme != "https":
		return nil, fmt.Errorf("%s redirects to nothing that is an address of HTTP", publicAddress(u))
	case u.Scheme == "https" && to.Scheme == "http":
		return nil, fmt.Errorf("%s redirects from https to http, which others on the path could change", publicAddress(u))
	case to.User == nil && to.Scheme == u.Scheme && to.Host == u.Host:
		to.User = u.User
	}
	return to, nil
}

// formatOfMedia returns the format that a Content-Type says, "" if it says none.
func formatOfMedia(contentType string) string {
	media, _, _ := mime.ParseMediaType(contentType) // a wrong parameter leaves the type
	switch media {
	case "application/x-ndjson":
		return NDJSON
	case "text/csv", "text/tab-separated-values":
		return CSV
	case "application/json", "application/geo+json":
		return JSON
	case "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":
		return XLSX
	case "application/vnd.apache.parquet":
		return Parquet
	case "application/zip", "application/x-zip-compressed":
		return Zip
	}
	return ""
}
