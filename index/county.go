package index

import (
	"cmp"
	"slices"
	"strings"
)

// states are the codes of the USPS (rules X30 and X42), most of them with the name of the state.
const states = "AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware," +
	"FL Florida,GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS Kansas,KY Kentucky," +
	"LA Louisiana,ME Maine,MD Maryland,MA Massachusetts,MI Michigan,MN Minnesota,MS Mississippi," +
	"MO Missouri,MT Montana,NE Nebraska,NV Nevada,NH New Hampshire,NJ New Jersey,NM New Mexico," +
	"NY New York,NC North Carolina,ND North Dakota,OH Ohio,OK Oklahoma,OR Oregon,PA Pennsylvania," +
	"RI Rhode Island,SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,UT Utah,VT Vermont," +
	"VA Virginia,WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming,DC District of Columbia," +
	"AS American Samoa,GU Guam,MP Northern Mariana Islands,PR Puerto Rico,VI Virgin Islands,FM ,MH ,PW ," +
	"AA ,AE ,AP ,"

// stateCodes are these codes, by themselves and by the names, both in lower case.
var stateCodes = func() map[string]string {
	codes := map[string]string{}
	for state := range strings.SplitSeq(strings.TrimSuffix(states, ","), ",") {
		code, name, _ := strings.Cut(state, " ")
		codes[Fold(code)], codes[Fold(name)] = code, code
	}
	delete(codes, "")
	return codes
}()

// IsState reports whether code is that of a state, in capital letters.
func IsState(code string) bool { return len(code) == 2 && stateCodes[Fold(code)] == code }

// StateOf returns the code of the state that text names, by its code or in full, in any case; ""
// for none.
func StateOf(text string) string { return stateCodes[strings.Join(countyWords(text), " ")] }

// CountyNames knows the counties of a generation as people write them (rules X30 and X62).
type CountyNames struct {
	written  []string
	plain    []county            // of written
	counties map[string][]string // by their folded texts, and by their names without the state
	matches  map[county][]string // the keys of counties; under no state, the names
}

// county is a county's name without the parts that people write differently, and the code of its
// state in lower case, "" for none.
type county struct{ name, state string }

// NewCountyNames returns the CountyNames of these counties. Nearest prefers the first of equally
// near ones.
func NewCountyNames(written []string) *CountyNames {
	c := &CountyNames{written: written, counties: map[string][]string{}, matches: map[county][]string{}}
	for _, county := range written {
		whole := Fold(county)
		name, state := SplitCounty(whole)
		plain := plainCounty(countyWords(name), state)
		c.plain = append(c.plain, plain)
		addOnce(c.counties, name, whole)
		addOnce(c.counties, whole, whole)
		addOnce(c.matches, plain, whole)
		plain.state = ""
		addOnce(c.matches, plain, name)
	}
	return c
}

func addOnce[K comparable](lists map[K][]string, key K, text string) {
	if !slices.Contains(lists[key], text) {
		lists[key] = append(lists[key], text)
	}
}

// Resolve resolves a folded value to a county or a county name. If the value itself exists, or if
// its readings don't leave exactly one county or one name, it returns the value unchanged.
func (c *CountyNames) Resolve(value string) string {
	if c.counties[value] != nil {
		return value
	}
	meant := ""
	for _, reading := range readCounty(value) {
		for _, match := range c.matches[reading] {
			if meant != "" && !slices.Equal(c.counties[match], c.counties[meant]) {
				return value
			}
			meant = cmp.Or(meant, match)
		}
	}
	return cmp.Or(meant, value)
}

// Has reports whether a folded value resolves to a county or a county name.
func (c *CountyNames) Has(value string) bool { return c.counties[c.Resolve(value)] != nil }

// Nearest returns up to `most` counties that a value is nearest to. A value without a state is
// compared with their names.
func (c *CountyNames) Nearest(value string, most int) []string {
	readings := readCounty(Fold(value))
	return Nearest(c.written, most, func(i int) (pairs [][2]string) {
		for _, reading := range readings {
			compared := c.plain[i]
			if reading.state == "" {
				compared.state = ""
			}
			pairs = append(pairs, [2]string{reading.name + reading.state, compared.name + compared.state})
		}
		return pairs
	})
}

// readCounty returns the possible meanings of a county as people write it. If the last word is the
// code of a state, it is that state. After a space, the name of a state and `co` can belong to the
// county's name too.
func readCounty(value string) (readings []county) {
	words, certain := countyWords(value), false
	for n := 1; n <= mostStateWords && n < len(words); n++ {
		name, state := words[:len(words)-n], strings.Join(words[len(words)-n:], " ")
		code, comma := stateCodes[state], name[len(name)-1] == ","
		if comma {
			name = name[:len(name)-1]
		}
		if code != "" && len(name) > 0 {
			readings = append(readings, plainCounty(name, Fold(code)))
			certain = certain || comma || len(state) == len(code) && state != "co"
		}
	}
	if !certain {
		readings = append(readings, plainCounty(words, ""))
	}
	return readings
}

// mostStateWords is how many words the name of a state has at the most.
const mostStateWords = 3

// countyWords returns the words of a text, without its marks, dots and apostrophes. A comma is one.
func countyWords(text string) []string {
	return strings.Fields(strings.ReplaceAll(PlainText(strings.ReplaceAll(text, ".", "")), ",", " , "))
}

// plainCounty returns the county of a name's words without those for a county, and with one word
// for saints.
func plainCounty(words []string, state string) county {
	if len(words) > 2 && words[1] == "of" && slices.Contains(countyWord, words[0]) {
		words = words[2:]
	}
	if last := len(words) - 1; last > 0 && slices.Contains(countyWord, words[last]) {
		words = words[:last]
	}
	saints := strings.NewReplacer("sainte ", "ste", "saint ", "st", " ", "")
	return county{saints.Replace(strings.Join(words, " ") + " "), state}
}

var countyWord = []string{"county", "parish", "borough", "co"}

// WithCounties returns w with each county that it names as resolve returns it.
func (w Filter) WithCounties(resolve func(string) string) Filter {
	return w.mapAnyOf(func(p AnyOf) AnyOf {
		if !slices.Contains(p.Fields, County) && !slices.Contains(p.Fields, CountyName) {
			return p
		}
		values := make([]string, len(p.Values))
		for i, v := range p.Values {
			values[i] = resolve(v)
		}
		return AnyOf{Fields: p.Fields, Values: values}
	})
}

// WithLists returns w with each list that is a value of its field in place of the list's items.
func (w Filter) WithLists(isValue func(Field, string) bool) Filter {
	return w.mapAnyOf(func(p AnyOf) AnyOf {
		return AnyOf{Fields: p.Fields, Values: Uncut(p.Values, p.Lists, func(text string) bool {
			return isValue(p.Fields[0], text)
		})}
	})
}

// HasLists reports whether w has a list.
func (w Filter) HasLists() bool {
	return slices.ContainsFunc(w.predicates, func(p Predicate) bool {
		values, _ := anyOf(p)
		return values.Lists != nil
	})
}

// anyOf returns the AnyOf that p is, or is the opposite of.
func anyOf(p Predicate) (values AnyOf, ok bool) {
	if not, isNot := p.(Not); isNot {
		p = not.Predicate
	}
	values, ok = p.(AnyOf)
	return values, ok
}

// mapAnyOf returns w with each AnyOf changed.
func (w Filter) mapAnyOf(change func(AnyOf) AnyOf) Filter {
	predicates := make([]Predicate, len(w.predicates))
	for i, p := range w.predicates {
		predicates[i] = withAnyOf(p, change)
	}
	return Where(predicates...)
}

func withAnyOf(p Predicate, change func(AnyOf) AnyOf) Predicate {
	switch p := p.(type) {
	case Not:
		return Not{withAnyOf(p.Predicate, change)}
	case AnyOf:
		return change(p)
	}
	return p
}

// NamesCounties reports whether w names a county.
func (w Filter) NamesCounties() (names bool) {
	w.WithCounties(func(county string) string { names = true; return county })
	return names
}
