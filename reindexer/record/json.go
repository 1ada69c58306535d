package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// errCut: the text ends before the JSON does.
var errCut = errors.New("the record is cut off")

// By default jsontext refuses a record for a name that appears twice and for a lone surrogate. The draft judges these: it
// says which field has them, and they do no harm within values that are ignored. UTF-8 was checked before.
var (
	duplicates = jsontext.AllowDuplicateNames(true)
	surrogates = jsontext.AllowInvalidUTF8(true)
)

// object reads JSON objects, each from a text of its own.
type object struct {
	text string
	buf  bytes.Buffer // of a copy of the text, for the decoder
	dec  *jsontext.Decoder
	v    value // reused
}

// read reads text, which is UTF-8, as one object. It calls set for each member with its name and value, which is reused.
func (o *object) read(text string, set func(name string, v *value)) error {
	o.text = text
	o.buf.Reset()
	o.buf.WriteString(text)
	if o.dec == nil {
		o.dec = jsontext.NewDecoder(&o.buf, duplicates, surrogates)
	} else {
		o.dec.Reset(&o.buf, duplicates, surrogates)
	}
	if begin, err := o.dec.ReadToken(); err != nil || begin.Kind() != '{' {
		if err == nil {
			err = errors.New("it is no object {…}")
		}
		return notJSON(0, err)
	}
	for o.dec.PeekKind() == '"' {
		name, _, err := o.string()
		if err == nil {
			err = o.value()
		}
		if err != nil {
			return notJSON(0, err)
		}
		set(name, &o.v)
	}
	if _, err := o.dec.ReadToken(); err != nil { // at the end it is a brace
		return notJSON(0, err)
	}
	if rest := strings.TrimLeft(text[o.dec.InputOffset():], " \t\r\n"); rest != "" {
		return notJSON(len(text)-len(rest), errors.New("text behind the object"))
	}
	return nil
}

// value reads any value into o.v. Of lists it keeps texts only, of objects nothing.
func (o *object) value() (err error) {
	o.v = value{list: o.v.list[:0]}
	switch o.dec.PeekKind() {
	case '"':
		o.v.kind = kindString
		o.v.text, o.v.lone, err = o.string()
	case '[':
		err = o.list()
	case '{':
		o.v.kind = kindObject
		err = o.dec.SkipValue()
	case '0':
		o.v.kind = kindNumber
		o.v.text, err = o.literal()
	case 't', 'f':
		o.v.kind = kindBool
		o.v.text, err = o.literal()
	default: // null, or nothing that JSON has
		_, err = o.literal()
	}
	return err
}

// list reads a list. If it has anything but well-formed texts, it is a kindList.
func (o *object) list() error {
	o.v.kind = kindStrings
	if _, err := o.dec.ReadToken(); err != nil {
		return err
	}
	for o.dec.PeekKind() != ']' {
		if o.dec.PeekKind() != '"' {
			o.v.kind = kindList
			if err := o.dec.SkipValue(); err != nil {
				return err
			}
			continue
		}
		item, lone, err := o.string()
		if err != nil {
			return err
		}
		if lone {
			o.v.kind = kindList
		}
		o.v.list = append(o.v.list, item)
	}
	_, err := o.dec.ReadToken()
	return err
}

// literal returns a value as written: a part of the text.
func (o *object) literal() (string, error) {
	raw, err := o.dec.ReadValue()
	end := int(o.dec.InputOffset())
	return o.text[end-len(raw) : end], err
}

// string reads a string. One without escapes is a part of the text.
func (o *object) string() (s string, lone bool, err error) {
	s, err = o.literal()
	if err != nil {
		return "", false, err
	}
	if strings.IndexByte(s, '\\') < 0 {
		return s[1 : len(s)-1], false, nil
	}
	unquoted, err := jsontext.AppendUnquote(nil, s)
	return string(unquoted), err != nil, nil
}

// notJSON says where a text is not JSON, and why: at, but for errors of jsontext, which say where themselves.
func notJSON(at int, err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errCut
	case errors.As(err, &syntax):
		at, err = int(syntax.ByteOffset), syntax.Err
	}
	return fmt.Errorf("not JSON at byte %d: %w", at+1, err)
}
