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

// ranges are the merged ranges of a sheet.
type ranges struct {
	ahead   []merged // that begin below the row that was read last, by their first rows
	current []merged // that this row may be in
}

// mostMerged is how many ranges are kept, 64 bytes each; others are as they are stored.
const mostMerged = 1 << 16

var mergedTag = regexp.MustCompile(
	`<(?:\w+:)?mergeCell\s[^>]*\bref\s*=\s*["']([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})["']`)

// merges returns the merged ranges below a row. They stand after the rows of a sheet, which is
// searched for their tags as bytes, in a twentieth of the time of its elements. The rows tell of
// damage.
func (b *book) merges(part string, row int) ranges {
	var list []merged
	stream, err := b.open(part)
	if err != nil {
		return ranges{}
	}
	defer stream.Close()
	for r := bufio.NewReaderSize(stream, 64<<10); len(list) < mostMerged; {
		tag, err := r.ReadSlice('>')
		if err != nil && err != bufio.ErrBufferFull {
			break
		}
		if !bytes.Contains(tag, []byte("mergeCell ")) {
			continue
		}
		if m := mergedTag.FindSubmatch(tag); m != nil {
			var item merged
			item.left, _ = columnOf(string(m[1]))
			item.right, _ = columnOf(string(m[3]))
			item.top, _ = strconv.Atoi(string(m[2]))
			item.bottom, _ = strconv.Atoi(string(m[4]))
			if item.top > row {
				list = append(list, item)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b merged) int { return a.top - b.top })
	return ranges{ahead: list}
}

// fill adds to the cells of a row those that have the value of a merged range, in the first columns,
// and returns how many of these come from a row above.
func (r *ranges) fill(cells []placed, row, columns int) (_ []placed, inherited int) {
	for ; len(r.ahead) > 0 && r.ahead[0].top <= row; r.ahead = r.ahead[1:] {
		r.current = append(r.current, r.ahead[0])
	}
	r.current = slices.DeleteFunc(r.current, func(m merged) bool { return m.bottom < row })
	if len(r.current) == 0 {
		return cells, 0
	}
	taken := make([]bool, columns)
	for _, c := range cells {
		if c.column < len(taken) {
			taken[c.column] = true
		}
	}
	for i := range r.current {
		m := &r.current[i]
		column := m.left
		if m.top == row {
			column++
			if corner := slices.IndexFunc(cells, func(c placed) bool { return c.column == m.left }); corner >= 0 {
				m.value = cells[corner].value
			}
		} else if m.value != nil {
			inherited++
		}
		for ; m.value != nil && column <= min(m.right, len(taken)-1) && !taken[column]; column++ { // ranges never overlap
			taken[column] = true
			cells = append(cells, placed{column, m.value})
		}
	}
	return cells, inherited
}
