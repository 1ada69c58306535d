package index_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index"
)

// TestX12_Grouping: parts whose keys differ in case are one group, under the writing of most of its filings.
func TestX12_Grouping(t *testing.T) {
	t.Parallel()
	g := index.NewGrouping(index.GroupQuery{})
	for _, part := range []index.Group{
		{Keys: [2]string{"Ocoee", "a"}, Filings: 2, Amounts: 1, SumCents: -500, MinAmount: -5, MaxAmount: -5},
		{Keys: [2]string{"OCOEE", "a"}, Filings: 2},
		{Keys: [2]string{"ocoee", "A"}, Filings: 3, Amounts: 1, SumCents: 100, MinAmount: 1, MaxAmount: 1},
		{Keys: [2]string{"OCOEE", ""}, Filings: 1},
		{Keys: [2]string{"Ocoee", "b"}, Filings: 1, Amounts: 1, SumCents: 1, MinAmount: 0.01, MaxAmount: 0.01},
		{Keys: [2]string{"none", "b"}},
	} {
		g.Add(part)
	}
	want := index.Groups{Total: 3, List: []index.Group{
		{Keys: [2]string{"OCOEE", "a"}, Filings: 7, Amounts: 2, SumCents: -400, MinAmount: -5, MaxAmount: 1},
		{Keys: [2]string{"OCOEE", "b"}, Filings: 1, Amounts: 1, SumCents: 1, MinAmount: 0.01, MaxAmount: 0.01},
		{Keys: [2]string{"OCOEE", ""}, Filings: 1},
	}}
	if diff := cmp.Diff(want, g.Groups()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestX12_Grouping_TooMany: beyond the most groups of a response they are counted, each once.
func TestX12_Grouping_TooMany(t *testing.T) {
	t.Parallel()
	g := index.NewGrouping(index.GroupQuery{})
	for i := range index.MaxGroups {
		g.Add(index.Group{Keys: [2]string{fmt.Sprint("k", i)}, Filings: 1})
	}
	if all := g.Groups(); g.TooMany() || all.Total != index.MaxGroups || len(all.List) != index.MaxGroups {
		t.Errorf("%d groups, of which %d are listed", all.Total, len(all.List))
	}
	for range 2 {
		g.Add(index.Group{Keys: [2]string{"beyond", "1"}, Filings: 1})
		g.Add(index.Group{Keys: [2]string{"BEYOND", "1"}, Filings: 1})
		g.Add(index.Group{Keys: [2]string{"beyond", "2"}, Filings: 1})
		g.Add(index.Group{Keys: [2]string{"K1"}, Filings: 1})
	}
	if all := g.Groups(); !g.TooMany() || all.Total != index.MaxGroups+2 || all.List != nil {
		t.Errorf("%d groups, of which %d are listed", all.Total, len(all.List))
	}
}

// The order of dimensions is that of the keys in a response, so it is part of the text that caches go by.
func TestX12_GroupsText(t *testing.T) {
	t.Parallel()
	w := index.Where(index.InCounty("Orange, FL"))
	a := index.GroupQuery{Dimensions: []index.Dimension{index.ByCounty, index.ByMonth}}.Text(w)
	b := index.GroupQuery{Dimensions: []index.Dimension{index.ByMonth, index.ByCounty}}.Text(w)
	if a != `groups by county,month `+w.String() || b != `groups by month,county `+w.String() {
		t.Errorf("%q, %q", a, b)
	}
}
