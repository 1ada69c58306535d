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

// Ends of tokens, in seconds: of those that pages show, and of those that are sent to one program.
const maxPage, maxLink = 86_400, 400 * 86_400

// maxLabel is how many characters the label of a token has at the most.
const maxLabel = 60

// Names that tokens have for some endpoints.
const owners, export, changes = "owners", "export", "changes"

// onlyCounties reports whether raw has no filters but those that owners have too: county and state.
func (t *Table) onlyCounties(raw *Raw) bool {
	for i := range t.rows {
		if p := &t.rows[i]; p.inTokens() && p.Takers&Owners == 0 && raw.sentOf(i) != nil {
			return false
		}
	}
	return true
}

// inTokens reports whether p is a filter that a token may have.
func (p *Parameter) inTokens() bool { return p.Takers&Tokens != 0 && p.Takers&TileSets != 0 }

// narrow narrows r, on an endpoint, to s.
func (r *Request) narrow(endpoint Endpoints, s *Scope) error {
	switch {
	case r.Cursor != nil && endpoint != Changes: // which have no other pages, and hold no number of filings
		return invalid("cursor", "must not be given with a token, whose pages are those by offset")
	case r.Query.Offset > MaxByToken-r.Query.Limit:
		return Invalid("offset", "offset and limit together must be at most %d with a token", MaxByToken)
	case r.Typos && len(s.Where.Predicates()) > 0:
		return invalid("typos",
			"must not be given with a token that has filters: it would look at words of other filings")
	case endpoint == Owners && !s.counties && len(s.Where.Predicates()) > 0:
		return invalid("token", "must have no filters but county and state here: owners are found by nothing else")
	}
	if endpoint == Changes && s.unlike != nil {
		return s.unlike
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

// unlikeChanges is the error of a filter that changes do not take: its selection would tell others.
func (t *Table) unlikeChanges(raw *Raw, tiers Tiers) error {
	for i := range t.rows {
		p := &t.rows[i]
		switch {
		case !p.inTokens() || raw.sentOf(i) == nil:
		case p.Takers&Changes == 0:
			return Invalid("endpoints", "a token with %s must not be for changes: %s", p.Name, p.refusal)
		case p.tier() > tiers.Fields:
			return Invalid("endpoints", "a token with %s must not be for changes: it filters by fields that only "+
				"the %s tier and above show", p.Name, p.tier())
		}
	}
	return nil
}

// link is the error of a parameter that only one kind of token may have: a page or a link (X57).
func (r *TokenRequest) link() error {
	switch {
	case r.Origins == nil && r.Endpoints == nil:
		return invalid("origin", "must be given: the origins of the pages that use the token; or omit it and send "+
			"endpoints, for a link")
	case r.Origins == nil:
		return nil
	case r.Seconds > maxPage:
		return invalid("expires_in", "must be between 60 and %d with origin", maxPage)
	}
	for _, name := range r.Endpoints {
		if name == export || name == changes {
			return invalid("endpoints",
				"must not have %s with origin: only a link, which has no origin, may be for it", name)
		}
	}
	return nil
}

// token completes the request for a token.
func (t *Table) token(r *Request, raw *Raw, tiers Tiers) error {
	if err := r.Token.link(); err != nil {
		return err
	}
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
		*asked = slices.Clone(pageEndpoints)
		if !ofOwners {
			*asked = slices.DeleteFunc(*asked, func(name string) bool { return name == owners })
		}
	case slices.Contains(*asked, owners) && !ofOwners:
		return invalid("endpoints", "must not have owners with filters other than county and state: owners are "+
			"found by nothing else")
	case slices.Contains(*asked, changes):
		return t.unlikeChanges(raw, tiers)
	}
	return nil
}
