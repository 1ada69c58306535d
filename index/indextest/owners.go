package indextest

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"

	"filings/index"
)

// Owners implements index.Reader: it looks through all filings for each owner.
func (o *Oracle) Owners(_ context.Context, q index.OwnerQuery) (index.Owners, error) {
	of, all := o.byOwner()
	var keys []string
	for key, entries := range of {
		if wantsOwner(q, key, entries) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b string) int {
		x, y := all[a], all[b]
		order := 0
		switch q.Sort {
		case index.OwnersByFilings:
			order = int(x.Filings - y.Filings)
		case index.OwnersByAmount:
			order = cmp.Compare(x.SumCents, y.SumCents)
		case index.OwnersByName:
			order = strings.Compare(index.Fold(x.Name), index.Fold(y.Name))
		}
		if !q.Ascending {
			order = -order
		}
		return cmp.Or(order, strings.Compare(a, b))
	})
	page := index.Owners{Total: int64(len(keys))}
	for i := q.Offset; i < q.Offset+q.Limit && i < len(keys); i++ {
		page.List = append(page.List, all[keys[i]])
	}
	return page, nil
}

// byOwner returns the filings of each key, and their sums.
func (o *Oracle) byOwner() (map[string][]*Entry, map[string]index.Portfolio) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.owned == nil {
		o.owned, o.portfolios = map[string][]*Entry{}, map[string]index.Portfolio{}
		for _, e := range o.filings {
			if e.ownerKey != "" {
				o.owned[e.ownerKey] = append(o.owned[e.ownerKey], e)
			}
		}
		for key, entries := range o.owned {
			o.portfolios[key] = portfolioOf(entries)
		}
	}
	return o.owned, o.portfolios
}

func wantsOwner(q index.OwnerQuery, key string, entries []*Entry) bool {
	for _, token := range q.Tokens {
		if !strings.Contains(" "+key, " "+token) {
			return false
		}
	}
	there := func(e *Entry) bool { return e.matches(q.Where) }
	conditions := len(q.Where.Predicates()) > 0
	return int64(len(entries)) >= q.MinFilings && (!conditions || slices.ContainsFunc(entries, there))
}

func portfolioOf(entries []*Entry) (p index.Portfolio) {
	writings, counties, sum := map[string]int64{}, map[string]int64{}, amounts{}
	for _, e := range entries {
		writings[e.Text(index.Owner)]++
		counties[e.Text(index.County)]++
		sum.add(e.Filing)
		if date := e.Text(index.FilingDate); date != "" {
			p.FirstFilingDate = min(cmp.Or(p.FirstFilingDate, date), date)
			p.LastFilingDate = max(p.LastFilingDate, date)
		}
	}
	delete(counties, "")
	p.Name, p.Filings, p.Writings = mostFrequent(writings), int64(len(entries)), int64(len(writings))
	p.Amounts, p.SumCents = sum.n, float64(sum.cents)
	for county, n := range counties {
		p.Counties = append(p.Counties, index.CountyFilings{County: county, Filings: n})
	}
	slices.SortFunc(p.Counties, func(a, b index.CountyFilings) int {
		return cmp.Or(cmp.Compare(b.Filings, a.Filings), strings.Compare(a.County, b.County))
	})
	p.Counties = p.Counties[:min(20, len(p.Counties))]
	return p
}

var anyWord = regexp.MustCompile(`[\pL\p{Nd}]+`)

// Words returns how many filings have each word in owner or address.
func (o *Oracle) Words() map[string]int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.words == nil {
		o.words = map[string]int{}
		for _, e := range o.filings {
			text := e.Text(index.PropertyAddress)
			if e.ownerKey != "" {
				text += "\n" + e.Text(index.Owner)
			}
			of := anyWord.FindAllString(index.Fold(text), -1)
			slices.Sort(of)
			for _, word := range slices.Compact(of) {
				o.words[word]++
			}
		}
	}
	return o.words
}

// Nearest implements index.Reader: it measures the distance to each word.
func (o *Oracle) Nearest(_ context.Context, typed []string) ([][]string, error) {
	words := o.Words()
	all := make([][]string, len(typed))
	for i, word := range typed {
		letters := []rune(word)
		if words[word] > 0 || len(letters) < 5 || regexp.MustCompile(`\p{Nd}`).MatchString(word) {
			continue
		}
		byDistance := map[int][]string{}
		for other := range words {
			if n := len([]rune(other)) - len(letters); -2 <= n && n <= 2 {
				d := alignment(letters, []rune(other))
				byDistance[d] = append(byDistance[d], other)
			}
		}
		nearest := byDistance[1]
		if nearest == nil && len(letters) > 8 {
			nearest = byDistance[2]
		}
		slices.SortFunc(nearest, func(a, b string) int { return cmp.Or(words[b]-words[a], strings.Compare(a, b)) })
		all[i] = nearest[:min(10, len(nearest))]
	}
	return all, nil
}

// alignment is the optimal string alignment distance by its definition, over the whole table.
func alignment(a, b []rune) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0:
				d[i][j] = j
			case j == 0:
				d[i][j] = i
			case a[i-1] == b[j-1]:
				d[i][j] = d[i-1][j-1]
			default:
				d[i][j] = 1 + min(d[i-1][j], d[i][j-1], d[i-1][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}
