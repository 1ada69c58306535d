package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/itchyny/gojq"

	"filings/reindexer/bound"
)

const (
	// maxDocument is the largest JSON document that is read: it is held in memory as a whole.
	maxDocument = 256 << 20
	// bytesOfValue is the least average size of a document's values: one takes some 60 bytes of
	// memory, however short it is.
	bytesOfValue = 8
)

var errManyValues = errors.New("too many values")

// document reads the records of a JSON document.
type document struct {
	limit   *bound.Limit
	results gojq.Iter
	number  int
}

// openDocument reads a document of at most so many bytes as a whole. f.Path gives its records.
func openDocument(ctx context.Context, text io.Reader, f Form, most int64) (*document, error) {
	code, err := f.results()
	if err != nil {
		return nil, err
	}
	if code == nil {
		return nil, ErrNoPath
	}
	limited := &io.LimitedReader{R: text, N: most + 1}
	d := jsontext.NewDecoder(limited)
	// It does not guess: a name twice in an object and text that is no UTF-8 are errors.
	var value any
	if err := jsonv2.UnmarshalDecode(d, &value, asWritten(most/bytesOfValue)); err != nil {
		return nil, documentError(limited, most, err)
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, fmt.Errorf("something follows its JSON value, at byte %d: records one a line are --format ndjson",
			d.InputOffset()+1)
	}
	limit := bound.New(ctx, d.InputOffset())
	limit.Begin()
	return &document{limit: limit, results: code.RunWithContext(limit, value)}, nil
}

// asWritten keeps numbers as they are written, and refuses more than so many values within one.
func asWritten(values int64) jsonv2.Options {
	values++ // that one
	return jsonv2.WithUnmarshalers(jsonv2.UnmarshalFromFunc(func(d *jsontext.Decoder, target *any) error {
		if values--; values < 0 {
			return errManyValues
		}
		if d.PeekKind() != '0' {
			return jsonv2.SkipFunc
		}
		number, err := d.ReadToken()
		*target = json.Number(number.String())
		return err
	}))
}

func documentError(limited *io.LimitedReader, most int64, err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case limited.N == 0:
		return fmt.Errorf("the JSON document is larger than %d MiB; `jq -c` makes NDJSON of it, which may be of any size",
			most>>20)
	case errors.Is(err, errManyValues):
		return fmt.Errorf("the JSON document has more than %d values; `jq -c` makes NDJSON of it, which may be of any size",
			most/bytesOfValue)
	case err == io.EOF:
		return fmt.Errorf("it is empty: a JSON document has a value")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: the JSON document is cut off at byte %d", ErrUnfinished, most+1-limited.N)
	case !errors.As(err, &syntax):
		return err // of the source
	}
	return fmt.Errorf("the JSON document, near byte %d, at %.200q: %w",
		syntax.ByteOffset+1, syntax.JSONPointer, syntax.Err)
}

func (d *document) Line() int { return d.number }

// Next returns the next result of the path.
func (d *document) Next() (Row, error) {
	d.limit.Resume()
	v, ok := d.results.Next()
	if !ok {
		return Row{}, io.EOF
	}
	if err, failed := v.(error); failed {
		var exceeded *bound.Exceeded
		if errors.As(err, &exceeded) {
			return Row{}, fmt.Errorf("--path %w", err)
		}
		return Row{}, fmt.Errorf("--path: %w", err)
	}
	d.number++
	return Row{Value: v, Line: d.number}, nil
}
