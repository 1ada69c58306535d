package params

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// Raw is a query string split into raw parameters, which are not decoded yet, for an endpoint.
type Raw struct {
	Unknown []string // names that the endpoint does not take: decoded, each once, in the order of the query

	on     Endpoints
	values [][]rawValue // by the rows of the table; nil: there are none
}

// rawValue is one name=value of a query string.
type rawValue struct {
	name string // as sent: the current or the legacy one
	text string // not decoded
}

// escaped returns the text that is to be decoded. Where semicolons separate items, they stand for themselves.
func (v rawValue) escaped(p *Parameter) string {
	if p.separator() == ";" {
		return strings.ReplaceAll(v.text, ";", "%3B")
	}
	return v.text
}

// MaxNames is how many different names a query string may have: more than any endpoint takes. It is
// split before the key of its request is known.
const MaxNames = 100

// Split splits a raw query string as net/url does, but refuses what net/url lets pass or what others read differently:
// escapes that do not decode, text that is not UTF-8, and semicolons (rule P4).
func (t *Table) Split(on Endpoints, query string) (Raw, error) {
	r, known, unknown := Raw{on: on}, 0, map[string]bool(nil)
	for piece := range strings.SplitSeq(query, "&") {
		if known+len(unknown) > MaxNames {
			break
		}
		if piece == "" {
			continue
		}
		key, text, _ := strings.Cut(piece, "=")
		name, ok := decode(key)
		if !ok {
			return r, invalid("query", notDecoded)
		}
		if i, ok := t.names[on][name]; ok {
			if r.values == nil {
				r.values = make([][]rawValue, len(t.rows))
			}
			if r.values[i] == nil {
				known++
			}
			r.values[i] = append(r.values[i], rawValue{name, text})
			continue
		}
		if name == tokenName && on.Token() != "" {
			continue // the service has read it
		}
		if _, ok := decode(text); !ok {
			return r, invalid(Shorten(name), notDecoded)
		}
		if on.row().exact {
			return r, t.Unknown(on, name)
		}
		if name == "" || unknown[name] {
			continue
		}
		if unknown == nil {
			unknown = map[string]bool{}
		}
		unknown[name] = true
		r.Unknown = append(r.Unknown, name)
	}
	if known+len(unknown) > MaxNames {
		return r, invalid("query", "must have at most %d different names", MaxNames)
	}
	if row := on.row(); r.values != nil && !row.boxed && !row.exact {
		t.dropPartialBounds(r)
	}
	return r, nil
}

// tokenName is how a token is sent in a query string.
const tokenName = "token"

const notDecoded = "must be percent-encoded UTF-8; a semicolon is written %%3B"

// decode undoes the escapes of a name or a value in a query string.
func decode(text string) (string, bool) {
	s, err := url.QueryUnescape(text)
	return s, err == nil && utf8.ValidString(s) && !strings.Contains(text, ";")
}

// dropPartialBounds drops the bounds_* unless each of the four has a value: a partial set is not looked at, not even for
// errors (rule P15).
func (t *Table) dropPartialBounds(r Raw) {
	edges, filled := []int{}, 0
	for i := range t.rows {
		if t.rows[i].edge() {
			edges = append(edges, i)
			if slices.ContainsFunc(r.values[i], rawValue.filled) {
				filled++
			}
		}
	}
	if filled < len(edges) {
		for _, i := range edges {
			r.values[i] = nil
		}
	}
}

// filters returns the filters among raw as a query string, sorted by name.
func (t *Table) filters(r Raw) string {
	given := url.Values{}
	for i := range t.rows {
		p := &t.rows[i]
		if text, name, err := r.text(i, p); err == nil && text != "" && p.On&TileSets != 0 && p.op != opGeneration {
			given.Set(name, text)
		}
	}
	return given.Encode()
}

// filled reports whether v has a value, be it one that does not decode.
func (v rawValue) filled() bool {
	s, ok := decode(v.text)
	return !ok || strings.TrimSpace(s) != ""
}

// given reports whether row i was sent, be it empty.
func (r Raw) given(i int) bool { return r.values != nil && len(r.values[i]) > 0 }

// text returns the value of p, which is row i, decoded and trimmed, and the name under which it was sent. A list may have
// been repeated (rule P4); its values are joined by what separates its items. text is "" where p is absent or empty.
func (r Raw) text(i int, p *Parameter) (text, name string, err error) {
	if !r.given(i) {
		return "", p.Name, nil
	}
	values := r.values[i]
	name = values[0].name
	for _, v := range values[1:] {
		if v.name != name {
			return "", "", invalid(name, "must not be given together with %s: it is another name of it", v.name)
		}
		if !p.List() {
			return "", "", invalid(name, "must be given only once")
		}
	}
	texts := make([]string, len(values))
	for i, v := range values {
		s, ok := decode(v.escaped(p))
		if !ok {
			return "", "", invalid(name, notDecoded)
		}
		texts[i] = strings.TrimSpace(s)
	}
	text = strings.Join(texts, p.separator())
	if text == "" && p.Kind == Term { // it has a character or more (rule P4)
		return "", "", invalid(name, "must be %s", p.Form())
	}
	return text, name, nil
}
