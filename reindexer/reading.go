package reindexer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"filings/index"
	"filings/reindexer/mapping"
	"filings/reindexer/record"
	"filings/reindexer/source"
)

// reading is the way from sources to valid records.
type reading struct {
	sources []source.Source
	rules   record.Rules
	reject  func(Reject) error

	programs []*mapping.Program // of each name of a source; nil: none has one
	show     int                // records that are still shown
	onShow   func(text string)
	seen     idSet // ids taken so far; nil in an update, where an id may be repeated

	bytes   atomic.Int64 // read of the sources as they are stored
	read    atomic.Int64 // records, rejected ones included
	rounded int64        // amounts of the records that were taken

	uncomputed int64 // formulas of spreadsheets without a value
}

func newReading(all []source.Source, update, strict bool, reject func(Reject) error) *reading {
	r := &reading{sources: all, reject: reject}
	r.rules = record.Rules{Update: update, Strict: strict, Ignored: record.Names{}}
	if !update {
		r.seen = idSet{}
	}
	return r
}

// change is a valid record, on its way into a generation.
type change struct {
	filing  index.Filing
	deleted bool
}

// handle is called with a valid record: f, which is reused after the call, or the deletion of the filing with f's id.
type handle func(f *index.Filing, deleted bool) error

// each calls do for every valid record of all sources, in order.
func (r *reading) each(ctx context.Context, do handle) error {
	for _, src := range r.sources {
		in, err := src.Open(ctx, &r.bytes)
		if err != nil {
			return err
		}
		err = r.eachOf(src, in, do)
		r.uncomputed += in.Uncomputed()
		in.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *reading) eachOf(src source.Source, in *source.Reader, do handle) error {
	if len(r.programs) > 0 && r.programs[src.Arg] != nil {
		return r.eachMapped(src, in, r.programs[src.Arg], do)
	}
	parser, err := r.parser(in)
	if err != nil {
		return src.Error(0, err)
	}
	f := new(index.Filing)
	for {
		rec, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return src.Error(in.Line(), err)
		}
		var result record.Result
		if rec.Long {
			f.Reset()
			result.Reason = mapping.ErrLong.Error()
		} else if result = parser.Parse(rec.Text, f); result.Cut && rec.Last {
			return src.Error(in.Line(), source.ErrUnfinished)
		}
		r.showFirst(func() string { return rec.Text })
		if err := r.take(src, rec, f, result, do); err != nil {
			return err
		}
	}
}

// eachMapped is eachOf for a source with a mapping. A record that the mapping cannot read is a reject, as one is that is no
// filing; both show the record as it was read.
func (r *reading) eachMapped(src source.Source, in *source.Reader, p *mapping.Program, do handle) error {
	inputs, err := mapping.NewInputs(in)
	if err != nil {
		return src.Error(0, err)
	}
	parser, f := record.New(r.rules), new(index.Filing)
	for {
		rec, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return src.Error(in.Line(), err)
		}
		var input any
		if rec.Long {
			err = mapping.ErrLong
		} else {
			input, err = inputs.Value(rec.Text)
		}
		if rec.Last && errors.Is(err, record.ErrCut) {
			return src.Error(in.Line(), source.ErrUnfinished)
		}
		var made []mapping.Record
		if err == nil {
			made, err = p.Run(input)
		}
		if errors.Is(err, mapping.ErrProgram) {
			return fmt.Errorf("%s:%d: %w", src.Name, rec.Line, err)
		}
		if err != nil {
			f.Reset()
			if err := r.take(src, rec, f, record.Result{Reason: err.Error()}, do); err != nil {
				return err
			}
		}
		for _, object := range made {
			r.showFirst(object.Text)
			if err := r.take(src, rec, f, parser.ParseObject(object, f), do); err != nil {
				return err
			}
		}
	}
}

func (r *reading) showFirst(text func() string) {
	if r.show > 0 {
		r.show--
		r.onShow(text())
	}
}

// take counts a record and hands on what it is: a reject, or a valid filing.
func (r *reading) take(src source.Source, rec source.Record, f *index.Filing, result record.Result, do handle) error {
	r.read.Add(1)
	if result.Reason == "" && r.seen != nil && !r.seen.add(f.ID) {
		result.Field, result.Reason = index.ID.String(), fmt.Sprintf("%d is in this load already", f.ID)
	}
	if result.Reason != "" {
		return r.reject(Reject{src.Name, rec.Line, f.ID, result.Field, result.Reason, rec.Text})
	}
	r.rounded += result.Rounded
	return do(f, result.Deleted)
}

func (r *reading) parser(in *source.Reader) (*record.Parser, error) {
	if in.Format == source.CSV {
		return record.NewCSV(r.rules, in.Header, in.Delimiter)
	}
	if in.Columns != nil {
		if err := record.CheckNames("the list of its columns", in.Columns); err != nil {
			return nil, err
		}
	}
	return record.New(r.rules), nil
}

// idSet is a set of ids: 64 neighbours share an entry of a map, one bit each. Half a million ids without large gaps
// need 200 KB; ids at random over 53 bits some 30 bytes each. (A roaring64 bitmap needs less for the former and a
// time that grows with the square of their number for the latter.)
type idSet map[int64]uint64

// add adds id and reports whether it was not there before.
func (s idSet) add(id int64) bool {
	word, bit := s[id>>6], uint64(1)<<(id&63)
	if word&bit != 0 {
		return false
	}
	s[id>>6] = word | bit
	return true
}
