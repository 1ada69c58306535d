package inspect

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/itchyny/gojq"

	"filings/reindexer/mapping"
)

// column describes the values of a column.
type column struct {
	path, name string
	today      string
	filled     int64
	values     []value          // the first different ones, one more than are listed
	forms      []*form          // that values may have, the more usual ones first
	lists      bool             // a value was a list
	cents      bool             // a value has a dollar sign or cents
	blanks     int64            // values with blanks, or invisible characters, at their ends
	lacking    int              // the first line without a value
	nothing    map[string]int64 // words that may stand for no value

	hashes []uint64
	counts bool // its values are 0, 1, 2, … or 1, 2, 3, … as those of a row's number are
	last   int64
}

const (
	// mostHashed is of how many records hashes are kept, 16 bytes a column.
	mostHashed = 200_000
	// mostListed is how many different values are listed with their counts, such as a county's
	// types; of more, examples are.
	mostListed   = 8
	mostExamples = 3
	exampleChars = 32
	// exceptions is which part of a column's values may have another form: the 20th.
	exceptions = 20
	// mostFailed is how many values a form may fail for; past that, it is given up where it fails for
	// more than half.
	mostFailed = 1000
)

// value is a value of a column, as JSON, shortened.
type value struct {
	text  string
	count int64
}

var seed = maphash.MakeSeed()

var (
	// nothing matches words that programs write for no value.
	nothing = regexp.MustCompile(`^(?i)(none|nan|nat|nil|\(null\)|\\n|<na>|<null>|undefined|n\.a\.|not available)$`)
	cents   = regexp.MustCompile(`\$|\.\d\d?\)?$`)
)

func newColumn(path, name string, today time.Time) *column {
	return &column{path: path, name: name, today: today.Format(time.DateOnly), forms: formsOf(today), counts: true,
		nothing: map[string]int64{}}
}

// add takes a value, of the record with that number, which begins at a line.
func (c *column) add(v any, row, line int) {
	if mapping.Blank(v) {
		c.lacking = cmp.Or(c.lacking, line)
		return
	}
	c.filled++
	s, _ := v.(string)
	unseen := func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }
	if strings.TrimFunc(s, unseen) != s {
		c.blanks++
	} else if nothing.MatchString(s) && (c.nothing[s] > 0 || len(c.nothing) < mostListed) {
		c.nothing[s]++
	}
	c.cents = c.cents || cents.MatchString(fmt.Sprint(v))
	text := jsonText(v)
	shown := shorten(text)
	switch i := slices.IndexFunc(c.values, func(known value) bool { return known.text == shown }); {
	case i >= 0:
		c.values[i].count++
	case len(c.values) <= mostListed:
		c.values = append(c.values, value{shown, 1})
	}
	_, list := v.([]any)
	c.lists = c.lists || list
	n, err := strconv.ParseInt(strings.Trim(text, `"`), 10, 64)
	c.counts = c.counts && err == nil && (n == c.last+1 || c.filled == 1 && n == 0)
	c.last = n
	c.forms = slices.DeleteFunc(c.forms, func(f *form) bool {
		if f.try(v) {
			f.note(v, c.today)
			return false
		}
		if f.failed++; f.failed == 1 {
			f.exception, f.line = shorten(text), line
		}
		return f.failed > mostFailed && 2*f.failed > c.filled
	})
	if row >= mostHashed || len([]rune(text)) > 100 {
		return
	}
	if c.filled <= int64(row) { // no id: a record before has no value here
		c.hashes = nil
		return
	}
	for len(c.hashes) < row {
		c.hashes = append(c.hashes, 0)
	}
	c.hashes = append(c.hashes, maphash.String(seed, text))
}

// listed says which values there are: all with their counts, the most frequent first, or examples
// where they are many, or all different.
func (c *column) listed() string {
	if len(c.values) > mostListed || int64(len(c.values)) == c.filled {
		return joined(c.values[:min(len(c.values), mostExamples)], func(v value) string { return v.text })
	}
	byCount := func(a, b value) int { return cmp.Compare(b.count, a.count) }
	ordered := slices.SortedStableFunc(slices.Values(c.values), byCount)
	return joined(ordered, func(v value) string { return fmt.Sprintf("%s (%d)", v.text, v.count) })
}

func joined(values []value, text func(value) string) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = text(v)
	}
	return strings.Join(texts, ", ")
}

func jsonText(v any) string {
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

// form returns the form that nearly all values have; one of a text where there is none.
func (c *column) form() *form {
	best := &form{failed: c.filled + 1}
	for _, f := range c.forms {
		if f.failed < best.failed && f.failed*exceptions <= c.filled {
			best = f
		}
	}
	return best
}

// fits reports whether nearly all values have a form that begins so; "" is a text.
func (c *column) fits(looks string) bool {
	f := c.form()
	switch looks {
	case "":
		return f.looks == "" || f.looks == county || f.looks == state
	case amount:
		return f.looks == amount || f.looks == number
	}
	return strings.HasPrefix(f.looks, looks)
}

// ambiguous says that a date may have its day where the form has the month; "" where it does not.
func (c *column) ambiguous() string {
	f := c.form()
	for _, second := range c.forms {
		if second.failed == f.failed && second.how == swapped(f.how) && second != f && f.how != "" {
			return strings.TrimPrefix(second.how, "date ") + " fits too: no day is above 12"
		}
	}
	return ""
}

// identifies reports whether an id may be made of the values.
func (c *column) identifies() bool {
	f := c.form()
	fraction := f.looks == number && strings.Contains(c.values[0].text, ".")
	return !c.lists && !c.countsRows() && !fraction && f.looks != point && f.looks != amount &&
		!strings.HasPrefix(f.looks, "date") && !changing.MatchString(words(c.name))
}

// changing matches names of values that are corrected, or not of the filing: no id is made of them.
var changing = regexp.MustCompile(`\b(owner|names?|addr\w*|street|city|state|zip\w*|phone|e ?mail|url|links?|` +
	`dates?|filed|sold|time|lat\w*|lon\w*|description|notes?|comments?|amount|amt|value)\b`)

// countsRows reports whether the values are the numbers of the rows: a record that is gone tomorrow
// moves all that follow.
func (c *column) countsRows() bool {
	return c.counts && c.filled >= mostExamples || rowNumber.MatchString(words(c.name))
}

var rowNumber = regexp.MustCompile(`^(object ?id|fid|oid|row( ?(no|num|number|id))?|index|` +
	`(s|sl|seq|sequence|line|record) ?(no|num|number))$`)

// separators stand between the words of names, as does a change to upper case.
var (
	separators = regexp.MustCompile(`[^a-z0-9]+`)
	camel      = regexp.MustCompile(`([a-z0-9])([A-Z])`)
)

func words(name string) string {
	return strings.TrimSpace(separators.ReplaceAllString(strings.ToLower(camel.ReplaceAllString(name, "$1 $2")), " "))
}

// looks describes the values of a column of so many records, which may be unique, or almost so.
func (c *column) looks(unique bool, almost string, records int64) string {
	if c.filled == 0 {
		return "empty"
	}
	f := c.form()
	said := []string{f.looks, f.exceptions(), c.ambiguous()}
	if c.lists {
		said = []string{"list"}
	} else if c.fits("") {
		said = []string{"text"}
	} else if f.future > 0 {
		said = append(said, fmt.Sprintf("%d after today, up to %s", f.future, f.last))
	}
	if c.blanks > 0 {
		said = append(said, fmt.Sprintf("%d with blanks at their ends", c.blanks))
	}
	for _, word := range slices.Sorted(maps.Keys(c.nothing)) {
		said = append(said, fmt.Sprintf("%q %d times", word, c.nothing[word]))
	}
	if unique {
		said = append(said, "id candidate")
	} else if c.countsRows() {
		said = append(said, "number of the row")
	}
	if lack := records - c.filled; lack > 0 && lack*exceptions <= records && c.lacking > 0 {
		said = append(said, fmt.Sprintf("%d lack it (line %d)", lack, c.lacking))
	}
	said = append(said, almost)
	return strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), ", ")
}
