package indextest

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"filings/index"
)

// Groups implements index.Reader: it groups by folded keys, and looks through all filings of a key
// for its most frequent writing.
func (o *Oracle) Groups(_ context.Context, w index.Filter, q index.GroupQuery) (index.Groups, error) {
	type folded [2]string
	filings, sums := map[folded]int64{}, map[folded]*amounts{}
	written := [2]map[string]map[string]int64{{}, {}} // of each dimension: filings by folded key, then by writing
	for _, e := range o.filings {
		if !e.matches(w) {
			continue
		}
		for _, keys := range e.keys(q.Dimensions) {
			at := folded{}
			for i, d := range q.Dimensions {
				switch {
				case q.AsWritten:
					at[i] = keys[i]
				case d == index.ByOwner:
					at[i] = e.ownerKey
				default:
					at[i] = index.Fold(keys[i])
				}
			}
			if filings[at]++; sums[at] == nil {
				sums[at] = &amounts{}
			}
			sums[at].add(e.Filing)
			for i, key := range keys {
				if written[i][at[i]] == nil {
					written[i][at[i]] = map[string]int64{}
				}
				written[i][at[i]][key]++
			}
		}
	}
	all := index.Groups{Total: int64(len(filings))}
	if !q.AsWritten && (all.Total > 10_000 && q.Limit == 0 || all.Total > 200_000) {
		return all, nil
	}
	for at, n := range filings {
		sum := sums[at]
		all.List = append(all.List, index.Group{
			Keys: [2]string{mostFrequent(written[0][at[0]]), mostFrequent(written[1][at[1]])}, Filings: n,
			Amounts: sum.n, SumCents: float64(sum.cents), MinAmount: sum.min, MaxAmount: sum.max,
		})
	}
	slices.SortFunc(all.List, func(a, b index.Group) int { return compareGroups(q, a, b) })
	if q.Limit > 0 {
		all.List = all.List[:min(q.Limit, len(all.List))]
	}
	return all, nil
}

// compareGroups compares groups as q sorts them. A missing key is greater than all others, also where the keys fall.
func compareGroups(q index.GroupQuery, a, b index.Group) int {
	const last = "\U0010ffff" // greater than what any filing has
	order := 0
	switch q.Sort {
	case index.SortByFilings:
		order = cmp.Compare(a.Filings, b.Filings)
	case index.SortBySum:
		order = cmp.Compare(a.SumCents, b.SumCents)
	case index.SortByKey:
		for i := range a.Keys {
			if a.Keys[i] != "" && b.Keys[i] != "" && a.Keys[i] != b.Keys[i] {
				order = strings.Compare(a.Keys[i], b.Keys[i])
			}
			if a.Keys[i] != b.Keys[i] {
				break
			}
		}
	}
	if !q.Ascending {
		order = -order
	}
	return cmp.Or(order, strings.Compare(cmp.Or(a.Keys[0], last), cmp.Or(b.Keys[0], last)), strings.Compare(cmp.Or(a.Keys[1], last), cmp.Or(b.Keys[1], last)))
}

// mostFrequent returns the writing that most filings have, of equally frequent ones the first.
func mostFrequent(writings map[string]int64) (best string) {
	most := int64(0)
	for text, n := range writings {
		if n > most || n == most && text < best {
			best, most = text, n
		}
	}
	return best
}

// keys returns the keys of the groups that e is in.
func (e *Entry) keys(by []index.Dimension) (all [][2]string) {
	first, second := e.keysIn(by[0]), []string{""}
	if len(by) > 1 {
		second = e.keysIn(by[1])
	}
	for _, a := range first {
		for _, b := range second {
			all = append(all, [2]string{a, b})
		}
	}
	return all
}

func (e *Entry) keysIn(d index.Dimension) []string {
	date := e.Text(index.FilingDate)
	switch d {
	case index.ByState:
		_, state := index.SplitCounty(e.Text(index.County))
		return []string{state}
	case index.ByCounty:
		return []string{e.Text(index.County)}
	case index.ByCity:
		return []string{e.Derived.WrittenCity}
	case index.ByFilingType:
		return []string{e.Text(index.FilingType)}
	case index.ByDay:
		return []string{date}
	case index.ByMonth:
		return []string{date[:min(7, len(date))]}
	case index.ByYear:
		return []string{date[:min(4, len(date))]}
	case index.ByPropertyClassification:
		return []string{e.Text(index.PropertyClassification)}
	case index.ByHolder:
		return []string{e.Text(index.FilingHolder)}
	case index.ByDateRange:
		return []string{e.Text(index.DateRange)}
	case index.ByAddress:
		return []string{e.addressKey()}
	case index.ByOwner:
		if e.ownerKey == "" {
			return []string{""}
		}
		return []string{e.Text(index.Owner)}
	}
	if len(e.Categories) == 0 {
		return []string{""}
	}
	return slices.Compact(slices.Sorted(slices.Values(e.Categories)))
}
