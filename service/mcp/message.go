package mcp

import (
	"bytes"
	"encoding/json"
	"iter"
)

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
