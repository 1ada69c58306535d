package params

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// Raw is a query string split into the texts of parameters, for an endpoint.
type Raw struct {
	Unknown []string // names that the endpoint does not take: decoded, each once, in the order of the query

	of   *Endpoint
	sent []*sent // by the rows of the table; nil: there are none
}

// sent is what a query string has of a parameter.
type sent struct {
	name   string   // the first one: the current or the legacy one
	texts  []string // decoded and trimmed; nil: it was not sent
	filled bool     // one of them has characters, be they none that decode
	twice  bool     // it must not be there again, and err says so
	err    error    // for who looks at it
}

// text returns the value of p: those of a list joined by what separates its items (rule P4), "" for
// none.
func (s sent) text(p *Parameter) string { return strings.Join(s.texts, p.Kind.Separator) }

// at returns what was sent of p, which is row i.
func (r Raw) at(i int, p *Parameter) sent {
	if r.sent == nil || r.sent[i] == nil {
		return sent{name: p.Name}
	}
	return *r.sent[i]
}

// given reports whether row i was sent, be it empty.
func (r Raw) given(i int) bool { return r.sent != nil && r.sent[i] != nil }

// MaxNames is how many different names a query string may have: more than any endpoint takes. It is
// split before the key of its request is known.
const MaxNames = 100

// Split splits a raw query string as net/url does, but refuses what net/url lets pass or what
// others read differently: escapes that do not decode, text that is not UTF-8, and semicolons (rule
// P4).
func (t *Table) Split(of *Endpoint, query string) (Raw, error) {
	r, known, unknown := Raw{of: of}, 0, map[string]bool(nil)
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
		if i, ok := t.names[of.Takes][name]; ok {
			if r.sent == nil {
				r.sent = make([]*sent, len(t.rows))
			}
			if r.sent[i] == nil {
				r.sent[i] = &sent{name: name}
				known++
			}
			r.sent[i].add(&t.rows[i], name, text)
			continue
		}
		if name == tokenName && of.Token {
			continue // the service has read it
		}
		if _, ok := decode(text); !ok {
			return r, invalid(Shorten(name), notDecoded)
		}
		if of.Takes&strict != 0 {
			return r, t.Unknown(of.Takes, name)
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
	if r.sent != nil && of.Takes&(boxed|strict) == 0 {
		t.dropPartialBounds(r)
	}
	return r, nil
}

// add adds a value of p, which is not decoded yet. That it must not be there a second time comes
// before what is wrong with a value.
func (s *sent) add(p *Parameter, name, text string) {
	if p.Kind.Separator == ";" { // which stands for itself
		text = strings.ReplaceAll(text, ";", "%3B")
	}
	text, ok := decode(text)
	text = strings.TrimSpace(text)
	switch {
	case s.twice:
	case s.texts != nil && name != s.name:
		s.twice, s.err = true, invalid(s.name, "must not be given together with %s: it is another name of it", name)
	case s.texts != nil && !p.Kind.List:
		s.twice, s.err = true, invalid(s.name, "must be given only once")
	case s.err != nil:
	case !ok:
		s.err = invalid(s.name, notDecoded)
	case text == "" && p.Kind == Term: // it has a character or more (rule P4)
		s.err = invalid(s.name, "must be %s", p.Form())
	}
	s.texts, s.filled = append(s.texts, text), s.filled || !ok || text != ""
}

// tokenName is how a token is sent in a query string.
const tokenName = "token"

const notDecoded = "must be percent-encoded UTF-8; a semicolon is written %%3B"

// decode undoes the escapes of a name or a value in a query string.
func decode(text string) (string, bool) {
	s, err := url.QueryUnescape(text)
	return s, err == nil && utf8.ValidString(s) && !strings.Contains(text, ";")
}

// dropPartialBounds drops the bounds_* unless each of the four has a value: a partial set is not
// looked at, not even for errors (rule P15).
func (t *Table) dropPartialBounds(r Raw) {
	edges, filled := []int{}, 0
	for i := range t.rows {
		if t.rows[i].edge {
			edges = append(edges, i)
			if s := r.sent[i]; s != nil && s.filled {
				filled++
			}
		}
	}
	if filled < len(edges) {
		for _, i := range edges {
			r.sent[i] = nil
		}
	}
}

// filterQuery returns the filters of r as a query string, sorted by name.
func (t *Table) filterQuery(r Raw) string {
	given := url.Values{}
	for i := range t.rows {
		p := &t.rows[i]
		s := r.at(i, p)
		if text := s.text(p); s.err == nil && text != "" && p.On&TileSets != 0 && p.crawl != ofGeneration {
			given.Set(s.name, text)
		}
	}
	return given.Encode()
}
