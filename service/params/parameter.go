package params

import (
	"time"

	"filings/index"
)

// Parameter is one row of the table.
type Parameter struct {
	Name, Legacy string // Legacy: another name that still works (rule P20)
	Takers       Endpoints
	InPath       bool // a segment of the path; all others are in the query string
	Kind         *Kind
	Min, Max     *float64 // limits of a number
	MaxByCursor  *float64 // the Max of a page by cursor; nil: the same
	Clamped      bool     // a value above Max becomes Max instead of being refused (rule P1)
	Choices      []string // the values that a choice, or an item of a list of choices, may have
	Most         int      // different items of a list; 0: any number, which may repeat
	Default      string   // the value without it, as a client would send it
	Help         string
	Example      string

	required Endpoints             // where its absence and its emptiness are errors
	refused  Endpoints             // that must not have it
	refusal  string                // the reason
	anyCase  bool                  // choices are compared ignoring case
	fields   []index.Field         // that it filters by, but for those of places and days, which all tiers see
	idle     string                // the value that filters nothing
	edge     bool                  // of a box
	crawl    crawling              // its part in a page by cursor
	set      func(*builder, value) // applies a value; nil: none
}

// crawling is the part of a parameter in pages by cursor.
type crawling uint8

const (
	heldByCursor crawling = iota // given again, it must be the same
	isCursor
	ofEachPage   // it may differ from page to page
	ofGeneration // the cursor names the generation
)

// Kind is the form of a parameter's values: one row of the table of kinds.
type Kind struct {
	List      bool   // several values: separated, the parameter repeated, or both (rule P4)
	Separator string // of items; "" where a value has none
	Enum      bool   // of OpenAPI: the parameter's Choices are a type
	Unique    bool   // each item once, which OpenAPI says too
	whole     bool   // a text with the separator is one value if filings have that one
	Type      string // of a value, or an item, in JSON
	Format    string // of OpenAPI; "" for any
	Pattern   string // of a text; "" for any
	Longest   int    // characters of a text, which then has one at least; 0 for any number

	once bool                                        // Unique, for which OpenAPI needs no type
	form string                                      // see Form; "" of numbers
	read func(*Parameter, string) (v value, ok bool) // of a text that is not empty
}

// value is a parameter's value, read by its kind.
type value struct {
	row     *Parameter
	name    string         // under which it was sent
	text    string         // as the kind has it: a choice as in Choices, a state in upper case
	texts   []string       // items of a list but Corners, tokens of a NameStart
	lists   []index.List   // the texts with a separator that may be one value
	ids     []int64        // IDs, each once
	corners []index.Corner // Point, and Corners
	decimal index.Decimal  // Number
	integer int64          // Integer, clamped
	choice  int            // position in Choices
	day     time.Time      // Day, the first one of a Month, and the first microsecond of a Time
	end     time.Time      // the last one of a Time

	wrong      string // the first item that is none, where one is refused
	miscounted bool   // there may not be so many items
}

// items returns the texts of v, be they one.
func (v value) items() []string {
	if v.texts != nil {
		return v.texts
	}
	return []string{v.text}
}

// Limits of values.
const (
	DefaultLimit, MaxLimit = 20, 100 // the latter by offset
	defaultCounties        = 100     // of a page of coverage
	maxByCursor            = 1000
	DefaultChanges         = 100
	maxChanges             = 1000
	maxDays                = 36_500 // about a century, and far from where dates overflow
	MaxTerm                = 200    // characters
	MaxZoom                = 22     // where web maps end
)

// RequiredBy reports whether endpoint, which takes p, has no response without it.
func (p *Parameter) RequiredBy(endpoint Endpoints) bool { return p.required&endpoint != 0 || p.InPath }

// takes reports whether v is inside the limits of p.
func (p *Parameter) takes(v float64) bool {
	return (p.Min == nil || v >= *p.Min) && (p.Max == nil || v <= *p.Max || p.Clamped)
}

// empty reports whether text, which is trimmed, is no value: it counts as not given (rule P4).
func (p *Parameter) empty(text string) bool {
	return text == "" || p.Kind.List && len(index.Items(text, p.Kind.Separator)) == 0
}

// tier is the lowest one that shows all fields that p filters by.
func (p *Parameter) tier() index.Tier {
	highest := index.Free
	for _, field := range p.fields {
		highest = max(highest, field.Reveals())
	}
	return highest
}
