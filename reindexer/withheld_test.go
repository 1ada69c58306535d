package reindexer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/changes"
	"filings/index/generation"
	"filings/index/indextest"
	"filings/reindexer/sieve"
	"filings/reindexer/source"
)

// person has filings of somebody whose name is written in two ways, of another owner and of nobody.
func person(ids ...int) string {
	return owned("BLANKETFLOWER, WREN", ids...) + strings.ReplaceAll(owned("Wren Blanketflower", 101, 102), "}",
		`,"propertyAddress":"012 North Elm Street, Orlando, FL 32801","ownerPhonePrimary":"407-555-0100"}`)
}

// withhold adds an entry in a run that must succeed.
func withhold(t testing.TB, store generation.Store, w sieve.Withhold) Report {
	t.Helper()
	if w.Reason == "" {
		w.Reason = "order 7"
	}
	cfg := Config{Store: store, Withhold: &w, Keep: 2, KeepChanges: 30, MaxShrink: 10, Holder: "test", Now: testClock().Now}
	return mustRun(t, cfg)
}

// TestX53_Add: an entry takes the filings out of all that is kept, and each later load leaves them out.
func TestX53_Add(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, store generation.Store) {
		rest := owned("Ann", upTo(40)...)
		load := func(update bool, text string) Report {
			cfg := config(t, store, text)
			cfg.Update, cfg.Keep = update, 10
			return mustRun(t, cfg)
		}
		before := load(false, rest)
		first := load(false, rest+person(51, 52, 53))
		second := load(true, owned("Bob", 5))
		report := withhold(t, store, sieve.Withhold{Owner: "Wren Blanketflower"})
		if report.TakenOut != 5 || !report.Promoted || report.Read != 0 || report.Filings != 40 {
			t.Errorf("report %+v", report)
		}
		want := live(t, store)
		if len(want) != 40 || want[5] != "Bob" {
			t.Errorf("live: %v", want)
		}
		names := []string{report.Generation + "*", before.Generation}
		if diff := cmp.Diff(names, generationNames(t, store)); diff != "" {
			t.Errorf("generations (-want +got):\n%s", diff)
		}
		for name, wanted := range map[string][]string{
			before.Generation: {"5 changed"}, second.Generation: {"51 removed", "52 removed", "53 removed", "101 removed", "102 removed"},
			first.Generation: {"5 changed", "51 removed", "52 removed", "53 removed", "101 removed", "102 removed"},
		} {
			if diff := cmp.Diff(wanted, changed(t, store, name, report.Generation, index.Filter{})); diff != "" {
				t.Errorf("changes since %s (-want +got):\n%s", name, diff)
			}
		}
		odd := index.Where(index.InCounty("Kings, NY"), index.Contains{Text: "blanketflower"})
		if diff := cmp.Diff([]string{"51 removed", "53 removed", "101 removed"}, changed(t, store, first.Generation, report.Generation, odd)); diff != "" {
			t.Errorf("changes of a county (-want +got):\n%s", diff)
		}
		nowhere(t, store, "lanketflower")

		list, err := store.Withheld(t.Context())
		if err != nil || len(list.Entries) != 1 || !list.Entries[0].Complete || list.Entries[0].Filings != 5 || list.Entries[0].Number != 1 {
			t.Errorf("the list %+v, error %v", list.Entries, err)
		}
		if again := withhold(t, store, sieve.Withhold{Owner: "WREN  BLANKETFLOWER"}); again.TakenOut != 0 || !again.Unchanged {
			t.Errorf("the same again: %+v", again)
		}
		for _, update := range []bool{false, true, false} {
			if r := load(update, rest+person(51, 52, 53)); r.Withheld != 5 || r.Read != r.Indexed+r.Updated+r.Withheld || len(live(t, store)) != 40 {
				t.Errorf("a load (update: %v): %+v, %d filings", update, r, len(live(t, store)))
			}
		}
		cfg := config(t, store, owned("Cid", 2, 4)+strings.ReplaceAll(person(52), "Kings, NY", "Orange, FL"))
		cfg.Replace, cfg.MayShrink = []string{"Orange, FL"}, []string{"Orange, FL"}
		if r := mustRun(t, cfg); r.Withheld != 3 || len(live(t, store)) != 22 {
			t.Errorf("--replace: %+v, %d filings", r, len(live(t, store)))
		}
		nowhere(t, store, "lanketflower")
		if err := sieve.Remove(t.Context(), store, generation.Run{Holder: "test"}, 1); err != nil {
			t.Fatal(err)
		}
		if err := sieve.Remove(t.Context(), store, generation.Run{Holder: "test"}, 1); !errors.Is(err, index.ErrNotFound) {
			t.Errorf("removed twice: %v", err)
		}
		if r := load(false, rest+person(51, 52, 53)); r.Withheld != 0 || len(live(t, store)) != 45 {
			t.Errorf("the next load: %+v", r)
		}
	})
}

// changed returns what changes between two generations say to who sees what where selects, "id op" each.
func changed(t testing.TB, store generation.Store, since, until string, where index.Filter) (all []string) {
	t.Helper()
	changesets, err := store.Changesets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	path, ok := changes.Find(changesets, index.GenerationID(since), index.GenerationID(until))
	if !ok {
		t.Fatalf("no path from %s to %s in %v", since, until, changesets)
	}
	page, err := changes.Read(t.Context(), store, path, changes.Query{Where: where, Tier: index.Enterprise, Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range page.Changes {
		all = append(all, fmt.Sprint(c.ID, " ", c.Op))
	}
	return all
}

// nowhere wants a text in no version of a filing that anything keeps.
func nowhere(t testing.TB, store generation.Store, text string) {
	t.Helper()
	generations, err := store.Generations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range generations {
		for s, err := range store.Stored(t.Context(), g.Name) {
			if err != nil || strings.Contains(strings.ToLower(string(s.Record)), text) {
				t.Errorf("%s has %s, error %v", g.Name, s.Record, err)
			}
		}
	}
	changesets, err := store.Changesets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range changesets {
		page, err := store.Changes(t.Context(), index.ChangeQuery{Generations: []string{s.Generation}, FieldGroups: index.AllFieldGroups, Limit: 10_000})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page.Changes {
			if strings.Contains(strings.ToLower(string(c.Earlier.Record)+string(c.Later.Record)), text) {
				t.Errorf("the changeset of %s has %s, %s", s.Generation, c.Earlier.Record, c.Later.Record)
			}
		}
	}
}

// TestX53_What: what each kind of entry leaves out, and what it leaves in.
func TestX53_What(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		w    sieve.Withhold
		left []int64 // of 51, 52, 53, 101 and 102
	}{
		"an owner":          {sieve.Withhold{Owner: "blanketflower, wren"}, nil},
		"an owner's county": {sieve.Withhold{Owner: "Wren Blanketflower", County: "Kings, NY"}, []int64{52, 102}},
		"another owner":     {sieve.Withhold{Owner: "Wren B"}, []int64{51, 52, 53, 101, 102}},
		"an id":             {sieve.Withhold{ID: 52}, []int64{51, 53, 101, 102}},
		"an address":        {sieve.Withhold{Address: "12 N Elm St, Orlando, FL 32801"}, []int64{51, 52, 53}},
		"without its ZIP":   {sieve.Withhold{Address: "12 N Elm St Orlando FL"}, []int64{51, 52, 53}},
		"without its place": {sieve.Withhold{Address: "12 N ELM ST"}, []int64{51, 52, 53}},
		"with a unit":       {sieve.Withhold{Address: "12 N Elm St Apt 4, Orlando, FL 32801"}, []int64{51, 52, 53, 101, 102}},
		"with another ZIP":  {sieve.Withhold{Address: "12 N Elm St, Orlando, FL 32803"}, []int64{51, 52, 53, 101, 102}},
		"in another city":   {sieve.Withhold{Address: "12 N Elm St, Oviedo, FL"}, []int64{51, 52, 53, 101, 102}},
		"across the street": {sieve.Withhold{Address: "12 S Elm St, Orlando, FL"}, []int64{51, 52, 53, 101, 102}},
		"contacts":          {sieve.Withhold{Owner: "Wren Blanketflower", Contacts: true}, []int64{51, 52, 53, 101, 102}},
		"that ended": {sieve.Withhold{ID: 52, LastDay: noon.AddDate(0, 0, -1).Format(time.DateOnly)},
			[]int64{51, 52, 53, 101, 102}},
		"that ends today": {sieve.Withhold{ID: 52, LastDay: noon.Format(time.DateOnly)}, []int64{51, 53, 101, 102}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, order := range []string{"loaded before", "loaded after"} {
				store := embeddedStore(t)
				text := owned("Ann", upTo(10)...) + person(51, 52, 53)
				if order == "loaded before" {
					mustRun(t, config(t, store, text))
				}
				withhold(t, store, test.w)
				if order == "loaded after" {
					mustRun(t, config(t, store, text))
				}
				var left []int64
				for id := range live(t, store) {
					if id > 50 {
						left = append(left, id)
					}
				}
				if slices.Sort(left); !slices.Equal(left, test.left) {
					t.Errorf("%s: %v are left, want %v", order, left, test.left)
				}
				if test.w.Contacts {
					nowhere(t, store, "407-555-0100")
				}
			}
		})
	}
}

// TestX53_Contacts: only contacts are withheld, of filings that keep all else, when they were added too.
func TestX53_Contacts(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, store generation.Store) {
		text := strings.ReplaceAll(owned("Ann", upTo(10)...)+person(51), `,"propertyAddress"`, `,"city":"Winter Park","createdAt":"2020-01-02T03:04:05Z","propertyAddress"`)
		first := mustRun(t, config(t, store, text))
		report := withhold(t, store, sieve.Withhold{Owner: "Wren Blanketflower", Contacts: true})
		if report.TakenOut != 2 || report.Changes == nil || *report.Changes != (Changes{Changed: 2}) {
			t.Errorf("report %+v, changes %+v", report, report.Changes)
		}
		for range 2 {
			found := 0
			name := generationNames(t, store)[0]
			for s, err := range store.Stored(t.Context(), strings.TrimSuffix(name, "*")) {
				if err != nil {
					t.Fatal(err)
				}
				if f, err := s.Filing(); err != nil || f.ID > 100 {
					found++
					if f.Text(index.OwnerPhonePrimary) != "" || s.City != "Winter Park" || s.Created != time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC).UnixMicro() {
						t.Errorf("%s, %q, %d: %v", s.Record, s.City, s.Created, err)
					}
				}
			}
			if found != 2 {
				t.Errorf("%d filings", found)
			}
			if r := mustRun(t, config(t, store, text)); r.WithheldContacts != 2 || r.Withheld != 0 {
				t.Errorf("a load: %+v", r)
			}
		}
		if names := generationNames(t, store); slices.Contains(names, first.Generation) {
			t.Errorf("%v: %s has contacts", names, first.Generation)
		}
		nowhere(t, store, "407-555-0100")
	})
}

// TestX53_Rejects: a record of a withheld owner that is no filing is no reject, of which a line would be written.
func TestX53_Rejects(t *testing.T) {
	t.Parallel()
	store := embeddedStore(t)
	withhold(t, store, sieve.Withhold{Owner: "Wren Blanketflower"})
	text := owned("Ann", upTo(3)...) + strings.Replace(owned("Wren Blanketflower", 4, 4), `"filingAmount":4.25`, `"filingAmount":"four"`, 1)
	if r := mustRun(t, config(t, store, text)); r.Rejected != 0 || r.Withheld != 2 {
		t.Errorf("report %+v", r)
	}
}

// TestX53_Wrong: what makes no sense is refused before anything changes.
func TestX53_Wrong(t *testing.T) {
	t.Parallel()
	store := embeddedStore(t)
	for _, w := range []sieve.Withhold{
		{}, {Owner: "Ann", ID: 1}, {Owner: "…"}, {ID: -1}, {Address: "Elm St, Orlando, FL"}, {Address: "12"}, {Owner: "Ann", County: "Orange"},
		{Owner: "Ann", LastDay: "tomorrow"}, {Owner: "Ann", Reason: " "},
		{Owner: "Wren Blanketflower", Reason: "asked by BLANKETFLOWER, WREN"},
		{Owner: "Wren Blanketflower", Reason: "for Wren Blanketflower, by law"},
	} {
		if w.Reason == "" {
			w.Reason = "order 7"
		}
		if _, err := Run(t.Context(), Config{Store: store, Withhold: &w}); !errors.Is(err, source.ErrUsage) {
			t.Errorf("%+v: %v", w, err)
		}
	}
	if list, err := store.Withheld(t.Context()); err != nil || len(list.Entries) > 0 {
		t.Errorf("the list %+v, error %v", list, err)
	}
}

// TestX53_Died: where a run dies at any of its calls, the entry holds for each later load or was never made; the list says that it is
// not complete, and the next run of any kind completes it.
func TestX53_Died(t *testing.T) {
	t.Parallel()
	rest := owned("Ann", upTo(12)...)
	for step, done := 0, false; !done; step++ {
		memory, calls := indextest.NewMemory(), atomic.Int64{} // a run renews its lock beside all else
		clock := testClock()
		open := func() generation.Store { return memory.Open(clock.Now, nil, nil) }
		mustRun(t, config(t, open(), rest+person(51, 52)))
		clock.Advance(time.Minute)
		ctx, die := context.WithCancel(t.Context())
		dying := memory.Open(clock.Now, func(string) error {
			if calls.Add(1) > int64(step) {
				die()
				return errors.New("it died")
			}
			return nil
		}, nil)
		_, err := Run(ctx, Config{Store: dying, Withhold: &sieve.Withhold{Owner: "Wren Blanketflower", Reason: "order 7"}, Keep: 2, KeepChanges: 30, Holder: "test", Now: clock.Now})
		done = err == nil
		clock.Advance(time.Hour) // its lock expires
		list, failed := open().Withheld(t.Context())
		if failed != nil {
			t.Fatalf("step %d: %v", step, failed)
		}
		if done && (len(list.Entries) != 1 || !list.Entries[0].Complete) {
			t.Errorf("step %d: no error, and the list is %+v", step, list.Entries)
		}
		if len(list.Entries) == 0 {
			continue
		}
		if list.Entries[0].Complete {
			nowhere(t, open(), "lanketflower")
		}
		update := step%2 == 0
		cfg := config(t, open(), owned("Bob", upTo(12)...)+person(51, 52))
		cfg.Update, cfg.Now = update, clock.Now
		mustRun(t, cfg)
		if got := live(t, open()); len(got) != 12 {
			t.Errorf("step %d: %v", step, got)
		}
		nowhere(t, open(), "lanketflower")
		if list, err := open().Withheld(t.Context()); err != nil || !list.Entries[0].Complete {
			t.Errorf("step %d, after the next load: %+v, %v", step, list.Entries, err)
		}
	}
}

// TestX53_Lost: without the list, or with an older one, nothing is loaded.
func TestX53_Lost(t *testing.T) {
	t.Parallel()
	memory := indextest.NewMemory()
	store := memory.Open(testClock().Now, nil, nil)
	mustRun(t, config(t, store, owned("Ann", upTo(5)...)))
	withhold(t, store, sieve.Withhold{ID: 3})
	older := memory.Withheld
	withhold(t, store, sieve.Withhold{ID: 4})
	for name, d := range map[string]generation.Document{"lost": {}, "an older one": older, "damaged": {Body: []byte("{"), Revision: "7"}} {
		memory.Withheld = d
		if _, err := Run(t.Context(), config(t, store, owned("Ann", upTo(5)...))); err == nil || !strings.Contains(err.Error(), "put the document") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := live(t, store); len(got) != 3 {
		t.Errorf("live: %v", got)
	}
}

// TestX53_SavedMeanwhile: what is saved while filings are withheld is not whole.
func TestX53_SavedMeanwhile(t *testing.T) {
	t.Parallel()
	for _, before := range []bool{false, true} {
		store := embeddedStore(t)
		live := mustRun(t, config(t, store, owned("Ann", upTo(5)...))).Generation
		if before {
			live = withhold(t, store, sieve.Withhold{ID: 2}).Generation
		}
		holds := index.NewCounts()
		all, err := sieve.Kept(t.Context(), store, live, &holds)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, err = range all {
			if n++; n == 1 {
				withhold(t, store, sieve.Withhold{ID: 3})
			}
		}
		if err == nil || !strings.Contains(err.Error(), "save it again") {
			t.Errorf("after %d filings: %v", n, err)
		}
	}
}

// TestX53_DryRun: a dry run counts what is withheld as the load does. Where the store does not respond, that of a full load goes on, and
// says that it does not know.
func TestX53_DryRun(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, store generation.Store) {
		contacts := strings.ReplaceAll(owned("Ann", 7), "}", `,"ownerPhonePrimary":"407-555-0100"}`)
		text := owned("Ann", upTo(6)...) + contacts + person(51, 52)
		run := func(update bool, replace ...string) {
			t.Helper()
			cfg := config(t, store, text)
			cfg.Update, cfg.Replace, cfg.MaxRejects = update, replace, 20
			cfg.DryRun = true
			dry := mustRun(t, cfg)
			cfg.DryRun = false
			real := mustRun(t, cfg)
			if dry.Withheld != real.Withheld || dry.Withheld == 0 || dry.WithheldContacts != real.WithheldContacts ||
				dry.Indexed != real.Indexed || dry.Updated != real.Updated || dry.Filings != real.Filings || dry.Rejected != real.Rejected {
				t.Errorf("update %v, replace %v: %+v, and the load %+v", update, replace, dry, real)
			}
		}
		withhold(t, store, sieve.Withhold{Owner: "Wren Blanketflower"})
		withhold(t, store, sieve.Withhold{ID: 7, Contacts: true})
		run(false)
		run(true)
		run(true, "Orange, FL")
	})
	memory := indextest.NewMemory()
	memory.Withheld = generation.Document{Body: []byte("{"), Revision: "1"}
	cfg := config(t, memory.Open(testClock().Now, nil, nil), owned("Ann", 1, 2))
	cfg.DryRun = true
	if _, err := Run(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "put the document") {
		t.Errorf("with a damaged list: %v", err)
	}
	cfg = config(t, memory.Open(testClock().Now, func(string) error { return index.ErrUnavailable }, nil), owned("Ann", 1, 2))
	cfg.DryRun = true
	if r := mustRun(t, cfg); r.Indexed != 2 || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "withheld") {
		t.Errorf("without the store: %+v", r)
	}
	cfg.Update = true
	if _, err := Run(t.Context(), cfg); !errors.Is(err, index.ErrUnavailable) {
		t.Errorf("an update without the store: %v", err)
	}
}
