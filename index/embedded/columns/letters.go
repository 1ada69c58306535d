package columns

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"sort"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"filings/index"
	"filings/index/bitset"
	"filings/index/wire"
)

// The runs of the search texts (index.CutRun) have an index too: a dictionary of all of them, which
// is sorted by how they begin and by how they end, and for each chunk the rows of those that occur
// there. A term that is a run of letters is in the rows of the runs that contain it, and no text is
// read; of any other term, each run leaves few blocks to be read. Only for a run that may go on at
// both its ends the whole dictionary is looked through.

// letterColumn is the rows of each run, and the dictionary of runs.
type letterColumn struct {
	setColumn
	codes map[string]uint32
	words []byte // by code, each after its length
}

func newLetterColumn(sink Sink) *letterColumn {
	return &letterColumn{
		setColumn: setColumn{sink: sink, index: columnLetters, sets: columnLetterRows, size: ChunkRows / 8},
		codes:     map[string]uint32{},
	}
}

// add notes the runs of a row of the chunk.
func (c *letterColumn) add(row int, texts []byte) {
	for run, rest := index.CutRun(texts); len(run) > 0; run, rest = index.CutRun(rest) {
		code, ok := c.codes[string(run)]
		if !ok {
			code = uint32(len(c.codes))
			c.codes[string(run)] = code
			c.words = protowire.AppendBytes(c.words, run)
			c.lists = append(c.lists, rowList{})
		}
		c.setColumn.add(code, row)
	}
}

// finish writes the dictionary, and its codes in both orders.
func (c *letterColumn) finish() error {
	err := c.sink(columnLetters+wordsSuffix, 0, c.words)
	words, _ := readTexts(c.words)
	for chunk, compare := range []func(a, b string) int{strings.Compare, compareEnds} {
		order := make([]uint32, len(words))
		for code := range order {
			order[code] = uint32(code)
		}
		slices.SortFunc(order, func(a, b uint32) int { return compare(words[a], words[b]) })
		data, failed := binary.Append(nil, binary.LittleEndian, order)
		err = cmp.Or(err, failed, c.sink(columnLetterOrders, chunk, data))
	}
	return err
}

// compareEnds compares two texts from their ends on.
func compareEnds(a, b string) int {
	for i := range min(len(a), len(b)) {
		if x, y := a[len(a)-1-i], b[len(b)-1-i]; x != y {
			return cmp.Compare(x, y)
		}
	}
	return cmp.Compare(len(a), len(b))
}

// letterRuns holds a table's runs of letters in the order of their codes. Each is followed by a
// space, which no run contains.
type letterRuns struct {
	text                string
	starts              []uint32 // and where a further one would start
	byStarts, byEndings []uint32 // the codes in both orders
}

func (t *Table) letterRuns(ctx context.Context) (r letterRuns, err error) {
	words, err := decoded(ctx, t, columnLetters+wordsSuffix, 0, func(data []byte) (r letterRuns, size int, ok bool) {
		text, words := make([]byte, 0, len(data)), wire.Reader{Rest: data}
		for len(words.Rest) > 0 {
			r.starts = append(r.starts, uint32(len(text)))
			text = append(append(text, words.Text()...), ' ')
		}
		r.starts = append(r.starts, uint32(len(text)))
		r.text = string(text)
		return r, len(r.text) + 4*len(r.starts), !words.Failed
	})
	order := func(chunk int) (codes []uint32) {
		if err == nil {
			codes, err = decoded(ctx, t, columnLetterOrders, chunk, func(data []byte) ([]uint32, int, bool) {
				codes, size, ok := decodeValues[uint32](data, len(words.starts)-1)
				return codes, size, ok && (len(codes) == 0 || int(slices.Max(codes)) < len(codes))
			})
		}
		return codes
	}
	words.byStarts, words.byEndings = order(0), order(1)
	return words, err
}

func (r *letterRuns) word(code uint32) string { return r.text[r.starts[code] : r.starts[code+1]-1] }

// containing returns the codes of the runs that a text which contains the term of run may have
// instead.
func (r *letterRuns) containing(ctx context.Context, run index.Run) (codes []uint32, err error) {
	sorted := func(order []uint32, compare func(a, b string) int) []uint32 {
		first := sort.Search(len(order), func(i int) bool { return compare(r.word(order[i]), run.Text) >= 0 })
		end := first
		for end < len(order) && run.Allows(r.word(order[end])) {
			end++
		}
		return order[first:end]
	}
	switch {
	case run.StartsWord:
		return sorted(r.byStarts, strings.Compare), nil
	case run.EndsWord:
		return sorted(r.byEndings, compareEnds), nil
	}
	for offset := 0; ; {
		i := strings.Index(r.text[offset:], run.Text)
		if i < 0 {
			return codes, nil
		}
		if err := ended(ctx, len(codes)); err != nil {
			return nil, err
		}
		code := sort.Search(len(r.starts), func(n int) bool { return int(r.starts[n]) > offset+i }) - 1
		codes = append(codes, uint32(code))
		offset = int(r.starts[code+1])
	}
}

// ofRuns holds for the rows that have, of each run of a term, one of those that a text with the
// term may have: all rows with the term, and no others if it is a run itself (alone).
func (t *Table) ofRuns(ctx context.Context, term string) (c condition, alone bool, err error) {
	runs := index.Runs(term)
	if len(runs) == 0 {
		return t.inBlocks([]byte(term)), false, nil
	}
	known, err := t.letterRuns(ctx)
	if err != nil {
		return nil, false, err
	}
	conditions := make([]condition, len(runs))
	for i, run := range runs {
		codes, err := known.containing(ctx, run)
		if err != nil {
			return nil, false, err
		}
		conditions[i] = t.oneOfRuns(codes)
	}
	return conjunction(conditions...), runs[0].Text == term, nil
}

// oneOfRuns holds for the rows with one of the runs that have these codes.
func (t *Table) oneOfRuns(codes []uint32) condition {
	return func(ctx context.Context, chunk int, rows bitset.Set) error {
		if len(codes) == 0 {
			return nil
		}
		x, err := t.setIndex(ctx, columnLetters, chunk)
		if err != nil {
			return err
		}
		for _, code := range codes {
			i, found := slices.BinarySearch(x.numbers, code)
			if !found {
				continue
			}
			set, err := t.source(ctx, columnLetterRows, chunk, x.end(i), x.end(i+1))
			if err != nil {
				return err
			}
			if !addSet(rows, set, ChunkRows) {
				return t.damaged(chunk, columnLetterRows)
			}
		}
		return nil
	}
}
