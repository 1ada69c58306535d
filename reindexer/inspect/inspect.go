// Package inspect describes a county's file, and proposes a mapping to begin with (rule X22). It guesses, by names and
// by values; a person decides.
//
// # Design
//
// One pass over the records. Of each column it keeps a few examples, and of each known form (an amount, a number, a date in one of
// the usual forms, a point) how many of its values do not have it, and the first of these: a form that 95 % of the values have is
// the form (column.go). For ids it keeps a hash of each value, up to a bound (id.go): so the memory of a look does not depend on the
// size of the file.
//
// What is proposed are rows of a table (package mapping), by a table of patterns of names (propose.go). They are printed as such, or
// as the program in jq that they mean; the description of the columns is its comment.
package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"filings/reindexer/mapping"
	"filings/reindexer/source"
)

// File is what was found in a source.
type File struct {
	name    string
	form    source.Form
	records int64
	bad     int64 // records that cannot be read
	reason  string
	sheets  []string // of a spreadsheet, other than the one that was read
	empty   int64    // cells of it whose formulas have no value
	arrays  []array  // of a JSON document for which nothing said where its records are
	notUTF8 bool     // records are not UTF-8
	columns []*column
	byPath  map[string]*column
	rows    int // of hashes
}

// Proposal says what is proposed.
type Proposal struct {
	Table  bool   // a table, not a program in jq
	County string // such as "Orange, FL"; "" for the one that a column says
	Today  time.Time
}

// windows1252 is what is tried where text is not UTF-8.
const windows1252 = "windows-1252"

// Run reads the source that name means, and writes what is in it, and a mapping to begin with, to w.
func Run(ctx context.Context, name string, o source.Options, p Proposal, w io.Writer) error {
	if p.County != "" && !isCounty.MatchString(p.County) {
		return fmt.Errorf("%w: --county names a county and its state, such as \"Orange, FL\", not %.200q", source.ErrUsage, p.County)
	}
	var arrays []array
	all, err := source.Find([]string{name}, o)
	if errors.Is(err, source.ErrNoPath) {
		if arrays, err = arraysOf(ctx, name, o); err != nil {
			return err
		}
		o.Form.Path = largest(arrays).Path
		all, err = source.Find([]string{name}, o)
	}
	if err != nil {
		return err
	}
	if len(all) > 1 {
		return fmt.Errorf("%w: inspect looks at one file, and %s has %d, such as %s", source.ErrUsage, name, len(all), all[0].Name)
	}
	f, err := look(ctx, all[0], p.Today)
	if o.Form.Encoding == "" && name != "-" && (errors.Is(err, source.ErrNotUTF8) || err == nil && f.notUTF8) {
		o.Form.Encoding = windows1252
		if all, err = source.Find([]string{name}, o); err == nil {
			f, err = look(ctx, all[0], p.Today)
		}
	}
	if err != nil {
		return err
	}
	f.form, f.arrays = o.Form, arrays
	text, err := f.describe(p)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	return err
}

func look(ctx context.Context, s source.Source, today time.Time) (*File, error) {
	var read atomic.Int64
	in, err := s.Open(ctx, &read)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	inputs, err := mapping.NewInputs(in)
	if err != nil {
		return nil, s.Error(0, err)
	}
	f := &File{name: s.Name, sheets: in.OtherSheets, byPath: map[string]*column{}}
	for _, name := range slices.Concat(inputs.Names(), in.Columns) {
		f.column(mapping.Member(name), name, today)
	}
	for {
		rec, err := in.Next()
		if err == io.EOF {
			f.empty = in.Uncomputed()
			return f, nil
		}
		if err != nil {
			return nil, s.Error(in.Line(), err)
		}
		var v any
		if err = mapping.ErrLong; !rec.Long {
			v, err = inputs.Value(rec.Text)
		}
		if err != nil {
			f.bad++
			f.notUTF8 = f.notUTF8 || errors.Is(err, source.ErrNotUTF8)
			f.reason = fmt.Sprintf("%d: %s", rec.Line, err.Error())
			continue
		}
		f.records++
		f.add(v, rec.Line, today)
	}
}

// add takes the values of a record that begins at a line.
func (f *File) add(v any, line int, today time.Time) {
	f.each(v, "", "", 0, func(path, name string, v any) {
		f.column(path, name, today).add(v, f.rows, line)
	})
	if f.rows < mostHashed {
		f.rows++
	}
}

// deepest is how deep columns are looked for in nested records.
const deepest = 4

// each calls do for the values of a record that are no objects, and for points, with their paths.
func (f *File) each(v any, path, name string, depth int, do func(path, name string, v any)) {
	object, ok := v.(map[string]any)
	if !ok || depth == deepest || object["type"] == "Point" {
		do(path, name, v)
		return
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		f.each(object[key], path+mapping.Member(key), key, depth+1, do)
	}
}

// column returns the column at path, which is new the first time.
func (f *File) column(path, name string, today time.Time) *column {
	c := f.byPath[path]
	if c == nil {
		c = newColumn(path, name, today)
		f.byPath[path] = c
		f.columns = append(f.columns, c)
	}
	return c
}

// describe returns the description as comments, and the mapping.
func (f *File) describe(p Proposal) (string, error) {
	var b strings.Builder
	comment := func(format string, values ...any) {
		b.WriteString("# " + strings.ReplaceAll(fmt.Sprintf(format, values...), "\n", " ") + "\n")
	}
	if p.Table {
		b.WriteString("field,column\n")
	}
	bad := ""
	if f.bad > 0 {
		bad = fmt.Sprintf(", and %d that cannot be read, the last of them %s", f.bad, f.reason)
	}
	comment("%s: %d records%s", f.name, f.records, bad)
	for _, a := range f.arrays {
		comment("--path '%s' gives %d", a.Path, a.Items)
	}
	if len(f.sheets) > 0 {
		comment("Its other sheets, which --sheet reads, here and in reindex: %s", quotedList(f.sheets))
	}
	if f.empty > 0 {
		comment("%d cells have a formula that no program has computed: they are empty here. A spreadsheet program that saves the file computes them", f.empty)
	}
	b.WriteString("#\n")
	widest := 0
	for _, c := range f.columns {
		widest = max(widest, len([]rune(c.as(p))))
	}
	for _, c := range f.columns {
		comment("%-*s %5.1f%%  %-24s %s", min(widest, 40), c.as(p), percent(c.filled, f.records), c.looks(f.records), strings.Join(c.examples, ", "))
	}
	b.WriteString("#\n")
	comment("A mapping to begin with. Look at every line, above all at the county and at what the id is made of; then")
	comment("filings reindex --dry-run --show 5%s --map THIS-FILE SOURCE", flags(f.form))
	rows := f.propose(p.County)
	if p.Table {
		return b.String() + mapping.TableOf(rows), nil
	}
	program, err := mapping.ProgramOf(rows)
	return b.String() + program, err
}

// as returns how a proposal names c.
func (c *column) as(p Proposal) string {
	if p.Table {
		return c.label()
	}
	return c.path
}

func quotedList(all []string) string {
	var quoted []string
	for _, s := range all {
		quoted = append(quoted, strconv.Quote(s))
	}
	return strings.Join(quoted, ", ")
}

// flags returns the flags that name a form, each behind a blank, as a shell reads them on one line.
func flags(form source.Form) string {
	var b strings.Builder
	for _, f := range []struct{ name, value string }{
		{"format", form.Format}, {"delimiter", form.Delimiter}, {"encoding", form.Encoding}, {"sheet", form.Sheet}, {"path", form.Path},
	} {
		if f.value != "" {
			fmt.Fprintf(&b, " --%s '%s'", f.name, strings.NewReplacer("'", `'\''`, "\n", " ").Replace(f.value))
		}
	}
	return b.String()
}

func percent(part, of int64) float64 { return 100 * float64(part) / float64(max(1, of)) }
