package inspect

import (
	"fmt"
	"hash/maphash"
	"regexp"
	"slices"
)

// idNames are names of columns that ids are made of, a record's before a property's.
var idNames = []*regexp.Regexp{
	regexp.MustCompile(`\b((case|ticket|inst\w*|cert\w*|bill|docket|doc|document|citation) ?(id|no|num|number|nbr)?|` +
		`(lien|judge?ment) ?(id|no|num|number|nbr))$`),
	regexp.MustCompile(`\b(parcel\w*|apn|pin|folio|block ?lot|schedule|account)\b`),
	regexp.MustCompile(`\b(id|no|num|number|nbr|year|yr|lot|block)\b`),
}

// An id is made of so many columns at most, of so many that are tried.
const (
	mostParts      = 3
	mostCandidates = 12
)

// idColumns returns the columns of an id: one whose values are all different, or the fewest whose
// values together are; of columns with names of ids, or else of any that every record has.
func (f *File) idColumns() []*column {
	rank := map[*column]int{}
	var candidates []*column
	for _, c := range f.columns {
		if c.filled < f.records || !c.identifies() {
			continue
		}
		for rank[c] < len(idNames) && !idNames[rank[c]].MatchString(words(c.name)) {
			rank[c]++
		}
		candidates = append(candidates, c)
	}
	slices.SortStableFunc(candidates, func(a, b *column) int { return rank[a] - rank[b] })
	named := slices.IndexFunc(candidates, func(c *column) bool { return rank[c] == len(idNames) })
	if named < 0 {
		named = len(candidates)
	}
	for _, most := range []int{min(named, mostCandidates), min(len(candidates), mostCandidates)} {
		for n := 1; n <= mostParts; n++ {
			if parts := f.distinct(candidates[:most], nil, n); parts != nil {
				return parts
			}
		}
	}
	return nil
}

// distinct returns n of the candidates, chosen ones included, whose values together differ in all
// records.
func (f *File) distinct(candidates, chosen []*column, n int) []*column {
	if n == 0 {
		if !f.allDiffer(chosen) {
			return nil
		}
		return chosen
	}
	for i, c := range candidates {
		if found := f.distinct(candidates[i+1:], append(chosen[:len(chosen):len(chosen)], c), n-1); found != nil {
			return found
		}
	}
	return nil
}

func (f *File) allDiffer(columns []*column) bool {
	_, again := f.again(columns, 1)
	return f.rows > 0 && again == 0
}

// again counts, up to most, the records whose values of some columns a record before has, and says
// of the first of these where both stand.
func (f *File) again(columns []*column, most int) (first string, n int) {
	seen := make(map[uint64]int, f.rows)
	for row := range f.rows {
		var hash uint64
		for _, c := range columns {
			if row >= len(c.hashes) {
				return "", most
			}
			hash = maphash.Comparable(seed, [2]uint64{hash, c.hashes[row]})
		}
		if earlier, again := seen[hash]; !again {
			seen[hash] = row
		} else if n++; n == 1 {
			first = fmt.Sprintf("lines %d and %d", f.lines[earlier], f.lines[row])
		}
		if n == most {
			break
		}
	}
	return first, n
}

// almost says which records keep a column, that has the name of an id, from being one, if few.
func (f *File) almost(c *column) string {
	most := int(f.records / exceptions)
	named := idNames[0].MatchString(words(c.name)) || idNames[1].MatchString(words(c.name))
	if c.filled < f.records || !c.identifies() || !named {
		return ""
	}
	if first, n := f.again([]*column{c}, most+1); n > 0 && n <= most {
		return fmt.Sprintf("would be an id candidate but for %d (%s)", n, first)
	}
	return ""
}

// unique reports whether every record has a value of its own, other than its number.
func (f *File) unique(c *column) bool {
	return c.filled == f.records && f.records > 1 && c.identifies() && f.allDiffer([]*column{c})
}
