package params

import (
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"filings/service/cursor"
)

// resume turns parameters with a cursor into those of its page, and returns the cursor; nil where
// there is none. Changes always have one. A cursor holds parameters: what is given with it must be
// the same, but for the limit.
func (t *Table) resume(raw Raw, today time.Time) (Raw, *cursor.Cursor, error) {
	i, known := t.names[raw.of.Takes]["cursor"]
	if !known {
		return raw, nil, nil
	}
	given := raw.at(i, &t.rows[i])
	text := given.text(&t.rows[i])
	if raw.of.Shape.Has(Forward) && text == "" && raw.sent != nil {
		text = cursor.First
	}
	if given.err != nil || text == "" {
		return raw, nil, given.err
	}
	if offset, known := t.names[raw.of.Takes]["offset"]; known && raw.given(offset) && raw.sent[offset].filled {
		return raw, nil, invalid("offset", "must not be given with cursor: a page by cursor begins after the one before")
	}
	at, err := cursor.Cursor{Endpoint: raw.of.Name, Day: today}, error(nil)
	if text != cursor.First {
		if raw, at, err = t.held(raw, text); err != nil {
			return raw, nil, err
		}
	}
	at.Query, err = t.query(raw)
	if err == nil && !cursor.Fits(at.Query) {
		err = invalid("cursor", "holds up to %d characters of the other parameters, and these are %d: give fewer",
			cursor.MaxQuery, len(at.Query))
	}
	return raw, &at, err
}

// held returns the parameters that a cursor holds, with the limit of raw if it has one.
func (t *Table) held(raw Raw, text string) (Raw, cursor.Cursor, error) {
	damaged := invalid("cursor", "must be %s, or the next_cursor of a page: this one is damaged", cursor.First)
	at, err := cursor.Parse(text)
	if err != nil {
		return raw, at, damaged
	}
	if want := raw.of.Name; at.Endpoint != want {
		return raw, at, invalid("cursor", "must be one of this endpoint, which is the %s: this one is of the %s",
			want, Shorten(at.Endpoint))
	}
	held, err := t.Split(raw.of, at.Query)
	if err != nil || len(held.Unknown) > 0 || at.After == "" {
		return raw, at, damaged
	}
	if held.sent == nil {
		held.sent = make([]*sent, len(t.rows))
	}
	for i, s := range raw.sent {
		if s == nil {
			continue
		}
		p := &t.rows[i]
		text := s.text(p)
		switch {
		case s.err != nil:
			return raw, at, s.err
		case p.crawl == isCursor || p.empty(text):
		case p.crawl == ofEachPage:
			held.sent[i] = s
		case p.crawl == ofGeneration:
			if text != at.Generation {
				return raw, at, invalid(s.name, "must be %s, which the cursor is of, or be left out", at.Generation)
			}
		default:
			want := held.at(i, p)
			if want.err != nil {
				return raw, at, want.err
			}
			if !p.same(text, want.text(p)) {
				return raw, at, invalid(s.name, "must be as on the first page, or be left out: the cursor holds it")
			}
		}
	}
	return held, at, nil
}

// same reports whether two texts are the same value of p. The items of a list may have another
// order.
func (p *Parameter) same(a, b string) bool {
	if a == b || b == "" {
		return a == b
	}
	x, ok1 := p.Kind.read(p, a)
	y, ok2 := p.Kind.read(p, b)
	slices.Sort(x.texts)
	slices.Sort(y.texts)
	return ok1 && ok2 && reflect.DeepEqual(x, y)
}

// query writes the parameters that a cursor holds, under their current names.
func (t *Table) query(raw Raw) (string, error) {
	var parts []string
	for i, s := range raw.sent {
		p := &t.rows[i]
		if s == nil || p.On&raw.of.Takes == 0 || p.crawl == isCursor || p.crawl == ofGeneration {
			continue
		}
		if s.err != nil {
			return "", s.err
		}
		if text := s.text(p); text != "" {
			parts = append(parts, p.Name+"="+strings.ReplaceAll(url.QueryEscape(text), "%2C", ","))
		}
	}
	return strings.Join(parts, "&"), nil
}
