package source

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // images and Windows have no time zones of their own
	"unicode/utf8"

	"github.com/itchyny/gojq"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/transform"

	"filings/reindexer/bound"
)

// The formats of records (rules L1 and X21).
const (
	NDJSON  = "ndjson"
	CSV     = "csv"
	JSON    = "json"
	XLSX    = "xlsx"
	Parquet = "parquet"
)

// Zip is the format of a zip archive. The name of its member decides how that is read.
const Zip = "zip"

// Formats are all formats.
var Formats = []string{NDJSON, CSV, JSON, XLSX, Parquet}

// Form says how records are written.
type Form struct {
	Format    string // one of Formats, or "" to go by names and media types; "-" is then NDJSON
	Delimiter string // between the cells of CSV: "," ";" "|" or a tab; "" for the one of these that its header has most of
	Encoding  string // of text, as IANA names it; "" is UTF-8
	Sheet     string // of XLSX; "" is the first one that is not hidden
	HeaderRow string // number of the row of a sheet, or line of CSV, that is the header; "" for the one that looks so
	Path      string // of JSON: a jq program whose results are the records
	TimeZone  string // of the county, as IANA names it, such as America/New_York; "": not known
	Member    string // of a zip archive, by its whole name; "" for the only one
}

// delimiters are the characters that may stand between the cells of CSV.
const delimiters = ",;\t|"

// check returns an error for an f that makes no sense.
func (f *Form) check() error {
	switch f.Delimiter {
	case "tab", `\t`:
		f.Delimiter = "\t"
	}
	switch {
	case f.Format != "" && !slices.Contains(Formats, f.Format):
		return fmt.Errorf("%w: the format is %s or %s, not %.200q",
			ErrUsage, strings.Join(Formats[:len(Formats)-1], ", "), Formats[len(Formats)-1], f.Format)
	case f.Delimiter != "" && (len(f.Delimiter) != 1 || !strings.Contains(delimiters, f.Delimiter)):
		return fmt.Errorf("%w: the delimiter is , ; | or tab, not %.200q", ErrUsage, f.Delimiter)
	}
	if n, err := strconv.Atoi(f.HeaderRow); f.HeaderRow != "" && (err != nil || n < 1) {
		return fmt.Errorf("%w: --header-row is the number of a row, from 1, not %.200q", ErrUsage, f.HeaderRow)
	}
	if _, err := f.Zone(); err != nil {
		return err
	}
	if f.Format == JSON && f.Path == "" {
		return fmt.Errorf("%w: %w", ErrUsage, ErrNoPath)
	}
	if _, err := f.decoder(); err != nil {
		return err
	}
	_, err := f.results()
	return err
}

// Zone returns the time zone of the county; nil where it is not known.
func (f Form) Zone() (*time.Location, error) {
	if f.TimeZone == "" {
		return nil, nil
	}
	zone, err := time.LoadLocation(f.TimeZone)
	if err != nil {
		return nil, fmt.Errorf("%w: the time zone %.200q is not known; America/New_York is one", ErrUsage, f.TimeZone)
	}
	return zone, nil
}

// decoder returns the decoder of text to UTF-8; nil if it is UTF-8.
func (f Form) decoder() (encoding.Encoding, error) {
	if f.Encoding == "" || strings.EqualFold(f.Encoding, "utf-8") {
		return nil, nil
	}
	e, err := ianaindex.IANA.Encoding(f.Encoding)
	if err != nil || e == nil {
		return nil, fmt.Errorf("%w: the encoding %.200q is not known; windows-1252, iso-8859-1 and utf-16 are usual ones",
			ErrUsage, f.Encoding)
	}
	if e == charmap.ISO8859_1 { // as browsers do: the bytes that differ are control characters
		e = charmap.Windows1252
	}
	return e, nil
}

// notUTF8 returns the error of a record that is not UTF-8, with the fix, if there is one: other
// forms than lines and CSV say themselves how their texts are encoded.
func (f Form) notUTF8() error {
	switch decoder, _ := f.decoder(); {
	case f.Format != NDJSON && f.Format != CSV:
		return errors.New("is not UTF-8")
	case decoder != nil:
		return fmt.Errorf("has a byte that --encoding %s does not define", f.Encoding)
	}
	return ErrNotUTF8
}

// results compiles f.Path; nil where there is none.
func (f Form) results() (*gojq.Code, error) {
	if f.Path == "" {
		return nil, nil
	}
	query, err := gojq.Parse(f.Path)
	if err == nil {
		var code *gojq.Code
		if code, err = bound.Compile(query); err == nil {
			return code, nil
		}
	}
	return nil, fmt.Errorf("%w: the path %.200q is no program of jq: %w", ErrUsage, f.Path, err)
}

// named is f with the format that the name of a file says, if f has none.
func (f Form) named(path string) Form {
	if f.Format == "" {
		f.Format = formatOf(path)
		if f.Format == JSON && f.Path == "" {
			f.Format = "" // where its records are is not known
		}
	}
	return f
}

// formatOf returns the format that the name of a file says, "" if it says none. A `.json` file is a
// document, whose records Path finds.
func formatOf(path string) string {
	name := strings.ToLower(filepath.Base(path))
	for _, suffix := range []string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, suffix)
	}
	switch filepath.Ext(name) {
	case ".ndjson", ".jsonl":
		return NDJSON
	case ".csv", ".tsv":
		return CSV
	case ".json", ".geojson":
		return JSON
	case ".xlsx":
		return XLSX
	case ".parquet":
		return Parquet
	case ".zip":
		return Zip
	}
	return ""
}

// utf8Of returns text as UTF-8.
func (f Form) utf8Of(text io.Reader, start []byte) (io.Reader, error) {
	e, err := f.decoder()
	if err != nil {
		return nil, err
	}
	if e == nil && (bytes.HasPrefix(start, []byte("\xff\xfe")) || bytes.HasPrefix(start, []byte("\xfe\xff"))) {
		return nil, errors.New("its text is UTF-16; it has to be UTF-8, or read with --encoding utf-16")
	}
	if e == nil {
		return text, nil
	}
	if bytewise, ok := e.(*charmap.Charmap); ok {
		text = transform.NewReader(text, &refuseUTF8{encoding: bytewise, name: f.Encoding})
	}
	return transform.NewReader(text, transform.Chain(e.NewDecoder(), invalidate{})), nil
}

// refuseUTF8 copies bytes, and fails if they were UTF-8 and not only ASCII, or have both encodings: a
// decoder of single bytes would make `CafÃ©` of it, and each record look valid. Bytes that are UTF-8 by
// accident stand for a character that the encoding lacks, nearly always.
type refuseUTF8 struct {
	transform.NopResetter
	encoding *charmap.Charmap
	name     string
	line     int
	wide     int  // the first line with a character in UTF-8 that the encoding has, too
	nonASCII bool // it has characters that ASCII has not
	bytewise int  // the first line with a byte that is no UTF-8
}

func (u *refuseUTF8) Transform(dst, src []byte, atEOF bool) (int, int, error) {
	n, size := 0, 0
	for ; n < len(src) && n < len(dst); n += size {
		if size = 1; src[n] < utf8.RuneSelf {
			if src[n] == '\n' {
				u.line++
			}
			continue
		}
		if !atEOF && !utf8.FullRune(src[n:]) || len(dst)-n < utf8.UTFMax {
			break
		}
		var c rune
		c, size = utf8.DecodeRune(src[n:])
		_, known := u.encoding.EncodeRune(c)
		switch u.nonASCII = true; {
		case size == 1:
			u.bytewise = cmp.Or(u.bytewise, u.line+1)
		case known:
			u.wide = cmp.Or(u.wide, u.line+1)
		}
	}
	copy(dst, src[:n])
	switch {
	case u.wide > 0 && u.bytewise > 0:
		return n, n, fmt.Errorf("its line %d is UTF-8, and its line %d is not: --encoding %s would spoil the first. Get "+
			"it in one encoding", u.wide, u.bytewise, u.name)
	case n < len(src) && (len(dst)-n < utf8.UTFMax):
		return n, n, transform.ErrShortDst
	case n < len(src):
		return n, n, transform.ErrShortSrc
	case atEOF && u.nonASCII && u.bytewise == 0:
		return n, n, fmt.Errorf("its text is UTF-8: --encoding %s would spoil its characters; --encoding utf-8 reads "+
			"it as it is", u.name)
	}
	return n, n, nil
}

// invalidate replaces U+FFFD by a byte that is not UTF-8, so that the record is rejected: decoders
// return U+FFFD for bytes that their encoding does not define.
type invalidate struct{ transform.NopResetter }

func (invalidate) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		if !atEOF && !utf8.FullRune(src[nSrc:]) {
			return nDst, nSrc, transform.ErrShortSrc
		}
		r, size := utf8.DecodeRune(src[nSrc:])
		if nDst+size > len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		if r == utf8.RuneError {
			dst[nDst] = 0xff
			nDst++
		} else {
			nDst += copy(dst[nDst:], src[nSrc:nSrc+size])
		}
		nSrc += size
	}
	return nDst, nSrc, nil
}

// delimiter returns the delimiter of CSV that begins with start: the most frequent in its header.
func (f Form) delimiter(start []byte) (byte, error) {
	found, n, remainder := delimiterOf(start)
	if f.Delimiter != "" {
		if named, _ := firstRow(start, f.Delimiter[0]); n > 0 && named == 0 {
			return 0, fmt.Errorf("its header has no %q, which --delimiter says, but %d of %q", f.Delimiter[0], n, found)
		}
		return f.Delimiter[0], nil
	}
	if separator, cells, _ := delimiterOf(remainder); n == 0 && cells > 0 {
		return 0, fmt.Errorf("its first line is no header: it has one column, and the line below it has %d cells, "+
			"separated by %q. --header-row says in which line the header is", cells+1, separator)
	}
	return found, nil
}

// delimiterOf returns the most frequent delimiter in the first row of a text, its count, and the
// text below that row. The end of a row depends on the delimiter, since cells with quotes may have
// several lines.
func delimiterOf(text []byte) (found byte, n int, remainder []byte) {
	for i := range len(delimiters) {
		if count, rest := firstRow(text, delimiters[i]); i == 0 || count > n {
			found, n, remainder = delimiters[i], count, rest
		}
	}
	return found, n, remainder
}

// firstRow returns how many delimiters the first row of a text has, and the text below it. A quote
// within a cell, which makes a header no CSV, is a character here.
func firstRow(text []byte, delimiter byte) (n int, remainder []byte) {
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.LazyQuotes = rune(delimiter), true
	cells, _ := r.Read()
	return max(0, len(cells)-1), text[r.InputOffset():]
}

// ErrNoPath is an ErrUsage: nothing says where the records of a JSON document are.
var ErrNoPath = errors.New("a JSON document needs --path, which says where its records are, such as '.[]' for " +
	"an array, '.features[]' for GeoJSON")

// unit is the word for a record's place, such as line or row.
func (f Form) unit() string {
	switch f.Format {
	case XLSX, Parquet:
		return "row"
	case JSON:
		return "record"
	}
	return "line"
}
