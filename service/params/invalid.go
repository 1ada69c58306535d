package params

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"filings/index"
)

// ErrInvalid is the kind of every Error.
var ErrInvalid = errors.New("invalid parameter")

// Error is an invalid parameter. Its message is for the client, and names it.
type Error struct{ Parameter, Message string }

func (e *Error) Error() string { return e.Message }

func (*Error) Is(kind error) bool { return kind == ErrInvalid }

// invalid is the error of an invalid parameter: its name, and the values that it takes.
func invalid(name, must string, args ...any) error {
	return &Error{name, name + " " + fmt.Sprintf(must, args...)}
}

// Invalid is the error of an invalid parameter whose message does not begin with its name.
func Invalid(parameter, message string, args ...any) error {
	return &Error{parameter, fmt.Sprintf(message, args...)}
}

// invalid is the error of a value that p does not take, read as v. The message for limit is the
// specification's, to the letter.
func (p *Parameter) invalid(text string, v value) error {
	switch {
	case p.Clamped, p.InPath, p.Kind == Origins && v.wrong == "":
		return invalid(v.name, "must be %s", p.Form())
	case v.miscounted:
		return invalid(v.name, "must be %s, not %d of them", p.Form(), cmp.Or(len(v.ids)+len(v.corners), len(v.texts)))
	case v.wrong != "" && p.Kind.Separator != "" && !p.Kind.Enum:
		text = v.wrong
	}
	return invalid(v.name, "must be %s, not %s%s", p.Form(), strconv.Quote(Shorten(text)), p.hint(v.wrong))
}

// hint names the choice that is nearest to an item of a list of fields, or of a short list; where
// none is near, all fields.
func (p *Parameter) hint(wrong string) string {
	i := -1
	if wrong != "" && (p.Kind == FieldNames || p.Most > 0) {
		i = nearest(wrong, p.Choices)
	}
	switch {
	case i >= 0:
		return "; did you mean " + p.Choices[i] + "?"
	case p.Kind == FieldNames:
		return "; the fields are " + strings.Join(p.Choices, ", ")
	}
	return ""
}

// checkTier is the error of a value v that needs a higher tier than the caller's: a field that this
// one does not show, or a filter by such fields.
func (p *Parameter) checkTier(v value, tiers Tiers) error {
	if p.Kind == FieldNames {
		for _, f := range fieldsOf(v.texts) {
			if tier := f.Reveals(); tier > tiers.Fields {
				credential := "a key of this tier"
				if tiers.Scope != nil {
					credential = "a token of this account"
				}
				return invalid(v.name, "must not have %s with %s: only the %s tier and above show it", f, credential, tier)
			}
		}
	}
	if tier := p.tier(); tier > tiers.Filters && (p.idle == "" || v.text != p.idle) {
		return invalid(v.name, "must not be given with a key of this tier: "+
			"it filters by fields that only the %s tier and above show", tier)
	}
	return nil
}

// Shorten cuts a text of the client, so that a message stays readable.
func Shorten(s string) string {
	const most = 60
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}

// Strictly is the error of parameters that the endpoint would ignore (rules P5, X64); nil for none.
func (r *Raw) Strictly() error {
	if len(r.Unknown) > 0 {
		return r.table.Unknown(r.endpoint.Takes, r.Unknown[0])
	}
	if len(r.Partial) > 0 {
		var missing []string
		for _, p := range r.table.Rows(r.endpoint.Takes) {
			if p.edge && !slices.Contains(r.Partial, p.Name) {
				missing = append(missing, p.Name)
			}
		}
		return unbounded(missing)
	}
	if p, s := r.named("ids"); s != nil {
		if text, err := s.text(p); err == nil && p.empty(text) {
			return invalid(s.name, "must be %s: without one it would be no filter", p.Form())
		}
	}
	return nil
}

// Unknown is the error of a name that the endpoint does not take, for strict handling. It names the
// nearest one that it takes; where none is near, all of them.
func (t *Table) Unknown(endpoint Endpoints, name string) error {
	name = Shorten(name)
	if len(t.names[endpoint]) == 0 {
		return Invalid(name, "unknown parameter %s: this endpoint has none", name)
	}
	if nearest := t.nearest(endpoint, name); nearest != "" {
		return Invalid(name, "unknown parameter %s; did you mean %s?", name, nearest)
	}
	var names []string
	for _, p := range t.Rows(endpoint) {
		if !p.InPath {
			names = append(names, p.Name)
		}
	}
	return Invalid(name, "unknown parameter %s; this endpoint has %s", name, strings.Join(names, ", "))
}

// nearest returns the current name of the endpoint's parameter that name, which may resemble a
// legacy one, is nearest to; "" where none is near.
func (t *Table) nearest(endpoint Endpoints, name string) string {
	var current, candidates []string
	for _, p := range t.Rows(endpoint) {
		for _, candidate := range []string{p.Name, p.Legacy} {
			if candidate != "" && !p.InPath {
				current, candidates = append(current, p.Name), append(candidates, candidate)
			}
		}
	}
	isPart := func(candidate string) bool { return slices.Contains(strings.Split(candidate, "_"), index.Fold(name)) }
	if i := slices.IndexFunc(candidates, isPart); i >= 0 && !slices.ContainsFunc(candidates[i+1:], isPart) {
		return current[i] // bounds_north of north
	}
	if i := nearest(name, candidates); i >= 0 {
		return current[i]
	}
	return ""
}

// nearest returns the position of the candidate that name is nearest to, in any case; -1 where more
// than about a third of its characters would have to change, so that it is no slip.
func nearest(name string, candidates []string) (best int) {
	best, name = -1, index.Fold(Shorten(name))
	least := (utf8.RuneCountInString(name)+1)/3 + 1
	for i, candidate := range candidates {
		if d := index.Distance([]rune(name), []rune(index.Fold(candidate)), false); d < least {
			best, least = i, d
		}
	}
	return best
}
