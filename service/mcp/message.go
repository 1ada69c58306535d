package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"unicode/utf8"
)

// maxDepth is how deep lists and objects of a message may be nested. Arguments are at the third
// level, and their lists at the fourth.
const maxDepth = 20

// Read returns the call of a tool that a body is, nil for any other message, and what is wrong with
// a body that is no message. Anybody may send one: so it is looked at from its beginning to its end
// a few times, and nothing of it is decoded. Arguments are left to ReadArguments, for who was
// admitted.
//
// The SDK would round an id that is no integer of JavaScript, ignore what follows a message, and
// name its own types.
func (s *Server) Read(body []byte) (*Call, error) {
	body = bytes.Trim(body, blanks)
	switch _, depth := valueEnd(body); {
	case bytes.HasPrefix(body, []byte{'['}):
		return nil, errors.New("a request to /mcp must have one message: batches are not accepted")
	case depth > maxDepth:
		return nil, fmt.Errorf("lists and objects of a message must be nested at most %d deep", maxDepth)
	case !bytes.HasPrefix(body, []byte{'{'}), !utf8.Valid(body), !json.Valid(body):
		return nil, errors.New("a request to /mcp must have one message, which is an object of JSON in UTF-8")
	}
	var id, method, given []byte
	for name, value := range members(body) {
		switch name {
		case "id":
			id = value
		case "method":
			method = value
		case "params":
			given = value
		}
	}
	n, err := strconv.ParseInt(string(id), 10, 64)
	if id != nil && id[0] != '"' && (err != nil || n >= 1<<53 || n <= -1<<53) {
		return nil, errors.New("id must be a text, or an integer below 2^53")
	}
	if given != nil && given[0] != '{' {
		if string(given) != "null" {
			return nil, errors.New("params must be an object")
		}
		return nil, nil
	}
	if id == nil || given == nil || text(method) != "tools/call" {
		return nil, nil
	}
	c := &Call{rows: maxRows, most: s.most}
	for name, value := range members(given) {
		switch name {
		case "name":
			c.tool = s.tools[text(value)]
		case "arguments":
			c.arguments = value
		}
	}
	if c.tool == nil {
		return nil, nil
	}
	c.Path = c.tool.path
	return c, nil
}

const blanks = " \t\r\n"

// members yields the names and values of an object of valid JSON, in their order. Values are parts
// of it.
func members(object []byte) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		for rest := object[1:]; ; {
			if rest = bytes.TrimLeft(rest, blanks+","); rest[0] == '}' {
				return
			}
			end, _ := valueEnd(rest)
			name := rest[:end]
			rest = bytes.TrimLeft(rest[end:], blanks+":")
			end, _ = valueEnd(rest)
			if !yield(text(name), json.RawMessage(rest[:end:end])) {
				return
			}
			rest = rest[end:]
		}
	}
}

// text returns the text that a value of valid JSON is, "" where it is none.
func text(value []byte) (s string) {
	if len(value) == 0 || value[0] != '"' {
		return ""
	}
	if !bytes.ContainsRune(value, '\\') {
		return string(value[1 : len(value)-1])
	}
	_ = json.Unmarshal(value, &s) // valid
	return s
}

// valueEnd returns where the value ends that text begins with, and how deep lists and objects are
// nested in it. Where text is not valid JSON it returns some end and depth.
func valueEnd(text []byte) (end, depth int) {
	open, inText := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inText && c == '\\':
			i++
			continue
		case c == '"':
			inText = !inText
		case inText:
		case c == '{', c == '[':
			open++
			depth = max(depth, open)
		case c == '}', c == ']':
			if open--; open < 0 { // after a number
				return i, depth
			}
		case open == 0 && (c == ',' || c == ':' || c <= ' '):
			return i, depth
		default:
			continue
		}
		if open == 0 && !inText {
			return i + 1, depth
		}
	}
	return len(text), depth
}
