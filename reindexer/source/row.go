package source

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/itchyny/gojq"

	"filings/reindexer/record"
)

// Row is one row of a source: a line of NDJSON, a result of a path, a row of CSV, of a sheet, of a
// query or of a dataset.
type Row struct {
	// Value has the types of jq: nil, bool, int, json.Number, string, []any, map[string]any; it is
	// an object of all that has columns. It is good until the next row but those Again and Single.
	Value any
	Fault *record.Fault // why it is no record, or one of two meanings; nil for nothing
	Line  int           // where it begins, from 1; of a query the number of the row

	Again  bool // it is the header once more
	Single bool // it has one cell, under a header of three or more

	text    string   // as the source has it
	columns []string // of a table, in their order
}

// Text returns r as its source has it, without its line end; as JSON if it has no text.
func (r *Row) Text() string {
	object, _ := r.Value.(map[string]any)
	switch {
	case r.text != "":
		return r.text
	case object == nil || r.columns == nil:
		return jsonOf(r.Value)
	}
	var members []string
	for _, name := range r.columns {
		if v, ok := object[name]; ok {
			members = append(members, jsonOf(name)+":"+jsonOf(v))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// lines has the fault of a row of several lines name them all.
func (r Row) lines() Row {
	if r.Fault == nil {
		return r
	}
	if more := strings.Count(r.text, "\n"); more > 0 {
		r.Fault.Reason += fmt.Sprintf(" (lines %d to %d)", r.Line, r.Line+more)
	}
	return r
}

func jsonOf(value any) string {
	text, err := gojq.Marshal(value)
	if err != nil {
		return err.Error() // of no value that a row has
	}
	return string(text)
}

// jsonRows reads texts of JSON as rows.
type jsonRows struct {
	json    *record.JSON
	notUTF8 string // why a text is refused
}

func newJSONRows(f Form) jsonRows {
	return jsonRows{json: record.NewJSON(), notUTF8: f.notUTF8().Error()}
}

// row returns the row of a text; last: no line end follows, so that the text may be cut off.
func (j jsonRows) row(text string, line int, last bool) (Row, error) {
	if len(text) > MaxLine {
		return Row{}, errLong
	}
	r := Row{Line: line, text: text}
	if !utf8.ValidString(text) {
		r.Fault = &record.Fault{Reason: j.notUTF8}
		return r, nil
	}
	if r.Value, r.Fault = j.json.Value(text); last && r.Fault != nil && r.Fault.Cut {
		return Row{}, ErrUnfinished
	}
	return r, nil
}

// valueIsUTF8 reports whether the texts of a cell are UTF-8, and returns how long they are.
func valueIsUTF8(value any) (size int, valid bool) {
	switch v := value.(type) {
	case string:
		return len(v), utf8.ValidString(v)
	case []any:
		valid = true
		for _, item := range v {
			n, ok := valueIsUTF8(item)
			size, valid = size+n, valid && ok
		}
		return size, valid
	}
	return 0, true
}

// errLong ends the reading of a source.
var errLong = fmt.Errorf("the record is longer than %d MiB", MaxLine>>20)

// headerAgain reports whether the cells of a row are the names of its columns. Files that were put
// behind each other have the byte-order marks of all.
func headerAgain(cells, names []string) bool {
	if len(cells) > 0 && strings.HasPrefix(cells[0], "\ufeff") {
		cells = slices.Concat([]string{strings.TrimPrefix(cells[0], "\ufeff")}, cells[1:])
	}
	if len(cells) != len(names) || len(names) < 2 ||
		!strings.EqualFold(cmp.Or(strings.TrimSpace(cells[0]), "column_1"), names[0]) {
		return false
	}
	return slices.EqualFunc(record.ColumnNames(cells), names, strings.EqualFold)
}

// sumText matches the first text of a row that IsSum means.
var sumText = regexp.MustCompile(`^(?i)\W*(((grand|sub)[ -]?)?(totals?|sums?|count)(\W*| (of|for)\b.*|\W.*\d.*)|` +
	`end of (the )?(report|file|list|data)\b.*|printed( on| by| today|:|\W*\d).*)$`)

// IsSum reports whether a text says that its row is a sum of others, or a note below them.
func IsSum(text string) bool { return sumText.MatchString(text) }
