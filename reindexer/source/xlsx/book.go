// Package xlsx reads the cells of a spreadsheet in the format of Excel since 2007 (ECMA-376): a zip archive of parts in XML. It
// owns what a cell holds: a text, a number, or a number that its format shows as a date. It reads rows in their order, and
// writes nothing. How rows become records, it does not know.
//
// # Design
//
// A sheet is read as it is decompressed (scan.go, rows.go). Its texts stand in a part of their own, where cells name them by
// number: they go to a file, and a few blocks of it are in memory (texts.go). So memory does not grow with the file. The parts
// that are read as a whole (workbook, relations, styles) are small, and refused where they are not.
//
// XML is read by encoding/xml, token by token: a text that is not UTF-8, or has a character that XML does not know, makes the file
// one that cannot be read. A scanner of our own read three times as many rows a second of CPU (12 cells each; 230,000 instead of 77,000,
// medians of three) in 230 lines more; files that come once a month do not need it, since the rest of a load takes longer.
//
// excelize, which this replaced, keeps where each text stands, and tells dates from numbers only by showing each cell as a
// person sees it: 7,000 rows a second, and memory that grew with the texts. It still writes the files of the tests.
package xlsx

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/flate"
)

// maxPart is the most that is read of a part that is held in memory. A workbook of 1,000 sheets has some 200 KB.
const maxPart = 16 << 20

// Book is an open workbook.
type Book struct {
	parts    map[string]*zip.File // by name, in lower case: Excel does not tell upper case from lower
	sheets   []sheet
	texts    string // the part of the shared texts; "": there is none
	dates    []bool // whether a style shows a date
	from1904 bool   // days are counted from there
	space    *Space
}

type sheet struct{ name, part string }

// Open opens the workbook in a file of that size. The texts of a sheet, which go to a file of their own, take up space.
func Open(file io.ReaderAt, size int64, space *Space) (*Book, error) {
	archive, err := zip.NewReader(file, size)
	if err != nil {
		return nil, err
	}
	// The library's own decompressor takes twice the time.
	archive.RegisterDecompressor(zip.Deflate, func(r io.Reader) io.ReadCloser { return flate.NewReader(r) })
	b := &Book{parts: map[string]*zip.File{}, space: space}
	for _, part := range archive.File {
		b.parts[partName(part.Name)] = part
	}
	return b, b.read()
}

// partName is a name of a part as all ways to write it have it.
func partName(name string) string {
	return strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "/"))
}

// read reads what the workbook says of itself.
func (b *Book) read() error {
	main := "xl/workbook.xml"
	for _, r := range b.relations("") {
		if r.is("officeDocument") {
			main = r.part
		}
	}
	var book struct {
		Properties struct {
			From1904 string `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []struct {
			Name string `xml:"name,attr"`
			ID   string `xml:"id,attr"` // of a relation
		} `xml:"sheets>sheet"`
	}
	if err := b.decode(main, &book); err != nil {
		return err
	}
	b.from1904, _ = strconv.ParseBool(book.Properties.From1904)
	relations := b.relations(main)
	for _, s := range book.Sheets {
		for _, r := range relations {
			if r.id == s.ID && r.is("worksheet") { // a sheet may also be one diagram, without rows
				b.sheets = append(b.sheets, sheet{s.Name, r.part})
			}
		}
	}
	if len(b.sheets) == 0 {
		return errors.New("it has no sheet")
	}
	for _, r := range relations {
		switch {
		case r.is("sharedStrings") && b.parts[r.part] != nil:
			b.texts = r.part
		case r.is("styles") && b.parts[r.part] != nil:
			if err := b.readStyles(r.part); err != nil {
				return err
			}
		}
	}
	return nil
}

// Sheets returns the names of the sheets that have rows, in their order.
func (b *Book) Sheets() []string {
	names := make([]string, len(b.sheets))
	for i, s := range b.sheets {
		names[i] = s.name
	}
	return names
}

func (b *Book) open(part string) (io.ReadCloser, error) {
	file := b.parts[part]
	switch {
	case file == nil:
		return nil, fmt.Errorf("its part %s is missing", part)
	case file.Flags&1 != 0:
		return nil, errors.New("it is protected by a password: save it without one")
	}
	return file.Open()
}

// decode reads a part as a whole. encoding/xml defines no entities, so that a part is never more than its text.
func (b *Book) decode(part string, into any) error {
	in, err := b.open(part)
	if err != nil {
		return err
	}
	defer in.Close()
	limited := &io.LimitedReader{R: in, N: maxPart}
	if err := xml.NewDecoder(limited).Decode(into); err != nil {
		if limited.N == 0 {
			return fmt.Errorf("its part %s has more than %d MiB", part, maxPart>>20)
		}
		return fmt.Errorf("its part %s: %w", part, err)
	}
	return nil
}

// relation leads from a part to another one.
type relation struct{ id, kind, part string }

// is reports whether r is of that kind. What precedes it differs between the two editions of the standard.
func (r relation) is(kind string) bool { return path.Base(r.kind) == kind }

// relations returns those of a part, or of the archive (""). A part need not have any.
func (b *Book) relations(of string) (all []relation) {
	dir, name := path.Split(of)
	var list struct {
		All []struct {
			ID     string `xml:"Id,attr"`
			Type   string `xml:"Type,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	if b.decode(dir+"_rels/"+name+".rels", &list) != nil {
		return nil
	}
	for _, r := range list.All {
		target := strings.ReplaceAll(r.Target, `\`, "/")
		if !strings.HasPrefix(target, "/") {
			target = path.Join(dir, target)
		}
		all = append(all, relation{r.ID, r.Type, partName(target)})
	}
	return all
}

func (b *Book) readStyles(part string) error {
	var styles struct {
		Formats []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Cells []struct {
			Format int `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	if err := b.decode(part, &styles); err != nil {
		return err
	}
	own := map[int]bool{}
	for _, f := range styles.Formats {
		own[f.ID] = showsDate(f.Code)
	}
	for _, c := range styles.Cells {
		is, found := own[c.Format]
		b.dates = append(b.dates, is || !found && slices.Contains(dateFormats, c.Format))
	}
	return nil
}
