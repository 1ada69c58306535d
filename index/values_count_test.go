package index_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"filings/index"
	"filings/index/indextest/edges"
)

// TestX38_Values: counted in and out again, in any order, values are those of what is left, or say that they are not known.
func TestX38_Values(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 8))
	all, in, known := edges.Fuzzed(120, 38), map[int]bool{}, 0
	held := make([]index.FilingValues, len(all))
	for i, f := range all {
		held[i] = index.ValuesOf(f)
	}
	var values index.Values
	for range 3000 {
		i := random.IntN(len(all))
		n := int64(1)
		if in[i] {
			n = -1
		}
		in[i] = !in[i]
		values.Count(held[i], n)
		var want index.Values
		for i, there := range in {
			if there {
				want.Count(held[i], 1)
			}
		}
		for field := range want {
			if got := values[field]; got.Filled != want[field].Filled {
				t.Fatalf("%s: %d filled, want %d", index.Field(field), got.Filled, want[field].Filled)
			} else if got.LeastID.Filings > 0 && got.LeastID != want[field].LeastID || got.GreatestID.Filings > 0 && got.GreatestID != want[field].GreatestID {
				t.Fatalf("%s: %+v, want %+v", index.Field(field), got, want[field])
			} else if got.Least.Filings > 0 && got.Least != want[field].Least || got.Greatest.Filings > 0 && got.Greatest != want[field].Greatest {
				t.Fatalf("%s: %+v, want %+v", index.Field(field), got, want[field])
			}
		}
		if !values.Known() {
			values = want // as a load does that counts again
			continue
		}
		known++
		want[index.City], want[index.ZIP], want[index.CreatedAt] = index.FieldValues{}, index.FieldValues{}, index.FieldValues{} // are not kept
		text, err := json.Marshal(&values)
		var read index.Values
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, read, cmpopts.IgnoreFields(index.FieldValues{}, "Sum")); err != nil || diff != "" {
			t.Fatalf("%v (-want +got)\n%s", err, diff)
		}
	}
	var older index.Values
	if err := json.Unmarshal([]byte(`{"id":{"filled":2}}`), &older); err != nil || older.Known() {
		t.Errorf("ids that were not counted are known: %v", err)
	}
	if known < 1000 || known == 3000 {
		t.Errorf("known %d times", known)
	}
}
