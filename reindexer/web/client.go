// Package web sends requests to the web servers that sources are read from and archives are kept
// on. It owns how long a server may take, when a request is sent again, which address it may lead
// to, and that a response counts only if it came whole, be it in parts. It doesn't depend on the
// contents, and neither its errors nor its log show users, passwords and parameters of addresses.
//
// # Design
//
// A retrier (retry.go) is a RoundTripper that sends a request until there is a response. So
// http.Client can follow redirects with it (redirect.go), a body goes on with it after it broke off
// (body.go, resume.go), and the signer of requests stands below it, as the Transport of a Client.
package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

const (
	// headerTimeout is how long a server may take to begin its response, which it may have to make.
	headerTimeout = 60 * time.Second
	// stallTimeout is how long no byte may come. A whole transfer may take as long as it likes.
	stallTimeout = 60 * time.Second
)

// Kinds of errors.
var (
	// ErrSlow: a server, with its waits between tries, takes longer than a source may in all (X74).
	ErrSlow = errors.New("the server takes longer than a source waits for one in all")
	// ErrBroken: a transfer ended before its end, wherever that falls in the records.
	ErrBroken = errors.New("the connection broke off")
	// ErrAway: a server does not respond, or refuses for now, however often it was tried.
	ErrAway = errors.New("the server is away")
	// ErrTransient: a server refuses something, and another try may mend that.
	ErrTransient = errors.New("for now")
	// ErrChanged: a server's data is not any more the same as when its reading began.
	ErrChanged = errors.New("it was changed while it was read, so that what was read is not of one state: " +
		"load it again, when nothing writes to it")
)

// Client sends requests to one server, and to those that it leads to.
type Client struct {
	Transport http.RoundTripper
	Stall     time.Duration                                    // how long no byte of a response may come
	Timeout   time.Duration                                    // how long servers may be waited for in all; 0: any time
	Sleep     func(ctx context.Context, d time.Duration) error // waits before another try
	Log       *slog.Logger                                     // gets a record of each other try

	reached atomic.Bool  // the server has responded: that it is the right one is known
	waited  atomic.Int64 // for it, in nanoseconds
}

// New returns a Client. Its log lines have the name of the source.
func New(log *slog.Logger, source string) *Client {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	reach := &reach{inside: isInside, proxy: http.ProxyFromEnvironment}
	return &Client{Stall: stallTimeout, Sleep: sleep, Log: log.With("source", source), Transport: &http.Transport{
		Proxy:                 reach.proxied,
		DialContext:           reach.dial,
		TLSHandshakeTimeout:   dialTimeout,
		ResponseHeaderTimeout: headerTimeout,
		IdleConnTimeout:       longestPause,
		DisableCompression:    true, // the bytes are wanted as they are stored
		ForceAttemptHTTP2:     true,
	}}
}

// Fresh returns a Client of the same servers for another source, which may be waited for as long.
func (c *Client) Fresh() *Client {
	fresh := &Client{Transport: c.Transport, Stall: c.Stall, Timeout: c.Timeout, Sleep: c.Sleep, Log: c.Log}
	fresh.reached.Store(c.reached.Load())
	return fresh
}

// Send sends a request, again where the response is 429 or 5xx, and where none came from a server
// that has responded before. The body of the response ends with the request's context. A user and
// password in the address are sent as basic authentication.
func (c *Client) Send(r *http.Request) (*http.Response, error) {
	return (&retrier{Client: c}).RoundTrip(r)
}

// Whole sends a request as Send does, and calls do with its response and, where the status is 200,
// the body of that, which has at most so many bytes. It sends it again where the body breaks off,
// and where do returns ErrBroken or ErrTransient.
func (c *Client) Whole(r *http.Request, most int64, do func(response *http.Response, body []byte) error) error {
	for t := (&retrier{Client: c}); ; {
		response, err := t.RoundTrip(r)
		if err != nil {
			return err
		}
		var body []byte
		if response.StatusCode == http.StatusOK {
			body, err = io.ReadAll(io.LimitReader(response.Body, most+1))
		}
		switch {
		case err == nil && int64(len(body)) > most:
			err = fmt.Errorf("a response is longer than %d MiB", most>>20)
		case err == nil:
			err = do(response, body)
		}
		response.Body.Close()
		if !errors.Is(err, ErrBroken) && !errors.Is(err, ErrTransient) {
			return err
		}
		if err := t.pause(r.Context(), err, response.Header.Get("Retry-After")); err != nil {
			return err
		}
	}
}

// left is how long servers may yet be waited for.
func (c *Client) left() time.Duration {
	if c.Timeout == 0 {
		return math.MaxInt64
	}
	return c.Timeout - time.Duration(c.waited.Load())
}

func (c *Client) slow() error {
	return fmt.Errorf("%w: %v (FILINGS_SOURCE_TIMEOUT)", ErrSlow, c.Timeout)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Status returns an error with the status of a server's response.
func Status(response *http.Response) error {
	return fmt.Errorf("%s responds with status %d %s",
		Public(response.Request.URL), response.StatusCode, http.StatusText(response.StatusCode))
}

// Public returns u without secrets: user, password and parameters, which may be a signature.
func Public(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}

// away is an ErrAway that says more.
type away struct{ error }

func (a *away) Unwrap() error      { return a.error }
func (a *away) Is(kind error) bool { return kind == ErrAway }

// Away returns err as an ErrAway with its own text.
func Away(err error) error { return &away{err} }

// Foreign returns the message of an error of a network library, but not its kind: a timeout of the
// library would be taken for the end of ctx.
func Foreign(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
}
