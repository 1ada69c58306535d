package index

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"filings/index/address"
)

// Dimension is a value by which filings are grouped.
type Dimension uint8

// Dimensions. Each filing has one key in a dimension, or none; in ByCategory as many as it has
// categories.
const (
	ByState Dimension = iota
	ByCounty
	ByCity // as loaded, or else read from PropertyAddress (rule P7)
	ByFilingType
	ByDay   // YYYY-MM-DD of FilingDate
	ByMonth // YYYY-MM of FilingDate
	ByYear  // YYYY of FilingDate
	ByPropertyClassification
	ByCategory
	ByHolder
	ByOwner   // by OwnerKeyOf
	ByAddress // by AddressKey

	numDimensions

	ByDateRange = numDimensions // as on the records; the API lists them, and does not group by them
)

var dimensions = [...]string{
	ByState: "state", ByCounty: "county", ByCity: "city", ByFilingType: "filing_type",
	ByDay: "day", ByMonth: "month", ByYear: "year",
	ByPropertyClassification: "property_classification", ByCategory: "category", ByHolder: "holder", ByOwner: "owner",
	ByAddress: "address", ByDateRange: "date_range",
}

// String returns the name of d in the API.
func (d Dimension) String() string { return dimensions[d] }

// Dimensions returns the dimensions of the API. A Dimension is its position.
func Dimensions() []Dimension {
	listed := make([]Dimension, numDimensions)
	for i := range listed {
		listed[i] = Dimension(i)
	}
	return listed
}

// MaxGroups is how many groups a response has at the most: some 2 MB of JSON, which a client reads
// at once. MaxCompared is of how many the first ones are found: some 60 MB while they are.
const MaxGroups, MaxCompared = 10_000, 200_000

// GroupQuery requests groups.
type GroupQuery struct {
	Dimensions []Dimension // one or two different ones
	Sort       GroupSort
	Ascending  bool
	Limit      int // how many of the first groups, at most MaxGroups; 0 for all
	// AsWritten: keys that differ in case are two, and there may be any number of groups.
	AsWritten bool
}

// GroupSort is a value by which groups are sorted. Ties, and the keys of groups of as many filings,
// are by the code points of their keys, no value last.
type GroupSort uint8

// Sorts of groups.
const (
	SortByFilings GroupSort = iota
	SortBySum               // of the amounts
	SortByKey               // no value last in both directions
)

// GroupSorts are the names of all sorts in the API, each at its position.
var GroupSorts = []string{SortByFilings: "filings", SortBySum: "sum", SortByKey: "key"}

// Most is how many groups there may be, in all: beyond it they are only counted.
func (q GroupQuery) Most() int {
	switch {
	case q.AsWritten:
		return math.MaxInt32
	case q.Limit > 0:
		return MaxCompared
	}
	return MaxGroups
}

// Groups are the groups that a GroupQuery requests, in its order, and how many there are in all.
// List is nil if there are more than its Most.
type Groups struct {
	Total int64
	List  []Group
}

// Group sums up the filings that have the same keys.
type Group struct {
	// Keys are as written on the records, in the order of the dimensions; "" of filings without a
	// value. An address is named by its key, since its spelling may lack the city. Values that
	// differ in case alone, and owners of one OwnerKey, are one key: the one that most of the
	// counted filings have, of equally frequent ones the first by code point.
	Keys                 [2]string
	Filings              int64
	Amounts              int64 // filings that have a FilingAmount
	SumCents             float64
	MinAmount, MaxAmount float64 // dollars; 0 where no filing has an amount
}

// compare orders groups as q requests them.
func (q GroupQuery) compare(a, b Group) int {
	ascending := 1
	if !q.Ascending {
		ascending = -1
	}
	var first, keys int
	switch q.Sort {
	case SortByFilings:
		first = ascending * cmp.Compare(a.Filings, b.Filings)
	case SortBySum:
		first = ascending * cmp.Compare(a.SumCents, b.SumCents)
	}
	for i := 0; i < len(a.Keys) && keys == 0; i++ {
		switch keys = cmp.Compare(a.Keys[i], b.Keys[i]); {
		case a.Keys[i] == "" || b.Keys[i] == "":
			keys = -keys
		case q.Sort == SortByKey:
			keys *= ascending
		}
	}
	return cmp.Or(first, keys)
}

// Text returns the canonical text of q for the filings that w selects.
func (q GroupQuery) Text(w Filter) string {
	order := ""
	if q.Sort != SortByFilings || q.Ascending || q.Limit > 0 {
		order = fmt.Sprintf("sort %s ascending %t limit %d ", GroupSorts[q.Sort], q.Ascending, q.Limit)
	}
	if q.AsWritten {
		order += "as written "
	}
	return q.Kind() + " " + order + w.String()
}

// Kind names the queries with the dimensions of q, which take about as long.
func (q GroupQuery) Kind() string {
	names := make([]string, len(q.Dimensions))
	for i, d := range q.Dimensions {
		names[i] = d.String()
	}
	return "groups by " + strings.Join(names, ",")
}

// Grouping makes Groups of parts: filings that an engine counted by their keys as they are written.
// Beyond the query's Most it only counts groups.
type Grouping struct {
	query  GroupQuery
	keys   [2]keyTable
	groups map[[2]uint32]*Group // by their keys' numbers; nil for one past Most
}

// NewGrouping returns a Grouping without filings.
func NewGrouping(q GroupQuery) *Grouping {
	g := &Grouping{query: q, groups: map[[2]uint32]*Group{}}
	for i := range g.keys {
		g.keys[i] = keyTable{fold: Fold, numbers: map[string]uint32{}, folded: map[string]uint32{}}
		switch {
		case q.AsWritten:
			g.keys[i].fold = func(key string) string { return key }
		case i < len(q.Dimensions) && q.Dimensions[i] == ByOwner:
			g.keys[i].fold = OwnerKeyOf
		}
		if i < len(q.Dimensions) && q.Dimensions[i] == ByAddress {
			g.keys[i].fold, g.keys[i].byKey = address.Text, true
		}
	}
	return g
}

// Add adds a part, whose Keys are as written on all of its filings, or the words of their
// addresses. Parts may repeat keys.
func (g *Grouping) Add(part Group) {
	if part.Filings == 0 {
		return
	}
	keys := [2]uint32{g.keys[0].add(part.Keys[0], part.Filings), g.keys[1].add(part.Keys[1], part.Filings)}
	group, known := g.groups[keys]
	switch {
	case known && group != nil:
		group.add(part)
	case known:
	case len(g.groups) >= g.query.Most():
		g.groups[keys] = nil
	default:
		g.groups[keys] = &part
	}
}

// TooMany reports whether there are more than Most: amounts make no difference any more.
func (g *Grouping) TooMany() bool { return len(g.groups) > g.query.Most() }

// Groups returns the groups of the added parts.
func (g *Grouping) Groups() Groups {
	groups := Groups{Total: int64(len(g.groups))}
	if g.TooMany() {
		return groups
	}
	groups.List = make([]Group, 0, len(g.groups))
	first, second := g.keys[0].mostFrequent(), g.keys[1].mostFrequent()
	for keys, group := range g.groups {
		group.Keys = [2]string{first[keys[0]], second[keys[1]]}
		groups.List = append(groups.List, *group)
	}
	slices.SortFunc(groups.List, g.query.compare)
	if n := g.query.Limit; 0 < n && n < len(groups.List) {
		groups.List = slices.Clone(groups.List[:n]) // the others need not stay
	}
	return groups
}

// add adds the filings of a part.
func (g *Group) add(part Group) {
	g.Filings += part.Filings
	if part.Amounts == 0 {
		return
	}
	if g.Amounts == 0 {
		g.MinAmount, g.MaxAmount = part.MinAmount, part.MaxAmount
	}
	g.Amounts += part.Amounts
	g.SumCents += part.SumCents
	g.MinAmount, g.MaxAmount = min(g.MinAmount, part.MinAmount), max(g.MaxAmount, part.MaxAmount)
}

// keyTable counts the writings of the keys of a dimension. The number of a key is that of its first
// writing.
type keyTable struct {
	fold     func(written string) string // the same for all spellings of a key
	byKey    bool                        // a key is named by that
	numbers  map[string]uint32           // of writings
	folded   map[string]uint32           // of keys
	writings []writing                   // by number
}

type writing struct {
	text    string
	key     uint32
	filings int64
}

// add counts filings whose key is written as text, and returns the key's number.
func (t *keyTable) add(text string, filings int64) (key uint32) {
	number, ok := t.numbers[text]
	if !ok {
		number = uint32(len(t.writings))
		t.numbers[text] = number
		folded := t.fold(text)
		if key, ok = t.folded[folded]; !ok {
			key = number
			t.folded[folded] = key
		}
		if folded == "" || t.byKey {
			text = folded
		}
		t.writings = append(t.writings, writing{text: text, key: key})
	}
	w := &t.writings[number]
	w.filings += filings
	return w.key
}

// mostFrequent returns the most frequent writing of each key by its number.
func (t *keyTable) mostFrequent() []string {
	best := make([]writing, len(t.writings))
	for _, w := range t.writings {
		if b := &best[w.key]; w.filings > b.filings || w.filings == b.filings && w.text < b.text {
			*b = w
		}
	}
	texts := make([]string, len(best))
	for i, b := range best {
		texts[i] = b.text
	}
	return texts
}
