package reindexer

import (
	"fmt"
	"strings"
	"time"

	"filings/reindexer/mapping"
)

// Map is a mapping and the sources that it is for: those from position From in Config.Sources on, up to the next one's.
type Map struct {
	Name string // as errors name it
	Text string // of the program, or of the table if the name ends in .csv
	From int
}

// compile returns the program for each of the sources; nil where there is none.
func (cfg Config) compile(today time.Time) ([]*mapping.Program, error) {
	programs := make([]*mapping.Program, len(cfg.Sources))
	for i, m := range cfg.Maps {
		if m.From >= len(cfg.Sources) || i+1 < len(cfg.Maps) && cfg.Maps[i+1].From == m.From {
			return nil, fmt.Errorf("%w: the mapping %s is for no source: it holds for those after it", ErrUsage, m.Name)
		}
		compile := mapping.Compile
		if strings.HasSuffix(strings.ToLower(m.Name), ".csv") {
			compile = mapping.CompileTable
		}
		p, err := compile(m.Name, m.Text, today)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUsage, err)
		}
		for at := m.From; at < len(programs); at++ {
			programs[at] = p
		}
	}
	return programs, nil
}
