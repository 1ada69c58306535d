package reindexer

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index/generation"
)

// TestX38_Kept: what the catalog keeps of the fields is what the generation has, after a load, after updates that take the greatest
// value away, and after one of a generation of which nothing was kept.
func TestX38_Kept(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, store generation.Store) {
		kept := func() string {
			all, err := store.Kept(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(all[0].Values)
			if err != nil || !all[0].Live {
				t.Fatal(all[0], err)
			}
			return string(text)
		}
		mustRun(t, config(t, store, `{"id":9223372036854775807,"county":"Lee, FL","filingAmount":5,"filingDate":"2026-02-03","owner":"?"}`+"\n"+
			`{"id":9007199254740993,"county":"Lee, FL","filingAmount":7.5,"owner":"A"}`+"\n"))
		const ids = `"id":{"filled":2,"leastId":{"value":9007199254740993,"filings":1},"greatestId":{"value":9223372036854775807,"filings":1}}`
		const other = `"filingDate":{"filled":1,"least":{"value":20260203,"filings":1},"greatest":{"value":20260203,"filings":1}},`
		want := `{"county":{"filled":2},"filingAmount":{"filled":2,"least":{"value":5,"filings":1},"greatest":{"value":7.5,"filings":1}},` +
			other + ids + `,"owner":{"filled":2}}`
		if diff := cmp.Diff(want, kept()); diff != "" {
			t.Errorf("a load (-want +got)\n%s", diff)
		}
		update := func(from generation.Store, text string) {
			cfg := config(t, from, text)
			cfg.Update, cfg.MaxShrink = true, 100
			mustRun(t, cfg)
		}
		update(store, `{"id":9007199254740993,"county":"Lee, FL","filingAmount":6,"owner":"A"}`+"\n")
		want = `{"county":{"filled":2},"filingAmount":{"filled":2,"least":{"value":5,"filings":1},"greatest":{"value":6,"filings":1}},` +
			other + ids + `,"owner":{"filled":2}}`
		if diff := cmp.Diff(want, kept()); diff != "" {
			t.Errorf("an update (-want +got)\n%s", diff)
		}
		update(unkept{store}, `{"id":9007199254740993,"deleted":true}`+"\n")
		if got := kept(); got != "null" {
			t.Errorf("of a program that keeps nothing: %s", got)
		}
		update(store, `{"id":9223372036854775807,"deleted":true}`+"\n"+`{"id":3,"county":"Lee, FL","filingAmount":-1}`+"\n")
		want = `{"county":{"filled":1},"filingAmount":{"filled":1,"least":{"value":-1,"filings":1},"greatest":{"value":-1,"filings":1}},"id":{"filled":1,"leastId":{"value":3,"filings":1},"greatestId":{"value":3,"filings":1}}}`
		if diff := cmp.Diff(want, kept()); diff != "" {
			t.Errorf("of what was not kept (-want +got)\n%s", diff)
		}
	})
}
