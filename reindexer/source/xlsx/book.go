// Package xlsx reads the rows of a spreadsheet in the format of Excel since 2007 (ECMA-376): a zip
// archive of parts in XML. It owns the contents of cells: a text, a number, or a number that its
// format shows as a date. It reads rows in order, by the names of their header, and writes nothing.
//
// # Design
//
// A sheet is read as it is decompressed, a cell after the other, by encoding/xml (elements.go,
// sheet.go, cell.go): text that is not UTF-8, or not XML, makes the file one that cannot be read.
// The texts that cells name by number stand in a part of their own, and in memory (book.go): it
// grows with these, up to maxTexts, and not with the rows. The parts that are read as a whole
// (workbook, relations, styles) are small, and refused where they are not.
//
// Its tokens alone were read 1.6 times as fast (26,000 rows of 12 cells in a second of CPU, with a
// mapping, and 16,000 by elements; medians of three, in turns), in 200 lines more; a scanner of our
// own three times as fast as those. Files that come once a month do not need it.
//
// excelize, which this replaced, keeps where each text stands, and tells dates from numbers only by
// showing each cell as a person sees it: 7,000 rows a second, and memory that grew with the texts.
// It still writes the files of the tests.
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

const (
	// maxPart is the most that is read of a part that is decoded as a whole. A workbook of 1,000
	// sheets has some 200 KB.
	maxPart = 16 << 20
	// maxTexts is how much memory the shared texts may take, of which each takes sizeOfText besides
	// its characters; their part may have four times as much, with fonts and tags.
	maxTexts   = 256 << 20
	sizeOfText = 32
)

// book is an open workbook.
type book struct {
	parts    map[string]*zip.File // by name, in lower case: Excel does not tell upper case from lower
	sheets   []sheet              // that have rows, in their order
	texts    []string             // that cells name by number
	styles   []style              // of cells
	from1904 bool                 // days are counted from there
}

type sheet struct {
	name, part string
	hidden     bool
}

// style is how a number is shown.
type style struct {
	date  bool
	zeros string // as zerosOf returns it
}

// openBook opens the workbook in a file of that size.
func openBook(file io.ReaderAt, size int64) (*book, error) {
	archive, err := zip.NewReader(file, size)
	if err != nil {
		return nil, err
	}
	// The library's own decompressor takes twice the time.
	archive.RegisterDecompressor(zip.Deflate, func(r io.Reader) io.ReadCloser { return flate.NewReader(r) })
	b := &book{parts: map[string]*zip.File{}}
	for _, part := range archive.File {
		b.parts[partName(part.Name)] = part
	}
	return b, b.read()
}

// partName is a name of a part as all ways to write it have it.
func partName(name string) string {
	return strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "/"))
}

// read reads the workbook's description of itself.
func (b *book) read() error {
	main := "xl/workbook.xml"
	for _, r := range b.relations("") {
		if r.hasKind("officeDocument") {
			main = r.part
		}
	}
	var book struct {
		Properties struct {
			From1904 string `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []struct {
			Name  string `xml:"name,attr"`
			ID    string `xml:"id,attr"` // of a relation
			State string `xml:"state,attr"`
		} `xml:"sheets>sheet"`
	}
	if err := b.decode(main, &book); err != nil {
		return err
	}
	b.from1904, _ = strconv.ParseBool(book.Properties.From1904)
	sheets, texts, styles := map[string]string{}, "", "" // parts; of sheets by the ids of relations
	for _, r := range b.relations(main) {
		switch {
		case r.hasKind("worksheet"): // a sheet may also be one diagram, without rows
			sheets[r.id] = r.part
		case b.parts[r.part] == nil:
		case r.hasKind("sharedStrings"):
			texts = r.part
		case r.hasKind("styles"):
			styles = r.part
		}
	}
	for _, s := range book.Sheets {
		if part, ok := sheets[s.ID]; ok {
			b.sheets = append(b.sheets, sheet{s.Name, part, strings.HasSuffix(strings.ToLower(s.State), "hidden")})
		}
	}
	if len(b.sheets) == 0 {
		return errors.New("it has no sheet")
	}
	if styles != "" {
		if err := b.readStyles(styles); err != nil {
			return err
		}
	}
	if texts != "" {
		if err := b.readTexts(texts, maxTexts); err != nil {
			return fmt.Errorf("its part %s: %w", texts, err)
		}
	}
	return nil
}

func (b *book) open(part string) (io.ReadCloser, error) {
	file := b.parts[part]
	switch {
	case file == nil:
		return nil, fmt.Errorf("its part %s is missing", part)
	case file.Flags&1 != 0:
		return nil, errors.New("it is protected by a password: save it without one")
	}
	return file.Open()
}

// decode reads a part as a whole. encoding/xml defines no entities: no part becomes more than its
// text.
func (b *book) decode(part string, target any) error {
	stream, err := b.open(part)
	if err != nil {
		return err
	}
	defer stream.Close()
	limited := &io.LimitedReader{R: stream, N: maxPart}
	if err := xml.NewDecoder(limited).Decode(target); err != nil {
		if limited.N == 0 {
			return fmt.Errorf("its part %s has more than %d MiB", part, maxPart>>20)
		}
		return fmt.Errorf("its part %s: %w", part, err)
	}
	return nil
}

// relation leads from a part to another one.
type relation struct{ id, kind, part string }

// hasKind reports whether r is of that kind. The text before it differs between the standard's two
// editions.
func (r relation) hasKind(kind string) bool { return path.Base(r.kind) == kind }

// relations returns those of a part, or of the archive (""). A part need not have any.
func (b *book) relations(part string) (found []relation) {
	dir, name := path.Split(part)
	var list struct {
		Relations []struct {
			ID     string `xml:"Id,attr"`
			Type   string `xml:"Type,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	if b.decode(dir+"_rels/"+name+".rels", &list) != nil {
		return nil
	}
	for _, r := range list.Relations {
		target := strings.ReplaceAll(r.Target, `\`, "/")
		if !strings.HasPrefix(target, "/") {
			target = path.Join(dir, target)
		}
		found = append(found, relation{r.ID, r.Type, partName(target)})
	}
	return found
}

func (b *book) readStyles(part string) error {
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
	custom := map[int]style{}
	for _, f := range styles.Formats {
		custom[f.ID] = style{showsDate(f.Code), zerosOf(f.Code)}
	}
	for _, c := range styles.Cells {
		shown, found := custom[c.Format]
		shown.date = shown.date || !found && slices.Contains(dateFormats, c.Format)
		b.styles = append(b.styles, shown)
	}
	return nil
}

// readTexts reads the part of the shared texts, which may take so many bytes.
func (b *book) readTexts(part string, most int) error {
	stream, err := b.open(part)
	if err != nil {
		return err
	}
	defer stream.Close()
	tooMany := fmt.Errorf("it has more than %d MiB of texts: save it as CSV", most>>20)
	if b.parts[part].UncompressedSize64 > 4*uint64(most) {
		return tooMany
	}
	for items, size := newElements(stream), 0; ; {
		begun, err := items.next("si", "")
		if err == io.EOF {
			return nil
		}
		var item text
		if err == nil {
			err = items.decode(begun, &item)
		}
		if err != nil {
			return err
		}
		whole, err := item.join()
		if err != nil {
			return err
		}
		if size += len(whole) + sizeOfText; size > most {
			return tooMany
		}
		b.texts = append(b.texts, unescape(whole))
	}
}
