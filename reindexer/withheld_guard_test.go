package reindexer

import (
	"errors"
	"strings"
	"testing"

	"filings/index/generation"
	"filings/reindexer/sieve"
)

// TestX53_Guards: what is withheld is not lost to the guards, and what is lost is not withheld to them.
func TestX53_Guards(t *testing.T) {
	t.Parallel()
	store := embeddedStore(t)
	ann, wren := owned("Ann", upTo(21)...), owned("Wren Blanketflower", upTo(400)[21:]...)
	mustRun(t, config(t, store, ann+wren))
	if r := withhold(t, store, sieve.Withhold{Owner: "Wren Blanketflower"}); r.TakenOut != 379 {
		t.Fatalf("report %+v", r)
	}
	mustRun(t, config(t, store, ann+wren))
	cfg := config(t, store, owned("Bob", 1))
	cfg.Update = true
	mustRun(t, cfg)
	grown := config(t, store, ann+wren) // by filings of other amounts
	grown.MayChange = []string{"filingAmount"}
	mustRun(t, grown)
	for name, text := range map[string]string{"the others vanish": owned("Wren Blanketflower", upTo(200)[21:]...), "all but few vanish": owned("Ann", 1, 2)} {
		if _, err := Run(t.Context(), config(t, store, text)); !errors.Is(err, ErrShrunk) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := sieve.Remove(t.Context(), store, generation.Run{}, 1); err != nil {
		t.Fatal(err)
	}
	mustRun(t, grown)
}

// TestX53_GuardsOfOthers: guards compare what is left of a county. It did not shrink where only what is withheld is gone, whoever
// took that out; it did where others are gone, however many withheld records still come. One load is as good as another.
func TestX53_GuardsOfOthers(t *testing.T) {
	t.Parallel()
	const county = "Orange, FL"
	even := func(from, to int) (ids []int) {
		for id := from; id <= to; id += 2 {
			ids = append(ids, id)
		}
		return ids
	}
	phones := func(records string) string {
		return strings.ReplaceAll(records, "}", `,"ownerPhonePrimary":"407-555-0100"}`)
	}
	others, few := owned("Ann", even(2, 80)...), owned("Ann", even(2, 10)...) // 40 and 5
	wren := owned("Wren Blanketflower", even(102, 1000)...)                   // 450
	for name, test := range map[string]struct {
		before   string
		w        sieve.Withhold
		dies     bool // before it took anything out
		now      string
		withheld int64
		err      error
	}{
		"nothing changes":                  {others + wren, sieve.Withhold{}, false, others + wren, 450, nil},
		"the county leaves them out, too":  {others + wren, sieve.Withhold{}, false, others, 0, nil},
		"all others are gone":              {others + wren, sieve.Withhold{}, false, wren, 450, ErrShrunk},
		"most others are gone":             {others + wren, sieve.Withhold{}, false, few + wren, 450, ErrShrunk},
		"the file is cut off":              {others + wren, sieve.Withhold{}, false, few, 0, ErrShrunk},
		"died: nothing changes":            {others + wren, sieve.Withhold{}, true, others + wren, 450, nil},
		"died: the county leaves them out": {others + wren, sieve.Withhold{}, true, others, 0, nil},
		"died: all others are gone":        {others + wren, sieve.Withhold{}, true, wren, 450, ErrShrunk},
		"died: most others are gone":       {others + wren, sieve.Withhold{}, true, few, 0, ErrShrunk},
		"the owner of most is another one": {others, sieve.Withhold{}, false, owned("Wren Blanketflower", even(2, 60)...) + owned("Ann", even(62, 80)...), 30, nil},
		"all are withheld":                 {wren, sieve.Withhold{}, false, wren, 450, nil},
		"contacts":                         {others + phones(wren), sieve.Withhold{Contacts: true}, false, others + phones(wren), 0, nil},
		"died: contacts":                   {others + phones(wren), sieve.Withhold{Contacts: true}, true, others + phones(wren), 0, nil},
		"contacts of others are gone":      {phones(others), sieve.Withhold{Contacts: true}, false, others, 0, ErrEmptied},
		"amounts of others are gone":       {others + wren, sieve.Withhold{}, false, strings.ReplaceAll(others, "filingAmount", "currentAmount") + wren, 450, ErrEmptied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, replace := range []bool{false, true} {
				store := embeddedStore(t)
				keep := owned("Kay", 1, 3, 5)
				start := config(t, store, keep+test.before)
				mustRun(t, start)
				w := test.w
				if w.Owner, w.Reason = "Wren Blanketflower", "order 7"; test.dies {
					diesAfterList(t, store, w)
				} else {
					withhold(t, store, w)
				}
				for range 2 { // nights
					cfg := config(t, store, keep+test.now)
					if replace {
						cfg = config(t, store, test.now)
						cfg.Replace = []string{county}
					}
					report, err := Run(t.Context(), cfg)
					if !errors.Is(err, test.err) || test.err == nil && err != nil || report.Withheld != test.withheld {
						t.Fatalf("replace %v: %v, %d withheld", replace, err, report.Withheld)
					}
				}
			}
		})
	}
}

// diesAfterList is a run that dies once its entry is in the list.
func diesAfterList(t *testing.T, store generation.Store, w sieve.Withhold) {
	t.Helper()
	lock, err := store.Lock(t.Context(), generation.Run{Holder: "test"})
	if err == nil {
		err = lock.Withhold(t.Context(), func(l *generation.Withheld) error {
			w.AddTo(l, noon)
			return nil
		})
	}
	if err == nil {
		err = lock.Release(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
}
