package index

import (
	"cmp"
	"slices"
	"strings"
)

// Dimension is what filings are grouped by.
type Dimension uint8

// Dimensions. Each filing has one key in a dimension, or none; in ByCategory as many as it has categories.
const (
	ByState Dimension = iota
	ByCounty
	ByCity // as loaded, or else read from PropertyAddress (rule P7)
	ByFilingType
	ByMonth // YYYY-MM of FilingDate
	ByYear  // YYYY of FilingDate
	ByPropertyClassification
	ByCategory
	ByHolder
	ByOwner // by OwnerKeyOf

	numDimensions
)

var dimensions = [numDimensions]string{
	ByState: "state", ByCounty: "county", ByCity: "city", ByFilingType: "filing_type", ByMonth: "month", ByYear: "year",
	ByPropertyClassification: "property_classification", ByCategory: "category", ByHolder: "holder", ByOwner: "owner",
}

// String returns the name of d in the API.
func (d Dimension) String() string { return dimensions[d] }

// Dimensions returns all dimensions. A Dimension is its position.
func Dimensions() []Dimension {
	all := make([]Dimension, numDimensions)
	for i := range all {
		all[i] = Dimension(i)
	}
	return all
}

// MaxGroups is how many groups a response has at the most: some 2 MB of JSON, which a client reads at once.
const MaxGroups = 10_000

// Groups are all groups of some filings, sorted by CompareGroups. Where there are more than MaxGroups, List is nil.
type Groups struct {
	Total int64
	List  []Group
}

// Group sums up the filings that have the same keys.
type Group struct {
	// Keys are as written on the records, in the order of the dimensions; "" of filings without a value. Values that
	// differ in case alone, and owners of one OwnerKey, are one key: the one that most of the counted filings have, of
	// equally frequent ones the first by code point.
	Keys                 [2]string
	Filings              int64
	Amounts              int64 // filings that have a FilingAmount
	SumCents             float64
	MinAmount, MaxAmount float64 // dollars; 0 where no filing has an amount
}

// CompareGroups orders groups by falling number of filings, then by the code points of their keys, no value last.
func CompareGroups(a, b Group) int {
	return cmp.Or(cmp.Compare(b.Filings, a.Filings), compareKeys(a.Keys[0], b.Keys[0]), compareKeys(a.Keys[1], b.Keys[1]))
}

func compareKeys(a, b string) int {
	if a == "" || b == "" {
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}

// GroupsText returns the canonical text of a request for the groups of what w selects.
func GroupsText(w Filter, by []Dimension) string {
	names := make([]string, len(by))
	for i, d := range by {
		names[i] = d.String()
	}
	return "groups by " + strings.Join(names, ",") + " " + w.String()
}

// Grouping makes Groups of parts: filings that an engine counted by their keys as they are written. Beyond MaxGroups it
// only counts groups.
type Grouping struct {
	keys   [2]keyTable
	groups map[[2]uint32]*Group // by their keys' numbers; nil for what is beyond MaxGroups
}

// NewGrouping returns a Grouping by one or two dimensions, without filings.
func NewGrouping(by []Dimension) *Grouping {
	g := &Grouping{groups: map[[2]uint32]*Group{}}
	for i := range g.keys {
		g.keys[i] = keyTable{fold: Fold, numbers: map[string]uint32{}, folded: map[string]uint32{}}
		if i < len(by) && by[i] == ByOwner {
			g.keys[i].fold = OwnerKeyOf
		}
	}
	return g
}

// Add adds a part, whose Keys are as written on all of its filings. Parts may repeat keys.
func (g *Grouping) Add(part Group) {
	if part.Filings == 0 {
		return
	}
	keys := [2]uint32{g.keys[0].add(part.Keys[0], part.Filings), g.keys[1].add(part.Keys[1], part.Filings)}
	of, known := g.groups[keys]
	switch {
	case known && of != nil:
		of.add(part)
	case known:
	case len(g.groups) >= MaxGroups:
		g.groups[keys] = nil
	default:
		g.groups[keys] = &part
	}
}

// TooMany reports whether there are more than MaxGroups: amounts make no difference any more.
func (g *Grouping) TooMany() bool { return len(g.groups) > MaxGroups }

// Groups returns what was added.
func (g *Grouping) Groups() Groups {
	all := Groups{Total: int64(len(g.groups))}
	if g.TooMany() {
		return all
	}
	all.List = make([]Group, 0, len(g.groups))
	first, second := g.keys[0].mostFrequent(), g.keys[1].mostFrequent()
	for keys, group := range g.groups {
		group.Keys = [2]string{first[keys[0]], second[keys[1]]}
		all.List = append(all.List, *group)
	}
	slices.SortFunc(all.List, CompareGroups)
	return all
}

// add adds the filings of other.
func (g *Group) add(other Group) {
	g.Filings += other.Filings
	if other.Amounts == 0 {
		return
	}
	if g.Amounts == 0 {
		g.MinAmount, g.MaxAmount = other.MinAmount, other.MaxAmount
	}
	g.Amounts += other.Amounts
	g.SumCents += other.SumCents
	g.MinAmount, g.MaxAmount = min(g.MinAmount, other.MinAmount), max(g.MaxAmount, other.MaxAmount)
}

// keyTable counts the writings of the keys of a dimension. The number of a key is that of its first writing.
type keyTable struct {
	fold     func(written string) string // what is the same of all writings of a key
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
		if folded == "" {
			text = ""
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
