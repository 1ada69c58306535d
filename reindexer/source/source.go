// Package source finds where the rows of a load come from and reads them: files and folders,
// standard input, web servers, objects of S3, datasets of Socrata, layers of ArcGIS, and queries to
// PostgreSQL. It owns all that happens before a row's values are known. It knows no fields and
// judges no record.
//
// # Design
//
// Find turns names into Sources (find.go, files.go), before anything is read. A Source's bytes are
// decompressed by their contents, not by their name (stream.go, compression.go, zip.go), and cut
// into lines of NDJSON (lines.go) or rows of CSV (csv.go). A response of a web server counts only
// if it came whole (web.go, package web). PostgreSQL writes the rows of a query as JSON, which are
// streamed (postgres.go). A dataset or layer is read in parts, by keys, while its rows are used
// (paged.go, socrata.go, arcgis.go).
//
// Most sources can say in which state they are. Open requests it before it reads anything, and
// Reader.Unchanged after the last row, so that all rows are of one state, or the reading fails. An
// open file is judged by itself and not by its name, so one that replaces it is no change; an
// object of S3 and a response of a web server are those of their ETag.
//
// A Row is a value (row.go): texts of CSV, cells and JSON come as jq's values, which one parser
// reads, and a mapping takes. JSON is read by jsontext, CSV by encoding/csv.
//
// A fault that makes the rest of a source unknowable (a stream that is cut off, a damaged archive,
// a quote that is never closed, a row above MaxLine) is ErrUnreadable. The memory of reading does
// not depend on the size of a source. Users, passwords and parameters of addresses are shown
// nowhere.
package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"filings/index/sorter"
	"filings/reindexer/source/xlsx"
	"filings/reindexer/web"
)

// Kinds of errors, wrapped with the event.
var (
	// ErrUsage: the names or options of the sources make no sense.
	ErrUsage = errors.New("wrong usage")
	// ErrUnreadable: a source is missing, cannot be read to its end, or has a wrong form.
	ErrUnreadable = errors.New("source cannot be read")
	// ErrUnfinished: a source ends within a record, so that its number of records is unknown.
	ErrUnfinished = errors.New("the file ends in the middle of a record")
	// ErrChanged: a source was changed while it was read.
	ErrChanged = web.ErrChanged
	// ErrNotUTF8: a text is not UTF-8, and nothing says which encoding it has.
	ErrNotUTF8 = errors.New("is not UTF-8; --encoding windows-1252 reads what older spreadsheets write")
)

// Source is one stream of records. Find makes it.
type Source struct {
	Name  string // as it is reported: of an address neither user, password nor parameters
	Input int    // which of the inputs it comes from

	// Names are columns that its rows are to have, by which the header of a sheet is found; none: any.
	Names []string
	Zone  *time.Location // of its county; nil: not known

	// LeftOut are the names in a folder that are not read, folders with a slash; of the folder's
	// first source alone.
	LeftOut []string

	unit   string        // that its records are numbered in: line or row
	format string        // one of Formats, or the kind of server; "" where only the response of a server says it
	info   os.FileInfo   // nil for a source that is no file
	space  *sorter.Space // of the temporary files of all that Find returned with it
	open   func(ctx context.Context, read *atomic.Int64) (*Reader, error)
	state  func(ctx context.Context) (string, error) // nil: not known before it is read
}

// State returns the state of s now; "": not known. Equal states are the same rows (rule X46).
func (s Source) State(ctx context.Context) (string, error) {
	if s.state == nil {
		return "", nil
	}
	state, err := s.state(ctx)
	if err != nil {
		return "", s.Error(0, err)
	}
	return state, nil
}

// Open begins to read s. It adds the bytes that are read, as they are stored, to read. The Reader
// ends with ctx, even if the source blocks for ever.
func (s Source) Open(ctx context.Context, read *atomic.Int64) (*Reader, error) {
	r, err := s.open(context.WithValue(ctx, sourceKey{}, s), read)
	if err != nil {
		return nil, s.Error(0, cmp.Or(ctx.Err(), err))
	}
	r.ctx, r.source = ctx, s
	return r, nil
}

// sourceKey is that of the Source in the context of an Open: between it and spool stands all that
// knows nothing of files and columns.
type sourceKey struct{}

// Passing reports whether err is of a source that was away or changed, and may be read later.
func Passing(err error) bool {
	kinds := []error{web.ErrAway, web.ErrSlow, web.ErrBroken, web.ErrTransient, ErrChanged}
	return slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) })
}

// Error returns an ErrUnreadable that says where err stopped the reading; line 0 is before the
// first record. The end of a context is no error of the source and returned as it is.
func (s Source) Error(line int, err error) error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case line == 0:
		return fmt.Errorf("%w: %s: %w", ErrUnreadable, s.Name, err)
	}
	return fmt.Errorf("%w: %s, %s %d: %w", ErrUnreadable, s.Name, s.unit, line, err)
}

// IsFile reports whether s is the file that info describes.
func (s Source) IsFile(info os.FileInfo) bool { return s.info != nil && os.SameFile(s.info, info) }

// regular reports whether s is a file on a disk, which never blocks for ever and has a size.
func (s Source) regular() bool { return s.info != nil && s.info.Mode().IsRegular() }

// TotalBytes is the size of all sources, or 0 if one is not known before it was read.
func TotalBytes(sources []Source) (total int64) {
	for _, s := range sources {
		if !s.regular() {
			return 0
		}
		total += s.info.Size()
	}
	return total
}

// Again reports whether all of these can be read again: standard input, pipes and queries cannot.
func Again(sources []Source) bool {
	return !slices.ContainsFunc(sources, func(s Source) bool { return s.state == nil })
}

// Reader reads the rows of one source.
type Reader struct {
	Format  string   // NDJSON, CSV or JSON; "" of all others
	Header  []string // the cells of the first row of CSV, as they are
	Columns []string // the names by which rows know columns, in their order; nil where rows have members instead

	Updated int64 // when the source says that it was updated last, in seconds of Unix time; 0: it does not

	explicit bool        // an option says which row is the header
	ends     *ends       // of a text
	sheet    *xlsx.Sheet // of a spreadsheet
	records
	ctx    context.Context
	source Source
	close  func()

	opened  string                                    // the state before anything was read; "": not known
	current func(ctx context.Context) (string, error) // the state now; nil: reading fails if it changes
	digest  func(ctx context.Context) (string, error) // of bytes that may differ in one state; nil: none
}

// State returns the state of r's source, as Source.State does.
func (r *Reader) State() (string, error) {
	if r.digest == nil {
		return r.opened, nil
	}
	digest, err := r.digest(r.ctx)
	if err != nil {
		return "", r.source.Error(0, err)
	}
	return r.opened + digest, nil
}

// Unchanged returns err, with which the reading ended, or ErrChanged if r's source is in another
// state than before. A server that failed is not requested again.
func (r *Reader) Unchanged(err error) error {
	if r.current == nil || err != nil && !(r.source.regular() && errors.Is(err, ErrUnreadable)) {
		return err
	}
	state, failed := r.current(r.ctx)
	if failed == nil && state != r.opened {
		failed = fmt.Errorf("%w (before %q, after %q)", ErrChanged, r.opened, state)
	}
	if failed != nil {
		return r.source.Error(0, failed)
	}
	return err
}

// Next returns the next row that is not blank, or io.EOF after the last. After any other error,
// which may be that of the context, nothing can be read any more.
func (r *Reader) Next() (Row, error) {
	if err := r.ctx.Err(); err != nil {
		return Row{}, err
	}
	row, err := r.records.Next()
	if stopped := r.ctx.Err(); stopped != nil && err != nil && err != io.EOF {
		err = stopped // and not a library's error for it
	}
	return row, err
}

// records is where a Reader's rows come from.
type records interface {
	Next() (Row, error)
	// Line is the line, or row, that was read last.
	Line() int
}

// HasHeader reports whether the source says the names of its columns before its first row: one
// without rows is whole then, too.
func (r *Reader) HasHeader() bool {
	_, table := r.records.(*tableRows)
	return table || r.Format == CSV
}

// asData matches cells that are values and no names of columns: amounts, dates, ids.
var asData = regexp.MustCompile(`^(?:\(?-?\$ ?\d[\d,]*(?:\.\d\d)?\)?|-?\d[\d,]*\.\d\d|\d{1,4}[-/]\d{1,2}[-/]\d{2,4}|` +
	`[A-Z]{1,5}-\d{3,}|[A-Z]{0,5}\d{5,}|\d{2,4}-\d{5,})$`)

// Headless returns a cell of the header that is an amount, a date or an id, so that the header may
// be a record; "" for none, and where an option says which row the header is.
func (r *Reader) Headless() string {
	i := slices.IndexFunc(r.Columns, asData.MatchString)
	if i < 0 || r.explicit || !r.HasHeader() {
		return ""
	}
	return r.Columns[i]
}

// LastOpen reports, after the last record, whether its line alone has no end: it may be cut off.
func (r *Reader) LastOpen() bool { return r.ends != nil && r.ends.lines && !r.ends.ended }

// Notes returns notes on the source, once it was read.
func (r *Reader) Notes() []string {
	if r.sheet == nil {
		return nil
	}
	return r.sheet.Notes()
}

// Warnings returns warnings of the source that was loaded.
func (r *Reader) Warnings() (warnings []string) {
	if left := r.source.LeftOut; len(left) > 0 {
		warnings = append(warnings, fmt.Sprintf(
			"left out of its folder: %d, the first %q; a folder within it is a source of its own", len(left), left[0]))
	}
	if r.sheet != nil {
		warnings = append(warnings, r.sheet.Warnings()...)
	}
	return warnings
}

// FolderWithin returns a folder within the folder of s, which is not read; "" for none.
func (s Source) FolderWithin() string {
	i := slices.IndexFunc(s.LeftOut, func(name string) bool { return strings.HasSuffix(name, "/") })
	if i < 0 {
		return ""
	}
	return s.LeftOut[i]
}

// Fitting are the names of other sheets that have the names of the Source.
func (r *Reader) Fitting() []string {
	if r.sheet == nil {
		return nil
	}
	return r.sheet.Fitting
}

// Uncomputed is how many formulas without a value r has read of a spreadsheet, as empty cells.
func (r *Reader) Uncomputed() int64 {
	if r.sheet == nil {
		return 0
	}
	return r.sheet.Uncomputed
}

// Close ends the reading, finished or not.
func (r *Reader) Close() { r.close() }
