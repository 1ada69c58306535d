package index

import (
	"slices"
	"strings"
)

// states are the codes of the USPS (rules X30 and X42).
const states = " AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT " +
	"NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC AS GU MP PR VI FM MH PW AA AE AP "

// IsState reports whether code is that of a state, in capital letters.
func IsState(code string) bool { return len(code) == 2 && strings.Contains(states, " "+code+" ") }

// CountyNames knows the counties of a generation as people write them (rule X30).
type CountyNames struct {
	exact map[string]bool     // folded counties, and their names without the state
	plain map[county][]string // folded counties; under no state, their names
}

// county is a county's name without the parts that people write differently, and its state, "" for
// none.
type county struct{ name, state string }

// NewCountyNames returns the CountyNames of these counties.
func NewCountyNames(counties []string) *CountyNames {
	c := &CountyNames{exact: map[string]bool{}, plain: map[county][]string{}}
	for _, written := range counties {
		whole := Fold(written)
		name, state := SplitCounty(whole)
		c.add(whole, county{plainName(spaced(name)), state})
		c.add(name, county{plainName(spaced(name)), ""})
	}
	return c
}

func (c *CountyNames) add(folded string, plain county) {
	c.exact[folded] = true
	if !slices.Contains(c.plain[plain], folded) {
		c.plain[plain] = append(c.plain[plain], folded)
	}
}

// Meant resolves a folded value to a county or a county name. If the value itself exists, or if
// normalizing it doesn't leave exactly one match, it returns the value unchanged.
func (c *CountyNames) Meant(value string) string {
	if !c.exact[value] {
		if names := c.plain[readCounty(value)]; len(names) == 1 {
			return names[0]
		}
	}
	return value
}

// Has reports whether a folded value resolves to a county or a county name.
func (c *CountyNames) Has(value string) bool { return c.exact[c.Meant(value)] }

// readCounty reads a folded county as people write it: the last word is the state, if it is the
// code of one.
func readCounty(value string) county {
	text := spaced(value)
	if i := strings.LastIndexAny(text, " ,"); i > 0 && IsState(strings.ToUpper(text[i+1:])) {
		return county{plainName(strings.TrimRight(text[:i], " ,")), text[i+1:]}
	}
	return county{plainName(text), ""}
}

// spaced returns text with single blanks, and none around commas.
func spaced(text string) string {
	parts := strings.Split(text, ",")
	for i := range parts {
		parts[i] = Squeeze(parts[i])
	}
	return strings.Join(parts, ",")
}

// plainName returns a folded name without the word for county.
func plainName(name string) string {
	for _, word := range []string{" county", " parish", " borough"} {
		if short, ok := strings.CutSuffix(name, word); ok {
			return short
		}
	}
	return name
}

// WithCounties returns w with each county that it names as meant returns it.
func (w Filter) WithCounties(meant func(string) string) Filter {
	predicates := make([]Predicate, len(w.predicates))
	for i, p := range w.predicates {
		predicates[i] = withCounties(p, meant)
	}
	return Where(predicates...)
}

func withCounties(p Predicate, meant func(string) string) Predicate {
	switch p := p.(type) {
	case Not:
		return Not{withCounties(p.Predicate, meant)}
	case AnyOf:
		if !slices.Contains(p.Fields, County) && !slices.Contains(p.Fields, CountyName) {
			return p
		}
		values := make([]string, len(p.Values))
		for i, v := range p.Values {
			values[i] = meant(v)
		}
		return AnyOf{p.Fields, values}
	}
	return p
}

// NamesCounties reports whether w names a county.
func (w Filter) NamesCounties() (names bool) {
	w.WithCounties(func(county string) string { names = true; return county })
	return names
}
