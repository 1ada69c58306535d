package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// message has the parts of a message that are read before its key is known.
type message struct {
	ID     jsontext.Value `json:"id"`
	Method jsontext.Value `json:"method"`
	Params jsontext.Value `json:"params"`
}

// callParams has the parts that are read of the params of a call.
type callParams struct {
	Name      jsontext.Value `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
}

// asWritten reads any members: the protocol and ReadArguments refuse some of them.
var asWritten = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// maxDepth is how deep lists and objects of a message may be nested. Arguments are at the third
// level, and their lists at the fourth or fifth.
const maxDepth = 20

// readMessage returns a message, or a body's fault. Without a key nothing is decoded.
//
// The SDK would round an id that is no integer of JavaScript, ignore text after a message, and name
// its own types.
func readMessage(body []byte) (m message, err error) {
	switch body = bytes.TrimLeft(body, " \t\r\n"); {
	case bytes.HasPrefix(body, []byte{'['}):
		return m, errors.New("a request to /mcp must have one message: batches are not accepted")
	case depth(body) > maxDepth:
		return m, fmt.Errorf("lists and objects of a message must be nested at most %d deep", maxDepth)
	case !bytes.HasPrefix(body, []byte{'{'}), !utf8.Valid(body), json.Unmarshal(body, &m, asWritten) != nil:
		return m, errors.New("a request to /mcp must have one message, which is an object of JSON in UTF-8")
	}
	n, err := strconv.ParseInt(string(m.ID), 10, 64)
	if m.ID != nil && m.ID.Kind() != '"' && (err != nil || n >= 1<<53 || n <= -1<<53) {
		return m, errors.New("id must be a text, or an integer below 2^53")
	}
	if kind := m.Params.Kind(); m.Params != nil && kind != '{' && kind != 'n' {
		return m, errors.New("params must be an object")
	}
	return m, nil
}

// depth returns how deep lists and objects are nested in a text of JSON.
func depth(text []byte) (deepest int) {
	open, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			open++
			deepest = max(deepest, open)
		case c == '}', c == ']':
			open--
		}
	}
	return deepest
}

// text returns the text that a value of JSON is, "" where it is none.
func text(value jsontext.Value) (s string) {
	if value.Kind() == '"' {
		_ = json.Unmarshal(value, &s, asWritten) // valid
	}
	return s
}
