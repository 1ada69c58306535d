package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"filings/service/cursor"
	"filings/service/openapi"
	"filings/service/params"
)

// schema returns the JSON schema of t's arguments, from the table of parameters and in its order.
func (t *tool) schema(table *params.Table) (json.RawMessage, error) {
	t.integers, t.lists = map[string]bool{}, map[string]bool{}
	properties, required := []byte{}, []string{}
	add := func(name string, schema any) error {
		text, err := json.Marshal(schema)
		if len(properties) > 0 {
			properties = append(properties, ',')
		}
		properties = append(append(strconv.AppendQuote(properties, name), ':'), text...)
		return err
	}
	for _, p := range table.Of(t.takes) {
		if p.Name == t.without {
			continue
		}
		s := openapi.ValueSchema(&p)
		if text := t.texts[p.Name]; text != "" {
			s.Description = text
		}
		switch s.Examples = nil; p.Kind { // helps say it; a model reads all of this before it begins
		case params.FieldNames:
			s.Items.Value.Pattern = ""
		case params.Generation:
			s.Description = p.Help
		}
		if p.Name == "limit" {
			s.WithMax(maxRows)
		}
		t.integers[p.Name] = p.Kind.Type == "integer"
		t.lists[p.Name] = p.Kind.List
		if err := add(p.Name, s); err != nil {
			return nil, err
		}
		if p.RequiredBy(t.takes) && t.searchPath == "" {
			required = append(required, p.Name)
		}
	}
	return json.Marshal(struct {
		Type       string          `json:"type"`
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required,omitempty"`
		Additional bool            `json:"additionalProperties"`
	}{"object", append(append([]byte{'{'}, properties...), '}'), required, false})
}

// ReadArguments sets the request that c stands for from the arguments of the call: each is the
// parameter of its name. What they must be, and which ones there are, is left to the endpoint.
func (c *Call) ReadArguments() error {
	query, err := c.values()
	if err != nil {
		return err
	}
	at := strings.TrimSpace(query.Get("cursor"))
	switch c.tool.takes {
	case params.Coverage:
		setUnless(query, "cursor", cursor.First)
	case params.OneFiling:
		c.InPath = map[string]string{"id": strings.TrimSpace(query.Get("id"))}
		if len(query["id"]) > 1 {
			return errors.New("id must be one: call the tool for each of several, or search_filings with ids")
		}
		query.Del("id")
	case params.Groups:
		setUnless(query, "limit", defaultGroups)
	case params.Search:
		if setUnless(query, "cursor", cursor.First); at != "" && at != cursor.First {
			held, err := cursor.Parse(at)
			if query.Has("q") || err == nil && held.Endpoint == "search" {
				c.Path = c.tool.searchPath
			}
			if q, err := url.ParseQuery(held.Query); err == nil && above(q.Get("limit")) { // a page of the endpoint may be larger, and costs more
				setUnless(query, "limit", strconv.Itoa(maxRows))
			}
			c.Query = query.Encode()
			return nil // the cursor holds the fields
		}
		if query.Has("q") {
			c.Path = c.tool.searchPath
		}
	}
	if c.tool.columns {
		setUnless(query, "fields", defaultFields)
	}
	c.Query = query.Encode()
	return nil
}

// values returns the arguments of the call as a query string has them. It refuses a name that is
// there twice, of which encoding/json would take the last value.
func (c *Call) values() (url.Values, error) {
	query := url.Values{}
	switch {
	case c.arguments == nil, string(c.arguments) == "null":
		return query, nil
	case c.arguments[0] != '{':
		return nil, errors.New("arguments must be an object")
	}
	seen := map[string]bool{}
	for name, value := range members(c.arguments) {
		if len(seen) == params.MaxNames {
			return nil, fmt.Errorf("arguments must be at most %d", params.MaxNames)
		}
		texts, err := c.tool.textsOf(name, value)
		switch {
		case seen[name]:
			return nil, fmt.Errorf("%s must be given only once", params.Shorten(name))
		case err != nil:
			return nil, fmt.Errorf("%s must be %w", strconv.Quote(params.Shorten(name)), err)
		case lone(value):
			return nil, fmt.Errorf("%s must be whole characters: half of a surrogate pair is none", params.Shorten(name))
		case name == "":
			return nil, errors.New("arguments must have names")
		case name == "token": // which the endpoint would take for that of its caller
			return nil, errors.New("unknown parameter token")
		case name == "limit" && len(texts) == 1 && above(texts[0]):
			texts[0] = strconv.Itoa(maxRows) // as a limit that is too high becomes the highest one (rule P1)
		}
		if seen[name] = true; len(texts) > 0 {
			query[name] = texts
		}
	}
	return query, nil
}

// lone reports whether a value has half of a surrogate pair, which encoding/json reads as U+FFFD.
func lone(value []byte) bool {
	for i := bytes.IndexByte(value, '\\'); i >= 0 && i < len(value); i++ {
		if value[i] != '\\' {
			continue
		}
		i++
		r := escaped(value[i:])
		if utf16.IsSurrogate(r) {
			i += len("ud83c")
			if value[i] != '\\' || utf16.DecodeRune(r, escaped(value[i+1:])) == utf8.RuneError {
				return true
			}
			i += len("\\udf1e") - 1
		}
	}
	return false
}

// escaped returns the unit of UTF-16 that is escaped by a text which follows a backslash, 0 for
// other escapes.
func escaped(text []byte) rune {
	if text[0] != 'u' {
		return 0
	}
	unit, _ := strconv.ParseUint(string(text[1:5]), 16, 16)
	return rune(unit)
}

// setUnless sets a parameter that has no value.
func setUnless(query url.Values, name, value string) {
	if strings.TrimSpace(strings.Join(query[name], "")) == "" {
		query.Set(name, value)
	}
}

func above(limit string) bool {
	n, err := strconv.Atoi(limit)
	return err == nil && n > maxRows
}

// errValue says what an argument may be.
var errValue = errors.New("a text, a number, true, false, or a list of these")

// textsOf returns an argument as a query string has it: the text of one value, or of each value of
// a list. Null is no value. A list may come as the text of its JSON, as some models write it (rule
// X64): read as one value it would exclude nothing.
func (t *tool) textsOf(name string, value json.RawMessage) ([]string, error) {
	switch value[0] {
	case 'n':
		return nil, nil
	case '[':
		return t.items(name, value)
	case '"':
		switch list, like := listIn(value); {
		case name == "q": // it may be what is searched
		case list != nil:
			return t.items(name, list)
		case like && t.lists[name]:
			return nil, errors.New(`a list such as ["A", "B"]: what stands between [ and ] here is none`)
		}
	}
	one, err := t.textOf(name, value)
	return []string{one}, err
}

// items returns the texts of a list.
func (t *tool) items(name string, list json.RawMessage) (all []string, err error) {
	var items []json.RawMessage
	if err := json.Unmarshal(list, &items); err != nil {
		return nil, errValue
	}
	for _, item := range items {
		one, err := t.textOf(name, item)
		if inner, _ := listIn(item); inner != nil && t.lists[name] || err != nil {
			return nil, errValue
		}
		all = append(all, one)
	}
	return all, nil
}

// listIn returns the list whose JSON is the text that value is; nil for any other value. like
// reports whether it has the brackets of one.
func listIn(value json.RawMessage) (list json.RawMessage, like bool) {
	inner := strings.TrimSpace(text(value))
	like = strings.HasPrefix(inner, "[") && strings.HasSuffix(inner, "]")
	if like && json.Valid([]byte(inner)) {
		list = json.RawMessage(inner)
	}
	return list, like
}

// textOf returns the text of one value. Numbers keep their digits, but where an integer is wanted
// 10.0 is 10, as JSON Schema has it.
func (t *tool) textOf(name string, value json.RawMessage) (string, error) {
	switch value[0] {
	case 'n', '{', '[':
		return "", errValue
	case '"':
		return text(value), nil
	}
	number := string(value) // or true or false
	if whole, fraction, found := strings.Cut(number, "."); t.integers[name] && found && strings.Trim(fraction, "0") == "" {
		number = whole
	}
	return number, nil
}
