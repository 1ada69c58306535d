package client

import (
	"bytes"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// Walker walks over a response without decoding it into values, once, from the front. After the first thing that is not
// JSON, or not what was expected, it is at its end and Err says so. It neither looks for repeated names nor at UTF-8: what
// it walks over comes from Elasticsearch. Names with escapes match nothing.
type Walker struct {
	d   *jsontext.Decoder
	err error
}

// Walk returns a Walker that stands before response.
func Walk(response []byte) *Walker {
	return &Walker{d: jsontext.NewDecoder(bytes.NewBuffer(response),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
}

// Err returns ErrResponse if what was walked over is not what was expected.
func (w *Walker) Err() error {
	if w.err != nil {
		return ErrResponse
	}
	return nil
}

// Fail ends the walk: what was read is not what was expected.
func (w *Walker) Fail() { w.err = ErrResponse }

// token steps over a token, which must be of that kind.
func (w *Walker) token(kind jsontext.Kind) jsontext.Token {
	if w.err != nil {
		return jsontext.Token{}
	}
	t, err := w.d.ReadToken()
	if w.err = err; err == nil && t.Kind() != kind {
		w.Fail()
	}
	return t
}

// Object walks over an object and yields the names of its members. The loop's body reads a member's value or leaves it to
// be skipped. A name is valid until the value is read.
func (w *Walker) Object() iter.Seq[[]byte] {
	return func(yield func(name []byte) bool) {
		w.token('{')
		for w.err == nil && w.d.PeekKind() == '"' {
			name := w.Raw()
			if w.err != nil {
				return
			}
			at := w.d.InputOffset()
			if !yield(name[1 : len(name)-1]) {
				return
			}
			if w.err == nil && w.d.InputOffset() == at {
				w.err = w.d.SkipValue()
			}
		}
		w.token('}')
	}
}

// Array walks over an array and yields before each of its values, which the loop's body must read.
func (w *Walker) Array() iter.Seq[struct{}] {
	return func(yield func(struct{}) bool) {
		w.token('[')
		for w.err == nil && w.Next() != ']' {
			if !yield(struct{}{}) {
				return
			}
		}
		w.token(']')
	}
}

// Next returns the kind of what follows: '{', '[', '"', '0' of a number, 't', 'f', 'n' of null, or an end.
func (w *Walker) Next() jsontext.Kind {
	if w.err != nil {
		return 0
	}
	return w.d.PeekKind()
}

// Integer steps over a number and returns it.
func (w *Walker) Integer() int64 {
	if t := w.token('0'); w.err == nil {
		return t.Int()
	}
	return 0
}

// Number steps over a number, or over null, which is 0.
func (w *Walker) Number() float64 {
	if w.Next() == 'n' {
		w.token('n')
		return 0
	}
	if t := w.token('0'); w.err == nil {
		return t.Float()
	}
	return 0
}

// Raw steps over any value and returns its text, which is valid until the next step.
func (w *Walker) Raw() []byte {
	if w.err != nil {
		return nil
	}
	v, err := w.d.ReadValue()
	w.err = err
	return v
}
