package changes_test

import (
	"slices"
	"testing"
	"time"

	"filings/index"
	"filings/index/changes"
	"filings/index/indextest"
	"filings/index/indextest/edges"
)

// TestX16_Filters: of filings that were all added, and then had another city, a filter selects those that it selects
// otherwise, by the oracle. There are cases of every predicate (TestGroups_EachPredicate).
func TestX16_Filters(t *testing.T) {
	t.Parallel()
	fuzzed := edges.Fuzzed(300, 16)
	for _, group := range edges.Groups() {
		filings := append(slices.Clone(fuzzed), group.Filings...)
		moved := make([]*index.Filing, len(filings))
		for i, f := range filings {
			moved[i] = edges.Clone(f)
			moved[i].SetText(index.City, "Elsewhere")
		}
		before, after := indextest.NewOracle("", filings), indextest.NewOracle("", moved)
		var h indextest.History
		h.Promote(name(1), nil, name(2), filings)
		h.Promote(name(2), filings, name(3), moved)
		for _, c := range group.Cases {
			if c.Where.Reads(index.CreatedAt) {
				continue // TestX16_Refused
			}
			had, has := selected(before, c.Where), selected(after, c.Where)
			checkIDs(t, &h, name(2), c.Where, had)
			differ := func(of, other []int64) []int64 {
				return slices.DeleteFunc(slices.Clone(of), func(id int64) bool { return slices.Contains(other, id) })
			}
			checkIDs(t, &h, name(3), c.Where, append(differ(had, has), differ(has, had)...))
		}
	}
}

// selected returns the ids of the filings that the oracle selects.
func selected(o *indextest.Oracle, w index.Filter) (ids []int64) {
	for _, f := range o.Select(w, index.DefaultSort) {
		ids = append(ids, f.ID)
	}
	return ids
}

// checkIDs holds the changes of one step, as the lowest tier sees them, to the ids that are expected.
func checkIDs(t *testing.T, h *indextest.History, generation string, w index.Filter, want []int64) {
	t.Helper()
	var got []int64
	page, err := changes.Read(t.Context(), h, changes.Path{{Generation: generation}}, changes.Query{Where: w, Limit: 1000})
	for _, change := range page.Changes {
		got = append(got, change.ID)
	}
	slices.Sort(want)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%s, %s: %v, %v, want %v", generation, w, got, err, want)
	}
}

// TestX16_Refused: the predicate that asks for what no version has, and what is no record, are errors.
func TestX16_Refused(t *testing.T) {
	t.Parallel()
	v := indextest.VersionOf(edges.Fuzzed(10, 1)[0])
	read := func(v index.Version, p index.Predicate) error {
		var h indextest.History
		h.Add(index.Changeset{Generation: name(2), Parent: name(1)}, []index.Change{{Generation: name(2), ID: 1, Later: v}})
		_, err := changes.Read(t.Context(), &h, changes.Path{{Generation: name(2)}}, changes.Query{Where: index.Where(p), Limit: 1})
		return err
	}
	if read(v, index.Times{Last: time.Unix(0, 0)}) == nil {
		t.Error("by when filings were added: no error")
	}
	ids := index.IDs{IDs: []int64{1}}
	for _, record := range []string{"", "{", `{"id":1}`, string(v.Record[:len(v.Record)/2]), `[]`} {
		if read(index.Version{Record: index.Record(record)}, ids) == nil {
			t.Errorf("%q: no error", record)
		}
	}
	if err := read(v, ids); err != nil {
		t.Error(err)
	}
}
