package params

import (
	"strings"
	"time"

	"filings/index"
)

// Read reads the values of raw and of the path, and builds the Request. The first invalid one in
// the order of the table is the error. segment returns the segment of the path for a parameter, as
// it was sent. tiers are the caller's.
func (t *Table) Read(raw *Raw, segment func(name string) string, tiers Tiers, now time.Time) (Request, error) {
	if err := t.refuse(raw); err != nil {
		return Request{}, err
	}
	raw, position, err := raw.resume(now.UTC().Truncate(24 * time.Hour))
	if err != nil {
		return Request{}, err
	}
	b := &builder{now: now.UTC(), active: t.active}
	if position != nil {
		b.now = position.Day
	}
	b.request = Request{Query: index.Query{Sort: index.DefaultSort, Limit: DefaultLimit}, Now: now, Cursor: position}
	endpoint := raw.endpoint.Takes
	if endpoint&shown != 0 {
		tiers.Filters = tiers.Fields
	}
	for i := range t.rows {
		p := &t.rows[i]
		if p.Takers&endpoint == 0 || raw.sentOf(i) == nil && p.Default == "" && !p.RequiredBy(endpoint) {
			continue
		}
		if position != nil {
			p = p.byCursor()
		}
		s := raw.sentOf(i)
		if p.InPath {
			s = &sent{name: p.Name, texts: []string{segment(p.Name)}, decoded: true}
		}
		v, given, err := p.read(s, endpoint)
		if err == nil && given {
			err = p.checkTier(v, tiers)
		}
		if err != nil {
			return Request{}, err
		}
		if given && p.set != nil {
			p.set(b, v)
		}
	}
	if err := b.finish(endpoint); err != nil {
		return Request{}, err
	}
	if err := t.complete(&b.request, raw, tiers); err != nil {
		return Request{}, err
	}
	return b.request, nil
}

// complete narrows q to the caller's scope, and adds the endpoint's parts and the canonical text.
func (t *Table) complete(q *Request, raw *Raw, tiers Tiers) error {
	scope := tiers.Scope
	if position := q.Cursor; position != nil && position.After != "" {
		q.Query.Start, q.Generation, q.DependsOnDay = position.After, position.Generation, false
	}
	if scope != nil {
		if err := q.narrow(raw.endpoint.Takes, scope); err != nil {
			return err
		}
	}
	switch raw.endpoint.Takes {
	case TileSets:
		q.Filters = raw.filterQuery()
	case Export:
		q.Required = append(q.Required, excluded(q.Named)...)
	case Tokens:
		q.Required, q.Token.Excludes = q.Named, len(excluded(q.Named)) > 0
		if err := t.token(q, raw, tiers); err != nil {
			return err
		}
	}
	q.Query.Keys = q.Fields.Keys()
	if raw.endpoint.Canonical != nil {
		q.Text = raw.endpoint.Canonical(q)
	}
	if scope != nil {
		q.Text += scope.text()
	}
	return nil
}

// read reads the value of p for an endpoint. given is false where there is none.
func (p *Parameter) read(s *sent, endpoint Endpoints) (v value, given bool, err error) {
	required, name := p.required&endpoint != 0 && !p.edge, p.Name
	if s != nil {
		name = s.name
	}
	text, err := s.text(p)
	switch {
	case err != nil:
		return v, false, err
	case text == "" && required && s == nil:
		return v, false, invalid(p.Name, "must be given: %s", p.Form())
	case text == "" && required:
		return v, false, invalid(p.Name, "must be %s", p.Form())
	case text == "" && s != nil && endpoint&strict != 0:
		return v, false, invalid(name, "must not be empty: omit it, or send %s", p.Form())
	case text == "" && !p.InPath:
		if text = p.Default; text == "" {
			return v, false, nil
		}
	}
	v, ok := p.Kind.read(p, text)
	v.row, v.name = p, name
	if p.Kind.whole && s != nil {
		v.lists = listsIn(s.texts, p.Kind.Separator)
	}
	given = !p.Kind.List || len(v.texts) > 0
	if !ok || !given && (required || endpoint&strict != 0) {
		return v, false, p.invalid(text, v)
	}
	return v, given, nil
}

// listsIn returns the texts that a separator cuts.
func listsIn(texts []string, separator string) (lists []index.List) {
	for _, text := range texts {
		if strings.Contains(text, separator) {
			lists = append(lists, index.List{Text: text, Separator: separator})
		}
	}
	return lists
}

// byCursor is p as a page by cursor takes it.
func (p *Parameter) byCursor() *Parameter {
	if p.MaxByCursor == nil {
		return p
	}
	row := *p
	row.Max = p.MaxByCursor
	return &row
}

// refuse is the error of a parameter that has a value where the endpoint must not have it. Ignored,
// as an unknown one is, it would not select the filings that the client wants.
func (t *Table) refuse(raw *Raw) error {
	for i := range t.rows {
		p := &t.rows[i]
		s := raw.sentOf(i)
		if s == nil || p.refused&raw.endpoint.Takes == 0 {
			continue
		}
		if text, err := s.text(p); err != nil {
			return err
		} else if text != "" {
			return invalid(s.name, "is not supported here, because %s", p.refusal)
		}
	}
	return nil
}
