package service

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// table is the table of parameters with its names, old ones included, by endpoint.
type table struct {
	rows  []parameter
	names map[endpoints]map[string]*parameter
}

func newTable(hasDataName string) *table {
	t := &table{rows: parameters(hasDataName), names: map[endpoints]map[string]*parameter{}}
	for _, on := range []endpoints{0, onList, onSearch, onCountyStats, onClusters} {
		names := map[string]*parameter{}
		for i := range t.rows {
			if p := &t.rows[i]; p.on&on != 0 {
				names[p.name] = p
				if p.legacy != "" {
					names[p.legacy] = p
				}
			}
		}
		t.names[on] = names
	}
	return t
}

// given is what a query string gives to an endpoint: what stands for each of its parameters, not decoded yet, and the
// names that it does not know.
type given struct {
	values  map[*parameter][]occurrence
	unknown []string // decoded, each once, in the order of the query
}

// occurrence is one name=value of a query string.
type occurrence struct {
	name string // as given: the old or the new one
	raw  string // the value, not decoded
}

// given splits a raw query string as net/url does, but refuses what net/url lets pass or what others read differently:
// escapes that do not decode, text that is not UTF-8, and semicolons (rule P4).
func (t *table) given(on endpoints, query string) (given, error) {
	g := given{values: map[*parameter][]occurrence{}}
	for piece := range strings.SplitSeq(query, "&") {
		if piece == "" {
			continue
		}
		key, raw, _ := strings.Cut(piece, "=")
		name, ok := decode(key)
		if !ok {
			return g, invalid("query", notDecoded)
		}
		if p := t.names[on][name]; p != nil {
			g.values[p] = append(g.values[p], occurrence{name, raw})
			continue
		}
		if _, ok := decode(raw); !ok {
			return g, invalid(shorten(name), notDecoded)
		}
		if name != "" && !slices.Contains(g.unknown, name) {
			g.unknown = append(g.unknown, name)
		}
	}
	if on != onClusters { // which has no answer without them
		g.dropPartialBounds()
	}
	return g, nil
}

const notDecoded = "must be percent-encoded UTF-8; a semicolon is written %%3B"

// decode undoes the escapes of a name or a value in a query string.
func decode(raw string) (string, bool) {
	s, err := url.QueryUnescape(raw)
	return s, err == nil && utf8.ValidString(s) && !strings.Contains(raw, ";")
}

// dropPartialBounds forgets the bounds_* unless each of the four has a value: a partial set is not looked at, not even
// for mistakes (rule P15).
func (g *given) dropPartialBounds() {
	edges := map[operator]bool{}
	for p, occurrences := range g.values {
		if p.edge() && slices.ContainsFunc(occurrences, occurrence.filled) {
			edges[p.op] = true
		}
	}
	if len(edges) == 4 {
		return
	}
	for p := range g.values {
		if p.edge() {
			delete(g.values, p)
		}
	}
}

func (p *parameter) edge() bool {
	return p.op == opNorth || p.op == opSouth || p.op == opEast || p.op == opWest
}

// filled reports whether o has a value, be it one that does not decode.
func (o occurrence) filled() bool {
	s, ok := decode(o.raw)
	return !ok || strings.TrimSpace(s) != ""
}

// one returns the only occurrence of p, decoded and trimmed, and the name under which it was given. text is "" where p
// is not given, or given empty.
func (g *given) one(p *parameter) (text, name string, err error) {
	occurrences := g.values[p]
	if len(occurrences) == 0 {
		if p.required {
			return "", "", invalid(p.name, "must be given: %s", p.form())
		}
		return "", p.name, nil
	}
	name = occurrences[0].name
	if len(occurrences) > 1 {
		if other := occurrences[1].name; other != name {
			return "", "", invalid(name, "must not be given together with %s: it is another name of it", other)
		}
		return "", "", invalid(name, "must be given only once")
	}
	text, ok := decode(occurrences[0].raw)
	if !ok {
		return "", "", invalid(name, notDecoded)
	}
	text = strings.TrimSpace(text)
	if text == "" && p.required {
		return "", "", invalid(name, "must be %s", p.form())
	}
	return text, name, nil
}
