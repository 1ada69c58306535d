package inspect

import (
	"hash/maphash"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/itchyny/gojq"

	"filings/reindexer/mapping"
)

// column is what was seen in a column.
type column struct {
	path, name string
	filled     int64
	examples   []string // as JSON, shortened

	all      []form // that are tried
	forms    []form // that all values have had so far
	dates    []form // one or several, of which each value has one; nil: some value is no date
	noDate   bool
	quoted   bool // a value was a text
	lists    bool // a value was a list
	hashes   []uint64
	repeated bool // an id candidate no more: two values are equal
	seen     map[uint64]struct{}
}

// form is a form that values may have, and how a mapping reads it.
type form struct {
	looks string // as a person reads it
	read  string // behind the path in a mapping
	try   func(any) bool
}

const (
	// mostHashed is of how many records hashes are kept, 16 bytes a column.
	mostHashed   = 200_000
	mostExamples = 3
	exampleChars = 32
)

// The forms of dates that are tried, the more usual ones first: where a column has only days up to the 12th, the first of two
// counts.
var dateForms = []string{
	"YYYY-MM-DD", "MM/DD/YYYY", "MM/DD/YY", "YYYY/MM/DD", "MM-DD-YYYY", "MM-DD-YY", "YYYYMMDD", "DD-MON-YYYY", "DD-MON-YY",
	"MON DD, YYYY", "MONTH DD, YYYY", "DD MON YYYY", "DD.MM.YYYY", "DD/MM/YYYY", "DD/MM/YY",
}

var (
	// digits is a plain number.
	digits = regexp.MustCompile(`^-?\d+(\.\d+)?$`)
	seed   = maphash.MakeSeed()
)

func newColumn(path, name string, today time.Time) *column {
	c := &column{path: path, name: name, seen: map[uint64]struct{}{}}
	for _, d := range dateForms {
		c.forms = append(c.forms, tried("date "+d, `date(`+quote(d)+`)`, today))
	}
	c.forms = append(c.forms,
		form{"number", "number", func(v any) bool { s, ok := v.(string); return ok && digits.MatchString(strings.TrimSpace(s)) }},
		tried("amount", "money", today), tried("number", "number", today), tried("point", "point", today))
	// "1.234,50" is an amount in Europe; points have parentheses, or are west of Greenwich.
	point := &c.forms[len(c.forms)-1]
	can := point.try
	point.try = func(v any) bool { s, _ := v.(string); return strings.ContainsAny(s, "(-") && can(v) }
	c.all = slices.Clone(c.forms)
	return c
}

// tried is the form of what a function of mappings can read.
func tried(looks, read string, today time.Time) form {
	p, err := mapping.Compile("", "{v: "+read+"}", today)
	if err != nil {
		panic(err) // the functions are the program's own
	}
	return form{looks, read, func(v any) bool {
		if _, is := v.(string); !is && !strings.HasPrefix(read, "date") { // YYYYMMDD may be a number
			return false
		}
		_, err := p.Run(v)
		return err == nil
	}}
}

// add takes a value, of the record with that number.
func (c *column) add(v any, row int) {
	if isBlank(v) {
		return
	}
	c.filled++
	text := gojqText(v)
	if shown := shorten(text); len(c.examples) < mostExamples && !slices.Contains(c.examples, shown) {
		c.examples = append(c.examples, shown)
	}
	switch v.(type) {
	case string:
		c.quoted = true
	case []any:
		c.lists = true
	}
	c.addDate(v)
	c.forms = slices.DeleteFunc(c.forms, func(f form) bool { return !f.try(v) })
	if row >= mostHashed || len([]rune(text)) > 100 {
		return
	}
	h := maphash.String(seed, text)
	for len(c.hashes) < row {
		c.hashes = append(c.hashes, 0)
	}
	c.hashes = append(c.hashes, h)
	if _, again := c.seen[h]; again {
		c.repeated, c.seen = true, map[uint64]struct{}{}
	}
	if !c.repeated {
		c.seen[h] = struct{}{}
	}
}

// mostDateForms is in how many forms the dates of a column may be.
const mostDateForms = 3

// addDate notes in which form v is a date, beside those of the values before it.
func (c *column) addDate(v any) {
	has := func(f form) bool { return f.try(v) }
	if c.noDate || slices.ContainsFunc(c.dates, has) {
		return
	}
	i := slices.IndexFunc(c.all, func(f form) bool { return strings.HasPrefix(f.looks, "date") && f.try(v) })
	if i < 0 || len(c.dates) == mostDateForms {
		c.noDate, c.dates = true, nil
		return
	}
	c.dates = append(c.dates, c.all[i])
}

func isBlank(v any) bool {
	s, is := v.(string)
	if !is {
		return v == nil
	}
	switch strings.ToUpper(strings.TrimSpace(s)) {
	case "", "NA", "N/A", "NULL", "-":
		return true
	}
	return false
}

func gojqText(v any) string {
	text, err := gojq.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}

func shorten(s string) string {
	if r := []rune(s); len(r) > exampleChars {
		return string(r[:exampleChars-1]) + "…"
	}
	return s
}

func quote(s string) string { return gojqText(s) }

// form returns the form that all values have, if they are texts.
func (c *column) form() (form, bool) {
	switch {
	case c.filled == 0:
		return form{}, false
	case len(c.forms) > 0:
		return c.forms[0], true
	case len(c.dates) == 0:
		return form{}, false
	}
	var all []string
	for _, d := range c.dates {
		all = append(all, strings.TrimPrefix(d.looks, "date "))
	}
	return form{"date " + strings.Join(all, " or "), `date("` + strings.Join(all, `"; "`) + `")`, nil}, true
}

// unique reports whether every record has a value of its own.
func (c *column) unique(records int64) bool {
	return c.filled == records && records > 1 && !c.repeated && !c.lists
}

// looks says what the values look like.
func (c *column) looks(records int64) string {
	var said []string
	f, ok := c.form()
	switch {
	case c.filled == 0:
		return "empty"
	case ok:
		said = append(said, f.looks)
	case c.lists:
		said = append(said, "list")
	case c.quoted:
		said = append(said, "text")
	default:
		said = append(said, "number")
	}
	if c.unique(records) {
		said = append(said, "id candidate")
	}
	return strings.Join(said, ", ")
}
