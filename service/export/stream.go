package export

import (
	"context"
	"fmt"
	"io"
	"time"

	"filings/index"
)

// PageBytes is how many bytes the records of a page may have together, where they are more than one.
const PageBytes = 1 << 20

// A page is asked for with as many rows as fill pageBytes, if they are like those of the page
// before: a little less than PageBytes, so that the engine seldom reads rows that there is no room
// for. Its call takes some milliseconds besides its rows, so fewer than firstRows are asked for
// only where rows are large.
const (
	pageBytes = PageBytes * 7 / 8
	firstRows = 500
	maxRows   = 5_000
	// A goroutine that never waits keeps its processor for 10 ms, and where all processors are
	// kept, nobody looks for requests that came meanwhile. So while there are others, a stream
	// sleeps after each pauseBytes, on Linux for about 1 ms: after each 128 KiB, pages of the
	// embedded engine took 1.4 times as long as alone, after each 32 KiB 1.1 times.
	pauseBytes = 32 << 10
	pauseTime  = 50 * time.Microsecond
	// batchBytes is how many bytes of records are encoded at a time. Sent rows are known by batch.
	batchBytes = 16 << 10
)

// Pages reads the page of at most limit rows and PageBytes from a position on, "" being the
// beginning. It returns the position after them.
type Pages func(ctx context.Context, position string, limit int) (rows []index.Record, end string, err error)

// Stream is the bytes of one export. Its methods are for one goroutine. Close must be called.
type Stream struct {
	ctx     context.Context
	stop    context.CancelFunc
	pages   Pages
	busy    func() bool
	encoder Encoder
	total   int64

	next       chan page // the page that is prefetched
	prefetches bool
	position   string // where that page begins, and how many rows are asked for
	limit      int
	records    []index.Record
	output     []byte // of which sent bytes were handed on
	read       int
	err        error // io.EOF after the last byte

	unpaused int // bytes of records since the last pause

	fetched int64 // rows that came from the engine
	encoded int64 // rows in out, or held by the encoder
	handed  int64 // rows whose bytes were handed on
}

type page struct {
	rows []index.Record
	end  string
	err  error
}

// NewStream returns a stream of the rows that pages has from position on, which are total, and
// begins to read them. It ends with ctx. busy says whether the process has other requests, which
// come first: meanwhile a stream prefetches nothing, and pauses.
func NewStream(ctx context.Context, pages Pages, position string, total int64, e Encoder, busy func() bool) *Stream {
	s := &Stream{pages: pages, busy: busy, encoder: e, total: total, next: make(chan page, 1), position: position,
		limit: firstRows}
	s.ctx, s.stop = context.WithCancel(ctx)
	if total > 0 {
		s.fetch()
	}
	return s
}

// fetch begins to read the next page.
func (s *Stream) fetch() {
	s.prefetches = true
	go func() {
		defer func() {
			if p := recover(); p != nil { // the recovery of a request does not reach here
				s.next <- page{err: fmt.Errorf("panic: %v", p)}
			}
		}()
		rows, end, err := s.pages(s.ctx, s.position, s.limit)
		s.next <- page{rows, end, err}
	}()
}

// Read implements io.Reader. Its error is io.EOF only where all rows were delivered.
func (s *Stream) Read(p []byte) (int, error) {
	for s.read == len(s.output) && s.err == nil {
		s.output, s.read = s.output[:0], 0
		s.err = s.fill()
	}
	if s.read == len(s.output) {
		return 0, s.err
	}
	n := copy(p, s.output[s.read:])
	s.read += n
	s.handed = s.encoded
	return n, nil
}

// fill encodes the next batch.
func (s *Stream) fill() (err error) {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	if len(s.records) == 0 {
		if s.fetched == s.total {
			if s.output, err = s.encoder.Close(s.output); err == nil {
				err = io.EOF
			}
			return err
		}
		if err := s.turn(); err != nil {
			return err
		}
	}
	n, size := 0, 0
	for n < len(s.records) && size < batchBytes {
		size += len(s.records[n])
		n++
	}
	output, err := s.encoder.Append(s.output, s.records[:n])
	if err != nil {
		return err
	}
	if s.unpaused += size; s.unpaused >= pauseBytes {
		s.unpaused = 0
		if s.busy() {
			time.Sleep(pauseTime)
		}
	}
	s.output, s.records = output, s.records[n:]
	s.encoded += int64(n)
	return nil
}

// turn takes the next page, and begins to read the one after it.
func (s *Stream) turn() error {
	if !s.prefetches {
		s.fetch()
	}
	var p page
	select {
	case p = <-s.next:
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
	if p.err != nil {
		return p.err
	}
	s.prefetches, s.records, s.position, s.limit = false, p.rows, p.end, rowsOf(p.rows)
	s.fetched += int64(len(p.rows))
	if len(p.rows) == 0 || s.fetched > s.total {
		return fmt.Errorf("%d rows came, %d were counted: %w", s.fetched, s.total, index.ErrUnavailable)
	}
	if s.fetched < s.total && !s.busy() {
		s.fetch()
	}
	return nil
}

// rowsOf returns how many rows to request after records.
func rowsOf(records []index.Record) int {
	bytes := 1
	for _, r := range records {
		bytes += len(r)
	}
	return min(max(len(records)*pageBytes/bytes, 1), maxRows)
}

// Rows returns how many rows were handed on, whole or in part.
func (s *Stream) Rows() int64 { return s.handed }

// Close ends the stream, and its reading.
func (s *Stream) Close() { s.stop() }
