package params

import (
	"slices"

	"filings/index"
)

// maxFilter is how many bytes the filter of a token has at the most.
const maxFilter = 512

// MaxVisitorBurst is how many requests a visitor with a token may send at once at the most.
const MaxVisitorBurst = 25

// MaxByToken is up to which filing of a list pages go with a token.
const MaxByToken = 10_000

// owners is what a token calls the endpoint of owners.
const owners = "owners"

// onlyCounties reports whether raw has no filters but those that owners have too: county and state.
func (t *Table) onlyCounties(raw *Raw) bool {
	for i := range t.rows {
		if p := &t.rows[i]; p.inTokens() && p.On&Owners == 0 && raw.at(i) != nil {
			return false
		}
	}
	return true
}

// inTokens reports whether p is a filter that a token may have.
func (p *Parameter) inTokens() bool { return p.On&Tokens != 0 && p.On&TileSets != 0 }

// within narrows r, on an endpoint, to s.
func (r *Request) within(on Endpoints, s *Scope) error {
	switch {
	case r.Cursor != nil:
		return invalid("cursor", "must not be given with a token, whose pages are those by offset")
	case r.Query.Offset > MaxByToken-r.Query.Limit:
		return Invalid("offset", "offset and limit together must be at most %d with a token", MaxByToken)
	case r.Typos && len(s.Where.Predicates()) > 0:
		return invalid("typos", "must not be given with a token that has filters: it would look at words of other filings")
	case on == Owners && !s.counties && len(s.Where.Predicates()) > 0:
		return invalid("token", "must have no filters but county and state here: owners are found by nothing else")
	}
	if r.Format == "geojson" && !s.ShowsPlaces() {
		return invalid("format", "must not be geojson with a token that hides coordinates")
	}
	if s.Fields != 0 {
		if r.Fields == 0 {
			r.Fields = s.Fields
		}
		if r.Fields&^s.Fields != 0 {
			return invalid("fields", "must be some of %s, which the token has", s.Fields)
		}
		r.Query.IDsOnly = r.Fields == index.SetOf()
	}
	r.Required = append(r.Required, s.Excluded...)
	r.Query.Where = r.Query.Where.And(s.Where.Predicates()...)
	return nil
}

// token completes the request for a token.
func (t *Table) token(r *Request, raw *Raw) error {
	r.Filters = raw.filterQuery()
	if n := len(r.Filters); n > maxFilter {
		return Invalid("", "token must have filters of at most %d bytes together, not %d", maxFilter, n)
	}
	ofOwners := t.onlyCounties(raw)
	asked := &r.Token.Endpoints
	for i := len(*asked) - 1; i > 0; i-- { // once each, as ids are
		if slices.Contains((*asked)[:i], (*asked)[i]) {
			*asked = slices.Delete(*asked, i, i+1)
		}
	}
	switch {
	case *asked == nil:
		*asked = slices.Clone(tokenEndpoints)
		if !ofOwners {
			*asked = slices.DeleteFunc(*asked, func(name string) bool { return name == owners })
		}
	case slices.Contains(*asked, owners) && !ofOwners:
		return invalid("endpoints", "must not have owners with filters other than county and state: owners are found by nothing else")
	}
	return nil
}
