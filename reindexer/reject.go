package reindexer

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"filings/reindexer/source"
)

// Reject is a record's fault (rule L6).
type Reject struct {
	File   string
	Line   int    // where the record begins; the number of a row of a query
	ID     int64  // 0 where the record has none that can be read
	Field  string // "" where the record as a whole is wrong
	Reason string
	Record string // as its source has it
}

// Error says all of r but the record.
func (r *Reject) Error() string {
	text := fmt.Sprintf("%s:%d: ", r.File, r.Line)
	if r.ID != 0 {
		text += fmt.Sprintf("filing %d: ", r.ID)
	}
	if r.Field != "" {
		text += r.Field + ": "
	}
	return text + r.Reason
}

// Reason is a fault of some records, without the parts that differ from record to record.
type Reason struct{ Field, Text string }

// Rejected are the rejects of a reason.
type Rejected struct {
	Records int64
	First   string // in full
}

// mostReasons is how many reasons are told apart; the others are counted together.
const mostReasons = 100

// ofRecord matches the parts of a reason that repeat its record, quoted texts and numbers; and,
// beginning with a letter, calls in a mapping and words such as UTF-8, which are kept.
var ofRecord = regexp.MustCompile(`[a-z]\w*\("[^"]*"\)|\pL+-\d+|"(?:[^"\\]|\\.)*"|-?\b\d+(?:\.\d+)?\b`)

// MarshalJSON writes an id that is not known as null.
func (r Reject) MarshalJSON() ([]byte, error) {
	line := struct {
		File   string `json:"file"`
		Line   int    `json:"line"`
		ID     *int64 `json:"id"`
		Field  string `json:"field"`
		Reason string `json:"reason"`
		Record string `json:"record"`
	}{File: r.File, Line: r.Line, Field: r.Field, Reason: r.Reason, Record: r.Record}
	if r.ID != 0 {
		line.ID = &r.ID
	}
	return json.Marshal(line)
}

// shownRejects is how many rejects are shown by Progress; the file has all of them.
const shownRejects = 20

// rejects writes rejects to a file and lets the first of them be shown.
type rejects struct {
	file *os.File // nil: none
	w    *bufio.Writer
	csv  *csv.Writer // into w; nil: JSON lines
	n    int64
}

// openRejects opens the file of the rejects, if there is to be one; start empties it. It holds
// people's data, so only its owner may read it, even if another program made it, and no link leads
// away.
func openRejects(cfg Config, sources []source.Source) (*rejects, error) {
	path := cfg.Rejects
	if path == "" {
		return &rejects{}, nil
	}
	if info, err := os.Lstat(path); err == nil {
		if err := source.NoFile(info); err != nil {
			return nil, fmt.Errorf("%w: the rejects have to go to a file, and %s %w", source.ErrUsage, path, err)
		}
		for _, s := range sources {
			if s.IsFile(info) {
				return nil, fmt.Errorf("%w: the rejects would overwrite the source %s", source.ErrUsage, s.Name)
			}
		}
		files := []string{cfg.Plan}
		for _, input := range cfg.Inputs {
			if input.Mapping != nil {
				files = append(files, input.Mapping.Name)
			}
		}
		for _, file := range files {
			if read, err := os.Stat(file); err == nil && os.SameFile(read, info) {
				return nil, fmt.Errorf("%w: the rejects would overwrite %s", source.ErrUsage, file)
			}
		}
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, unwritten(err)
	}
	err = file.Chmod(0o600) // of a file that was there
	opened, failed := file.Stat()
	if err = errors.Join(err, failed); err == nil {
		if named, failed := os.Lstat(path); failed != nil || !os.SameFile(opened, named) {
			err = fmt.Errorf("%s was replaced meanwhile", path)
		}
	}
	if err != nil {
		return nil, unwritten(errors.Join(err, file.Close()))
	}
	return &rejects{file: file, w: bufio.NewWriter(file)}, nil
}

// start makes the file empty: the load reads, and no other one writes there.
func (r *rejects) start() error {
	if r.file == nil {
		return nil
	}
	err := r.file.Truncate(0)
	if strings.EqualFold(filepath.Ext(r.file.Name()), ".csv") {
		_, _ = r.w.WriteString("\xef\xbb\xbf") // by which Excel knows UTF-8; Flush returns the first error
		r.csv = csv.NewWriter(r.w)
		r.csv.UseCRLF = true
		err = errors.Join(err, r.csv.Write([]string{"file", "line", "id", "field", "reason", "record"}))
		r.csv.Flush()
	}
	return unwritten(err)
}

// unwritten is the error of the file of the rejects; nil for none.
func unwritten(err error) error {
	if err != nil {
		err = fmt.Errorf("rejects cannot be written: %w", err)
	}
	return err
}

// add writes a reject, and calls show if it is one of the first.
func (r *rejects) add(reject Reject, show func()) error {
	if r.n++; r.n <= shownRejects {
		show()
	}
	if r.file == nil {
		return nil
	}
	return unwritten(r.write(reject))
}

// write writes a reject as JSON; or as a row of CSV, which a spreadsheet opens.
func (r *rejects) write(reject Reject) error {
	if r.csv == nil {
		line, err := json.Marshal(reject)
		if err == nil {
			_, err = r.w.Write(append(line, '\n'))
		}
		return err
	}
	id := ""
	if reject.ID != 0 {
		id = strconv.FormatInt(reject.ID, 10)
	}
	row := []string{reject.File, strconv.Itoa(reject.Line), id, reject.Field, reject.Reason, reject.Record}
	for i, cell := range row {
		if cell != "" && strings.Contains("=+-@\t\r", cell[:1]) {
			row[i] = "'" + cell // no formula
		}
	}
	defer r.csv.Flush()
	return r.csv.Write(row)
}

// close writes the rest. Closing again does nothing.
func (r *rejects) close() error {
	if r.file == nil {
		return nil
	}
	err := errors.Join(r.w.Flush(), r.file.Close())
	r.file = nil
	return unwritten(err)
}

// idSet is a set of ids: 64 neighbors share an entry of a map, one bit each. Half a million ids
// without large gaps need 200 KB; ids at random over 53 bits some 30 bytes each. (A roaring64
// bitmap needs less for the former, and quadratic time for the latter.)
type idSet map[int64]uint64

// add adds id and reports whether it was not there before.
func (s idSet) add(id int64) bool {
	word, bit := s[id>>6], uint64(1)<<(id&63)
	if word&bit != 0 {
		return false
	}
	s[id>>6] = word | bit
	return true
}

// repeated is a record whose id came before: a reject, unless its row is the same as the other one.
type repeated struct {
	reject Reject
	made   string // as a load record
}
