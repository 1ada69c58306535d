package reindexer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"filings/index"
	"filings/reindexer/mapping"
	"filings/reindexer/source"
)

// Input is one SOURCE of a command line or of a plan, with all that holds for it.
type Input struct {
	source.Input
	Mapping *Mapping // makes records of its rows; nil: they are records

	County     string   // of a plan, whose filings all its records are; "": there is no plan
	MaxRejects int      // of all inputs of the county
	MayChange  []string `json:"-"` // fields of the county that may be gone or others
	// SourceName and Attribution are the county's source as clients read it; "": none. They change
	// no load.
	SourceName  string `json:"-"`
	Attribution string `json:"-"`
}

// Mapping is a program in jq, or a table if its name ends in .csv.
type Mapping struct {
	Name   string // as errors name it
	Text   string
	Expect []Expectation // tried before anything is read
}

// Expectation is a test of a mapping.
type Expectation = mapping.Expectation

// ReadMapping reads the mapping in a file, and the expectations next to it: those of orange.jq are
// in orange.expect.json.
func ReadMapping(path string) (*Mapping, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m := &Mapping{Name: path, Text: string(text)}
	path = strings.TrimSuffix(path, filepath.Ext(path)) + ".expect.json"
	if text, err = os.ReadFile(path); errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err == nil {
		m.Expect, err = mapping.ReadExpectations(text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// Option is an option of the sources from position First on, up to the next of its name (X44).
type Option struct {
	Name    string // one of source.SettingNames, or map
	Value   string
	Mapping *Mapping // of map
	First   int
}

// Inputs returns the sources of a command line, with the options that hold for each.
func Inputs(names []string, options []Option) ([]Input, error) {
	inputs := make([]Input, len(names))
	for i, name := range names {
		inputs[i].Name = name
	}
	for i, o := range options {
		end := len(inputs)
		if next := slices.IndexFunc(options[i+1:], func(later Option) bool { return later.Name == o.Name }); next >= 0 {
			end = options[i+1+next].First
		}
		if o.First >= end {
			return nil, fmt.Errorf("%w: --%s %s is for no source: it holds for those after it, up to the next --%s",
				ErrUsage, o.Name, o.Value, o.Name)
		}
		for position := o.First; position < end; position++ {
			if o.Mapping != nil {
				inputs[position].Mapping = o.Mapping
			} else {
				*inputs[position].Form.Part(o.Name) = o.Value
			}
		}
	}
	return inputs, nil
}

// compile returns the program for each of the inputs; nil where there is none.
func (cfg Config) compile(today time.Time) ([]*mapping.Program, error) {
	programs, compiled := make([]*mapping.Program, len(cfg.Inputs)), map[*Mapping]*mapping.Program{}
	for i, input := range cfg.Inputs {
		m := input.Mapping
		if m == nil {
			continue
		}
		if compiled[m] == nil {
			compile := mapping.Compile
			if strings.HasSuffix(strings.ToLower(m.Name), ".csv") {
				compile = mapping.CompileTable
			}
			var err error
			if compiled[m], err = compile(m.Name, m.Text, today); err != nil {
				return nil, fmt.Errorf("%w: %w", ErrUsage, err)
			}
		}
		zone, _ := input.Form.Zone() // whose sources are found
		if err := compiled[m].Begin(source.Source{Zone: zone}, new(source.Reader)); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUsage, err)
		}
		if err := compiled[m].Expect(m.Expect); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUsage, err)
		}
		programs[i] = compiled[m]
	}
	return programs, nil
}

// checkReads returns the names that a mapping reads of records, as far as these are yet to be seen.
// Where the source says the names of its columns first, one that it lacks is ErrUsage: the county
// has renamed it, or it is mistyped (rule X42).
func checkReads(src source.Source, rows *source.Reader, p *mapping.Program) ([]mapping.Read, error) {
	if rows.Columns == nil {
		return slices.Clone(p.Reads()), nil
	}
	record := ""
	if cell := rows.Headless(); cell != "" {
		record = fmt.Sprintf("its first row has %q: if it is a record, write a header above it; else --header-row says "+
			"which row the header is", cell)
	}
	for _, read := range p.Reads() {
		if slices.Contains(rows.Columns, read.Name) {
			continue
		}
		hint := nearest(read.Name, rows.Columns)
		switch {
		case record != "":
			hint = "; " + record
		case len(rows.Fitting()) > 0:
			hint = "; another sheet has all columns: --sheet " + strconv.Quote(rows.Fitting()[0])
		case !p.IsTable():
			hint += fmt.Sprintf(" (`.%q?` reads one that may be missing)", read.Name)
		}
		return nil, fmt.Errorf("%w: %s:%s: %s has no column %q%s", ErrUsage, p.Name(), read.Place, src.Name, read.Name, hint)
	}
	if record != "" && len(p.Reads()) > 0 {
		return nil, fmt.Errorf("%w: %s: %s", ErrUsage, src.Name, record)
	}
	return nil, nil
}

// plainName returns a name without case and signs.
func plainName(name string) string {
	return strings.Map(func(c rune) rune {
		if strings.ContainsRune(" _-.#", c) {
			return -1
		}
		return c
	}, strings.ToLower(name))
}

// fieldNames returns the names of the fields of a record.
func fieldNames() (names []string) {
	for _, field := range index.Fields() {
		if field.Loaded() {
			names = append(names, field.String())
		}
	}
	return names
}

// nearest says which column may be meant: one that differs in case or in signs, else one that
// shares most of its beginning and end.
func nearest(name string, columns []string) string {
	best, most := "", 2
	for _, column := range columns {
		a, b, same, ends := plainName(name), plainName(column), 0, 0
		for same < len(a) && same < len(b) && a[same] == b[same] {
			same++
		}
		for end := 0; same+end < min(len(a), len(b)) && a[len(a)-1-end] == b[len(b)-1-end]; end++ {
			ends = end + 1
		}
		if same += ends; a == b {
			same = 1 << 20
		}
		if same > most {
			best, most = column, same
		}
	}
	if best == "" {
		return ", but " + strings.Join(columns[:min(len(columns), 20)], ", ")
	}
	return fmt.Sprintf("; is %q meant?", best)
}

// withoutSeen returns reads without those that a row has.
func withoutSeen(reads []mapping.Read, row any) []mapping.Read {
	object, _ := row.(map[string]any)
	if len(reads) == 0 || object == nil {
		return reads
	}
	return slices.DeleteFunc(reads, func(read mapping.Read) bool {
		_, seen := object[read.Name]
		return seen
	})
}
