package params

import (
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"filings/service/cursor"
)

// crawl turns parameters with a cursor into those of its page, and returns the cursor; nil where there is none. Changes
// always have one. A cursor holds parameters: what is given with it must be the same, but for the limit.
func (t *Table) crawl(raw Raw, today time.Time) (Raw, *cursor.Cursor, error) {
	i, known := t.names[raw.on]["cursor"]
	if !known {
		return raw, nil, nil
	}
	text, _, err := raw.text(i, &t.rows[i])
	if raw.on.row().paging == byCursor && text == "" && raw.values != nil {
		text = cursor.First
	}
	if err != nil || text == "" {
		return raw, nil, err
	}
	if offset, known := t.names[raw.on]["offset"]; known && slices.ContainsFunc(raw.values[offset], rawValue.filled) {
		return raw, nil, invalid("offset", "must not be given with cursor: a page by cursor begins after the one before")
	}
	at := cursor.Cursor{Endpoint: raw.on.row().crawl, Day: today}
	if text != cursor.First {
		if raw, at, err = t.held(raw, text); err != nil {
			return raw, nil, err
		}
	}
	at.Query, err = t.query(raw)
	if err == nil && !cursor.Fits(at.Query) {
		err = invalid("cursor", "holds up to %d characters of the other parameters, and these are %d: give fewer", cursor.MaxQuery, len(at.Query))
	}
	return raw, &at, err
}

// held returns the parameters that a cursor holds, with the limit of raw if it has one.
func (t *Table) held(raw Raw, text string) (Raw, cursor.Cursor, error) {
	const must = "must be %s, or the next_cursor of a page: this one is damaged"
	at, err := cursor.Parse(text)
	if err != nil {
		return raw, at, invalid("cursor", must, cursor.First)
	}
	if want := raw.on.row().crawl; at.Endpoint != want {
		return raw, at, invalid("cursor", "must be one of this endpoint, which is the %s: this one is of the %s", want, Shorten(at.Endpoint))
	}
	held, err := t.Split(raw.on, at.Query)
	if err != nil || len(held.Unknown) > 0 || at.After == "" {
		return raw, at, invalid("cursor", must, cursor.First)
	}
	if held.values == nil {
		held.values = make([][]rawValue, len(t.rows))
	}
	for i := range t.rows {
		p := &t.rows[i]
		switch text, name, err := raw.text(i, p); {
		case err != nil:
			return raw, at, err
		case p.op == opCursor || p.empty(text):
		case p.op == opLimit:
			held.values[i] = raw.values[i]
		default:
			if err := t.repeats(held, at, i, text, name); err != nil {
				return raw, at, err
			}
		}
	}
	return held, at, nil
}

// repeats fails unless text, which was sent under name, is the value in row i that the cursor holds.
func (t *Table) repeats(held Raw, at cursor.Cursor, i int, text, name string) error {
	p := &t.rows[i]
	if p.op == opGeneration {
		if text != at.Generation {
			return invalid(name, "must be %s, which the cursor is of, or be left out", at.Generation)
		}
		return nil
	}
	want, _, err := held.text(i, p)
	if err != nil {
		return err
	}
	if !p.same(text, want) {
		return invalid(name, "must be as on the first page, or be left out: the cursor holds it")
	}
	return nil
}

// same reports whether two texts are the same value of p. The items of a list may have another order.
func (p *Parameter) same(a, b string) bool {
	if a == b || b == "" {
		return a == b
	}
	x, _, ok1 := p.read(a)
	y, _, ok2 := p.read(b)
	slices.Sort(x.texts)
	slices.Sort(y.texts)
	return ok1 && ok2 && reflect.DeepEqual(x, y)
}

// query writes the parameters that a cursor holds, under their current names.
func (t *Table) query(raw Raw) (string, error) {
	var parts []string
	for i := range t.rows {
		p := &t.rows[i]
		if p.On&raw.on == 0 || len(raw.values[i]) == 0 || p.op == opCursor || p.op == opGeneration {
			continue
		}
		text, _, err := raw.text(i, p)
		if err != nil {
			return "", err
		}
		if text != "" {
			parts = append(parts, p.Name+"="+strings.ReplaceAll(url.QueryEscape(text), "%2C", ","))
		}
	}
	return strings.Join(parts, "&"), nil
}
