package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"unicode/utf8"

	"filings/index"
)

// ParseObject is Parse for a record that is an object already. Its values are those of jq: nil, bool, int, float64, *big.Int,
// json.Number, string, []any and map[string]any. Members are taken in the order of their names.
func (p *Parser) ParseObject(object map[string]any, f *index.Filing) Result {
	p.begin(f)
	p.names = p.names[:0]
	for name := range object {
		p.names = append(p.names, name)
	}
	slices.Sort(p.names)
	for _, name := range p.names {
		p.value.of(object[name])
		p.set(name, &p.value)
	}
	p.finish()
	return p.result
}

// of makes v of a value of jq.
func (v *value) of(from any) {
	*v = value{list: v.list[:0]}
	switch from := from.(type) {
	case string:
		v.kind, v.text = kindString, from
		v.check(from)
	case bool:
		v.kind, v.text = kindBool, strconv.FormatBool(from)
	case int:
		v.kind, v.text = kindNumber, strconv.Itoa(from)
	case float64:
		v.kind, v.text = kindNumber, floatText(from)
		switch { // jq writes these as null and as the largest number
		case math.IsNaN(from):
			v.fault = faultNaN
		case math.IsInf(from, 0):
			v.fault = faultInfinite
		}
	case *big.Int:
		v.kind, v.text = kindNumber, from.String()
	case json.Number:
		v.kind, v.text = kindNumber, from.String()
	case []any:
		v.ofList(from)
	case map[string]any:
		v.kind = kindObject
	}
}

func (v *value) ofList(from []any) {
	v.kind = kindStrings
	for _, item := range from {
		s, ok := item.(string)
		if !ok {
			v.kind = kindList
			return
		}
		v.list = append(v.list, s)
		v.check(s)
	}
}

// check finds text that is not UTF-8, which a program can make.
func (v *value) check(text string) {
	if !utf8.ValidString(text) {
		v.fault = faultNotUTF8
	}
}

// floatText writes a number as jq does.
func floatText(f float64) string {
	if size := math.Abs(f); size != 0 && size < 1e-6 || size >= 1e21 {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// Values reads a JSON value as jq has it: numbers as int where they fit and as json.Number otherwise, so that an id of 63 bits
// stays what it is. Its texts are parts of text, which must be valid UTF-8. The members of an object go to into, which may be
// nil. A name that appears twice in an object, and half of a surrogate pair, are errors at any depth (rule L4).
func Values(text string, into map[string]any) (any, error) {
	s := scanner{text: text}
	v, err := s.any(into, 0)
	if err != nil {
		return nil, err
	}
	if s.space(); s.at < len(s.text) {
		return nil, s.wrong("the end of the record")
	}
	return v, s.fault
}

// refuse notes what is wrong with JSON that could be read, unless something is already.
func (p *scanner) refuse(reason string) {
	if p.fault == nil {
		p.fault = errors.New(reason)
	}
}

// characters reads a string, of which every character has to be one.
func (p *scanner) characters() (string, error) {
	start := p.at
	s, err := p.str()
	if p.lone {
		p.refuse(fmt.Sprintf("the text at byte %d %s", start+1, faultLone))
	}
	return s, err
}

func (p *scanner) any(into map[string]any, depth int) (any, error) {
	switch c := p.space(); {
	case c == '"':
		return p.characters()
	case c == '-' || isDigit(c):
		text, err := p.number()
		return numberOf(text), err
	case c == '[':
		list := []any{}
		err := p.between(']', "a comma or ]", depth, func() error { return nil }, func() error {
			item, err := p.any(nil, depth+1)
			list = append(list, item)
			return err
		})
		return list, err
	case c == '{':
		return p.mapOf(into, depth)
	}
	word, err := p.word()
	if word == "null" || err != nil {
		return nil, err
	}
	return word == "true", nil
}

// mapOf reads an object as a map.
func (p *scanner) mapOf(into map[string]any, depth int) (_ map[string]any, err error) {
	if into == nil {
		into = map[string]any{}
	}
	var name string
	err = p.between('}', "a comma or }", depth, func() error {
		name, err = p.name(p.characters)
		return err
	}, func() error {
		members := len(into)
		if into[name], err = p.any(nil, depth+1); len(into) == members {
			p.refuse("the name " + quote(name) + " appears twice")
		}
		return err
	})
	return into, err
}

// numberOf returns a number as an int, if its digits say the same.
func numberOf(text string) any {
	if len(text) < 19 && text != "-0" {
		if n, err := strconv.Atoi(text); err == nil {
			return n
		}
	}
	return json.Number(text)
}
