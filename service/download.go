package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"filings/service/access"
	"filings/service/edge"
	"filings/service/export"
	"filings/service/params"
)

// Why an export was cut.
var (
	errStopping   = errors.New("the service stops")
	errExportTime = errors.New("the time limit of an export is over")
	errLease      = errors.New("another export of the account began")
	errSlow       = errors.New("the client took less than 1 MiB while another account waited for the place")
)

// download is the body of an export while it is sent. The HTTP server reads it on the goroutine of the connection. Only
// io.EOF makes it write the last chunk of a response: any other error closes the connection without it, so that the client
// sees that the file is not whole (rule X6).
//
// Every end settles the account: before io.EOF is returned, so that a client that has the whole file can begin the next
// export at once, and else as soon as the error is known.
type download struct {
	service *Service
	id      string
	began   time.Time
	place   *export.Place // nil: none yet
	user    string        // who holds the account's lease; "": nobody yet
	price   int64
	total   int64
	charged access.Admission

	stream *export.Stream
	conn   net.Conn
	flush  func() error // of what conn gathers
	cancel context.CancelCauseFunc
	finish func() // of the timer, and of what cuts
	ctx    context.Context
	bytes  int64
	err    error // why the stream ended
	log    []slog.Attr
	format export.Format
	route  func(took time.Duration) // counts the request in the metrics

	renewed chan struct{} // closed when the lease is renewed no more
	mu      sync.Mutex    // between the deadlines of writes, and the one that cuts
	settled sync.Once
}

// start begins to read, and makes d the body of k's response.
func (d *download) start(k *call, f export.Format, open func(context.Context) *export.Stream) {
	s := d.service
	d.ctx, d.cancel = context.WithCancelCause(s.exporting)
	limit := time.AfterFunc(s.config.ExportTimeout, func() { d.cancel(errExportTime) })
	uncut := context.AfterFunc(d.ctx, d.cut)
	d.finish = func() { limit.Stop(); uncut() }
	d.conn, d.format, k.streams = k.http.Context().Conn(), f, true
	d.flush = edge.Gather(d.conn)
	k.http.Status(200)
	d.log = edge.Attributes(k.http, k.id, k.route)
	d.log = append(d.log, slog.String("client", edge.Client(k.http, s.config.TrustedProxies).String()),
		slog.String("user", k.admission.User), slog.String("tier", string(k.admission.Tier)))
	route, tier := k.route, string(k.admission.Tier)
	d.route = func(took time.Duration) { s.metrics.observed(route, "200", tier, took) }
	d.stream = open(d.ctx)
	s.metrics.exporting.Inc()
	d.renewed = make(chan struct{})
	go d.renew()
	d.place.Yields(func() { d.cancel(errSlow) })
	k.http.Response().ImmediateHeaderFlush = true // the first row group of Parquet takes a while
	k.http.Response().SetBodyStream(d, -1)
}

// Read implements io.Reader. The client has the stall time for what it gets, a few kilobytes.
func (d *download) Read(p []byte) (int, error) {
	// With its length before it and its end behind, a chunk fits into the server's buffer of 4 KiB: one write, not two.
	d.place.Asks()
	n, err := d.stream.Read(p[:min(len(p), 4096-8)])
	d.place.Sends(n)
	d.bytes += int64(n)
	if err == nil {
		err = d.extend()
	}
	if err == nil {
		return n, nil
	}
	if flushed := d.flush(); flushed != nil && err == io.EOF {
		err = errClient
	}
	d.err = err
	d.settle()
	if err != io.EOF {
		// The server logs what it does not know; a connection that ended early is nothing new to it.
		err = fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err)
	}
	return 0, err
}

// extend gives the client the stall time for the next write.
func (d *download) extend() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ctx.Err() != nil {
		return context.Cause(d.ctx)
	}
	return d.conn.SetWriteDeadline(time.Now().Add(d.service.config.ExportStall))
}

// cut ends a write that waits for the client.
func (d *download) cut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	_ = d.conn.SetWriteDeadline(time.Now())
}

// renew holds the account's lease until the download ends.
func (d *download) renew() {
	defer close(d.renewed)
	every := time.NewTicker(access.LeaseRenewal)
	defer every.Stop()
	for {
		select {
		case <-every.C:
		case <-d.ctx.Done():
			return
		}
		left, err := d.service.config.Access.AcquireLease(d.ctx, d.user, d.id)
		if err == nil && left > 0 { // a store that does not respond now may respond the next time
			d.cancel(errLease)
			return
		}
	}
}

// Close implements io.Closer: the server calls it behind the last write, and when a write failed.
func (d *download) Close() error {
	d.settle()
	return nil
}

// settle ends the download: it gives back what was not sent, lets the next export begin, and writes the record of the log.
func (d *download) settle() {
	d.settled.Do(func() {
		if d.err == nil { // a write failed
			d.err = errClient
			if d.ctx.Err() != nil {
				d.err = context.Cause(d.ctx)
			}
		}
		d.finish()
		d.stream.Close()
		d.cancel(nil)
		<-d.renewed
		unsent := min((d.total-d.stream.Rows())/params.RowsForOne, d.price-1)
		if unsent > 0 {
			d.service.giveBack(d.id, d.charged, unsent)
		}
		d.letGo()
		d.service.metrics.exporting.Dec()
		d.record(d.price - max(unsent, 0))
	})
}

// errClient is that the client hung up, or took nothing for too long.
var errClient = errors.New("the client hung up or took nothing")

// letGo gives back what reserve took.
func (d *download) letGo() {
	if d.user != "" {
		if err := d.service.config.Access.Release(context.Background(), d.user, d.id); err != nil {
			d.service.log.Warn("lease of an export not released: it expires by itself", slog.String("id", d.id), slog.String("error", err.Error()))
		}
		d.user = ""
	}
	if d.place != nil {
		d.place.Leave()
		d.place = nil
	}
}

// outcome names how the download ended, for metrics and log.
func (d *download) outcome() string {
	switch {
	case d.err == io.EOF:
		return "whole"
	case errors.Is(d.err, errClient), errors.Is(d.err, errLease):
		return "client"
	case errors.Is(d.err, errStopping):
		return "stopped"
	case errors.Is(d.err, errExportTime):
		return "timeout"
	case errors.Is(d.err, errSlow):
		return "slow"
	}
	return "failed"
}

// record counts and logs the request.
func (d *download) record(paid int64) {
	s, took, outcome := d.service, d.service.now().Sub(d.began), d.outcome()
	d.route(took)
	s.metrics.exports.WithLabelValues(string(d.format), outcome).Inc()
	s.metrics.exportRows.Add(float64(d.stream.Rows()))
	level, attributes := slog.LevelInfo, append(d.log, edge.Took(took), slog.Int64("bytes", d.bytes), slog.Int64("rows", d.stream.Rows()),
		slog.Int64("total", d.total), slog.Int64("price", paid), slog.String("outcome", outcome))
	if outcome != "whole" {
		attributes = append(attributes, slog.String("error", d.err.Error()))
	}
	if outcome == "failed" {
		level = slog.LevelError
	}
	s.log.LogAttrs(context.Background(), level, "request", attributes...)
}
