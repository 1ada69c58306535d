package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// Why an export ended early. Any other error is a failure of the service.
var (
	ErrStopping = errors.New("the service stops")
	errTime     = errors.New("the time limit of an export is over")
	errLease    = errors.New("another export of the account began")
	errSlow     = errors.New("the client took less than 1 MiB while another account waited for the slot")
	errClient   = errors.New("the client closed the connection or took nothing")
)

// Outcomes are the ways in which an export ends, as metrics and log name them.
var Outcomes = []string{"whole", "client", "slow", "timeout", "stopped", "failed"}

// Sending has the parts that a Sender needs.
type Sending struct {
	Lease *Lease
	Slot  *Slot
	Conn  net.Conn
	Flush func() error  // of the gathered bytes of Conn
	Limit time.Duration // for all of it
	Stall time.Duration // how long the client may take nothing
	Done  func(Sent)    // is called once, when nothing more is sent
	// Withdrawn returns an error once nothing more of the file may be sent.
	Withdrawn func(context.Context) error
}

// Sent is the result of a Sender.
type Sent struct {
	Rows, Bytes int64 // rows whole or in part; bytes of the file
	Err         error // nil: the file is whole
}

// Sender is the body of an export while it is sent. The HTTP server reads it on the goroutine of
// the connection. Only io.EOF makes it write the last chunk of a response: any other error closes
// the connection without it, so that the client sees that the file is not whole (rule X6).
//
// Every end calls Done: before io.EOF is returned, so that a client that has the whole file can
// begin the next export at once, and else as soon as the error is known.
type Sender struct {
	Sending
	stream *Stream
	ctx    context.Context
	cancel context.CancelCauseFunc
	finish func()     // of the timer, and of the cut
	mu     sync.Mutex // between the deadlines of writes, and the one that cuts
	bytes  int64
	ended  sync.Once
}

// Send begins to read the stream that open returns, and to renew the lease. It ends with ctx, whose cause is why.
func Send(ctx context.Context, sending Sending, open func(context.Context) *Stream) *Sender {
	d := &Sender{Sending: sending}
	d.ctx, d.cancel = context.WithCancelCause(ctx)
	limit := time.AfterFunc(d.Limit, func() { d.cancel(errTime) })
	uncut := context.AfterFunc(d.ctx, d.cut)
	d.finish = func() { limit.Stop(); uncut() }
	d.stream = open(d.ctx)
	d.Lease.renew(d.ctx, func() { d.cancel(errLease) })
	d.Slot.Yields(func() { d.cancel(errSlow) })
	return d
}

// Read implements io.Reader. The client has the stall time for a few kilobytes.
func (d *Sender) Read(p []byte) (int, error) {
	// With its length before it and its end after it, a chunk fits into the server's buffer of 4
	// KiB: one write, not two.
	d.Slot.Asks()
	n, err := d.stream.Read(p[:min(len(p), 4096-8)])
	d.Slot.Sends(n)
	d.bytes += int64(n)
	if err == nil {
		err = d.Withdrawn(d.ctx)
	}
	if err == nil {
		err = d.extend()
	}
	if err == nil {
		return n, nil
	}
	if flushed := d.Flush(); flushed != nil && err == io.EOF {
		err = errClient
	}
	d.end(err)
	if err != io.EOF {
		// The server logs an error that it does not know; a connection's early end is known.
		err = fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err)
	}
	return 0, err
}

// extend gives the client the stall time for the next write.
func (d *Sender) extend() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ctx.Err() != nil {
		return context.Cause(d.ctx)
	}
	return d.Conn.SetWriteDeadline(time.Now().Add(d.Stall))
}

// cut ends a write that waits for the client.
func (d *Sender) cut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	_ = d.Conn.SetWriteDeadline(time.Now())
}

// Close implements io.Closer: the server calls it after the last write, and when a write failed.
func (d *Sender) Close() error {
	err := errClient
	if d.ctx.Err() != nil {
		err = context.Cause(d.ctx)
	}
	d.end(err)
	return nil
}

// end stops all that runs for d, and hands on the result. After the first time it does nothing.
func (d *Sender) end(err error) {
	d.ended.Do(func() {
		if err == io.EOF {
			err = nil
		}
		d.finish()
		d.stream.Close()
		d.cancel(nil)
		<-d.Lease.renewed
		d.Done(Sent{d.stream.Rows(), d.bytes, err})
	})
}

// Outcome returns which one of Outcomes it was.
func (s Sent) Outcome() string {
	switch {
	case s.Err == nil:
		return "whole"
	case errors.Is(s.Err, errClient), errors.Is(s.Err, errLease):
		return "client"
	case errors.Is(s.Err, ErrStopping):
		return "stopped"
	case errors.Is(s.Err, errTime):
		return "timeout"
	case errors.Is(s.Err, errSlow):
		return "slow"
	}
	return "failed"
}
