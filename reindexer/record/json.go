package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Fault is why a row is no record, or one of two meanings.
type Fault struct {
	Member string // of the row that is wrong; "" for the row as a whole
	Reason string
	Cut    bool // the text ends before the row does
}

func (f *Fault) Error() string { return strings.TrimPrefix(f.Member+": "+f.Reason, ": ") }

// JSON reads texts, one after the other, as the values that jq has: nil, bool, string, []any,
// map[string]any, and numbers as int where they fit and as json.Number otherwise, so that an id of
// 63 bits stays as it is written.
type JSON struct {
	text    string
	input   bytes.Buffer
	decoder *jsontext.Decoder
	object  map[string]any // the outermost, reused
	member  string         // of it, that is read; "" for none
	fault   *Fault
}

// NewJSON returns a reader of texts.
func NewJSON() *JSON {
	return &JSON{object: map[string]any{}, decoder: jsontext.NewDecoder(strings.NewReader(""))}
}

// Value returns the value of a text, which is good until the next call. Strings of it are parts of
// the text, which must be valid UTF-8. A name that appears twice in an object and half of a
// surrogate pair are faults at any depth (rule L4), with the value as far as it could be read.
func (j *JSON) Value(text string) (any, *Fault) {
	j.text, j.member, j.fault = text, "", nil
	if len(j.object) > maxNames {
		j.object = map[string]any{} // clearing a map takes as long as it ever was large
	}
	clear(j.object)
	j.input.Reset()
	j.input.WriteString(text)
	// Both things that these options allow are faults that have the name of their member.
	j.decoder.Reset(&j.input, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	value, err := j.value(j.object)
	if err != nil {
		return nil, unreadable(err)
	}
	end := j.decoder.InputOffset()
	if _, err = j.decoder.ReadToken(); err != io.EOF {
		return nil, &Fault{Reason: fmt.Sprintf("not JSON after byte %d: something follows the record", end)}
	}
	return value, j.fault
}

// unreadable returns why a text is not JSON.
func unreadable(err error) *Fault {
	var syntax *jsontext.SyntacticError
	switch {
	case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF):
		return &Fault{Reason: "the record is cut off", Cut: true}
	case errors.As(err, &syntax):
		return &Fault{Reason: fmt.Sprintf("not JSON at byte %d: %v", syntax.ByteOffset+1, syntax.Err)}
	}
	return &Fault{Reason: "not JSON: " + err.Error()}
}

// value reads the next value. The members of an object go to object; nil: to a map of its own.
func (j *JSON) value(object map[string]any) (any, error) {
	switch kind := j.decoder.PeekKind(); kind {
	case '{':
		return j.members(object)
	case '[':
		_, err := j.decoder.ReadToken()
		list := []any{}
		for err == nil && j.decoder.PeekKind() != ']' {
			var item any
			item, err = j.value(nil)
			list = append(list, item)
		}
		if err == nil {
			_, err = j.decoder.ReadToken()
		}
		return list, err
	case '"':
		return j.str()
	default:
		raw, err := j.decoder.ReadValue()
		switch {
		case err != nil || kind == 'n':
			return nil, err
		case kind == '0':
			return Number(j.part(raw)), nil
		}
		return kind == 't', nil
	}
}

func (j *JSON) members(object map[string]any) (map[string]any, error) {
	outermost := object != nil
	if !outermost {
		object = map[string]any{}
	}
	_, err := j.decoder.ReadToken()
	for err == nil && j.decoder.PeekKind() != '}' {
		if kind := j.decoder.PeekKind(); kind != '"' {
			end := j.decoder.InputOffset()
			if _, err = j.decoder.ReadToken(); kind != 0 && errors.Is(err, io.ErrUnexpectedEOF) {
				// "{fa" and "{-" are no beginning of a record
				offset := len(j.text) - len(strings.TrimLeft(j.text[end:], ", \t\r\n"))
				err = &jsontext.SyntacticError{ByteOffset: int64(offset), Err: jsontext.ErrNonStringName}
			}
			continue
		}
		var name string
		if name, err = j.str(); err != nil {
			break
		}
		if outermost {
			j.member = name
		}
		size := len(object)
		object[name], err = j.value(nil)
		if len(object) == size && outermost {
			j.refuse(twice)
		} else if len(object) == size {
			j.refuse("the name " + quote(name) + " " + twice)
		}
	}
	if err == nil {
		_, err = j.decoder.ReadToken()
	}
	return object, err
}

// str reads a string.
func (j *JSON) str() (string, error) {
	raw, err := j.decoder.ReadValue()
	if err != nil {
		return "", err
	}
	if text := j.part(raw); strings.IndexByte(text, '\\') < 0 {
		return text[1 : len(text)-1], nil
	}
	unquoted, halved := jsontext.AppendUnquote(nil, raw)
	if halved != nil {
		j.refuse(faultLone)
	}
	return string(unquoted), nil
}

// part returns the part of the text that was read last, so that values need no memory of their own.
func (j *JSON) part(raw []byte) string {
	end := j.decoder.InputOffset()
	return j.text[end-int64(len(raw)) : end]
}

// refuse notes a fault, unless there is one.
func (j *JSON) refuse(reason string) {
	if j.fault == nil {
		j.fault = &Fault{Member: j.member, Reason: reason}
	}
}

// Number returns a number of JSON as jq has it: an int, if its digits say the same.
func Number(text string) any {
	if len(text) < 19 && text != "-0" && !strings.ContainsAny(text, ".eE") { // an error of Atoi takes memory
		if n, err := strconv.Atoi(text); err == nil {
			return n
		}
	}
	return json.Number(text)
}
