package changes

import (
	"testing"
	"time"

	"filings/index"
	"filings/index/indextest"
	"filings/index/indextest/edges"
)

// TestX16_Filters: a filter selects the versions that it selects as filings, by the oracle.
func TestX16_Filters(t *testing.T) {
	t.Parallel()
	fuzzed := edges.Fuzzed(300, 16)
	for _, group := range edges.Groups() {
		entries := indextest.NewOracle("", append(fuzzed, group.Filings...)).Entries()
		for _, c := range group.Cases {
			for _, e := range entries {
				want, clocked := true, false
				for _, p := range c.Where.Predicates() {
					want = want && e.Holds(p)
					_, clocked = p.(index.Times)
				}
				if got, err := selects(c.Where, indextest.VersionOf(e.Filing)); !clocked && (err != nil || got != want) {
					t.Errorf("%s, %s, filing %d: %v, %v", group.Rule, c.Where, e.ID, got, err)
				}
			}
		}
	}
}

// TestX16_Refused: what is no filter of a client, and what is no record, are errors.
func TestX16_Refused(t *testing.T) {
	t.Parallel()
	v := indextest.VersionOf(edges.Fuzzed(10, 1)[0])
	for _, p := range []index.Predicate{index.Times{To: time.Unix(0, 0)}, index.Rest{ID: 1}} {
		if _, err := selects(index.Where(p), v); err == nil {
			t.Errorf("%v: no error", p)
		}
	}
	for _, record := range []string{"", "{", `{"id":1}`, string(v.Record[:len(v.Record)/2]), `[]`} {
		if ok, err := selects(index.Where(index.IDs{IDs: []int64{1}}), index.Version{Record: index.Record(record)}); ok || err == nil {
			t.Errorf("%q: %v, %v", record, ok, err)
		}
	}
}
