package params

import (
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"filings/service/cursor"
)

// continuation is a decoded cursor.
type continuation struct {
	cursor.Cursor
	held *Raw // the parameters in it; nil: it is none
	err  error
}

// continued reads a cursor, once for the price and for the page.
func (r *Raw) continued(text string) *continuation {
	if r.next == nil {
		position, err := cursor.Parse(text)
		if r.next = (&continuation{Cursor: position, err: err}); err == nil {
			r.next.held, r.next.err = r.table.Split(r.endpoint, position.Query)
		}
	}
	return r.next
}

// resume turns parameters with a cursor into those of its page, and returns the cursor; nil where
// there is none. Changes always have one, and coverage with a limit. A cursor holds parameters: the
// client may repeat them, and change none but the limit.
func (r *Raw) resume(today time.Time) (*Raw, *cursor.Cursor, error) {
	p, s := r.named("cursor")
	if p == nil {
		return r, nil, nil
	}
	text, err := s.text(p)
	first := r.endpoint.Shape.Has(Forward) && r.sent != nil || r.endpoint.Shape.Has(Partial) && r.textOf("limit") != ""
	if first && text == "" {
		text = cursor.First
	}
	if err != nil || text == "" {
		return r, nil, err
	}
	if offset, s := r.named("offset"); s.isFilled(offset) {
		return r, nil, invalid("offset",
			"must not be given with cursor, which has the position already")
	}
	position := cursor.Cursor{Endpoint: r.endpoint.Name, Day: today}
	if text != cursor.First {
		if r, position, err = r.resumeAt(text); err != nil {
			return r, nil, err
		}
	}
	position.Query, err = r.query()
	if err == nil && !cursor.Fits(position.Query) {
		err = invalid("cursor", "contains the other parameters, at most %d characters of them, not %d; send fewer",
			cursor.MaxQuery, len(position.Query))
	}
	return r, &position, err
}

// resumeAt returns the parameters that a cursor holds, with the limit of r if it has one.
func (r *Raw) resumeAt(text string) (*Raw, cursor.Cursor, error) {
	damaged := invalid("cursor", "must be %s, or the next_cursor of a page: this one is damaged", cursor.First)
	next := r.continued(text)
	position, held := next.Cursor, next.held
	if held == nil {
		return r, position, damaged
	}
	if want := r.endpoint.Name; position.Endpoint != want {
		return r, position, Invalid("cursor", "this cursor belongs to the %s, and this is the %s; start here with cursor=%s",
			Shorten(position.Endpoint), want, cursor.First)
	}
	if next.err != nil || len(held.Unknown) > 0 || position.After == "" {
		return r, position, damaged
	}
	if held.sent == nil {
		held.sent = make([]*sent, len(r.sent))
	}
	for i, s := range r.sent {
		if s == nil {
			continue
		}
		p := &r.table.rows[i]
		text, err := s.text(p)
		switch {
		case err != nil:
		case p.crawl == isCursor || p.empty(text):
		case p.crawl == ofEachPage:
			held.sent[i] = s
		case p.crawl == ofGeneration && text != position.Generation:
			err = invalid(s.name, "must be %s, the generation of the cursor; omit it", position.Generation)
		case p.crawl == heldByCursor:
			err = held.holds(i, s.name, text)
		}
		if err != nil {
			return r, position, err
		}
	}
	return held, position, nil
}

// holds fails unless text, which was sent under name, is the value in row i that a cursor holds.
func (r *Raw) holds(i int, name, text string) error {
	p := &r.table.rows[i]
	want, err := r.sentOf(i).text(p)
	if err == nil && !p.same(text, want) {
		if err = invalid(name, "must be omitted, as on the first page"); want != "" {
			err = invalid(name, "must be omitted, or be %s as on the first page", strconv.Quote(Shorten(want)))
		}
	}
	return err
}

// same reports whether two texts are the same value of p. A list's items may differ in order.
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
func (r *Raw) query() (string, error) {
	var parts []string
	for i, s := range r.sent {
		p := &r.table.rows[i]
		if s == nil || p.Takers&r.endpoint.Takes == 0 || p.crawl == isCursor || p.crawl == ofGeneration {
			continue
		}
		text, err := s.text(p)
		if err != nil {
			return "", err
		}
		texts := []string{text}
		if p.Kind.whole {
			texts = s.filledTexts()
		}
		for _, text := range texts {
			if text != "" {
				parts = append(parts, p.Name+"="+strings.ReplaceAll(url.QueryEscape(text), "%2C", ","))
			}
		}
	}
	return strings.Join(parts, "&"), nil
}
