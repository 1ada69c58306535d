package params

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"filings/index"
)

// Raw is a query string split into the texts of parameters, for an endpoint. It belongs to one
// request, and keeps the decoded parts of it.
type Raw struct {
	Unknown []string // names that the endpoint does not take: decoded, each once, in order
	Partial []string // bounds_* that are dropped, since some of the four have no value

	table    *Table
	endpoint *Endpoint
	sent     []*sent       // by the rows of the table; nil: there are none
	next     *continuation // nil: its cursor was not decoded yet
}

// sent is a parameter in a query string; nil: it is not there.
type sent struct {
	name    string   // the first one: the current or the legacy one
	texts   []string // as they were sent; once decoded, trimmed too
	decoded bool
	filled  bool  // once decoded: a text has characters, be they none that decode
	err     error // it is repeated and must not be; once decoded, or a text is wrong
}

// repeated notes that p is there again, under a name.
func (s *sent) repeated(p *Parameter, name string) {
	switch {
	case s.err != nil:
	case name != s.name:
		s.err = invalid(s.name, "must not be sent together with %s, its other name", name)
	case !p.Kind.List:
		s.err = invalid(s.name, "must be given only once")
	}
}

// text returns the value of p: those of a list joined by the separator of its items (rule P4), ""
// for none. The texts are decoded once, when the value is first read. Before a key is known,
// cursor, limit and bounds alone are read.
func (s *sent) text(p *Parameter) (string, error) {
	if s == nil {
		return "", nil
	}
	for i, text := range s.texts {
		if s.decoded {
			break
		}
		if p.Kind.Separator == ";" { // which stands for itself
			text = strings.ReplaceAll(text, ";", "%3B")
		}
		text, ok := decode(text)
		if s.texts[i] = index.Trim(text); !ok && s.err == nil {
			s.err = invalid(s.name, notDecoded)
		}
		s.filled = s.filled || !ok || s.texts[i] != ""
	}
	if p.Kind == Term && !s.filled && s.err == nil { // it has a character (rule P4)
		s.err = invalid(s.name, "must be %s", p.Form())
	}
	s.decoded = true
	return strings.Join(s.texts, p.Kind.Separator), s.err
}

// filledTexts returns the texts that have characters, once they are decoded.
func (s *sent) filledTexts() []string {
	return slices.DeleteFunc(slices.Clone(s.texts), func(text string) bool { return text == "" })
}

// isFilled reports whether a value of p has characters, be they none that decode.
func (s *sent) isFilled(p *Parameter) bool {
	_, _ = s.text(p)
	return s != nil && s.filled
}

// EachSent calls do with the name of each parameter of the table that was sent: its legacy name
// where it came under that. A name that a client made up is none of them.
func (r *Raw) EachSent(do func(name string)) {
	for i, s := range r.sent {
		if p := &r.table.rows[i]; s != nil && s.name == p.Legacy {
			do(p.Legacy)
		} else if s != nil {
			do(p.Name)
		}
	}
}

// sentOf returns the parameter that was sent for row i.
func (r *Raw) sentOf(i int) *sent {
	if r.sent == nil {
		return nil
	}
	return r.sent[i]
}

// named returns the parameter of a name, nil where the endpoint has none, and its value.
func (r *Raw) named(name string) (*Parameter, *sent) {
	i, known := r.table.names[r.endpoint.Takes][name]
	if !known {
		return nil, nil
	}
	return &r.table.rows[i], r.sentOf(i)
}

// MaxNames is how many different names a query string may have: more than any endpoint takes. It is
// split before the key of its request is known.
const MaxNames = 100

// Split splits a raw query string as net/url does, but refuses texts that net/url lets pass or that
// others read differently: escapes that do not decode, text that is not UTF-8, and semicolons (rule
// P4). The Raw of a refused string has nothing but its price.
func (t *Table) Split(endpoint *Endpoint, query string) (*Raw, error) {
	refuse := func(err error) (*Raw, error) { return &Raw{table: t, endpoint: endpoint}, err }
	r, known, unknown := &Raw{table: t, endpoint: endpoint}, 0, map[string]bool(nil)
	for piece := range strings.SplitSeq(query, "&") {
		if piece == "" {
			continue
		}
		key, text, _ := strings.Cut(piece, "=")
		name, ok := decode(key)
		if !ok {
			return refuse(Invalid("", "query "+notDecoded))
		}
		i, ok := t.names[endpoint.Takes][name]
		if base, isItem := itemOf(name); !ok && isItem {
			if i, ok = t.names[endpoint.Takes][base]; ok && t.rows[i].Kind.List {
				name = base
			} else {
				ok = false
			}
		}
		if ok {
			if r.sent == nil {
				r.sent = make([]*sent, len(t.rows))
			}
			if r.sent[i] == nil {
				r.sent[i] = &sent{name: name}
				known++
			} else {
				r.sent[i].repeated(&t.rows[i], name)
			}
			r.sent[i].texts = append(r.sent[i].texts, text)
		} else if name != tokenName || !endpoint.Token && !endpoint.Link { // the service has read that one
			if _, ok := decode(text); !ok {
				return refuse(invalid(Shorten(name), notDecoded))
			}
			if endpoint.Takes&closed != 0 {
				return refuse(t.Unknown(endpoint.Takes, name))
			}
			if name != "" && !unknown[name] {
				if unknown == nil {
					unknown = map[string]bool{}
				}
				unknown[name] = true
				r.Unknown = append(r.Unknown, name)
			}
		}
		if known+len(r.Unknown) > MaxNames {
			return refuse(Invalid("", "query must have at most %d different names", MaxNames))
		}
	}
	if r.sent != nil && endpoint.Takes&(boxed|strict) == 0 {
		r.dropPartialBounds()
	}
	return r, nil
}

// itemOf returns the name of the list whose item a client sends as name[] or name[0] (rule X64).
func itemOf(name string) (list string, ok bool) {
	list, index, ok := strings.Cut(name, "[")
	digits, closes := strings.CutSuffix(index, "]")
	return list, ok && closes && strings.Trim(digits, "0123456789") == ""
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
func (r *Raw) dropPartialBounds() {
	edges, filled := []int{}, []string{}
	for i := range r.table.rows {
		p := &r.table.rows[i]
		if !p.edge {
			continue
		}
		edges = append(edges, i)
		if r.sentOf(i).isFilled(p) {
			filled = append(filled, r.sentOf(i).name)
		}
	}
	if len(filled) < len(edges) {
		r.Partial = filled
		for _, i := range edges {
			r.sent[i] = nil
		}
	}
}

// filterQuery returns the filters of r as a query string, sorted by name.
func (r *Raw) filterQuery() string {
	given := url.Values{}
	for i, s := range r.sent {
		p := &r.table.rows[i]
		if s == nil || p.Takers&TileSets == 0 || p.crawl == ofGeneration {
			continue
		}
		switch text, err := s.text(p); {
		case err != nil || text == "":
		case p.Kind.whole:
			given[s.name] = s.filledTexts()
		default:
			given.Set(s.name, text)
		}
	}
	return given.Encode()
}
