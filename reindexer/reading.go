package reindexer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync/atomic"
	"time"

	"filings/index"
)

// reading is the way from inputs to valid records.
type reading struct {
	inputs  []input
	rules   rules
	reject  func(Reject) error
	seen    idSet // ids taken so far; nil in an update, where an id may be repeated
	ignored names

	bytes   atomic.Int64 // read of the inputs as they are stored
	read    atomic.Int64 // records, rejected ones included
	rounded int64        // amounts of the records that were taken
}

func newReading(all []input, update, strict bool, start time.Time, reject func(Reject) error) *reading {
	r := &reading{inputs: all, reject: reject, ignored: names{}}
	r.rules = rules{update: update, strict: strict, start: start.UTC().Truncate(time.Microsecond), ignore: r.ignored.add}
	if !update {
		r.seen = idSet{}
	}
	return r
}

// each calls take for every valid record of all inputs, in order. A record's filing is read into the place that into
// returns; after a reject the same place is used again.
func (r *reading) each(ctx context.Context, into func() *index.Filing, take func(deleted bool) error) error {
	for _, in := range r.inputs {
		if err := r.eachOf(ctx, in, into, take); err != nil {
			return err
		}
	}
	return nil
}

func (r *reading) eachOf(ctx context.Context, in input, into func() *index.Filing, take func(deleted bool) error) error {
	p, done, err := in.records(ctx, &r.bytes)
	if err != nil {
		return sourceError(in, 0, err)
	}
	defer done()
	rec := record{rules: &r.rules}
	for {
		err := p.next(&rec, into())
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return sourceError(in, p.place(), err)
		}
		r.read.Add(1)
		if err := r.judge(in, &rec, take); err != nil {
			return err
		}
	}
}

// judge takes or rejects a record.
func (r *reading) judge(in input, rec *record, take func(deleted bool) error) error {
	if rec.reason == "" && r.seen != nil && !r.seen.add(rec.filing.ID) {
		rec.fail(index.ID.String(), fmt.Sprintf("%d was given before in this load", rec.filing.ID))
	}
	if rec.reason == "" {
		r.rounded += rec.rounded
		return take(rec.deleted)
	}
	return r.reject(Reject{
		File: in.name, Line: rec.line, ID: rec.filing.ID, Field: rec.field, Reason: rec.reason, Record: rec.text,
	})
}

// records opens in. After done it may not be read any more.
func (in input) records(ctx context.Context, count *atomic.Int64) (_ parser, done func(), err error) {
	if in.query != nil {
		r, err := in.query.open(ctx, count)
		if err != nil {
			return nil, nil, err
		}
		return r, r.Close, nil
	}
	s, err := openStream(ctx, in, count)
	if err != nil {
		return nil, nil, err
	}
	p, err := newParser(s)
	if err != nil {
		s.Close()
		return nil, nil, err
	}
	return p, s.Close, nil
}

func newParser(s *stream) (parser, error) {
	l := lines{r: s.Reader}
	if s.format == formatCSV {
		return newCSV(l)
	}
	return &ndjson{lines: l}, nil
}

// sourceError says where err stopped the reading; place 0 is before the first record. An end of the context is no error of the
// source.
func sourceError(in input, place int, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if place == 0 {
		return fmt.Errorf("%w: %s: %w", ErrSource, in.name, err)
	}
	return fmt.Errorf("%w: %s, %s %d: %w", ErrSource, in.name, in.unit(), place, err)
}

// Read returns the filings of a file, a folder or an address of HTTP by the rules of a full load. A reject comes as a *Reject and reading goes
// on; any other error is the last. A filing is valid until the next one is asked for.
func Read(ctx context.Context, source string) iter.Seq2[*index.Filing, error] {
	return func(yield func(*index.Filing, error) bool) {
		cfg, err := Config{Sources: []string{source}}.checked()
		if err != nil {
			yield(nil, err)
			return
		}
		all, err := inputs(cfg)
		if err != nil {
			yield(nil, err)
			return
		}
		r := newReading(all, false, false, cfg.Now(), func(reject Reject) error {
			return unless(yield(nil, &reject))
		})
		f := new(index.Filing)
		err = r.each(ctx, func() *index.Filing { return f }, func(bool) error { return unless(yield(f, nil)) })
		if err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}
}

// errEnough: whoever ranges over Read wants no more.
var errEnough = errors.New("enough")

func unless(more bool) error {
	if more {
		return nil
	}
	return errEnough
}
