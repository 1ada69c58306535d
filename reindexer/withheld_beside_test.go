package reindexer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/generation"
	"filings/index/indextest"
	"filings/reindexer/sieve"
)

// TestX53_Beside: two runs of which at least one adds to the list, the second at any call of the first to its storage; the first one
// holds its lock, or was stopped for so long that it lost it, and goes on. Each holds, or says that it does not: nothing of what an add
// without an error withholds is left anywhere when both have ended, and the next load completes what another one has begun.
func TestX53_Beside(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		besideAtCalls(t, 24)
	} else {
		besideAtCalls(t, 8)
	}
}

// TestX53_BesideAll: the same, at all calls.
func TestX53_BesideAll(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "loads")
	besideAtCalls(t, 1)
}

func besideAtCalls(t *testing.T, every int) {
	adds := func(owner string) func(testing.TB, Config) Config {
		return func(_ testing.TB, cfg Config) Config {
			cfg.Withhold = &sieve.Withhold{Owner: owner, Reason: "order 7"}
			return cfg
		}
	}
	loads := func(update bool) func(testing.TB, Config) Config {
		return func(t testing.TB, cfg Config) Config {
			cfg.Inputs, cfg.Update = config(t, cfg.Store, everybody+owned("Bob", 71)).Inputs, update
			return cfg
		}
	}
	for name, test := range map[string]struct {
		first, second func(testing.TB, Config) Config
	}{
		"add, the same":     {adds("Wren Blanketflower"), adds("Blanketflower, Wren")},
		"add, another":      {adds("Wren Blanketflower"), adds("Zoe Zinnia")},
		"add beside a load": {loads(false), adds("Wren Blanketflower")},
		"beside an update":  {loads(true), adds("Wren Blanketflower")},
		"a load beside add": {adds("Wren Blanketflower"), loads(false)},
		"an update beside":  {adds("Wren Blanketflower"), loads(true)},
	} {
		for _, stopped := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", stopped: ", stopped), func(t *testing.T) {
				t.Parallel()
				for at, met := 1, true; met && !t.Failed(); at += every {
					b := newBeside(t)
					met = b.run(t, at, stopped, test.first, test.second)
					b.wantWithheld(t, fmt.Sprint("call ", at))
					b.wantCompleted(t, fmt.Sprint("call ", at, ", after another load"))
				}
			})
		}
	}
}

// TestX53_PreviewBeside: what would be withheld is counted in the live generation, also where another process makes another one live, and
// deletes the one before, at any call of the count.
func TestX53_PreviewBeside(t *testing.T) {
	t.Parallel()
	for want, w := range map[int64]sieve.Withhold{
		4: {Owner: "Blanketflower, Wren", Reason: "order 7"}, 2: {Address: "12 N Elm St, Orlando, FL 32801", Reason: "order 7"},
	} {
		for at, met := 1, true; met && !t.Failed(); at++ {
			b, calls := newBeside(t), 0
			met = false
			call := func(string) error {
				if calls++; calls == at {
					met = true
					cfg := b.config(t, nil)
					cfg.Withhold = &sieve.Withhold{Owner: "Zoe Zinnia", Reason: "order 8"}
					mustRun(t, cfg)
				}
				return nil
			}
			b.memory.Read = func(o *indextest.Oracle) index.Reader { return &deletable{o, b.memory, call} }
			store := b.memory.Open(b.clock.Now, call, nil)
			store.LiveFor = time.Second // which does not pass
			if m, err := sieve.Preview(t.Context(), store, w); err != nil || m.Filings != want || len(m.Counties) == 0 {
				t.Errorf("%s: beside call %d: %+v, %v", w.Owner+w.Address, at, m, err)
			}
		}
	}
}

// deletable is the Reader of a generation that can be deleted while it is read.
type deletable struct {
	*indextest.Oracle
	memory *indextest.Memory
	before func(call string) error
}

func (d *deletable) Rows(ctx context.Context, q index.Query) (index.Page, error) {
	if err := d.before("Rows"); err != nil {
		return index.Page{}, err
	}
	if d.memory.Parts[d.Generation()] == nil {
		return index.Page{}, index.ErrGone
	}
	return d.Oracle.Rows(ctx, q)
}

var everybody = owned("Ann", upTo(12)...) + person(51, 52) + owned("Zoe Zinnia", 61, 62)

// beside is what two runs share, and how their adds ended.
type beside struct {
	memory *indextest.Memory
	clock  *indextest.Clock
	added  []string // words of owners whose add has ended without an error
	ends   []string // of all
}

func newBeside(t *testing.T) *beside {
	b := &beside{memory: indextest.NewMemory(), clock: testClock()}
	for range 2 {
		mustRun(t, b.config(t, nil))
		b.clock.Advance(time.Minute)
	}
	return b
}

func (b *beside) open(before func(string) error) generation.Store {
	return b.memory.Open(b.clock.Now, before, nil)
}

func (b *beside) config(t testing.TB, before func(string) error) Config {
	cfg := config(t, b.open(before), everybody)
	cfg.Now, cfg.Keep, cfg.MaxShrink = b.clock.Now, 5, 50
	return cfg
}

// run runs second at a call of first, and reports whether there was such a call.
func (b *beside) run(t *testing.T, at int, stopped bool, first, second func(testing.TB, Config) Config) (met bool) {
	var one sync.Mutex // the first one's other calls wait
	calls := 0
	b.one(t, first(t, b.config(t, func(string) error {
		one.Lock()
		defer one.Unlock()
		if calls++; calls == at {
			if met = true; stopped {
				b.clock.Advance(generation.LockTTL)
			}
			b.one(t, second(t, b.config(t, nil)))
		}
		return nil
	})))
	return met
}

func (b *beside) one(t *testing.T, cfg Config) {
	_, err := Run(t.Context(), cfg)
	b.ends = append(b.ends, fmt.Sprint(cfg.Withhold != nil, " ", err))
	kinds := []error{generation.ErrLocked, generation.ErrLockLost, index.ErrNotFound} // the last one: the other has deleted what it reads
	if err != nil && !slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) }) {
		t.Errorf("a run: %v", err)
	}
	if w := cfg.Withhold; w != nil && err == nil {
		b.added = append(b.added, map[bool]string{true: "zinnia", false: "lanketflower"}[strings.Contains(w.Owner, "Zinnia")])
	}
}

// wantWithheld wants nothing to be left of what adds have reported as done, or the list calls complete.
func (b *beside) wantWithheld(t *testing.T, when string) {
	t.Helper()
	store := b.open(nil)
	list, err := store.Withheld(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	complete := sieve.New(&list, func(e *generation.Withholding) bool { return e.Complete })
	for word, owner := range map[string]string{"lanketflower": "Wren Blanketflower", "zinnia": "Zoe Zinnia"} {
		f := index.Filing{ID: 1}
		f.SetText(index.Owner, owner)
		is := complete != nil && complete.Verdict(&f) == sieve.Whole
		if slices.Contains(b.added, word) && !is {
			t.Errorf("%s: %s was added, and the list is %+v", when, owner, list.Entries)
		}
		if is {
			nowhere(t, store, word)
		}
	}
	if t.Failed() {
		t.Fatalf("%s: the runs ended with %q", when, b.ends)
	}
}

// wantCompleted wants the next load to leave nothing of what is in the list.
func (b *beside) wantCompleted(t *testing.T, when string) {
	t.Helper()
	b.clock.Advance(generation.LockTTL)
	mustRun(t, b.config(t, nil))
	list, err := b.open(nil).Withheld(t.Context())
	for _, e := range list.Entries {
		if err != nil || !e.Complete {
			t.Errorf("%s: %+v, %v", when, e, err)
		}
	}
	b.wantWithheld(t, when)
}
