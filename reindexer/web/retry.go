package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

const (
	// maxTries is how often a request is sent (rule X45). Between two tries passes the time that
	// the server wants, at most longestWait, or else shortestPause, doubled up to longestPause.
	maxTries      = 10
	shortestPause = time.Second
	longestPause  = time.Minute
	longestWait   = time.Hour
)

// retrier is a RoundTripper that sends a request until there is a response to it.
type retrier struct {
	*Client
	failed int   // tries in a row that brought nothing
	err    error // of the last RoundTrip
}

// RoundTrip implements http.RoundTripper.
func (t *retrier) RoundTrip(r *http.Request) (response *http.Response, err error) {
	for {
		if response, t.err = t.once(r); t.err == nil {
			if response.StatusCode != http.StatusTooManyRequests && response.StatusCode < 500 {
				return response, nil
			}
			response.Body.Close()
			t.err = t.pause(r.Context(), Status(response), response.Header.Get("Retry-After"))
		} else if t.reached.Load() && r.Context().Err() == nil && !errors.Is(t.err, errInside) {
			t.err = t.pause(r.Context(), t.err, "")
		}
		if t.err != nil {
			if r.Context().Err() == nil && !errors.Is(t.err, errInside) {
				t.err = Away(t.err)
			}
			return nil, t.err
		}
	}
}

// pause waits before another try of a request that failed with err, as long as the server wants, by
// its Retry-After. It returns err after the last.
func (t *retrier) pause(ctx context.Context, err error, retryAfter string) error {
	wait := min(shortestPause<<t.failed, longestPause)
	if seconds, failed := strconv.ParseUint(retryAfter, 10, 31); failed == nil {
		wait = time.Duration(seconds) * time.Second
	} else if date, failed := http.ParseTime(retryAfter); failed == nil {
		wait = max(0, time.Until(date))
	}
	switch t.failed++; {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrSlow):
		return err
	case t.failed >= maxTries:
		return fmt.Errorf("%w, after %d tries", err, t.failed)
	case wait > longestWait:
		return fmt.Errorf("%w, and is to be tried again in %v", err, wait.Round(time.Second))
	case wait >= t.left():
		return fmt.Errorf("%w, and is to be tried again in %v: %w", err, wait.Round(time.Second), t.slow())
	}
	t.waited.Add(int64(wait))
	t.Log.Warn("a source is tried again", "seconds", wait.Seconds(), "try", t.failed+1, "error", err)
	return t.Sleep(ctx, wait)
}

// once sends a request once, as one of its own.
func (c *Client) once(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	try := r.Clone(ctx)
	if r.GetBody != nil {
		try.Body, _ = r.GetBody() // of bytes, which never fails
	}
	if u := r.URL.User; u != nil {
		password, _ := u.Password()
		try.SetBasicAuth(u.Username(), password)
	}
	try.Header.Set("Accept-Encoding", "identity")
	try.Header.Set("User-Agent", "filings")
	begun, limit := time.Now(), time.AfterFunc(c.left(), func() { cancel(c.slow()) })
	response, err := c.Transport.RoundTrip(try)
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
	response.Request = r
	response.Body = newBody(ctx, cancel, response, c)
	return response, nil
}
