package source

import (
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"filings/reindexer/s3"
)

// Input names a source, or several, and says how their rows are written.
type Input struct {
	Name string // file, folder, address, or "-" for standard input
	Form Form
}

// Options say how inputs become sources.
type Options struct {
	Stdin   io.Reader                             // read for "-"
	Query   string                                // run on databases; "" if there are none
	Column  func(string) (name string, list bool) // the field of a query's column; list: a text of it is one
	Servers Servers
	// Temporary is how many bytes all sources may have in temporary files at once; 0: any.
	Temporary int64
	Log       *slog.Logger // for files that are left out
}

// Servers has the credentials that addresses lack, and the time that servers may take.
type Servers struct {
	Timeout       time.Duration // that a source waits for servers in all; 0: any
	S3            s3.Config
	SocrataTokens map[string]string // by host, in lower case: no other one gets it
	ArcGISTokens  map[string]string // by host
}

// SettingNames are the parts of a Form as options.
var SettingNames = []string{"format", "delimiter", "encoding", "sheet", "header-row", "path", "member", "time-zone"}

// Part returns the part of f that an option sets.
func (f *Form) Part(name string) *string {
	switch name {
	case "delimiter":
		return &f.Delimiter
	case "encoding":
		return &f.Encoding
	case "sheet":
		return &f.Sheet
	case "header-row":
		return &f.HeaderRow
	case "time-zone":
		return &f.TimeZone
	case "path":
		return &f.Path
	case "member":
		return &f.Member
	}
	return &f.Format
}

// unused says which option of the inputs is for none of the sources that it holds for: all of
// neighbors with the same one.
func unused(inputs []Input, sources []Source) error {
	for _, option := range [][]string{{"delimiter", CSV}, {"sheet", XLSX}, {"header-row", XLSX, CSV}, {"path", JSON}} {
		for start, end := 0, 0; start < len(inputs); start = end {
			value := *inputs[start].Form.Part(option[0])
			for end = start; end < len(inputs) && *inputs[end].Form.Part(option[0]) == value; {
				end++
			}
			may := func(s Source) bool {
				return s.Input >= start && s.Input < end &&
					(slices.Contains(option[1:], s.format) || s.format == "" || s.format == Zip)
			}
			if value != "" && !slices.ContainsFunc(sources, may) {
				return fmt.Errorf("%w: --%s is for %s, and no source after it is that", ErrUsage, option[0],
					strings.Join(option[1:], " and "))
			}
		}
	}
	return nil
}
