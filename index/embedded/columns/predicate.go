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
	"filings/index/bitset"
)

// compile turns a predicate into the conditions that all hold where it does. The second one, if
// there is one, reads texts.
func (t *Table) compile(ctx context.Context, p index.Predicate) ([]condition, error) {
	if p, ok := p.(index.Contains); ok {
		return t.contains(ctx, p)
	}
	c, err := t.compileOne(ctx, p)
	return []condition{c}, err
}

func (t *Table) compileOne(ctx context.Context, p index.Predicate) (condition, error) {
	switch p := p.(type) {
	case index.AnyOf:
		return t.anyOf(ctx, p)
	case index.Not:
		conditions, err := t.compile(ctx, p.Predicate)
		return t.not(conjunction(conditions...)), err
	case index.IDs:
		return t.oneOf(ctx, p.IDs)
	case index.Range:
		return t.numberRange(p)
	case index.Days:
		return t.matchDictionary(ctx, index.FilingDate.String(), func(_ int, day string) bool {
			return day != "" && day >= p.First && (p.Last == "" || day <= p.Last)
		})
	case index.Times:
		earliest, latest := p.Micros()
		return inRange(t, columnCreated, max(earliest, noTime+1), latest), nil
	case index.Present:
		switch name := p.Field.String(); p.Field {
		case index.ForeclosureStatus:
			return t.matchDictionary(ctx, name, func(_ int, status string) bool { return status != "" })
		case index.PropertyData, index.Trust, index.Estate:
			return t.matchDictionary(ctx, coded[codedTraits].name, func(_ int, word string) bool { return lists(word, name) })
		}
	case index.Box:
		return t.box(p), nil
	case index.Region:
		return t.region(p), nil
	case index.Rest:
		return t.rest(ctx, p)
	}
	return nil, fmt.Errorf("embedded engine: unknown predicate %T", p)
}

// matchDictionary holds for the rows whose word in a coded column holds. holds is called once a word, with
// its code; the word "" is no value.
func (t *Table) matchDictionary(
	ctx context.Context, column string, holds func(code int, word string) bool,
) (condition, error) {
	words, err := t.dictionary(ctx, column)
	if err != nil {
		return nil, err
	}
	table := make([]uint8, len(words)) // 1 where it holds
	for code, word := range words {
		if err := ended(ctx, code); err != nil {
			return nil, err
		}
		if holds(code, word) {
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
	return func(ctx context.Context, chunk int, rows bitset.Set) error {
		codes, err := readColumn[uint32](ctx, t, column, chunk)
		if err != nil {
			return err
		}
		setCoded(rows, codes, table)
		return nil
	}
}

func (t *Table) rest(ctx context.Context, p index.Rest) (condition, error) {
	column := index.FilingDate.String()
	earlier, err1 := t.matchDictionary(ctx, column, func(_ int, day string) bool { return day < p.Date })
	same, err2 := t.matchDictionary(ctx, column, func(_ int, day string) bool { return day == p.Date })
	return disjunction(earlier, conjunction(same, inRange(t, columnID, math.MinInt64, p.ID))), errors.Join(err1, err2)
}

func (t *Table) anyOf(ctx context.Context, p index.AnyOf) (condition, error) {
	isValue := func(text string) bool { return text != "" && slices.Contains(p.Values, text) }
	if slices.Equal(p.Fields, []index.Field{index.County, index.CountyName}) { // of one column, which is read once
		return t.matchDictionary(ctx, index.County.String(), func(_ int, county string) bool {
			county = index.Fold(county)
			name, _ := index.SplitCounty(county)
			return isValue(county) || isValue(name)
		})
	}
	conditions := make([]condition, len(p.Fields))
	for i, field := range p.Fields {
		var err error
		switch field {
		case index.OwnerKey, index.ZIP, index.AddressKey:
			conditions[i], err = t.lookup(ctx, field.String(), p.Values)
		default:
			conditions[i], err = t.matchFolded(ctx, field, isValue)
		}
		if err != nil {
			return nil, err
		}
	}
	return disjunction(conditions...), nil
}

// matchFolded holds for the rows with a value in field, folded, that holds. Categories are several.
func (t *Table) matchFolded(ctx context.Context, field index.Field, holds func(value string) bool) (condition, error) {
	column, part := field.String(), whole
	switch field {
	case index.CountyName:
		column = index.County.String()
		part = func(county string) string { name, _ := index.SplitCounty(index.Fold(county)); return name }
	case index.State:
		column = index.County.String()
		part = stateOf
	}
	return t.matchDictionary(ctx, column, func(_ int, word string) bool {
		return slices.ContainsFunc(listed(index.Fold(part(word))), holds)
	})
}

// lookup holds for the rows that have one of values first in their word, or whose word matches it
// as a pattern of addresses, in a column whose dictionary is sorted: words with the same first
// value are side by side there.
func (t *Table) lookup(ctx context.Context, column string, values []string) (condition, error) {
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
	return func(_ context.Context, chunk int, result bitset.Set) error {
		first, _ := slices.BinarySearch(rows, uint32(chunk*ChunkRows))
		for _, row := range rows[first:] {
			i := int(row) - chunk*ChunkRows
			if i >= ChunkRows {
				break
			}
			result.Add(i)
		}
		return nil
	}, nil
}

func (t *Table) numberRange(p index.Range) (condition, error) {
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
	return func(ctx context.Context, chunk int, rows bitset.Set) error {
		values, err := readColumn[T](ctx, t, column, chunk)
		if err != nil {
			return err
		}
		setInRange(rows, values, low, high)
		return nil
	}
}

// contains returns the conditions of p. The first one holds for the rows that may have a term of p
// in their search texts or county, as the indexes say. Unless the indexes are exact for each term,
// a second one reads the texts of these rows.
func (t *Table) contains(ctx context.Context, p index.Contains) ([]condition, error) {
	texts, err := t.countyTexts(ctx)
	if err != nil {
		return nil, err
	}
	var certain, possible []condition
	var terms [][]byte // to be looked for in texts
	for _, term := range p.Texts() {
		inCounty, err := t.matchDictionary(ctx, index.County.String(), func(code int, _ string) bool {
			return strings.Contains(texts[code], term)
		})
		if err != nil {
			return nil, err
		}
		certain = append(certain, inCounty)
		if term == "" || !utf8.ValidString(term) { // "" is in every county; invalid UTF-8 is nowhere
			continue
		}
		switch rows, isRun, err := t.ofRuns(ctx, term); {
		case err != nil:
			return nil, err
		case isRun:
			certain = append(certain, rows)
		default:
			possible, terms = append(possible, rows), append(terms, []byte(term))
		}
	}
	if len(terms) == 0 {
		return []condition{disjunction(certain...)}, nil
	}
	inTexts := disjunction(append(slices.Clone(certain), t.inTexts(terms))...)
	return []condition{disjunction(append(certain, possible...)...), inTexts}, nil
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

// inBlocks holds for the rows of blocks that may have term. The index has a term of one or two
// bytes in thousands of sets, so of fewer than one row of 64 all are taken: a hundred ids with such
// a term took 1.4 times as long by the index (`go test -bench Filter/ids` in this folder).
func (t *Table) inBlocks(term []byte) condition {
	return func(ctx context.Context, chunk int, rows bitset.Set) error {
		if left := 64*len(rows) - rows.Count(); len(term) < 3 && left < len(rows) {
			return t.not(disjunction())(ctx, chunk, rows)
		}
		candidates, err := t.candidates(ctx, chunk, term)
		for block := range candidates.Numbers() {
			rows[block/blocksAWord] |= wholeBlock << (block % blocksAWord * rowsABlock)
		}
		return err
	}
}

// inTexts holds for the rows that have one of terms in their search texts. Only blocks that have a
// row whose bit is not set are read, with the bytes between two that are near each other.
func (t *Table) inTexts(terms [][]byte) condition {
	return func(ctx context.Context, chunk int, rows bitset.Set) error {
		starts, err := t.starts(ctx, chunk)
		if err != nil {
			return err
		}
		return visitOpen(rows, starts, func(first, end int) error {
			texts, err := t.source(ctx, columnSearch, chunk, int(starts[first]), int(starts[end]))
			if err != nil {
				return err
			}
			for _, term := range terms {
				find(texts, first*rowsABlock, term, rows)
			}
			return nil
		})
	}
}

// The bits of a block of rows are a part of a word.
const (
	blocksAWord = 64 / rowsABlock
	wholeBlock  = 1<<rowsABlock - 1
)

// maxGap is the largest gap between two blocks, in bytes, that is read with them: the source may
// check both at once.
const maxGap = 4096

// visitOpen calls visit for runs of blocks that have a row whose bit is not set, from first to
// before end. A run includes gaps of at most maxGap bytes.
func visitOpen(rows bitset.Set, starts []uint32, visit func(first, end int) error) error {
	first, end := -1, 0
	for block := range len(starts) - 1 {
		if ^rows[block/blocksAWord]>>(block%blocksAWord*rowsABlock)&wholeBlock == 0 {
			continue
		}
		if first >= 0 && starts[block]-starts[end] > maxGap {
			if err := visit(first, end); err != nil {
				return err
			}
			first = -1
		}
		if first < 0 {
			first = block
		}
		end = block + 1
	}
	if first < 0 {
		return nil
	}
	return visit(first, end)
}
