// Package plan loads many counties by one file, which says of each where its filings are and how
// they are read. It owns that file, and decides which counties a load brings if some of them fail.
// Package reindexer owns the load.
//
// # Design
//
// All counties are one load. Where some fail, and the others are wanted all the same (KeepGoing), a
// load of the others follows, which replaces them: so the ones that failed stay as they were, and a
// night on which nothing fails costs nothing for it. A county fails for a fault of its sources, its
// mapping or its records, or if the guards refuse it; all other faults fail the load.
package plan

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/oasdiff/yaml"

	"filings/index"
	"filings/reindexer"
	"filings/reindexer/record"
	"filings/reindexer/source"
)

// ErrPlan is an ErrUsage: the file of counties is wrong.
var ErrPlan = fmt.Errorf("%w: the plan", reindexer.ErrUsage)

// Plan is a file of counties.
type Plan struct {
	MaxShrink *float64 `json:"max-shrink"` // percent; nil: as the command says
	Query     string   `json:"query"`      // of the sources postgres://…
	Counties  []County `json:"counties"`

	dir string // that files are relative to
}

// County says how the filings of a county are read.
type County struct {
	County     string   `json:"county"` // such as "Orange, FL"
	Sources    []string `json:"sources"`
	Map        string   `json:"map"` // path of a mapping; "" for none
	MaxRejects int      `json:"max-rejects"`
	Allow      []string `json:"allow"`      // guards let pass: renewed, shrunk, changed=FIELD, empty=SOURCE, shared
	MayShrink  bool     `json:"may-shrink"` // as shrunk
	MayEmpty   []string `json:"may-empty"`  // as changed, of a field, or empty, of a source
	// SourceName and Attribution are the origin of the filings in /v1/coverage.
	SourceName  string `json:"source-name"`
	Attribution string `json:"attribution"`

	Format    string `json:"format"`
	Delimiter string `json:"delimiter"`
	Encoding  string `json:"encoding"`
	Sheet     string `json:"sheet"`
	Path      string `json:"path"`
	Member    string `json:"member"`
	HeaderRow int    `json:"header-row"` // 0: the one that looks so
	TimeZone  string `json:"timeZone"`

	Expect []reindexer.Expectation `json:"expect"` // of map
}

// Read reads the plan in a file of YAML. Files that it names are relative to its folder.
func Read(path string) (*Plan, error) {
	if info, err := os.Stat(path); err == nil {
		if err := source.NoFile(info); err != nil {
			return nil, fmt.Errorf("%w has to be a file, and %s %w", ErrPlan, path, err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPlan, err)
	}
	p := &Plan{dir: filepath.Dir(path)}
	if text, err = yaml.YAMLToJSON(text); err == nil {
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields() // a name that is mistyped
		err = d.Decode(p)
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		must := map[reflect.Kind]string{
			reflect.Bool: "true or false", reflect.Int: "an integer", reflect.Float64: "a number",
			reflect.Slice: "a list", reflect.String: "a text",
		}
		wanted := cmp.Or(must[kind.Type.Kind()], "names with values")
		err = fmt.Errorf("%s is %s, and has to be %s", kind.Field, kind.Value, wanted)
	}
	if err == nil {
		err = p.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrPlan, path, err)
	}
	return p, nil
}

// maxShown bounds the catalog's text on a county's source, which each look at the catalog reads.
const maxShown = 200

func (p *Plan) check() error {
	if len(p.Counties) == 0 {
		return errors.New("it names no counties")
	}
	named, read := map[string]bool{}, map[part]string{}
	for i, c := range p.Counties {
		switch name := index.Fold(c.County); {
		case !record.IsCounty(c.County):
			return fmt.Errorf(`county %d: it is to be named as records have it, such as "Orange, FL", not %q`, i+1, c.County)
		case named[name]:
			return fmt.Errorf("%s is there twice", c.County)
		case len(c.Sources) == 0:
			return fmt.Errorf("%s has no sources", c.County)
		case slices.Contains(c.Sources, "-"):
			return fmt.Errorf("%s: a plan reads no standard input", c.County)
		case len(c.Expect) > 0 && c.Map == "":
			return fmt.Errorf("%s: expect tests its map, and it has none", c.County)
		case c.MaxRejects < 0:
			return fmt.Errorf("%s: max-rejects is 0 or more, not %d", c.County, c.MaxRejects)
		case len(c.SourceName) > maxShown || len(c.Attribution) > maxShown:
			return fmt.Errorf("%s: source-name and attribution are at most %d bytes long", c.County, maxShown)
		default:
			if _, err := c.allowed(); err != nil {
				return fmt.Errorf("%s: %w", c.County, err)
			}
			if err := p.checkShared(c, read); err != nil {
				return err
			}
			named[name] = true
		}
	}
	return nil
}

// only returns the counties with these names, or all of them for none.
func (p *Plan) only(names []string) (counties []County, err error) {
	if len(names) == 0 {
		return p.Counties, nil
	}
	for _, name := range names {
		i := slices.IndexFunc(p.Counties, func(c County) bool { return index.Fold(c.County) == index.Fold(name) })
		if i < 0 {
			return nil, fmt.Errorf("%w has no county %q", ErrPlan, name)
		}
		if !slices.ContainsFunc(counties, func(c County) bool { return c.County == p.Counties[i].County }) {
			counties = append(counties, p.Counties[i])
		}
	}
	return counties, nil
}

// config returns the load of these counties, with all else as in cfg.
func (p *Plan) config(cfg reindexer.Config, counties []County) (reindexer.Config, error) {
	cfg.MayRenew, cfg.MayShrink = slices.Clone(cfg.MayRenew), slices.Clone(cfg.MayShrink)
	cfg.MayEmpty = slices.Clone(cfg.MayEmpty)
	for _, c := range counties {
		input := reindexer.Input{
			County: c.County, MaxRejects: c.MaxRejects, SourceName: c.SourceName, Attribution: c.Attribution,
		}
		input.Form = source.Form{
			Format: c.Format, Delimiter: c.Delimiter, Encoding: c.Encoding, Sheet: c.Sheet, Path: c.Path, Member: c.Member,
			TimeZone: c.TimeZone,
		}
		if c.HeaderRow != 0 {
			input.Form.HeaderRow = strconv.Itoa(c.HeaderRow)
		}
		if c.Map != "" {
			var err error
			if input.Mapping, err = reindexer.ReadMapping(p.resolve(c.Map)); err != nil {
				return cfg, fmt.Errorf("%w: the mapping: %w", ErrPlan, err)
			}
			input.Mapping.Expect = append(input.Mapping.Expect, c.Expect...)
		}
		allowed, _ := c.allowed() // as Read has checked
		cfg.MayRenew, cfg.MayShrink = append(cfg.MayRenew, allowed.MayRenew...), append(cfg.MayShrink, allowed.MayShrink...)
		input.MayChange = allowed.MayChange
		for _, name := range allowed.MayEmpty {
			cfg.MayEmpty = append(cfg.MayEmpty, p.resolve(name))
		}
		for _, name := range c.Sources {
			input.Name = p.resolve(name)
			cfg.Inputs = append(cfg.Inputs, input)
			if strings.HasPrefix(strings.ToLower(name), "postgres") && strings.Contains(name, "://") {
				cfg.Query = p.Query
			}
		}
	}
	return cfg, nil
}

// part is a part of a source that a county reads.
type part struct{ source, sheet, path, member string }

// checkShared refuses a source that a county above has: a line was copied, and not changed. It
// notes in read which county reads which part.
func (p *Plan) checkShared(c County, read map[part]string) error {
	for _, name := range c.Sources {
		key := part{p.resolve(name), c.Sheet, c.Path, c.Member}
		owner, known := read[key]
		if known && owner != c.County && !slices.Contains(c.Allow, shared) {
			return fmt.Errorf("%s has the source %s of %s; if each reads its own rows of it, allow: [%s] lets it pass",
				c.County, name, owner, shared)
		}
		if !known {
			read[key] = c.County
		}
	}
	return nil
}

// shared is the permission of a county whose source is another one's too.
const shared = "shared"

// allowed returns the differences of the county that guards let pass.
func (c County) allowed() (a reindexer.Allowed, err error) {
	permissions := slices.Clone(c.Allow)
	if c.MayShrink {
		permissions = append(permissions, "shrunk")
	}
	for _, name := range c.MayEmpty {
		permissions = append(permissions, reindexer.Emptied(name))
	}
	for _, text := range permissions {
		name, value, _ := strings.Cut(text, "=")
		ofCounty := name == "renewed" || name == "shrunk"
		switch {
		case text == shared:
			continue
		case ofCounty && value == "":
			text = name + "=" + c.County
		case ofCounty && index.Fold(value) != index.Fold(c.County) || !ofCounty && name != "changed" && name != "empty":
			return a, fmt.Errorf("%w: a county allows renewed, shrunk, changed=FIELD, empty=SOURCE and %s, of itself, not %q",
				reindexer.ErrUsage, shared, text)
		}
		err = errors.Join(err, a.Allow(text))
	}
	return a, err
}

// resolve returns the path or address that the plan calls name.
func (p *Plan) resolve(name string) string {
	mistyped := func() bool { return source.IsAddress(name) && source.IsAddress(filepath.Join(p.dir, name)) }
	if strings.Contains(name, "://") || filepath.IsAbs(name) || mistyped() {
		return name
	}
	return filepath.Join(p.dir, name)
}
