package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"filings/service/cursor"
	"filings/service/params"
)

// ReadArguments sets the request that c stands for from the arguments of the call: each is the
// parameter of its name. The endpoint checks names and values.
func (c *Call) ReadArguments() error {
	query, err := c.values()
	if err != nil {
		return err
	}
	position := strings.TrimSpace(query.Get("cursor"))
	switch c.tool.takes {
	case params.OneFiling:
		c.InPath = map[string]string{"id": strings.TrimSpace(query.Get("id"))}
		if len(query["id"]) > 1 {
			return errors.New("id must be one: call the tool for each of several, or search_filings with ids")
		}
		query.Del("id")
	case params.Groups:
		setUnless(query, "limit", defaultGroups)
	case params.Search, params.Owners, params.Coverage:
		setUnless(query, "cursor", cursor.First)
		held, err := cursor.Parse(position)
		if c.tool.searchPath != "" && (query.Has("q") || err == nil && held.Endpoint == "search") {
			c.Path = c.tool.searchPath
		}
		if position != "" && position != cursor.First { // which holds the fields
			// a page of the endpoint may be larger, and costs more
			if q, err := url.ParseQuery(held.Query); err == nil && exceedsRows(q.Get("limit")) {
				setUnless(query, "limit", strconv.Itoa(maxRows))
			}
			c.Query = query.Encode()
			return nil
		}
	}
	if c.tool.columns {
		setUnless(query, "fields", defaultFields)
	}
	c.Query = query.Encode()
	c.owner = query.Get("owner")
	return nil
}

// setUnless sets a parameter that has no value.
func setUnless(query url.Values, name, value string) {
	if strings.TrimSpace(strings.Join(query[name], "")) == "" {
		query.Set(name, value)
	}
}

func exceedsRows(limit string) bool {
	n, err := strconv.Atoi(limit)
	return err == nil && n > maxRows
}

// values returns the arguments of the call as a query string has them.
func (c *Call) values() (url.Values, error) {
	query := url.Values{}
	switch c.arguments.Kind() {
	case 0, 'n':
		return query, nil
	case '{':
		return query, c.tool.read(c.arguments, query)
	}
	return nil, errors.New("arguments must be an object")
}

// read adds the members of an object to query, and those of its member more as if they were its own.
func (t *tool) read(object jsontext.Value, query url.Values) error {
	d := jsontext.NewDecoder(bytes.NewReader(object))
	_, _ = d.ReadToken() // its beginning
	for d.PeekKind() != '}' {
		token, err := d.ReadToken()
		if err != nil {
			return unread(err)
		}
		name := token.String()
		value, err := d.ReadValue()
		if err != nil {
			return unread(err)
		}
		if err := t.add(query, name, value); err != nil {
			return err
		}
	}
	return nil
}

// unread returns the fault of arguments that are JSON, but ambiguous.
func unread(err error) error {
	name := "a name"
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		names := slices.Collect(syntax.JSONPointer.Tokens())
		if len(names) > 1 && names[0] == "more" {
			names = names[1:]
		}
		name = params.Shorten(append(names, name)[0])
	}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return fmt.Errorf("%s must be given only once", name)
	}
	return fmt.Errorf("%s must be whole characters: half of a surrogate pair is none", name)
}

// add adds an argument to query.
func (t *tool) add(query url.Values, name string, value jsontext.Value) error {
	if name == "more" && t.more {
		if value.Kind() == '"' { // as some models write it
			value = jsontext.Value(strings.TrimSpace(text(value)))
		}
		switch kind := value.Kind(); {
		case kind == 'n':
			return nil
		case kind == '{' && value.IsValid():
			return t.read(value, query)
		}
		return errors.New(`more must be an object of filters, as in {"city": "Ocala"}`)
	}
	texts, err := t.textsOf(name, value)
	switch {
	case err != nil:
		return fmt.Errorf("%s must be %w", strconv.Quote(params.Shorten(name)), err)
	case name == "":
		return errors.New("arguments must have names")
	case name == "token": // which the endpoint would take for that of its caller
		return errors.New("unknown parameter token")
	case query.Has(name):
		return fmt.Errorf("%s must be given only once", params.Shorten(name))
	case name == "limit" && len(texts) == 1 && exceedsRows(texts[0]):
		texts[0] = strconv.Itoa(maxRows) // as a limit that is too high becomes the highest one (rule P1)
	}
	if len(texts) > 0 {
		query[name] = texts
	}
	if len(query) > params.MaxNames {
		return fmt.Errorf("arguments must be at most %d", params.MaxNames)
	}
	return nil
}

// errValue names the kinds of arguments.
var errValue = errors.New("a text, a number, true, false, or a list of these")

// textsOf returns an argument as a query string has it: the text of one value, or of each value of
// a list. Null is no value. A list may come as the text of its JSON, as some models write it (rule
// X64): read as one value it would exclude nothing.
func (t *tool) textsOf(name string, value jsontext.Value) (texts []string, err error) {
	list, bracketed := listIn(value)
	switch {
	case value.Kind() == 'n':
		return nil, nil
	case name == "q" || !bracketed: // q may be a searched text
	case list != nil:
		value = list
	case t.lists[name]:
		return nil, errors.New(`a list such as ["A", "B"]: what stands between [ and ] here is none`)
	}
	items := []jsontext.Value{value}
	nested := value.Kind() == '['
	if nested && json.Unmarshal(value, &items) != nil {
		return nil, errValue
	}
	if len(items) == 0 { // given all the same, unlike null: ids without any must not be all filings
		return []string{""}, nil
	}
	for _, item := range items {
		text, err := t.textOf(name, item)
		if inner, _ := listIn(item); nested && inner != nil && t.lists[name] || err != nil {
			return nil, errValue
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// listIn returns the list whose JSON is the text that value is; nil for any other value.
// bracketed reports whether it has the brackets of one.
func listIn(value jsontext.Value) (list jsontext.Value, bracketed bool) {
	inner := jsontext.Value(strings.TrimSpace(text(value)))
	bracketed = bytes.HasPrefix(inner, []byte{'['}) && bytes.HasSuffix(inner, []byte{']'})
	if bracketed && inner.IsValid() {
		list = inner
	}
	return list, bracketed
}

// textOf returns the text of one value. Numbers keep their digits, but where an integer is wanted
// 10.0 is 10, as JSON Schema has it.
func (t *tool) textOf(name string, value jsontext.Value) (string, error) {
	switch value.Kind() {
	case 'n', '{', '[':
		return "", errValue
	case '"':
		return text(value), nil
	}
	number := string(value) // or true or false
	if whole, fraction, found := strings.Cut(number, "."); t.integers[name] && found &&
		strings.Trim(fraction, "0") == "" {
		number = whole
	}
	return number, nil
}
