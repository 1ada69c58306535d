package reindexer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"filings/reindexer/mapping"
	"filings/reindexer/record"
	"filings/reindexer/source"
)

// Map is a mapping and the sources that it is for: those from position From in Config.Sources on, up to the next one's.
type Map struct {
	Name string // as errors name it
	Text string // of the program
	From int
}

// compile returns the program for each of the sources; nil where there is none.
func (cfg Config) compile(today time.Time) ([]*mapping.Program, error) {
	programs := make([]*mapping.Program, len(cfg.Sources))
	for i, m := range cfg.Maps {
		if m.From >= len(cfg.Sources) || i+1 < len(cfg.Maps) && cfg.Maps[i+1].From == m.From {
			return nil, fmt.Errorf("%w: the mapping %s is for no source: it holds for those behind it", ErrUsage, m.Name)
		}
		p, err := mapping.Compile(m.Name, m.Text, today)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUsage, err)
		}
		for at := m.From; at < len(programs); at++ {
			programs[at] = p
		}
	}
	return programs, nil
}

// mapper makes records of a load of those of one source.
type mapper struct {
	program   *mapping.Program
	names     []string // of the cells of a row; nil: records are JSON
	cells     []string
	delimiter byte
	input     map[string]any // a row; reused, since a program keeps nothing
}

// newMapper returns what maps the records of in.
func newMapper(p *mapping.Program, in *source.Reader) (*mapper, error) {
	m := &mapper{program: p}
	if in.Format != source.CSV {
		return m, nil
	}
	header, fault := record.Split(in.Header, in.Delimiter, nil)
	if fault != "" {
		return nil, fmt.Errorf("its header is not CSV: %s", fault)
	}
	m.names, m.delimiter, m.input = source.Names(header), in.Delimiter, map[string]any{}
	return m, nil
}

// records returns the records that the mapping makes of one, or why it makes none.
func (m *mapper) records(text string) ([]mapping.Record, error) {
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("is not UTF-8; --encoding windows-1252 reads what older spreadsheets write")
	}
	if m.names != nil {
		if fault := m.readRow(text); fault != "" {
			return nil, fmt.Errorf("%s", fault)
		}
		return m.program.Run(m.input)
	}
	var input any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber() // an id of 63 bits is no float
	if err := d.Decode(&input); err != nil {
		return nil, fmt.Errorf("is no JSON: %w", err)
	}
	if rest, _ := readRest(d); rest != "" {
		return nil, fmt.Errorf("has text behind its JSON value: %.20q", rest)
	}
	return m.program.Run(input)
}

func readRest(d *json.Decoder) (string, error) {
	var b bytes.Buffer
	_, err := b.ReadFrom(d.Buffered())
	return strings.TrimSpace(b.String()), err
}

func (m *mapper) readRow(text string) (fault string) {
	if m.cells, fault = record.Split(text, m.delimiter, m.cells[:0]); fault != "" {
		return fault
	}
	if len(m.cells) != len(m.names) {
		return fmt.Sprintf("has %d cells; the header has %d", len(m.cells), len(m.names))
	}
	for i, cell := range m.cells {
		m.input[m.names[i]] = cell
	}
	return ""
}
