package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"syscall"

	"filings/index"
)

// answerError is an answer of Elasticsearch that is not a success. It unwraps to index.ErrGone, index.ErrNotFound or
// index.ErrUnavailable where it is one of these. Its text names no address.
type answerError struct {
	status int
	kind   string // such as index_not_found_exception; "" if the answer does not say
	reason string
	page   bool // the answer is no JSON: somebody else gave it, such as a proxy that has lost Elasticsearch
}

func (e *answerError) Error() string {
	text := "elasticsearch answered " + strconv.Itoa(e.status)
	if e.kind != "" {
		text += " " + e.kind
	}
	if e.reason != "" {
		text += ": " + e.reason
	}
	return text
}

func (e *answerError) Unwrap() error {
	switch {
	case e.page:
		return index.ErrUnavailable
	case e.kind == "index_not_found_exception":
		return index.ErrGone
	case e.status == http.StatusNotFound:
		return index.ErrNotFound
	case e.status == http.StatusTooManyRequests, e.status >= http.StatusInternalServerError, e.status == partial:
		return index.ErrUnavailable
	}
	return nil
}

// partial stands for the status of an answer that came with 200 but without the results of every shard.
const partial = 0

// newAnswerError reads the error that came with an HTTP status.
func newAnswerError(status int, answer []byte) *answerError {
	e := &answerError{status: status}
	var body struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(answer, &body) != nil {
		e.page = true
		return e
	}
	var cause struct {
		Type      string `json:"type"`
		Reason    string `json:"reason"`
		RootCause []struct {
			Type   string `json:"type"`
			Reason string `json:"reason"`
		} `json:"root_cause"`
	}
	if json.Unmarshal(body.Error, &cause) != nil {
		_ = json.Unmarshal(body.Error, &e.reason) // aliases_not_found is told as a plain text
		return e
	}
	e.kind, e.reason = cause.Type, cause.Reason
	if len(cause.RootCause) > 0 {
		e.kind, e.reason = cause.RootCause[0].Type, cause.RootCause[0].Reason
	}
	return e
}

// isPassing reports whether err is of a kind that is over in a moment.
func isPassing(err error) bool {
	var answer *answerError
	if errors.As(err, &answer) {
		return answer.status == http.StatusServiceUnavailable || answer.status == partial
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET)
}

// connectionError says that there was no answer. It keeps its cause for errors.Is, and its text leaves out the
// addresses that Go's network errors are full of.
type connectionError struct {
	cause error
	text  string
}

func (e *connectionError) Error() string   { return "elasticsearch did not answer: " + e.text }
func (e *connectionError) Unwrap() []error { return []error{index.ErrUnavailable, e.cause} }

// transportError turns what the network said into one of our kinds. A caller who went away is no outage.
func transportError(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("asking elasticsearch: %w", context.Cause(ctx))
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

// checkWhole finds the marks of a partial answer. They stand before the results, so only the head is read, and the last
// character. Everything that is asked for here is answered by an object.
func checkWhole(answer []byte) error {
	c := cursor{b: answer}
	if !c.enter('{') || !bytes.HasSuffix(bytes.TrimRight(answer, " \r\n\t"), []byte{'}'}) {
		return errAnswer
	}
	for c.next('}') {
		switch string(c.key()) {
		case "timed_out":
			if string(c.skip()) == "true" {
				return &answerError{status: partial, kind: "timed_out", reason: "the search ran out of time"}
			}
		case "_shards":
			if err := checkShards(c.skip()); err != nil {
				return err
			}
		default:
			if next := c.peek(); next == '{' || next == '[' {
				return nil
			}
			c.skip()
		}
	}
	return nil
}

func checkShards(shards []byte) error {
	if c := (cursor{b: shards}); c.find("failed") && c.integer() == 0 && !c.bad {
		return nil // as nearly always
	}
	var s struct {
		Total, Failed int
		Failures      []struct {
			Reason struct{ Type, Reason string }
		}
	}
	if err := json.Unmarshal(shards, &s); err != nil {
		return fmt.Errorf("reading _shards: %w", err)
	}
	if s.Failed == 0 {
		return nil
	}
	e := &answerError{status: partial, kind: "shard_failure", reason: fmt.Sprintf("%d of %d shards failed", s.Failed, s.Total)}
	if len(s.Failures) > 0 {
		e.kind, e.reason = s.Failures[0].Reason.Type, e.reason+": "+s.Failures[0].Reason.Reason
	}
	return e
}
