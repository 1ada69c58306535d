package columns

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"filings/index"
	"filings/index/address"
)

// compile turns a predicate into a condition.
func (t *Table) compile(ctx context.Context, p index.Predicate) (condition, error) {
	switch p := p.(type) {
	case index.AnyOf:
		return t.anyOf(ctx, p)
	case index.Not:
		c, err := t.compile(ctx, p.Predicate)
		return t.not(c), err
	case index.IDs:
		return t.oneOf(ctx, p.IDs)
	case index.Between:
		return t.numberRange(p)
	case index.Days:
		return t.matchDictionary(ctx, index.FilingDate.String(), func(day string) bool {
			return day != "" && day >= p.From && (p.To == "" || day <= p.To)
		})
	case index.Times:
		from, to := p.Micros()
		return inRange(t, columnCreated, max(from, noTime+1), to), nil
	case index.Present:
		return t.present(ctx, p)
	case index.Box:
		return t.box(p), nil
	case index.Region:
		return t.region(p), nil
	case index.Contains:
		holds, _, err := t.contains(ctx, p)
		return holds, err
	case index.Rest:
		return t.rest(ctx, p)
	}
	return nil, fmt.Errorf("embedded engine: unknown predicate %T", p)
}

// matchDictionary holds for the rows whose word in a coded column holds. holds is called once a
// word; the word "" is no value.
func (t *Table) matchDictionary(ctx context.Context, column string, holds func(word string) bool) (condition, error) {
	words, err := t.dictionary(ctx, column)
	if err != nil {
		return nil, err
	}
	return t.lookup(ctx, column, words, holds)
}

// lookup is matchDictionary with a text in the place of each word.
func (t *Table) lookup(
	ctx context.Context, column string, words []string, holds func(word string) bool,
) (condition, error) {
	table := make([]uint8, len(words)) // 1 where it holds
	for code, word := range words {
		if err := ended(ctx, code); err != nil {
			return nil, err
		}
		if holds(word) {
			table[code] = 1
		}
	}
	return t.coded(column, table), nil
}

// coded holds for the rows whose code in a column has a 1 in table.
func (t *Table) coded(column string, table []uint8) condition {
	if !slices.Contains(table, 1) {
		return disjunction()
	}
	return func(ctx context.Context, chunk int, bits []uint64) error {
		codes, err := readColumn[uint32](ctx, t, column, chunk)
		if err != nil {
			return err
		}
		setCoded(bits, codes, table)
		return nil
	}
}

// disjunction holds if one of the conditions does.
func disjunction(conditions ...condition) condition {
	return func(ctx context.Context, chunk int, bits []uint64) error {
		for _, c := range conditions {
			if err := c(ctx, chunk, bits); err != nil {
				return err
			}
		}
		return nil
	}
}

// not holds where c does not.
func (t *Table) not(c condition) condition {
	return func(ctx context.Context, chunk int, bits []uint64) error {
		holds := make([]uint64, len(bits))
		if err := c(ctx, chunk, holds); err != nil {
			return err
		}
		for i := range bits {
			bits[i] |= ^holds[i]
		}
		if last := t.rowsOf(chunk) % 64; last > 0 { // there are no more rows
			bits[len(bits)-1] &= 1<<last - 1
		}
		return nil
	}
}

// conjunction holds if each of the conditions does.
func conjunction(a, b condition) condition {
	return func(ctx context.Context, chunk int, bits []uint64) error {
		first, second := make([]uint64, len(bits)), make([]uint64, len(bits))
		if err := errors.Join(a(ctx, chunk, first), b(ctx, chunk, second)); err != nil {
			return err
		}
		for i := range bits {
			bits[i] |= first[i] & second[i]
		}
		return nil
	}
}

func (t *Table) rest(ctx context.Context, p index.Rest) (condition, error) {
	earlier, err1 := t.matchDictionary(ctx, index.FilingDate.String(), func(day string) bool { return day < p.Date })
	same, err2 := t.matchDictionary(ctx, index.FilingDate.String(), func(day string) bool { return day == p.Date })
	return disjunction(earlier, conjunction(same, inRange(t, columnID, math.MinInt64, p.ID))), errors.Join(err1, err2)
}

func (t *Table) anyOf(ctx context.Context, p index.AnyOf) (condition, error) {
	if slices.Equal(p.Fields, []index.Field{index.County, index.CountyName}) { // of one column, which is read once
		return t.matchDictionary(ctx, index.County.String(), func(county string) bool {
			folded := index.Fold(county)
			name, _ := index.SplitCounty(folded)
			return county != "" && (slices.Contains(p.Values, folded) || slices.Contains(p.Values, name))
		})
	}
	var all []condition
	for _, field := range p.Fields {
		c, err := t.matchFolded(ctx, field, p.Values)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return disjunction(all...), nil
}

// matchFolded holds for the rows that have one of values in field, folded: of categories a row has
// several.
func (t *Table) matchFolded(ctx context.Context, field index.Field, values []string) (condition, error) {
	column, compared := field.String(), index.Fold
	switch field {
	case index.CountyName, index.State:
		column = index.County.String()
		compared = func(county string) string {
			name, state := index.SplitCounty(county)
			if field == index.State {
				name = state
			}
			return index.Fold(name)
		}
	case index.OwnerKey, index.ZIP, index.AddressKey:
		return t.listed(ctx, column, values)
	}
	if !slices.ContainsFunc(coded[:], func(c codedField) bool { return c.name == column }) {
		return nil, fmt.Errorf("embedded engine: no values of %v are looked up", field)
	}
	return t.matchDictionary(ctx, column, func(word string) bool {
		return slices.ContainsFunc(listed(compared(word)), func(v string) bool { return slices.Contains(values, v) })
	})
}

// listed holds for the rows that have one of values first in their word, or whose word matches it as
// a pattern of addresses, in a column whose dictionary is sorted: words with the same first value
// are side by side there.
func (t *Table) listed(ctx context.Context, column string, values []string) (condition, error) {
	words, err := t.dictionary(ctx, column)
	if err != nil {
		return nil, err
	}
	sorted, err := decoded(ctx, t, column+sortedSuffix, 0, func(data []byte) ([]uint32, int, bool) {
		return decodeValues[uint32](data, len(words))
	})
	if err != nil {
		return nil, err
	}
	table := make([]uint8, len(words))
	for _, v := range values {
		first, _, isPattern := strings.Cut(v, valueEnd)
		i := sort.Search(len(sorted), func(i int) bool { return words[sorted[i]] >= first })
		for ; first != "" && i < len(sorted); i++ {
			word := words[sorted[i]]
			if begins, _, _ := strings.Cut(word, valueEnd); begins != first {
				break
			}
			if !isPattern || address.Matches(v, word) {
				table[sorted[i]] = 1
			}
		}
	}
	return t.coded(column, table), nil
}

// oneOf holds for the rows with one of the ids.
func (t *Table) oneOf(ctx context.Context, ids []int64) (condition, error) {
	var rows []uint32
	find := finder{t: t, read: -1}
	for _, id := range slices.Sorted(slices.Values(ids)) {
		row, ok, err := find.rowOf(ctx, id)
		if err != nil {
			return nil, err
		}
		if ok {
			rows = append(rows, row)
		}
	}
	slices.Sort(rows)
	return func(_ context.Context, chunk int, bits []uint64) error {
		first, _ := slices.BinarySearch(rows, uint32(chunk*ChunkRows))
		for _, row := range rows[first:] {
			i := int(row) - chunk*ChunkRows
			if i >= ChunkRows {
				break
			}
			bits[i/64] |= 1 << (i % 64)
		}
		return nil
	}, nil
}

func (t *Table) numberRange(p index.Between) (condition, error) {
	if numberOf(p.Field) < 0 {
		return nil, fmt.Errorf("embedded engine: no ranges of %v", p.Field)
	}
	low, high := math.Inf(-1), math.Inf(1)
	if p.Min != nil {
		low = *p.Min
	}
	if p.Max != nil {
		high = *p.Max
	}
	return inRange(t, p.Field.String(), low, high), nil
}

// inRange holds for values from low to high. A missing number is NaN and in no range.
func inRange[T int64 | float64](t *Table, column string, low, high T) condition {
	return func(ctx context.Context, chunk int, bits []uint64) error {
		values, err := readColumn[T](ctx, t, column, chunk)
		if err != nil {
			return err
		}
		setInRange(bits, values, low, high)
		return nil
	}
}

func (t *Table) present(ctx context.Context, p index.Present) (condition, error) {
	switch p.Field {
	case index.ForeclosureStatus:
		return t.matchDictionary(ctx, p.Field.String(), func(word string) bool { return word != "" })
	case index.PropertyData, index.Trust, index.Estate:
		trait := p.Field.String()
		return t.matchDictionary(ctx, coded[codedTraits].name, func(word string) bool { return lists(word, trait) })
	}
	return nil, fmt.Errorf("embedded engine: the presence of %v is not known", p.Field)
}

// contains holds for the rows that have a term of p in their search texts, or in the word of
// county. may holds for these and others, without a text being read; it is nil where holds reads
// none either.
func (t *Table) contains(ctx context.Context, p index.Contains) (holds, may condition, err error) {
	texts, err := t.countyTexts(ctx)
	if err != nil {
		return nil, nil, err
	}
	var all, mays []condition
	reads := false
	for _, term := range p.Texts() {
		matches := func(text string) bool { return strings.Contains(text, term) }
		inCounty, err := t.lookup(ctx, index.County.String(), texts, matches)
		if err != nil {
			return nil, nil, err
		}
		all, mays = append(all, inCounty), append(mays, inCounty)
		if term == "" || !utf8.ValidString(term) { // "" is in every county; invalid UTF-8 is nowhere
			continue
		}
		rows, isRun, err := t.ofRuns(ctx, term)
		if err != nil {
			return nil, nil, err
		}
		switch {
		case isRun:
			all, mays = append(all, rows), append(mays, rows)
			continue
		case rows == nil:
			mays = append(mays, t.inBlocks([]byte(term)))
		default:
			mays = append(mays, rows)
		}
		all, reads = append(all, t.inTexts([]byte(term), rows)), true
	}
	if !reads {
		return disjunction(all...), nil, nil
	}
	return disjunction(all...), disjunction(mays...), nil
}

// countyTexts returns the search texts of the words of county. They are kept: to make those of
// 3,000 counties takes 0.7 ms, which is longer than a page of a name takes.
func (t *Table) countyTexts(ctx context.Context) ([]string, error) {
	return cached(ctx, t, columnCountyTexts, 0, func(ctx context.Context) (texts []string, size int, err error) {
		words, err := t.dictionary(ctx, index.County.String())
		for _, word := range words {
			texts = append(texts, index.SearchText(word))
			size += len(word) + 16
		}
		return texts, size, err
	})
}

// inBlocks holds for the rows of blocks that may have term: those that may have term. A term of one
// or two bytes may be in any, and the index has it in thousands of sets.
func (t *Table) inBlocks(term []byte) condition {
	return func(ctx context.Context, chunk int, bits []uint64) (err error) {
		candidates := allBlocks()
		if len(term) > 2 {
			candidates, err = t.candidates(ctx, chunk, term)
		}
		for block := range min(blocksAChunk, len(bits)*64/rowsABlock) {
			may := candidates[block/64] >> (block % 64) & 1
			bits[block*rowsABlock/64] |= may * wholeBlock << (block * rowsABlock % 64)
		}
		return err
	}
}

const (
	wholeBlock = 1<<rowsABlock - 1 // a bit for each row of a block
	// So many are read in the time in which the index says which of them may have a term of three
	// bytes or more, or a shorter one: else ids with a short term take 1.5 times as long
	// (`go test -bench Filter/ids ./index/embedded/columns`).
	fewBlocks, fewForShort = 64, 1024
)

// open returns the blocks that have a row whose bit is not set, and how many they are.
func open(bits []uint64) (b blocks, n int) {
	for block := range min(blocksAChunk, len(bits)*64/rowsABlock) {
		if bits[block*rowsABlock/64]>>(block*rowsABlock%64)&wholeBlock != wholeBlock {
			b[block/64] |= 1 << (block % 64)
			n++
		}
	}
	return b, n
}

// inTexts holds for the rows that have term in their search texts: some of those of may, which is
// nil where nothing is known. Only blocks that may have it, and have a row whose bit is not set,
// are read, with the bytes between two that are near each other.
func (t *Table) inTexts(term []byte, may condition) condition {
	return func(ctx context.Context, chunk int, bits []uint64) error {
		candidates, n := open(bits)
		if n > fewForShort || n > fewBlocks && len(term) > 2 || n == len(bits)*64/rowsABlock {
			if err := t.keepCandidates(ctx, chunk, term, may, &candidates); err != nil {
				return err
			}
		}
		if candidates == (blocks{}) {
			return nil
		}
		starts, err := t.starts(ctx, chunk)
		if err != nil {
			return err
		}
		return candidates.visitRuns(starts, func(first, end int) error {
			texts, err := t.source(ctx, columnSearch, chunk, int(starts[first]), int(starts[end]))
			if err == nil {
				find(texts, first*rowsABlock, term, bits)
			}
			return err
		})
	}
}

// keepCandidates leaves the blocks that may have term: that have rows of may, or the term's
// trigrams where that is nil.
func (t *Table) keepCandidates(ctx context.Context, chunk int, term []byte, may condition, b *blocks) error {
	if may == nil {
		candidates, err := t.candidates(ctx, chunk, term)
		for i := range b {
			b[i] &= candidates[i]
		}
		return err
	}
	rows := make([]uint64, ChunkRows/64)
	err := may(ctx, chunk, rows[:(t.rowsOf(chunk)+63)/64])
	for block := range blocksAChunk {
		if rows[block*rowsABlock/64]>>(block*rowsABlock%64)&wholeBlock == 0 {
			b[block/64] &^= 1 << (block % 64)
		}
	}
	return err
}
