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
	below  []merged // that begin below the row that was read last, by their first rows
	around []merged // that this row may be in
}

// mostMerged is how many ranges are kept, 64 bytes each; others are as they are stored.
const mostMerged = 1 << 16

var mergedTag = regexp.MustCompile(
	`<(?:\w+:)?mergeCell\s[^>]*\bref\s*=\s*["']([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})["']`)

// merges returns the merged ranges below a row. They stand after the rows of a sheet, which is
// searched for their tags as bytes: that takes a twentieth of the time of its elements. The rows
// tell of damage.
func (b *book) merges(part string, row int) ranges {
	var all []merged
	in, err := b.open(part)
	if err != nil {
		return ranges{}
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
	return ranges{below: all}
}

// fill adds to the cells of a row those that have the value of a merged range, in the first columns,
// and returns how many of these come from a row above.
func (r *ranges) fill(cells []placed, row, columns int) (_ []placed, above int) {
	for ; len(r.below) > 0 && r.below[0].top <= row; r.below = r.below[1:] {
		r.around = append(r.around, r.below[0])
	}
	r.around = slices.DeleteFunc(r.around, func(m merged) bool { return m.bottom < row })
	if len(r.around) == 0 {
		return cells, 0
	}
	taken := make([]bool, columns)
	for _, c := range cells {
		if c.column < len(taken) {
			taken[c.column] = true
		}
	}
	for i := range r.around {
		m := &r.around[i]
		from := m.left
		if m.top == row {
			from++
			if at := slices.IndexFunc(cells, func(c placed) bool { return c.column == m.left }); at >= 0 {
				m.value = cells[at].value
			}
		} else if m.value != nil {
			above++
		}
		for ; m.value != nil && from <= min(m.right, len(taken)-1) && !taken[from]; from++ { // ranges never overlap
			taken[from] = true
			cells = append(cells, placed{from, m.value})
		}
	}
	return cells, above
}
