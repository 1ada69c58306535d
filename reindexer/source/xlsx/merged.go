package xlsx

import (
	"bufio"
	"bytes"
	"regexp"
	"slices"
	"strconv"
)

// merged is a range of cells that are shown as one, whose value its first cell has.
type merged struct {
	top, left, bottom, right int // rows from 1, columns from 0
	value                    any
}

// mostMerged is how many ranges are kept, 64 bytes each; others are as they are stored.
const mostMerged = 1 << 16

var mergedTag = regexp.MustCompile(
	`<(?:\w+:)?mergeCell\s[^>]*\bref\s*=\s*["']([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})["']`)

// merges returns the merged ranges below a row. They stand after the rows of a sheet, which is searched
// for their tags as bytes: that takes a twentieth of the time of its elements. What is damaged, the
// rows tell.
func (b *book) merges(part string, row int) (all []merged) {
	in, err := b.open(part)
	if err != nil {
		return nil
	}
	defer in.Close()
	for r := bufio.NewReaderSize(in, 64<<10); len(all) < mostMerged; {
		tag, err := r.ReadSlice('>')
		if err != nil && err != bufio.ErrBufferFull {
			break
		}
		if !bytes.Contains(tag, []byte("mergeCell ")) {
			continue
		}
		if m := mergedTag.FindSubmatch(tag); m != nil {
			var one merged
			one.left, _ = columnOf(string(m[1]))
			one.right, _ = columnOf(string(m[3]))
			one.top, _ = strconv.Atoi(string(m[2]))
			one.bottom, _ = strconv.Atoi(string(m[4]))
			if one.top > row {
				all = append(all, one)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b merged) int { return a.top - b.top })
	return all
}

// fill adds to the cells of a row those that have the value of a merged range, up to the last column
// of the header, and returns how many of these come from a row above.
func (s *Sheet) fill(cells []placed) (_ []placed, below int) {
	for ; len(s.merged) > 0 && s.merged[0].top <= s.number; s.merged = s.merged[1:] {
		s.spread = append(s.spread, s.merged[0])
	}
	s.spread = slices.DeleteFunc(s.spread, func(m merged) bool { return m.bottom < s.number })
	if len(s.spread) == 0 {
		return cells, 0
	}
	taken := make([]bool, len(s.names))
	for _, c := range cells {
		if c.column < len(taken) {
			taken[c.column] = true
		}
	}
	for i := range s.spread {
		m := &s.spread[i]
		from := m.left
		if m.top == s.number {
			from++
			if at := slices.IndexFunc(cells, func(c placed) bool { return c.column == m.left }); at >= 0 {
				m.value = cells[at].value
			}
		} else if m.value != nil {
			below++
		}
		for ; m.value != nil && from <= min(m.right, len(taken)-1) && !taken[from]; from++ { // ranges never overlap
			taken[from] = true
			cells = append(cells, placed{from, m.value})
		}
	}
	return cells, below
}
