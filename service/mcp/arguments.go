package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"filings/service/cursor"
	"filings/service/openapi"
	"filings/service/params"
)

// schema returns the JSON schema of t's arguments, from the table of parameters and in its order.
func (t *tool) schema(table *params.Table) (json.RawMessage, error) {
	t.integers = map[string]bool{}
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
		t.integers[p.Name] = p.Kind == params.Integer || p.Kind == params.IDs
		if err := add(p.Name, s); err != nil {
			return nil, err
		}
		if p.RequiredBy(t.takes) && t.searchPath == "" {
			required = append(required, p.Name)
		}
	}
	if t.path == coveragePath { // the endpoint has no pages
		if err := add("cursor", map[string]string{"type": "string", "description": t.texts["cursor"]}); err != nil {
			return nil, err
		}
	}
	return json.Marshal(struct {
		Type       string          `json:"type"`
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required,omitempty"`
		Additional bool            `json:"additionalProperties"`
	}{"object", append(append([]byte{'{'}, properties...), '}'), required, false})
}

// read sets the request that c stands for from the arguments of the call: each is the parameter of its name. What they must be,
// and which ones there are, is left to the endpoint.
func (c *Call) read(arguments json.RawMessage) error {
	given, err := members(arguments)
	if err != nil {
		return err
	}
	query := url.Values{}
	for _, m := range given {
		texts, err := textsOf(m.value, c.tool.integers[m.name])
		switch {
		case err != nil:
			return fmt.Errorf("%s must be %w", strconv.Quote(params.Shorten(m.name)), err)
		case lone(m.value):
			return fmt.Errorf("%s must be whole characters: half of a surrogate pair is none", params.Shorten(m.name))
		case m.name == "":
			return errors.New("arguments must have names")
		case m.name == "token": // which the endpoint would take for that of its caller
			return errors.New("token is not a parameter here")
		case m.name == "limit" && len(texts) == 1 && above(texts[0]):
			texts[0] = strconv.Itoa(maxRows) // as a limit that is too high becomes the highest one (rule P1)
		}
		if len(texts) > 0 {
			query[m.name] = texts
		}
	}
	c.Path = c.tool.path
	at := strings.TrimSpace(query.Get("cursor"))
	switch c.tool.takes {
	case params.CountyStats:
		c.after = at
		query.Del("cursor")
	case params.OneFiling:
		c.InPath = map[string]string{"id": strings.TrimSpace(query.Get("id"))}
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

// member is a name and a value of an object.
type member struct {
	name  string
	value json.RawMessage
}

// members returns the members of arguments, which are a part of valid JSON, in their order. It refuses a name that is there twice, of
// which encoding/json would take the last value.
func members(arguments json.RawMessage) (all []member, err error) {
	switch arguments = bytes.TrimSpace(arguments); {
	case len(arguments) == 0, string(arguments) == "null":
		return nil, nil
	case arguments[0] != '{':
		return nil, errors.New("arguments must be an object")
	}
	decoder := json.NewDecoder(bytes.NewReader(arguments))
	_, err = decoder.Token()
	for seen := map[string]bool{}; err == nil && decoder.More(); {
		var name json.Token
		var m member
		if name, err = decoder.Token(); err == nil {
			err = decoder.Decode(&m.value)
		}
		if m.name, _ = name.(string); seen[m.name] {
			return nil, fmt.Errorf("%s must be given only once", params.Shorten(m.name))
		}
		seen[m.name] = true
		all = append(all, m)
	}
	return all, err
}

// escape is an escape of JSON, with half of a surrogate pair apart.
var escape = regexp.MustCompile(`\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u([dD][89a-fA-F]..)|.)`)

// lone reports whether a value has half of a surrogate pair, which encoding/json reads as U+FFFD.
func lone(value []byte) bool {
	return slices.ContainsFunc(escape.FindAllSubmatch(value, -1), func(m [][]byte) bool { return m[1] != nil })
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

// textsOf returns an argument as a query string has it: the text of one value, or of each value of a list. Numbers keep
// their digits, but where an integer is wanted 10.0 is 10, as JSON Schema has it. Null is no value.
func textsOf(value json.RawMessage, integer bool) ([]string, error) {
	wrong := errors.New("a text, a number, true, false, or a list of these")
	switch value = bytes.TrimSpace(value); value[0] {
	case 'n':
		return nil, nil
	case '{':
		return nil, wrong
	case '"':
		var text string
		err := json.Unmarshal(value, &text)
		return []string{text}, err
	case '[':
		var items []json.RawMessage
		if err := json.Unmarshal(value, &items); err != nil {
			return nil, wrong
		}
		var all []string
		for _, item := range items {
			texts, err := textsOf(item, integer)
			if err != nil || len(texts) != 1 || bytes.HasPrefix(bytes.TrimSpace(item), []byte{'['}) {
				return nil, wrong
			}
			all = append(all, texts...)
		}
		return all, nil
	}
	text := string(value) // a number, true or false
	if whole, fraction, found := strings.Cut(text, "."); integer && found && strings.Trim(fraction, "0") == "" {
		text = whole
	}
	return []string{text}, nil
}
