package sidecar

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"sort"
	"strings"

	"filings/index"
	"filings/index/bitset"
	"filings/index/cache"
	"filings/index/wire"
)

// Directory reads the owners and words that Write wrote. It is safe for concurrent use.
type Directory struct {
	generation string
	space      string // of its values in the cache
	source     Source
	cache      *cache.Cache
}

// Open returns the Directory of a generation. It reads nothing.
func Open(generation string, source Source, kept *cache.Cache) *Directory {
	return &Directory{generation, "owners of " + generation, source, kept}
}

// Generation implements index.Reader.
func (d *Directory) Generation() string { return d.generation }

// cached returns the decoded value of a section, from the cache if it is there. decode also returns
// its size.
func cached[T any](ctx context.Context, d *Directory, section string, decode func(*wire.Reader) (T, int)) (T, error) {
	key := cache.Key{Space: d.space, Text: section}
	v, _, err := cache.Get(ctx, d.cache, key, func(ctx context.Context) (v T, size int, err error) {
		data, err := whole(ctx, d.source, section)
		if errors.Is(err, index.ErrNotFound) {
			err = index.ErrNoOwners
		}
		if err != nil {
			return v, 0, err
		}
		r := wire.Reader{Rest: data}
		if v, size = decode(&r); r.Failed {
			err = ErrDamaged
		}
		return v, size, err
	})
	return v, err
}

// Owners implements index.Reader.
func (d *Directory) Owners(ctx context.Context, q index.OwnerQuery) (page index.Owners, err error) {
	filings, err := cached(ctx, d, sectionFilings, func(r *wire.Reader) (counts []uint32, size int) {
		for len(r.Rest) > 0 {
			counts = append(counts, uint32(r.Number()))
		}
		return counts, 4 * cap(counts)
	})
	if err != nil {
		return page, err
	}
	selected, err := d.selected(ctx, q, len(filings))
	if err != nil {
		return page, err
	}
	selected.Truncate(sort.Search(len(filings), func(i int) bool { return int64(filings[i]) < q.MinFilings }))
	var numbers []uint32
	skip := q.Offset
	add := func(number uint32) (more bool) {
		if skip--; skip < 0 {
			numbers = append(numbers, number)
		}
		return len(numbers) < q.Limit
	}
	if section := orderOf(q.Sort, q.Ascending); section == "" {
		for number := range selected.Numbers() {
			if !add(uint32(number)) {
				break
			}
		}
	} else {
		order, err := cached(ctx, d, section, func(r *wire.Reader) ([]uint32, int) {
			order := make([]uint32, len(filings))
			n, err := binary.Decode(r.Rest, binary.LittleEndian, order)
			r.Failed = err != nil || n != len(r.Rest) || n > 0 && int(slices.Max(order)) >= len(order)
			return order, len(r.Rest)
		})
		if err != nil {
			return page, err
		}
		for _, number := range order {
			if selected.Has(int(number)) && !add(number) {
				break
			}
		}
	}
	page.Total = int64(selected.Count())
	page.List, err = d.portfolios(ctx, numbers)
	return page, err
}

// selected returns the owners that q's tokens and counties select.
func (d *Directory) selected(ctx context.Context, q index.OwnerQuery, owners int) (bitset.Set, error) {
	selected := bitset.Full(owners)
	if len(q.Tokens) > 0 {
		tokens, err := cached(ctx, d, sectionTokens, postingsOf(owners))
		if err != nil {
			return nil, err
		}
		for _, token := range q.Tokens {
			first := sort.SearchStrings(tokens.texts, token)
			end := first + sort.Search(len(tokens.texts)-first, func(i int) bool {
				return !strings.HasPrefix(tokens.texts[first+i], token)
			})
			having := bitset.New(owners)
			tokens.addTo(having, first, end)
			selected.Keep(having)
		}
	}
	if len(q.Where.Predicates()) > 0 {
		counties, err := cached(ctx, d, sectionCounties, postingsOf(owners))
		if err != nil {
			return nil, err
		}
		having := bitset.New(owners)
		for i, county := range counties.texts {
			if q.InCounty(county) {
				counties.addTo(having, i, i+1)
			}
		}
		selected.Keep(having)
	}
	return selected, nil
}

// postings are texts, sorted, and the owners of each.
type postings struct {
	texts  []string
	starts []uint32 // of the owners of each in owners, and where the last ones end
	owners []uint32
}

// postingsOf returns a function that reads postings of so many owners.
func postingsOf(owners int) func(*wire.Reader) (postings, int) {
	return func(r *wire.Reader) (p postings, size int) {
		p.starts = []uint32{0}
		for len(r.Rest) > 0 {
			p.texts = append(p.texts, string(r.Text()))
			number := uint64(0)
			for range r.Number() {
				step := r.Number()
				number += step
				if r.Failed = r.Failed || max(step, number) >= uint64(owners); r.Failed {
					break
				}
				p.owners = append(p.owners, uint32(number))
			}
			size += len(p.texts[len(p.texts)-1]) + 16 + 4
			p.starts = append(p.starts, uint32(len(p.owners)))
		}
		return p, size + 4*cap(p.owners)
	}
}

// addTo adds the owners of the texts from first to before end.
func (p *postings) addTo(owners bitset.Set, first, end int) {
	for _, number := range p.owners[p.starts[first]:p.starts[end]] {
		owners.Add(int(number))
	}
}

// portfolios reads the portfolios of owners, and chunks that are not cached at once.
func (d *Directory) portfolios(ctx context.Context, numbers []uint32) ([]index.Portfolio, error) {
	key := func(chunk int) cache.Key { return cache.Key{Space: d.space, Text: sectionPortfolios, Part: chunk} }
	chunks := map[int][]byte{}
	var missing []int
	for _, number := range numbers {
		chunk := int(number) / portfoliosAChunk
		if _, known := chunks[chunk]; known {
			continue
		}
		data, ok := cache.Peek[[]byte](d.cache, key(chunk))
		if chunks[chunk] = data; !ok {
			missing = append(missing, chunk)
		}
	}
	for part := range slices.Chunk(missing, 64) {
		read, err := d.source(ctx, sectionPortfolios, part)
		if err != nil {
			return nil, err
		}
		for i, chunk := range part {
			if i >= len(read) {
				return nil, ErrDamaged
			}
			data, err := unpacked(read[i])
			if err != nil {
				return nil, err
			}
			chunks[chunk] = data
			cache.Set(d.cache, key(chunk), data, len(data))
		}
	}
	portfolios := make([]index.Portfolio, len(numbers))
	for i, number := range numbers {
		r := wire.Reader{Rest: chunks[int(number)/portfoliosAChunk]}
		for range number % portfoliosAChunk {
			r.Text()
		}
		portfolio := wire.Reader{Rest: r.Text()}
		if portfolios[i] = readPortfolio(&portfolio); r.Failed || portfolio.Failed {
			return nil, ErrDamaged
		}
	}
	return portfolios, nil
}

func readPortfolio(r *wire.Reader) (p index.Portfolio) {
	p.Name = string(r.Text())
	p.FirstFilingDate, p.LastFilingDate = index.DayText(uint32(r.Number())), index.DayText(uint32(r.Number()))
	p.Filings, p.Writings, p.Amounts = int64(r.Number()), int64(r.Number()), int64(r.Number())
	p.SumCents = math.Float64frombits(r.Word())
	for len(r.Rest) > 0 {
		p.Counties = append(p.Counties, index.CountyFilings{County: string(r.Text()), Filings: int64(r.Number())})
	}
	return p
}
