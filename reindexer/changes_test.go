package reindexer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/embedded"
	"filings/index/generation"
)

// snapshot returns the records of a generation by id.
func snapshot(t *testing.T, store generation.Store, name string) map[int64]string {
	t.Helper()
	r, err := store.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	page, err := r.Rows(t.Context(), index.Query{Sort: index.DefaultSort, Limit: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	records := map[int64]string{}
	for _, record := range page.Records {
		f := struct{ ID int64 }{}
		if _, err := fmt.Sscanf(string(record), `{"id":%d,`, &f.ID); err != nil {
			t.Fatal(err)
		}
		records[f.ID] = string(record)
	}
	return records
}

// changesOf reads a step in pages.
func changesOf(t *testing.T, store generation.Store, name string, limit int) (all []index.Change) {
	t.Helper()
	for after := int64(0); ; {
		page, err := store.Changes(t.Context(), index.ChangeQuery{Generations: []string{name},
			FieldGroups: index.AllFieldGroups, LastID: after, Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page.Changes...)
		if !page.More {
			return all
		}
		after = page.Changes[len(page.Changes)-1].ID
	}
}

// wantStep compares a step with what differs between two snapshots.
func wantStep(t *testing.T, store generation.Store, step index.Changeset, before, after map[int64]string) {
	t.Helper()
	want, got, counts := map[int64][2]string{}, map[int64][2]string{}, Changes{}
	for id := range maps.Keys(before) {
		if before[id] != after[id] {
			want[id] = [2]string{before[id], after[id]}
		}
	}
	for id := range after {
		if before[id] != after[id] {
			want[id] = [2]string{before[id], after[id]}
		}
	}
	last := int64(0)
	for _, c := range changesOf(t, store, step.Generation, 7) {
		got[c.ID] = [2]string{string(c.Earlier.Record), string(c.Later.Record)}
		if c.ID <= last {
			t.Errorf("%d comes behind %d", c.ID, last)
		}
		last = c.ID
		switch {
		case c.Earlier.Record == nil:
			counts.Added++
		case c.Later.Record == nil:
			counts.Removed++
		default:
			counts.Changed++
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes of %s (-want +got):\n%s", step.Generation, diff)
	}
	if diff := cmp.Diff(counts, Changes{step.Added, step.Changed, step.Removed}); diff != "" {
		t.Errorf("counts of %s (-want +got):\n%s", step.Generation, diff)
	}
}

func steps(t *testing.T, store generation.Store) []index.Changeset {
	t.Helper()
	all, err := store.Changesets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestX18_Steps: each load has the step from what was live, also behind a rollback, and a load that changes nothing an empty
// one.
func TestX18_Steps(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, store generation.Store) {
		load := func(update bool, text string) Report {
			cfg := config(t, store, text)
			cfg.Update, cfg.MaxShrink, cfg.Keep = update, 99, 10
			return mustRun(t, cfg)
		}
		first := load(false, owned("Ann", upTo(50)...))
		if first.Changes != nil || len(steps(t, store)) != 0 {
			t.Errorf("the first load has changes %+v, steps %v", first.Changes, steps(t, store))
		}
		second := load(false, owned("Ann", upTo(20)...)+owned("Bob", 31, 32)+owned("Ann", 41, 42, 77, 78))
		third := load(true, owned("Cid", 5, 99)+`{"id":6,"deleted":true}`+"\n"+`{"id":12345,"deleted":true}`+"\n"+owned("Ann", 7))
		if err := store.Swap(t.Context(), third.Generation, second.Generation); err != nil {
			t.Fatal(err)
		}
		fourth := load(true, owned("Dan", 1))
		fifth := load(true, owned("Dan", 1))
		parents := []string{fourth.Generation, second.Generation, second.Generation, first.Generation}
		for i, step := range steps(t, store) {
			if i >= len(parents) || step.Parent != parents[i] {
				t.Fatalf("step %d is %+v, want the parents %v", i, step, parents)
			}
			wantStep(t, store, step, snapshot(t, store, step.Parent), snapshot(t, store, step.Generation))
		}
		if diff := cmp.Diff(&Changes{Added: 2, Changed: 2, Removed: 26}, second.Changes); diff != "" {
			t.Errorf("changes of the second load (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(&Changes{Added: 1, Changed: 1, Removed: 1}, third.Changes); diff != "" {
			t.Errorf("changes of the third load (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(&Changes{}, fifth.Changes); diff != "" {
			t.Errorf("changes of the fifth load (-want +got):\n%s", diff)
		}
	})
}

// TestX19_StepsOutliveGenerations: steps are kept for so many generations, those that were pruned included.
func TestX19_StepsOutliveGenerations(t *testing.T) {
	t.Parallel()
	onEitherEngine(t, func(t *testing.T, store generation.Store) {
		var snapshots []map[int64]string
		var names []string
		for i := range 6 {
			cfg := config(t, store, owned(fmt.Sprint("Owner ", i), upTo(5+i)...)+owned("Same", 50))
			cfg.Keep, cfg.KeepChanges = 1, 3
			report := mustRun(t, cfg)
			names = append(names, report.Generation)
			snapshots = append(snapshots, snapshot(t, store, report.Generation))
		}
		if got := generationNames(t, store); len(got) != 2 {
			t.Errorf("the generations are %v", got)
		}
		all := steps(t, store)
		if len(all) != 3 {
			t.Fatalf("the steps are %v", all)
		}
		for i, step := range all {
			if at := 5 - i; step.Generation != names[at] || step.Parent != names[at-1] {
				t.Errorf("step %d is %+v", i, step)
			} else {
				wantStep(t, store, step, snapshots[at-1], snapshots[at])
			}
		}
		_, err := store.Changes(t.Context(), index.ChangeQuery{Generations: names[2:3], FieldGroups: index.AllFieldGroups, Limit: 9})
		if !errors.Is(err, index.ErrGone) {
			t.Errorf("changes of a step that is too old: %v", err)
		}
	})
}

// TestX19_NoStepOfWhatFailed: a load that fails, or dies, while changes are worked out promotes nothing, has no step, and the
// next one leaves nothing of it.
func TestX19_NoStepOfWhatFailed(t *testing.T) {
	t.Parallel()
	onEitherEngine(t, func(t *testing.T, store generation.Store) {
		if _, is := store.(*embedded.Store); is { // under a clock that moves: no two generations have one name
			var err error
			if store, err = embedded.Open(embedded.Config{Dir: t.TempDir(), Index: "filings"}); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { store.(*embedded.Store).Close() })
		}
		mustRun(t, config(t, store, owned("Ann", upTo(10)...)))
		for _, call := range []string{"WriteChangeset", "after WriteChangeset", "Promote"} {
			broken := errors.New("the network is down")
			bad := &faulty{Store: store}
			bad.before = func(name string, _ *index.Filing) error {
				if name == call {
					return broken
				}
				return nil
			}
			bad.after = func(name string) error {
				if "after "+name == call {
					return broken
				}
				return nil
			}
			cfg := config(t, bad, owned("Bob", upTo(10)...))
			if report, err := Run(t.Context(), cfg); !errors.Is(err, broken) || report.Promoted {
				t.Errorf("%s: %v, %+v", call, err, report)
			}
			if got := steps(t, store); len(got) != 0 {
				t.Errorf("%s: steps %v", call, got)
			}
		}
		report := mustRun(t, config(t, store, owned("Cid", upTo(10)...)))
		if got := steps(t, store); len(got) != 1 || got[0].Generation != report.Generation || got[0].Changed != 10 {
			t.Errorf("steps %+v, want that of %s", got, report.Generation)
		}
	})
}

// TestX19_UpdatesCompareWhatTheyTouched: a full load reads the fingerprints of all filings, twice; an update none of them.
func TestX19_UpdatesCompareWhatTheyTouched(t *testing.T) {
	t.Parallel()
	onEitherEngine(t, func(t *testing.T, store generation.Store) {
		reads := 0
		counting := &faulty{Store: store, before: func(call string, _ *index.Filing) error {
			if call == "Fingerprints" {
				reads++
			}
			return nil
		}}
		run := func(update bool, owner string, ids ...int) Report {
			created := strings.ReplaceAll(owned(owner, ids...), "}", `,"createdAt":"2020-01-01T00:00:00Z"}`)
			cfg := config(t, counting, created)
			cfg.Update = update
			return mustRun(t, cfg)
		}
		run(false, "Ann", upTo(30)...)
		for _, test := range []struct {
			update bool
			reads  int
			want   Changes
		}{{false, 2, Changes{Changed: 30}}, {true, 0, Changes{Added: 1, Changed: 3}}} {
			reads = 0
			ids := upTo(30)
			if test.update {
				ids = []int{2, 3, 5, 77}
			}
			report := run(test.update, fmt.Sprint("Bob ", test.update), ids...)
			if report.Changes == nil || *report.Changes != test.want || reads != test.reads {
				t.Errorf("update %v: changes %+v, want %+v; all fingerprints were read %d times, want %d", test.update, report.Changes, test.want, reads, test.reads)
			}
		}
	})
}

// TestX19_CreatedAt: a record that does not say when it was added keeps what the live generation says, in full loads and
// updates, and is new at the start of the load that brings it first.
func TestX19_CreatedAt(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, store generation.Store) {
		at := func(id int, created string) string {
			if created != "" {
				created = `,"createdAt":"` + created + `"`
			}
			return fmt.Sprintf(`{"id":%d,"county":"Lake, FL","owner":"O"%s}`+"\n", id, created)
		}
		run := func(update bool, text ...string) {
			cfg := config(t, store, strings.Join(text, ""))
			cfg.Update = update
			mustRun(t, cfg)
		}
		run(false, at(1, "2020-01-01T00:00:00Z"), at(2, ""), at(3, "2021-01-01T00:00:00.000001Z"))
		run(false, at(3, ""), at(2, "2022-01-01T00:00:00Z"), at(1, ""), at(4, ""), at(9_000_000_000, "2019-01-01T00:00:00Z"))
		run(true, at(9_000_000_000, ""), at(1, ""), at(5, ""))
		got := map[string]int64{}
		reader, err := store.Live(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		page, err := reader.Rows(t.Context(), index.Query{Sort: index.Sort{Field: index.CreatedAt, Ascending: true},
			Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, record := range page.Records {
			ids = append(ids, strings.SplitN(string(record), ",", 2)[0])
		}
		if want := []string{`{"id":9000000000`, `{"id":1`, `{"id":3`, `{"id":2`, `{"id":5`, `{"id":4`}; !slices.Equal(ids, want) {
			t.Errorf("in the order in which they were added: %v, want %v", ids, want)
		}
		for s, err := range store.Fingerprints(context.Background(), reader.Generation()) {
			if err != nil {
				t.Fatal(err)
			}
			got[fmt.Sprint(s.ID)] = s.Created
		}
		want := map[string]int64{
			"9000000000": 1546300800000000, "1": 1577836800000000, "2": 1640995200000000, "3": 1609459200000001,
			"4": noon.UnixMicro(), "5": noon.UnixMicro(),
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("added (-want +got):\n%s", diff)
		}
	})
}

// TestX19_CreatedAtAway: a filing that was not in the live generation is new when it comes back, in a full load and in an update,
// also while the generation that had it is kept.
func TestX19_CreatedAtAway(t *testing.T) {
	t.Parallel()
	onEitherEngine(t, func(t *testing.T, store generation.Store) {
		clock := noon
		run := func(update bool, text ...string) string {
			clock = clock.AddDate(0, 0, 1)
			cfg := config(t, store, strings.Join(text, ""))
			cfg.Update, cfg.MaxShrink, cfg.Now = update, 90, func() time.Time { return clock }
			cfg.MayShrink = []string{"Orange, FL"}
			return mustRun(t, cfg).Generation
		}
		run(false, owned("A", 1), owned("B", 2), owned("C", 3))
		run(false, owned("A", 1)) // on the second day 2 and 3 are gone
		run(false, owned("A", 1), owned("B", 2))
		name := run(true, owned("C", 3))
		got := map[int64]string{}
		for s, err := range store.Fingerprints(t.Context(), name) {
			if err != nil {
				t.Fatal(err)
			}
			got[s.ID] = time.UnixMicro(s.Created).UTC().Format(time.RFC3339)
		}
		on := func(day int) string { return noon.AddDate(0, 0, day).UTC().Format(time.RFC3339) }
		if diff := cmp.Diff(map[int64]string{1: on(1), 2: on(3), 3: on(4)}, got); diff != "" {
			t.Errorf("added (-want +got):\n%s", diff)
		}
	})
}

// TestX19_CreatedAtTwice: records of an update count as if they came one after the other, each in an update of its own: what an
// earlier one said of a filing's first appearance holds for a later one that says nothing, unless it was deleted in between.
func TestX19_CreatedAtTwice(t *testing.T) {
	t.Parallel()
	onEitherEngine(t, func(t *testing.T, store generation.Store) {
		at := func(id int, created string) string {
			return strings.Replace(fmt.Sprintf(`{"id":%d,"county":"Lake, FL","owner":"O","createdAt":%q}`+"\n", id, created), `,"createdAt":""`, "", 1)
		}
		deleted := func(id int) string { return fmt.Sprintf(`{"id":%d,"deleted":true}`+"\n", id) }
		const live, early = "2020-01-01T00:00:00Z", "2001-01-01T00:00:00Z"
		mustRun(t, config(t, store, at(1, live)+at(2, live)+at(3, live)+at(4, live)))
		cfg := config(t, store, at(1, early)+at(1, "")+at(2, "")+at(2, early)+at(3, early)+at(3, "")+deleted(3)+at(3, "")+
			deleted(4)+at(4, "")+at(4, "")+at(5, early)+at(5, "")+deleted(6)+at(6, ""))
		cfg.Update = true
		name := mustRun(t, cfg).Generation
		got := map[int64]string{}
		for s, err := range store.Fingerprints(t.Context(), name) {
			if err != nil {
				t.Fatal(err)
			}
			got[s.ID] = time.UnixMicro(s.Created).UTC().Format(time.RFC3339)
		}
		now := noon.UTC().Format(time.RFC3339)
		want := map[int64]string{1: early, 2: early, 3: now, 4: now, 5: early, 6: now}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("added (-want +got):\n%s", diff)
		}
	})
}
