package xlsx

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// Choice says which sheet is read, and from where on.
type Choice struct {
	Sheet  string   // "": the first one that is shown
	Header int      // number of the row of the header; 0: it is found
	Names  []string // that the header has; none: any
}

// oleMark begins a file of Excel before 2007, and an XLSX file that is encrypted.
const oleMark = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// mostFitting is in how many other sheets the names of a Choice are looked for.
const mostFitting = 20

// Open opens a sheet of an XLSX file of that size.
func Open(file io.ReaderAt, size int64, c Choice) (*Sheet, error) {
	begin := make([]byte, len(oleMark))
	if _, err := file.ReadAt(begin, 0); err == nil && string(begin) == oleMark {
		return nil, errors.New("it is protected by a password, or made by Excel before 2007: save it as XLSX without " +
			"a password")
	}
	b, err := openBook(file, size)
	if err != nil {
		return nil, fmt.Errorf("it is no XLSX file, or damaged: %w", err)
	}
	place := slices.IndexFunc(b.sheets, func(s sheet) bool { return s.name == c.Sheet || c.Sheet == "" && !s.hidden })
	if place < 0 && c.Sheet == "" {
		place = 0
	}
	if place < 0 {
		return nil, fmt.Errorf("it has no sheet %q; --sheet may be %s", c.Sheet, list(b.sheets))
	}
	s := &Sheet{book: b, row: map[string]any{}, name: b.sheets[place].name,
		siblings: slices.Delete(slices.Clone(b.sheets), place, place+1)}
	row, _, err := b.header(b.sheets[place].part, c)
	if err == nil {
		err = s.begin(b.sheets[place].part, row)
	}
	switch {
	case err == io.EOF && c.Header > 0:
		err = fmt.Errorf("the sheet %q has no row %d, which --header-row says", s.name, c.Header)
	case err == io.EOF && len(s.siblings) > 0:
		err = fmt.Errorf("the sheet %q is empty: it has no header; --sheet may be %s", s.name, list(s.siblings))
	case err == io.EOF:
		err = fmt.Errorf("the sheet %q is empty: it has no header", s.name)
	case err != nil:
		err = fmt.Errorf("sheet %q cannot be read: %w", s.name, err)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	if c.Sheet != "" || len(c.Names) == 0 { // nobody asks which other sheets fit
		return s, nil
	}
	for _, sibling := range s.siblings[:min(len(s.siblings), mostFitting)] {
		if sibling.hidden {
			continue
		}
		if _, fits, err := b.header(sibling.part, c); fits && err == nil {
			s.Fitting = append(s.Fitting, sibling.name)
		}
	}
	return s, nil
}

const (
	// headerRows is among how many of the first rows with cells the header is looked for.
	headerRows = 100
	// widestRows is how many of them say how wide the table is.
	widestRows = 20
)

// header returns the row of the header of a sheet: the first one that has all names of c; without
// one, which fits says, the first with half as many cells as the widest of the first rows, so that
// titles and labels ("Report:") above a table are left out. A sheet without any has io.EOF.
func (b *book) header(part string, c Choice) (row int, fits bool, err error) {
	s := &Sheet{book: b}
	if s.part, err = b.open(part); err != nil {
		return 0, false, err
	}
	defer s.Close()
	s.xml = newElements(s.part)
	type candidate struct{ row, cells int }
	var candidates []candidate
	widest := 1
	for len(candidates) < headerRows {
		cells, err := s.cells()
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, false, s.failed(err)
		}
		s.setHeader(cells)
		if len(c.Names) > 0 && !slices.ContainsFunc(c.Names, s.lacks) && (c.Header == 0 || s.number == c.Header) {
			return s.number, true, nil
		}
		if cells = slices.DeleteFunc(cells, func(c placed) bool { return c.blank() || c.label() }); len(cells) == 0 {
			continue
		}
		if candidates = append(candidates, candidate{s.number, len(cells)}); len(candidates) <= widestRows {
			widest = max(widest, len(cells))
		}
	}
	place := slices.IndexFunc(candidates,
		func(c candidate) bool { return c.cells >= min(2, widest) && 2*c.cells >= widest })
	switch {
	case c.Header > 0:
		return c.Header, false, nil
	case place < 0:
		return 0, false, io.EOF
	}
	return candidates[place].row, false, nil
}

func (s *Sheet) lacks(name string) bool { return !slices.Contains(s.names, name) }
