package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/itchyny/gojq"

	"filings/reindexer/bound"
)

// maxDocument is the largest JSON document that is read: it is held in memory as a whole.
const maxDocument = 256 << 20

// document reads the records of a JSON document.
type document struct {
	limit   *bound.Limit
	results gojq.Iter
	number  int
}

// openDocument reads a document of at most so many bytes as a whole. Its records are what f.Path gives.
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
	value, err := valueOf(d)
	if err != nil {
		return nil, documentError(limited, most, err)
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, fmt.Errorf("something follows its JSON value, at byte %d: records one a line are --format ndjson", d.InputOffset()+1)
	}
	limit := bound.New(ctx, d.InputOffset())
	limit.Begin()
	return &document{limit: limit, results: code.RunWithContext(limit, value)}, nil
}

// valueOf reads a value as jq has it, its numbers as they are written. It does not guess: a name that appears twice in an object
// and text that is no UTF-8 are errors.
func valueOf(d *jsontext.Decoder) (any, error) {
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '{':
		return objectOf(d)
	case '[':
		list := []any{}
		for d.PeekKind() != ']' {
			item, err := valueOf(d)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		_, err = d.ReadToken()
		return list, err
	case '"':
		return token.String(), nil
	case '0':
		return json.Number(token.String()), nil
	case 'n':
		return nil, nil
	}
	return token.Bool(), nil
}

// objectOf reads an object behind its {.
func objectOf(d *jsontext.Decoder) (any, error) {
	object := map[string]any{}
	for d.PeekKind() != '}' {
		token, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		name := token.String()
		if object[name], err = valueOf(d); err != nil {
			return nil, err
		}
	}
	_, err := d.ReadToken()
	return object, err
}

func documentError(limited *io.LimitedReader, most int64, err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case limited.N == 0:
		return fmt.Errorf("the JSON document is larger than %d MiB; `jq -c` makes NDJSON of it, which may be of any size", most>>20)
	case err == io.EOF:
		return fmt.Errorf("it is empty: a JSON document has a value")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: the JSON document is cut off at byte %d", ErrUnfinished, most+1-limited.N)
	case !errors.As(err, &syntax):
		return err // of the source
	}
	return fmt.Errorf("the JSON document, near byte %d, at %.200q: %w", syntax.ByteOffset+1, syntax.JSONPointer, syntax.Err)
}

func (d *document) Line() int { return d.number }

// Next returns the next result of the path as JSON.
func (d *document) Next() (Record, error) {
	d.limit.Resume()
	v, ok := d.results.Next()
	if !ok {
		return Record{}, io.EOF
	}
	if err, failed := v.(error); failed {
		var exceeded *bound.Exceeded
		if errors.As(err, &exceeded) {
			return Record{}, fmt.Errorf("--path %w", err)
		}
		return Record{}, fmt.Errorf("--path: %w", err)
	}
	d.number++
	text, err := gojq.Marshal(v)
	if err != nil {
		return Record{}, err
	}
	if len(text) > MaxLine {
		return Record{Text: string(text[:shownOfLong]), Line: d.number, Long: true}, nil
	}
	return Record{Text: string(text), Line: d.number}, nil
}
