// Package web sends requests to the web servers that sources are read from and archives are kept on. It owns how long a server may
// take, when a request is sent again, and that a response counts only if it came whole. It knows nothing of what is requested, and
// neither its errors nor its log show what an address has in users, passwords and parameters.
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
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const (
	// headerTimeout is how long a server may take to begin its response, which it may first have to make.
	headerTimeout = 60 * time.Second
	// stallTimeout is how long no byte may come. A whole transfer may take as long as it likes.
	stallTimeout = 60 * time.Second

	// mostTries is how often a request is sent (rule X45). Between two tries passes what the server wants, at most longestWait, else
	// shortestWait, which doubles up to doubledWait.
	mostTries    = 10
	shortestWait = time.Second
	doubledWait  = time.Minute
	longestWait  = time.Hour
)

// ErrSlow: a server, its waits before another try included, takes longer than a source may take in all (rule X74).
var ErrSlow = errors.New("the server takes longer than a source waits for one in all")

// ErrTransient: a server refuses something, and another try may mend that.
var ErrTransient = errors.New("for now")

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

// New returns a Client. What it logs says the name of the source.
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
		IdleConnTimeout:       doubledWait,
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

// Send sends the request that build returns, and returns its response, whose body ends with ctx. It sends it again, made anew, where the
// response is 429 or 5xx, and where none came from a server that has responded before. failed counts the tries of what the request is
// for that have failed; whoever has come further by one sets it to 0.
func (c *Client) Send(ctx context.Context, failed *int, build func(context.Context) (*http.Request, error)) (*http.Response, error) {
	for {
		response, err := c.once(ctx, build)
		after := ""
		switch {
		case err != nil && (!c.reached.Load() || ctx.Err() != nil || errors.Is(err, errInside)):
			return nil, err
		case err == nil && response.StatusCode != http.StatusTooManyRequests && response.StatusCode < 500:
			return response, nil
		case err == nil:
			err, after = Status(response), response.Header.Get("Retry-After")
			response.Body.Close()
		}
		if err := c.Again(ctx, failed, err, after); err != nil {
			return nil, err
		}
	}
}

// Whole sends a request as Send does, and calls do with its response and, where the status is 200,
// the body of that, which has at most so many bytes. It sends it again where the body breaks off,
// and where do returns ErrBroken or ErrTransient.
func (c *Client) Whole(
	ctx context.Context, build func(context.Context) (*http.Request, error), most int64,
	do func(response *http.Response, body []byte) error,
) error {
	for failed := 0; ; {
		response, err := c.Send(ctx, &failed, build)
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
		if err := c.Again(ctx, &failed, err, response.Header.Get("Retry-After")); err != nil {
			return err
		}
	}
}

// Again waits before another try of what failed with err, as long as the server wants, by its Retry-After. It returns err after the
// tenth.
func (c *Client) Again(ctx context.Context, failed *int, err error, after string) error {
	wait := min(shortestWait<<*failed, doubledWait)
	if seconds, failed := strconv.ParseUint(after, 10, 31); failed == nil {
		wait = time.Duration(seconds) * time.Second
	} else if at, failed := http.ParseTime(after); failed == nil {
		wait = max(0, time.Until(at))
	}
	switch *failed++; {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrSlow):
		return err
	case *failed >= mostTries:
		return fmt.Errorf("%w, after %d tries", err, *failed)
	case wait > longestWait:
		return fmt.Errorf("%w, and is to be tried again in %v", err, wait.Round(time.Second))
	case wait >= c.left():
		return fmt.Errorf("%w, and is to be tried again in %v: %w", err, wait.Round(time.Second), c.slow())
	}
	c.waited.Add(int64(wait))
	c.Log.Warn("a source is tried again", "seconds", wait.Seconds(), "try", *failed+1, "error", err)
	return c.Sleep(ctx, wait)
}

// once sends one request. It does without http.Client, which would send the parameters of this address to the next server of a redirect,
// and repeats addresses in its errors.
func (c *Client) once(ctx context.Context, build func(context.Context) (*http.Request, error)) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	request, err := build(ctx)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	request.Header.Set("Accept-Encoding", "identity")
	request.Header.Set("User-Agent", "filings")
	begun, limit := time.Now(), time.AfterFunc(c.left(), func() { cancel(c.slow()) })
	response, err := c.Transport.RoundTrip(request)
	limit.Stop()
	c.waited.Add(int64(time.Since(begun)))
	if err != nil {
		if cause := context.Cause(ctx); errors.Is(cause, ErrSlow) {
			err = cause
		} else if !errors.Is(err, errInside) {
			err = Foreign(ctx, err)
		}
		cancel(nil)
		return nil, err
	}
	c.reached.Store(true)
	response.Body = newBody(ctx, cancel, response, c)
	return response, nil
}

// Status returns an error that says what a server responds with.
func Status(response *http.Response) error {
	return fmt.Errorf("%s responds with status %d %s", Public(response.Request.URL), response.StatusCode, http.StatusText(response.StatusCode))
}

// Public returns u without its secrets: the user and password, and the parameters, which may be a signature.
func Public(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}

// Foreign returns the message of an error of a network library, but not its kind: a timeout of the library would be taken
// for the end of ctx.
func Foreign(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
}
