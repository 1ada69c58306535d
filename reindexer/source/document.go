package source

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/itchyny/gojq"
	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

// maxDocument is the largest JSON document that is read: it is held in memory as a whole.
const maxDocument = 256 << 20

// document reads the records of a JSON document.
type document struct {
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
	d := json.NewDecoder(transform.NewReader(limited, encoding.UTF8Validator)) // which would read U+FFFD for what is not UTF-8
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, documentError(d, limited, most, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("something follows its JSON value, at byte %d: records one a line are --format ndjson", d.InputOffset()+1)
	}
	return &document{results: code.RunWithContext(ctx, value)}, nil
}

func documentError(d *json.Decoder, limited *io.LimitedReader, most int64, err error) error {
	switch {
	case limited.N == 0:
		return fmt.Errorf("the JSON document is larger than %d MiB; `jq -c` makes NDJSON of it, which may be of any size", most>>20)
	case err == io.EOF:
		return fmt.Errorf("it is empty: a JSON document has a value")
	case err == io.ErrUnexpectedEOF:
		return fmt.Errorf("%w: the JSON document is cut off at byte %d", ErrUnfinished, most+1-limited.N)
	}
	return fmt.Errorf("the JSON document, near byte %d: %w", d.InputOffset()+1, err)
}

func (d *document) Line() int { return d.number }

// Next returns the next result of the path as JSON.
func (d *document) Next() (Record, error) {
	v, ok := d.results.Next()
	if !ok {
		return Record{}, io.EOF
	}
	if err, failed := v.(error); failed {
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
