package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"filings/index"
)

// IndexNotFound is the kind of an Error about an index that is not there.
const IndexNotFound = "index_not_found_exception"

// IndexClosed is the kind of an Error about an index that an operator closed: it exists, and cannot
// be searched.
const IndexClosed = "index_closed_exception"

// ErrCredentials: Elasticsearch demands other credentials, or some at all.
var ErrCredentials = errors.New("elasticsearch does not take the credentials")

// Error is a response of Elasticsearch that is not a success. It unwraps to index.ErrGone,
// index.ErrNotFound, index.ErrUnavailable or ErrCredentials where it is one of these. Its text
// names no address.
type Error struct {
	Status  int    // 0 for a response that came with 200 but without the results of every shard
	Kind    string // such as IndexNotFound; "" if the response does not say
	Reason  string
	foreign bool // the response is no JSON: it came from somewhere else, such as a proxy that has lost Elasticsearch
}

func (e *Error) Error() string {
	text := "elasticsearch responded " + strconv.Itoa(e.Status)
	if e.Kind != "" {
		text += " " + e.Kind
	}
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text
}

func (e *Error) Unwrap() error {
	switch {
	case e.foreign, e.Kind == IndexClosed:
		return index.ErrUnavailable
	case e.Kind == IndexNotFound:
		return index.ErrGone
	case e.Status == http.StatusUnauthorized:
		return ErrCredentials
	case e.Status == http.StatusNotFound:
		return index.ErrNotFound
	case e.Status == http.StatusTooManyRequests, e.Status >= http.StatusInternalServerError, e.Status == partial:
		return index.ErrUnavailable
	}
	return nil
}

// partial stands for the status of a response that is not whole.
const partial = 0

// HasKind reports whether err is a response of that kind.
func HasKind(err error, kind string) bool {
	var failed *Error
	return errors.As(err, &failed) && failed.Kind == kind
}

// HasStatus reports whether err is a response with that status.
func HasStatus(err error, status int) bool {
	var failed *Error
	return errors.As(err, &failed) && failed.Status == status
}

// IsOwn reports whether err is a response that Elasticsearch itself gave.
func IsOwn(err error) bool {
	var failed *Error
	return errors.As(err, &failed) && !failed.foreign
}

// Incomplete is the error of a response that lacks some of the requested results. It is temporary:
// the request can be sent again.
func Incomplete(got, want int) error {
	return &Error{Status: partial, Kind: "incomplete", Reason: fmt.Sprintf("%d of %d results", got, want)}
}

// ErrResponse is a response that has another form than was requested: it may be that of a proxy
// which has lost Elasticsearch.
var ErrResponse = fmt.Errorf("%w: elasticsearch responded with something else than was requested", index.ErrUnavailable)

// newError reads the error that came with an HTTP status.
func newError(status int, response []byte) *Error {
	e := &Error{Status: status}
	var body struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(response, &body) != nil {
		e.foreign = true
		return e
	}
	type cause struct {
		Type   string `json:"type"`
		Reason string `json:"reason"`
	}
	var found struct {
		cause
		RootCause []cause `json:"root_cause"`
	}
	if json.Unmarshal(body.Error, &found) != nil {
		_ = json.Unmarshal(body.Error, &e.Reason) // of aliases_not_found it is a plain text
		return e
	}
	if len(found.RootCause) > 0 {
		found.cause = found.RootCause[0]
	}
	e.Kind, e.Reason = found.Type, found.Reason
	return e
}

// isPassing reports whether err is of a kind that is over in a moment.
func isPassing(err error) bool {
	var failed *Error
	if errors.As(err, &failed) {
		return failed.Status == http.StatusServiceUnavailable || failed.Status == partial
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET)
}

// connectionError is that there was no response. It keeps its cause for errors.Is, and its text
// leaves out the addresses that Go's network errors are full of.
type connectionError struct {
	cause error
	text  string
}

func (e *connectionError) Error() string   { return "elasticsearch did not respond: " + e.text }
func (e *connectionError) Unwrap() []error { return []error{index.ErrUnavailable, e.cause} }

// Ended returns the error of a request whose context, ctx, ended before its response came.
func Ended(ctx context.Context) error { return transportError(ctx, ctx.Err()) }

// transportError turns an error of the network into one of our kinds. A caller who went away is no
// outage.
func transportError(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("requesting of elasticsearch: %w", context.Cause(ctx))
	}
	return &connectionError{cause: err, text: describe(ctx, err)}
}

func describe(ctx context.Context, err error) string {
	var errno syscall.Errno
	switch {
	case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded):
		return "out of time"
	case errors.As(err, &errno):
		return errno.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "connection closed"
	}
	return "connection failed"
}

const (
	// retryFor outlasts the election of a new master and the restart of a node.
	retryFor = 2 * time.Minute
	// RequestTime is the longest time of a request. Elasticsearch itself gives up on most after 30
	// seconds, and stalls for 10 while it elects a master.
	RequestTime = time.Minute
	// BulkTime is the longest time of a bulk request. On a machine with too much to do it takes
	// minutes, and giving up makes that worse: Elasticsearch goes on with a request that no client
	// waits for. A broken connection is noticed sooner.
	BulkTime = 5 * time.Minute
	// MergeTime is the longest time of merging a generation.
	MergeTime = 6 * time.Hour

	// FirstPause is how long Retry waits after a first failure, about.
	FirstPause   = 50 * time.Millisecond
	longestPause = 10 * time.Second
)

// Retry calls try, which must bear being repeated, each time for at most limit, until it returns
// something else than a temporary error. It gives up when ctx ends, or when Config.RetryFor is
// over, counted from the first failure.
func (c *Client) Retry(ctx context.Context, limit time.Duration, try func(context.Context) error) error {
	var giveUp time.Time
	for pause := FirstPause; ; pause = min(2*pause, longestPause) {
		err := attempt(ctx, limit, try)
		if !IsTemporary(err) {
			return err
		}
		now := time.Now()
		if giveUp.IsZero() {
			giveUp = now.Add(c.retryFor)
		}
		if now.Add(pause).After(giveUp) {
			return err
		}
		c.log.WarnContext(ctx, "a request to elasticsearch will be sent again", "error", err, "pause", pause)
		if wait(ctx, pause) != nil {
			return err
		}
	}
}

func attempt(ctx context.Context, limit time.Duration, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return try(ctx)
}

// IsTemporary reports whether a request may do better a little later: there was no response, or one
// of a cluster that has no master, no room in a queue, or no shard at this moment.
func IsTemporary(err error) bool {
	var failed *Error
	if !errors.As(err, &failed) {
		return errors.Is(err, index.ErrUnavailable)
	}
	if failed.foreign {
		return true
	}
	switch failed.Status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout, partial:
		return true
	}
	return false
}

// wait pauses for about d, or until ctx ends. Requests that were refused together must not come
// back together.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d/2 + rand.N(d))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
