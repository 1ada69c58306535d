package conformance

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"filings/index"
	"filings/index/generation"
	"filings/index/indextest"
	"filings/index/indextest/edges"
)

// grouping is a reader that gets groups wrong.
type grouping struct {
	*selecting
	groups func(o *indextest.Oracle, w index.Filter, q index.GroupQuery) index.Groups
}

func (r grouping) Groups(_ context.Context, w index.Filter, q index.GroupQuery) (index.Groups, error) {
	return r.groups(r.Oracle, w, q), nil
}

// rewritten returns an oracle of filings in which change changed something.
func rewritten(o *indextest.Oracle, change func(f *index.Filing)) *indextest.Oracle {
	filings := make([]*index.Filing, len(o.Entries()))
	for i, e := range o.Entries() {
		filings[i] = edges.Clone(e.Filing)
		change(filings[i])
	}
	return indextest.NewOracle("", filings)
}

func wrongGroups() []wrong {
	type groupsOf = func(o *indextest.Oracle, w index.Filter, q index.GroupQuery) index.Groups
	groups := func(name, caught string, of groupsOf) wrong {
		return wrong{name, "Groups/" + caught, func(m *memory) generation.Store {
			m.Memory.Read = func(o *indextest.Oracle) index.Reader { return &grouping{newSelecting(o), of} }
			return m
		}}
	}
	right := func(o *indextest.Oracle, w index.Filter, q index.GroupQuery) index.Groups {
		all, _ := o.Groups(context.Background(), w, q)
		return all
	}
	changed := func(change func(*indextest.Oracle, index.Filter, *index.Groups)) groupsOf {
		return func(o *indextest.Oracle, w index.Filter, q index.GroupQuery) index.Groups {
			all := right(o, w, q)
			change(o, w, &all)
			return all
		}
	}
	return []wrong{
		groups("the 10,001st group dropped", "as_many", func(o *indextest.Oracle, w index.Filter, q index.GroupQuery) index.Groups {
			all := right(o, w, q)
			if all.Total > index.MaxGroups {
				all = right(o, w.And(index.Range{Field: index.FilingAmount, Max: edges.At(index.MaxGroups)}), q)
			}
			return all
		}),
		groups("10,001 groups at most", "as_many", changed(func(o *indextest.Oracle, _ index.Filter, all *index.Groups) {
			if all.Total == index.MaxGroups {
				all.Total, all.List = index.MaxGroups+1, nil
			}
		})),
		groups("groups sum floats", "by_hand/sums_of_cents", func(o *indextest.Oracle, w index.Filter, q index.GroupQuery) index.Groups {
			all := right(o, w, q)
			for i, g := range all.List {
				if g.Keys[0] == "Orange, FL" && g.Amounts == 3 {
					dollars := 0.0
					for _, v := range []float64{0.1, 0.2, 0.3} {
						dollars += v
					}
					all.List[i].SumCents = dollars * 100
				}
			}
			return all
		}),
		groups("no value merged into another", "by_hand/types_as_most", func(o *indextest.Oracle, w index.Filter, q index.GroupQuery) index.Groups {
			return right(rewritten(o, func(f *index.Filing) {
				if !f.Has(index.FilingType) {
					f.SetText(index.FilingType, "Municipal Lien")
				}
			}), w, q)
		}),
		groups("no value left out", "by_hand/types_as_most", changed(func(_ *indextest.Oracle, _ index.Filter, all *index.Groups) {
			all.List = slices.DeleteFunc(all.List, func(g index.Group) bool { return g.Keys[0] == "" })
			all.Total = int64(len(all.List))
		})),
		groups("no value first", "by_hand/months", changed(func(_ *indextest.Oracle, _ index.Filter, all *index.Groups) {
			slices.SortStableFunc(all.List, func(a, b index.Group) int {
				if a.Filings == b.Filings {
					return strings.Compare(a.Keys[0], b.Keys[0])
				}
				return 0
			})
		})),
		groups("keys in lower case", "by_hand/types_as_most", changed(func(_ *indextest.Oracle, _ index.Filter, all *index.Groups) {
			for i := range all.List {
				all.List[i].Keys[0] = index.Fold(all.List[i].Keys[0])
			}
		})),
		groups("the first writing", "by_hand/classifications", func(o *indextest.Oracle, w index.Filter, q index.GroupQuery) index.Groups {
			all := right(o, w, q)
			for i, g := range all.List {
				if g.Keys[0] == "Land" {
					all.List[i].Keys[0] = "land" // that of the filing with the least id
				}
			}
			return all
		}),
		groups("the writing of most filings of the generation", "by_hand/of_two_writings", changed(func(o *indextest.Oracle, w index.Filter, all *index.Groups) {
			for i, g := range all.List {
				if g.Keys[0] == "TAX LIEN" && g.Filings == 2 {
					all.List[i].Keys[0] = "Tax Lien"
				}
			}
		})),
		groups("each case a group", "by_hand/sums_of_cents", func(o *indextest.Oracle, w index.Filter, q index.GroupQuery) index.Groups {
			return right(rewritten(o, func(f *index.Filing) {
				if county := f.Text(index.County); county == strings.ToUpper(county) {
					f.SetText(index.County, "\x01"+county)
				}
			}), w, q)
		}),
		groups("owners without a key are groups", "by_hand/owners_as_most_write", func(o *indextest.Oracle, w index.Filter, q index.GroupQuery) index.Groups {
			return right(rewritten(o, func(f *index.Filing) {
				if f.Has(index.Owner) && index.OwnerKeyOf(f.Text(index.Owner)) == "" {
					f.SetText(index.Owner, "x"+f.Text(index.Owner))
				}
			}), w, q)
		}),
		groups("each writing an owner", "by_hand/owners_as_most_write", func(o *indextest.Oracle, w index.Filter, q index.GroupQuery) index.Groups {
			return right(rewritten(o, func(f *index.Filing) {
				if f.Text(index.Owner) == "Röwangate, Francis" {
					f.SetText(index.Owner, "Röwangate F")
				}
			}), w, q)
		}),
		groups("no value first where keys rise", "by_hand/first/first_keys", changed(func(_ *indextest.Oracle, _ index.Filter, all *index.Groups) {
			slices.SortStableFunc(all.List, func(a, b index.Group) int { return strings.Compare(a.Keys[0], b.Keys[0]) })
		})),
		groups("no value first where keys fall", "by_hand/first/last_keys", changed(func(_ *indextest.Oracle, _ index.Filter, all *index.Groups) {
			slices.Reverse(all.List)
		})),
		groups("as many groups as are returned", "by_hand/first/most_filings", changed(func(_ *indextest.Oracle, _ index.Filter, all *index.Groups) {
			all.Total = int64(len(all.List))
		})),
		groups("sums by their size", "by_hand/first/least_sum", func(o *indextest.Oracle, w index.Filter, q index.GroupQuery) index.Groups {
			all := right(o, w, index.GroupQuery{Dimensions: q.Dimensions})
			if q.Sort == index.SortBySum {
				slices.SortFunc(all.List, func(a, b index.Group) int { return cmp.Compare(math.Abs(a.SumCents), math.Abs(b.SumCents)) })
				all.List = all.List[:min(q.Limit, len(all.List))]
			}
			return all
		}),
		groups("one category a filing", "by_hand/both_categories", func(o *indextest.Oracle, w index.Filter, q index.GroupQuery) index.Groups {
			return right(rewritten(o, func(f *index.Filing) { f.Categories = f.Categories[:min(1, len(f.Categories))] }), w, q)
		}),
		groups("keys in the order of the table", "by_hand/two", func(o *indextest.Oracle, w index.Filter, q index.GroupQuery) index.Groups {
			q.Dimensions = slices.Sorted(slices.Values(q.Dimensions))
			return right(o, w, q)
		}),
		groups("groups of any filing", "random", func(o *indextest.Oracle, _ index.Filter, q index.GroupQuery) index.Groups {
			return right(o, index.Filter{}, q)
		}),
		groups("amounts missing are 0", "by_hand/months", func(o *indextest.Oracle, w index.Filter, q index.GroupQuery) index.Groups {
			return right(rewritten(o, func(f *index.Filing) {
				if v, ok := f.Number(index.FilingAmount); !ok || math.IsNaN(v) {
					f.SetNumber(index.FilingAmount, 0)
				}
			}), w, q)
		}),
	}
}
