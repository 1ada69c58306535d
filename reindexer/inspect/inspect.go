// Package inspect describes a county's file, and proposes a mapping to begin with (rule X22). It
// guesses, by names and by values; a person decides.
//
// # Design
//
// One pass over the records. Of each column it keeps a few values, and of each known form (an
// amount, a number, a date in one of the usual forms, a point) how many of its values do not have
// it, and the first of these: a form that 95 % of the values have is the form (column.go). For ids
// it keeps a hash of each value, up to a bound (id.go): so the memory of a look does not depend on
// the size of the file.
//
// It proposes rows of a table (package mapping), by a table of patterns of names (propose.go). They
// are printed as such, or as the program in jq that they mean; its comment describes columns.
package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"filings/reindexer/mapping"
	"filings/reindexer/source"
)

// Proposal says which kind of mapping is proposed.
type Proposal struct {
	Table  bool   // a table, not a program in jq
	County string // such as "Orange, FL"; "" for the one that a column says
	Today  time.Time
}

// windows1252 is the encoding that is tried if text is not UTF-8.
const windows1252 = "windows-1252"

// Run reads the source that input means, and writes its description, and a first mapping, to w.
func Run(ctx context.Context, input source.Input, o source.Options, p Proposal, w io.Writer) error {
	if p.County != "" && !isCounty.MatchString(p.County) {
		return fmt.Errorf("%w: --county names a county and its state, such as \"Orange, FL\", not %.200q", source.ErrUsage,
			p.County)
	}
	var arrays []array
	sources, err := source.Find(ctx, []source.Input{input}, o)
	if errors.Is(err, source.ErrNoPath) {
		if arrays, err = arraysOf(ctx, input, o); err != nil {
			return err
		}
		input.Form.Path = largest(arrays).Path
		sources, err = source.Find(ctx, []source.Input{input}, o)
	}
	if err != nil {
		return err
	}
	if len(sources) > 1 {
		return fmt.Errorf("%w: inspect looks at one file, and %s has %d, such as %s", source.ErrUsage, input.Name,
			len(sources), sources[0].Name)
	}
	f, err := look(ctx, sources[0], p.Today)
	if input.Form.Encoding == "" && input.Name != "-" && (errors.Is(err, source.ErrNotUTF8) || err == nil && f.notUTF8) {
		input.Form.Encoding = windows1252
		if sources, err = source.Find(ctx, []source.Input{input}, o); err == nil {
			f, err = look(ctx, sources[0], p.Today)
		}
	}
	if err != nil {
		return err
	}
	f.form, f.arrays = input.Form, arrays
	text, err := f.describe(p)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	return err
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
	for _, note := range f.notes {
		comment("%s", note)
	}
	b.WriteString("#\n")
	widest := 0
	for _, c := range f.columns {
		widest = max(widest, len([]rune(c.nameIn(p))))
	}
	for _, c := range f.columns {
		comment("%-*s %5.1f%%  %-24s %s", min(widest, 40), c.nameIn(p), percent(c.filled, f.records),
			c.looks(f.unique(c), f.almost(c), f.records), c.listed())
	}
	if f.more {
		comment("and more columns: names may be data here, which a mapping reads by to_entries")
	}
	b.WriteString("#\n")
	comment("A mapping to begin with. Look at every line, above all at the county and at what the id is made of; then")
	comment("filings load --dry-run --show 5%s --map THIS-FILE SOURCE", flags(f.form))
	rows := f.propose(p.County)
	if p.Table {
		return b.String() + mapping.TableOf(rows), nil
	}
	program, err := mapping.ProgramOf(rows)
	return b.String() + program, err
}

// nameIn returns the name of c in a proposal.
func (c *column) nameIn(p Proposal) string {
	if p.Table {
		return c.label()
	}
	return c.path
}

// flags returns the flags that name a form, each after a blank, as a shell reads them on one line.
func flags(form source.Form) string {
	var b strings.Builder
	for _, name := range source.SettingNames {
		if value := *form.Part(name); value != "" {
			fmt.Fprintf(&b, " --%s '%s'", name, strings.NewReplacer("'", `'\''`, "\n", " ").Replace(value))
		}
	}
	return b.String()
}

func percent(part, total int64) float64 { return 100 * float64(part) / float64(max(1, total)) }
