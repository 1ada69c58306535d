// Package inspect describes a county's file, and proposes a mapping to begin with (rule X22). It guesses, by names and
// by values; a person decides.
//
// # Design
//
// One pass over the records. Of each column it keeps a few examples, and which of the known forms (an amount, a number, a date
// in one of the usual forms, a point) all of its values have had so far. For ids it keeps a hash of each value of the columns
// that may be a part of one, up to a bound: so the memory of a look does not depend on the size of the file.
//
// What is printed is a program of jq: the description of the columns is its comment.
package inspect

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
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
	columns []*column
	byPath  map[string]*column
	rows    int // of hashes
}

// Run reads the source that name means, and writes what is in it, and a mapping to begin with, to w.
func Run(ctx context.Context, name string, o source.Options, today time.Time, w io.Writer) error {
	all, err := source.Find([]string{name}, o)
	if errors.Is(err, source.ErrNoPath) {
		return noPath(ctx, name, o)
	}
	if err != nil {
		return err
	}
	if len(all) > 1 {
		return fmt.Errorf("%w: inspect looks at one file, and %s has %d, such as %s", source.ErrUsage, name, len(all), all[0].Name)
	}
	f, err := look(ctx, all[0], today)
	if err != nil {
		return err
	}
	f.form = o.Form
	b := bufio.NewWriter(w)
	f.write(b)
	return b.Flush()
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
		f.column(step("", name), name, today)
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
			f.reason = fmt.Sprintf("%d: %s", rec.Line, err.Error())
			continue
		}
		f.records++
		f.add(v, today)
	}
}

// add takes the values of a record.
func (f *File) add(v any, today time.Time) {
	f.each(v, "", "", 0, func(path, name string, v any) {
		f.column(path, name, today).add(v, f.rows)
	})
	if f.rows < mostHashed {
		f.rows++
	}
}

// deepest is how deep columns are looked for in nested records.
const deepest = 4

// each calls do for the values of a record that are no objects, with their paths.
func (f *File) each(v any, path, name string, depth int, do func(path, name string, v any)) {
	object, ok := v.(map[string]any)
	if !ok || depth == deepest {
		do(path, name, v)
		return
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		f.each(object[key], step(path, key), key, depth+1, do)
	}
}

// step returns the path of a member in jq.
func step(path, key string) string {
	plain := key != "" && !strings.ContainsFunc(key, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	})
	if plain && (key[0] < '0' || key[0] > '9') {
		return path + "." + key
	}
	return path + "." + quote(key)
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

// write writes the description as comments, and the mapping.
func (f *File) write(w io.Writer) {
	fmt.Fprintf(w, "# %s: %d records", f.name, f.records)
	if f.bad > 0 {
		fmt.Fprintf(w, ", and %d that cannot be read, the last of them %s", f.bad, f.reason)
	}
	for i, name := range f.sheets {
		if i == 0 {
			fmt.Fprint(w, "\n# Its other sheets, which --sheet reads, here and in reindex: ")
		} else {
			fmt.Fprint(w, ", ")
		}
		fmt.Fprintf(w, "%q", name)
	}
	if f.empty > 0 {
		fmt.Fprintf(w, "\n# %d cells have a formula that no program has computed: they are empty here. A spreadsheet program that saves the file computes them", f.empty)
	}
	fmt.Fprintf(w, "\n#\n")
	widest := 0
	for _, c := range f.columns {
		widest = max(widest, len([]rune(c.path)))
	}
	for _, c := range f.columns {
		fmt.Fprintf(w, "# %-*s %5.1f%%  %-24s %s\n", min(widest, 40), c.path, percent(c.filled, f.records), c.looks(f.records), strings.Join(c.examples, ", "))
	}
	fmt.Fprintf(w, "#\n# A mapping to begin with. Look at every line, above all at the county and at what the id is made of; then\n"+
		"# filings reindex --dry-run --show 5%s --map THIS-FILE SOURCE\n%s", flags(f.form), f.propose())
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
