package xlsx

import (
	"io"
	"slices"
	"strings"
)

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
	var all []candidate
	widest := 1
	for len(all) < headerRows {
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
		if all = append(all, candidate{s.number, len(cells)}); len(all) <= widestRows {
			widest = max(widest, len(cells))
		}
	}
	at := slices.IndexFunc(all, func(c candidate) bool { return c.cells >= min(2, widest) && 2*c.cells >= widest })
	switch {
	case c.Header > 0:
		return c.Header, false, nil
	case at < 0:
		return 0, false, io.EOF
	}
	return all[at].row, false, nil
}

func (s *Sheet) lacks(name string) bool { return !slices.Contains(s.names, name) }

// label reports whether c says what the next cell is, as a form does.
func (c placed) label() bool {
	text, _ := c.value.(string)
	return strings.HasSuffix(strings.TrimSpace(text), ":")
}
