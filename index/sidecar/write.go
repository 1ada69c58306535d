package sidecar

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"filings/index"
)

// portfoliosAChunk makes chunks of some kilobytes.
const portfoliosAChunk = 128

// owner has the counts of a key.
type owner struct {
	key, name               string
	filings, writings, most uint32 // most is the filings of the writing that is its name
	amounts, first, last    uint32
	cents                   float64
	shares                  []inCounty // those with the most filings first
	rank                    uint32     // by key
}

type inCounty struct{ county, filings uint32 }

// different returns how many owners differ in more than case, those without a key included.
func (c *owners) different() int64 {
	folded := map[string]bool{}
	for _, text := range c.written.texts {
		folded[index.Fold(text)] = true
	}
	return int64(len(folded))
}

// write writes the owners and their words.
func (c *owners) write(sink Sink) error {
	c.words.finish(c.writings)
	owners := c.owners()
	c.fillShares(owners)
	owners = numbered(owners[1:]) // 0 is no key
	return cmp.Or(
		c.writePortfolios(owners, sink),
		c.writeSelection(owners, sink),
		writeOrders(owners, sink),
		c.writeWords(sink),
	)
}

// numbered returns owners in the order of their numbers: by falling filings, then by key.
func numbered(owners []owner) []owner {
	byKey := func(a, b uint32) int { return strings.Compare(owners[a].key, owners[b].key) }
	for rank, i := range inOrder(len(owners), byKey) {
		owners[i].rank = uint32(rank)
	}
	sorted := make([]owner, 0, len(owners))
	for _, i := range inOrder(len(owners), func(a, b uint32) int {
		return cmp.Or(cmp.Compare(owners[b].filings, owners[a].filings), cmp.Compare(owners[a].rank, owners[b].rank))
	}) {
		sorted = append(sorted, owners[i])
	}
	return sorted
}

// owners returns the owners by the numbers of their keys.
func (c *owners) owners() []owner {
	owners := make([]owner, len(c.keys.texts))
	for i, w := range c.writings {
		o, text := &owners[w.owner], c.written.texts[i]
		if w.filings > o.most || w.filings == o.most && text < o.name {
			o.most, o.name = w.filings, text
		}
		o.key = c.keys.texts[w.owner]
		o.writings++
		o.filings += w.filings
		o.amounts += w.amounts
		o.cents += w.cents
		if w.first > 0 && (o.first == 0 || w.first < o.first) {
			o.first = w.first
		}
		o.last = max(o.last, w.last)
		o.shares = append(o.shares, inCounty{w.county, w.inThat})
	}
	return owners
}

// fillShares completes the shares of the owners.
func (c *owners) fillShares(owners []owner) {
	for s, filings := range c.shares {
		o := &owners[c.writings[s.number].owner]
		o.shares = append(o.shares, inCounty{s.county, filings})
	}
	for i := range owners {
		o := &owners[i]
		slices.SortFunc(o.shares, func(a, b inCounty) int { return cmp.Compare(a.county, b.county) })
		merged := o.shares[:0]
		for _, s := range o.shares {
			if n := len(merged); n > 0 && merged[n-1].county == s.county {
				merged[n-1].filings += s.filings
			} else if c.counties.texts[s.county] != "" {
				merged = append(merged, s)
			}
		}
		slices.SortFunc(merged, func(a, b inCounty) int {
			names := c.counties.texts
			return cmp.Or(cmp.Compare(b.filings, a.filings), strings.Compare(names[a.county], names[b.county]))
		})
		o.shares = merged
	}
}

func (c *owners) writePortfolios(owners []owner, sink Sink) error {
	var data, portfolio []byte
	for chunk := 0; chunk*portfoliosAChunk < len(owners); chunk++ {
		data = data[:0]
		for i := range owners[chunk*portfoliosAChunk : min(len(owners), (chunk+1)*portfoliosAChunk)] {
			portfolio = owners[chunk*portfoliosAChunk+i].append(portfolio[:0], c.counties.texts)
			data = protowire.AppendBytes(data, portfolio)
		}
		if err := sink(sectionPortfolios, chunk, pack(nil, data)); err != nil {
			return err
		}
	}
	return nil
}

// append appends the portfolio of o, as readPortfolio reads it.
func (o *owner) append(dst []byte, counties []string) []byte {
	dst = protowire.AppendString(dst, o.name)
	for _, n := range []uint32{o.first, o.last, o.filings, o.writings, o.amounts} {
		dst = protowire.AppendVarint(dst, uint64(n))
	}
	dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(o.cents))
	for _, s := range o.shares[:min(len(o.shares), index.MaxOwnerCounties)] {
		dst = protowire.AppendVarint(protowire.AppendString(dst, counties[s.county]), uint64(s.filings))
	}
	return dst
}

// writeSelection writes the filings of each owner, and the owners of each token and each county.
func (c *owners) writeSelection(owners []owner, sink Sink) error {
	var filings []byte
	var inTokens, inCounties pairs
	tokens := numbers{byText: map[string]uint32{}}
	for i := range owners {
		o := &owners[i]
		filings = protowire.AppendVarint(filings, uint64(o.filings))
		for token := range strings.SplitSeq(o.key, " ") {
			number, _ := tokens.number(token)
			inTokens.add(number, uint32(i))
		}
		for _, s := range o.shares {
			inCounties.add(s.county, uint32(i))
		}
	}
	return cmp.Or(
		putWhole(sink, sectionFilings, filings),
		putWhole(sink, sectionTokens, inTokens.appendPostings(tokens.texts)),
		putWhole(sink, sectionCounties, inCounties.appendPostings(c.counties.texts)),
	)
}

// pairs say which owners have which texts, by their numbers.
type pairs struct{ texts, owners []uint32 }

func (p *pairs) add(text, owner uint32) {
	p.texts, p.owners = append(p.texts, text), append(p.owners, owner)
}

// appendPostings returns the texts with owners, sorted, each with their numbers, which rise.
func (p *pairs) appendPostings(texts []string) (data []byte) {
	ends := make([]uint32, len(texts)+1)
	for _, text := range p.texts {
		ends[text+1]++
	}
	for i := range texts {
		ends[i+1] += ends[i]
	}
	starts, owners := slices.Clone(ends), make([]uint32, len(p.owners))
	for i, text := range p.texts {
		owners[starts[text]] = p.owners[i]
		starts[text]++
	}
	for _, text := range inOrder(len(texts), func(a, b uint32) int { return strings.Compare(texts[a], texts[b]) }) {
		having := slices.Compact(owners[ends[text]:ends[text+1]])
		if len(having) == 0 {
			continue
		}
		data = protowire.AppendVarint(protowire.AppendString(data, texts[text]), uint64(len(having)))
		last := uint32(0)
		for _, number := range having {
			data = protowire.AppendVarint(data, uint64(number-last))
			last = number
		}
	}
	return data
}

// inOrder returns the numbers from 0 to before n as compare orders them.
func inOrder(n int, compare func(a, b uint32) int) []uint32 {
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, compare)
	return order
}

// writeOrders writes all orders but the default one, in both directions, with ties by key.
func writeOrders(owners []owner, sink Sink) error {
	names := make([]string, len(owners))
	for i := range owners {
		names[i] = index.Fold(owners[i].name)
	}
	compare := [...]func(a, b uint32) int{
		index.OwnersByFilings: func(a, b uint32) int { return cmp.Compare(owners[a].filings, owners[b].filings) },
		index.OwnersByAmount:  func(a, b uint32) int { return cmp.Compare(owners[a].cents, owners[b].cents) },
		index.OwnersByName:    func(a, b uint32) int { return strings.Compare(names[a], names[b]) },
	}
	for sort, compareBy := range compare {
		falling := inOrder(len(owners), func(a, b uint32) int { // those by filings are sorted so
			return cmp.Or(compareBy(b, a), cmp.Compare(owners[a].rank, owners[b].rank))
		})
		rising := make([]uint32, 0, len(owners))
		for end := len(falling); end > 0; {
			start := end - 1
			for start > 0 && compareBy(falling[start-1], falling[start]) == 0 {
				start--
			}
			rising = append(rising, falling[start:end]...)
			end = start
		}
		for i, order := range [][]uint32{rising, falling} {
			section := orderOf(index.OwnerSort(sort), i == 0)
			if section == "" {
				continue
			}
			data, err := binary.Append(nil, binary.LittleEndian, order)
			if err = cmp.Or(err, putWhole(sink, section, data)); err != nil {
				return err
			}
		}
	}
	return nil
}

// orderOf names the section of an order, "" for the one that owners are numbered in.
func orderOf(sort index.OwnerSort, ascending bool) string {
	switch {
	case ascending:
		return sectionOrder + index.OwnerSorts[sort] + " rising"
	case sort == index.OwnersByFilings:
		return ""
	}
	return sectionOrder + index.OwnerSorts[sort] + " falling"
}

// writeWords writes the words by how long they are, then by their bytes, each with its filings.
func (c *owners) writeWords(sink Sink) error {
	texts := c.words.words.texts
	lengths := make([]int, len(texts))
	for i, word := range texts {
		lengths[i] = utf8.RuneCountInString(word)
	}
	var data []byte
	for _, i := range inOrder(len(texts), func(a, b uint32) int {
		if lengths[a] != lengths[b] {
			return lengths[a] - lengths[b]
		}
		return strings.Compare(texts[a], texts[b])
	}) {
		data = protowire.AppendVarint(protowire.AppendString(data, texts[i]), uint64(c.words.counts[i].filings))
	}
	return putWhole(sink, sectionWords, data)
}
