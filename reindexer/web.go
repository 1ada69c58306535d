package reindexer

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// dialLimit and headerLimit bound how long a server may take to be reached, for TCP and TLS each, and to begin its
	// answer, which it may first have to make.
	dialLimit   = 15 * time.Second
	headerLimit = 60 * time.Second
	// stallLimit is how long no byte may come. A whole transfer may take as long as it likes.
	stallLimit = 60 * time.Second
	// maxRedirects is enough for http to https to a storage service, and ends a circle.
	maxRedirects = 5
)

// web reads what web servers have.
type web struct {
	transport http.RoundTripper
	stall     time.Duration
}

func newWeb() web {
	return web{stall: stallLimit, transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: dialLimit}).DialContext,
		TLSHandshakeTimeout:   dialLimit,
		ResponseHeaderTimeout: headerLimit,
		DisableCompression:    true, // the bytes are wanted as they are stored
		DisableKeepAlives:     true, // nothing else is asked of that server
		ForceAttemptHTTP2:     true,
	}}
}

func (w web) input(u *url.URL, format string) input {
	if format == "" {
		format = formatOf(u.Path)
	}
	return input{name: shownAddress(u), format: format, open: func(ctx context.Context) (opened, error) {
		return w.open(ctx, u, format)
	}}
}

// open asks for u. What it returns ends with ctx.
func (w web) open(ctx context.Context, u *url.URL, format string) (opened, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	answer, err := w.get(ctx, u)
	if err != nil {
		cancel(nil)
		return opened{}, err
	}
	b := newBody(ctx, cancel, answer, w.stall)
	if format == "" {
		format = formatOfMedia(answer.Header.Get("Content-Type"))
	}
	switch {
	case format == "":
		err = errors.New("neither its name nor its Content-Type (application/x-ndjson, text/csv) says the format: " +
			"give --format")
	case answer.ProtoMajor == 1 && answer.ContentLength < 0 && len(answer.TransferEncoding) == 0:
		err = errors.New("the server does not tell how long its answer is, so that a cut connection would look like " +
			"the end: fetch it to a file first")
	}
	if err != nil {
		b.Close()
	}
	return opened{b, format}, err
}

// get asks for u, follows redirects, and returns an answer with the status 200.
func (w web) get(ctx context.Context, u *url.URL) (*http.Response, error) {
	for range maxRedirects + 1 {
		answer, err := w.ask(ctx, u)
		if err != nil {
			return nil, err
		}
		if answer.StatusCode == http.StatusOK {
			return answer, nil
		}
		answer.Body.Close()
		if !isRedirect(answer.StatusCode) {
			return nil, fmt.Errorf("%s answers with status %d %s", shownAddress(u), answer.StatusCode,
				http.StatusText(answer.StatusCode))
		}
		if u, err = redirected(u, answer); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("more than %d redirects, the last of them to %s", maxRedirects, shownAddress(u))
}

// ask sends one request. It does without http.Client, which would tell the next server of a redirect the parameters of
// this one, and repeats addresses in its errors.
func (w web) ask(ctx context.Context, u *url.URL) (*http.Response, error) {
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
	answer, err := w.transport.RoundTrip(request)
	if err != nil {
		return nil, foreign(ctx, err)
	}
	return answer, nil
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
		http.StatusPermanentRedirect:
		return true
	}
	return false
}

// redirected returns where answer, that of u, sends on to. Only the same server is told the user and password again.
func redirected(u *url.URL, answer *http.Response) (*url.URL, error) {
	to, err := answer.Location()
	switch {
	case err != nil || to.Scheme != "http" && to.Scheme != "https":
		return nil, fmt.Errorf("%s redirects to nothing that is an address of HTTP", shownAddress(u))
	case u.Scheme == "https" && to.Scheme == "http":
		return nil, fmt.Errorf("%s redirects from https to http, which anybody on the way could change", shownAddress(u))
	case to.User == nil && to.Scheme == u.Scheme && to.Host == u.Host:
		to.User = u.User
	}
	return to, nil
}

// formatOfMedia tells the format from a Content-Type, "" if it does not say.
func formatOfMedia(contentType string) string {
	media, _, _ := mime.ParseMediaType(contentType) // a wrong parameter leaves the type
	switch media {
	case "application/x-ndjson":
		return formatNDJSON
	case "text/csv":
		return formatCSV
	}
	return ""
}

// foreign returns what a network library says, but not its kind: a time limit of its own would be taken for the end of
// ctx.
func foreign(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
}
