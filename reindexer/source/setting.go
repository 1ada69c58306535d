package source

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"slices"
	"time"

	"filings/reindexer/s3"
)

// Options say how names become sources.
type Options struct {
	Stdin io.Reader // read for "-"
	Form  Form
	// Settings change Form for some of the sources.
	Settings []Setting
	Query    string              // run on databases; "" if there are none
	Column   func(string) Column // what a column of a query stands for, by its name
	Servers  Servers
	// Temporary is how many bytes the sources may have in temporary files at once, together; 0: any.
	Temporary int64
	Log       *slog.Logger // for files that are left out
}

// Servers say who reads from servers whose credentials are not in the addresses, and how long these may take.
type Servers struct {
	Timeout       time.Duration // that a source waits for servers in all; 0: any
	S3            s3.Config
	SocrataTokens map[string]string // by host, in lower case: another one is not told it
	ArcGISTokens  map[string]string // by host
}

// Column says what a column of a query stands for.
type Column struct {
	Name  string // of the field, or as the query calls the column where no field is meant
	Field bool   // a field: its type has to be one that can be read
	List  bool   // a text is a list, cut at each semicolon
}

// Setting is an option of the sources from position From on, up to the next one of its name (rule X44).
type Setting struct {
	Name  string // one of SettingNames
	Value string
	From  int // position among the names given to Find
}

// SettingNames are the parts of a Form as options.
var SettingNames = []string{"format", "delimiter", "encoding", "sheet", "path", "member"}

// settingFormats are the formats that options are for; others are for all.
var settingFormats = map[string]string{"delimiter": CSV, "sheet": XLSX, "path": JSON}

// Part returns the part of f that an option sets.
func (f *Form) Part(name string) *string {
	switch name {
	case "delimiter":
		return &f.Delimiter
	case "encoding":
		return &f.Encoding
	case "sheet":
		return &f.Sheet
	case "path":
		return &f.Path
	case "member":
		return &f.Member
	}
	return &f.Format
}

// forms returns the form of each of n sources.
func (o *Options) forms(n int) ([]Form, error) {
	for _, name := range SettingNames {
		if value := *o.Form.Part(name); value != "" { // it holds for all sources
			o.Settings = slices.Insert(slices.Clone(o.Settings), 0, Setting{Name: name, Value: value})
		}
	}
	forms := make([]Form, n)
	for i, s := range o.Settings {
		until := o.until(i, n)
		if s.From >= until {
			return nil, fmt.Errorf("%w: --%s %s is for no source: it holds for those after it, up to the next --%s", ErrUsage, s.Name, s.Value, s.Name)
		}
		for at := s.From; at < until; at++ {
			*forms[at].Part(s.Name) = s.Value
		}
	}
	for i := range forms {
		if err := forms[i].check(); err != nil {
			return nil, err
		}
	}
	return forms, nil
}

// until returns the position of the first source for which a setting does not hold any more.
func (o *Options) until(i, n int) int {
	for _, later := range o.Settings[i+1:] {
		if later.Name == o.Settings[i].Name {
			return later.From
		}
	}
	return n
}

// unused says which setting is for none of the sources that it holds for.
func (o *Options) unused(all []Source) error {
	for i, s := range o.Settings {
		format := settingFormats[s.Name]
		may := func(of Source) bool {
			return of.Arg >= s.From && of.Arg < o.until(i, math.MaxInt) && (of.format == format || of.format == "" || of.format == Zip)
		}
		if format != "" && s.Value != "" && !slices.ContainsFunc(all, may) {
			return fmt.Errorf("%w: --%s is for %s, and no source after it is that", ErrUsage, s.Name, format)
		}
	}
	return nil
}
