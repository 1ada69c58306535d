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

// TestX16_Filters: of filings that were all added, a filter selects those that it selects otherwise, by the oracle.
func TestX16_Filters(t *testing.T) {
	t.Parallel()
	fuzzed := edges.Fuzzed(300, 16)
	for _, group := range edges.Groups() {
		filings := append(slices.Clone(fuzzed), group.Filings...)
		o := indextest.NewOracle("", filings)
		var h indextest.History
		h.Step(name(1), nil, name(2), filings)
		for _, c := range group.Cases {
			if slices.ContainsFunc(c.Where.Predicates(), func(p index.Predicate) bool { _, is := p.(index.Times); return is }) {
				continue
			}
			var want, got []int64
			for _, f := range o.Select(c.Where, index.DefaultSort) {
				want = append(want, f.ID)
			}
			slices.Sort(want)
			page, err := changes.Read(t.Context(), &h, changes.Path{{Generation: name(2)}}, changes.Query{Where: c.Where, Limit: 1000})
			for _, change := range page.Changes {
				got = append(got, change.ID)
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s, %s: %v, %v, want %v", group.Rule, c.Where, got, err, want)
			}
		}
	}
}

// TestX16_Refused: what is no filter of a client, and what is no record, are errors.
func TestX16_Refused(t *testing.T) {
	t.Parallel()
	v := indextest.VersionOf(edges.Fuzzed(10, 1)[0])
	read := func(v index.Version, p index.Predicate) error {
		var h indextest.History
		h.Add(index.Step{Generation: name(2), Parent: name(1)}, []index.Change{{Generation: name(2), ID: 1, After: v}})
		_, err := changes.Read(t.Context(), &h, changes.Path{{Generation: name(2)}}, changes.Query{Where: index.Where(p), Limit: 1})
		return err
	}
	for _, p := range []index.Predicate{index.Times{To: time.Unix(0, 0)}, index.Rest{ID: 1}} {
		if read(v, p) == nil {
			t.Errorf("%v: no error", p)
		}
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
