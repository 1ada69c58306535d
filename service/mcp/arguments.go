package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"filings/service/cursor"
	"filings/service/openapi"
	"filings/service/params"
)

// schema returns the JSON schema of t's arguments, from the table of parameters and in its order.
func (t *tool) schema(table *params.Table) (json.RawMessage, error) {
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
	var given map[string]json.RawMessage
	if len(arguments) > 0 && json.Unmarshal(arguments, &given) != nil {
		return errors.New("arguments must be an object")
	}
	query := url.Values{}
	for name, value := range given {
		texts, err := textsOf(value)
		switch {
		case err != nil:
			return fmt.Errorf("%s must be %w", strconv.Quote(params.Shorten(name)), err)
		case name == "":
			return errors.New("arguments must have names")
		case name == "limit" && len(texts) == 1 && above(texts[0]):
			texts[0] = strconv.Itoa(maxRows) // as a limit that is too high becomes the highest one (rule P1)
		}
		if len(texts) > 0 {
			query[name] = texts
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
// their digits. Null is no value.
func textsOf(value json.RawMessage) ([]string, error) {
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
			texts, err := textsOf(item)
			if err != nil || len(texts) != 1 || bytes.HasPrefix(bytes.TrimSpace(item), []byte{'['}) {
				return nil, wrong
			}
			all = append(all, texts...)
		}
		return all, nil
	}
	return []string{string(value)}, nil // a number, true or false
}
