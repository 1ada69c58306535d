package sieve

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"filings/index"
	"filings/index/generation"
)

// Matches are the filings that a Withhold takes out of the live generation.
type Matches struct {
	Filings  int64            `json:"filings"`
	Counties map[string]int64 `json:"counties"`
	Key      string           `json:"-"` // that they share, in words for the person who named it
}

// Preview returns the filings that w would take out now; ErrUsage if it names nothing.
func Preview(ctx context.Context, store generation.Store, w Withhold) (m Matches, err error) {
	m.Counties = map[string]int64{}
	kind, keys, err := w.keys()
	if err != nil {
		return m, err
	}
	m.Key = kind + " key " + keys[0].text
	list := generation.Withheld{Secret: []byte(rand.Text())}
	s := New(&list, w.AddTo(&list, time.Now()))
	for previous := ""; ; store.LookAgain() {
		live, err := store.Live(ctx)
		if err != nil || live.Generation() == "" {
			return m, err
		}
		err = m.count(s.Found(ctx, store, live.Generation(), w.Where()))
		deleted := errors.Is(err, index.ErrNotFound) || errors.Is(err, index.ErrGone)
		if !deleted || live.Generation() == previous {
			return m, err
		}
		previous = live.Generation() // another process has made another one live
	}
}

func (m *Matches) count(found iter.Seq2[Found, error]) error {
	m.Filings, m.Counties = 0, map[string]int64{}
	for c, err := range found {
		if err != nil {
			return err
		}
		m.Filings++
		m.Counties[c.Filing.Text(index.County)]++
	}
	return nil
}

// Where returns a filter that selects all that w withholds, in either folding; nil for none.
func (w Withhold) Where() *index.Filter {
	var filter index.Filter
	switch {
	case w.Contacts || w.Address != "": // their filings are needed whole, and addresses are no column
		return nil
	case w.ID != 0:
		filter = index.Where(index.IDs{IDs: []int64{w.ID}})
	default:
		filter = index.Where(index.AnyOf{Fields: []index.Field{index.OwnerKey}, Values: ownerKeys(w.Owner)})
	}
	return &filter
}

// AddTo adds w, which is valid, to a list, unless it is there, and returns a function that tells
// its entry from others.
func (w Withhold) AddTo(list *generation.Withheld, now time.Time) func(*generation.Withholding) bool {
	kind, keys, _ := w.keys()
	e := generation.Withholding{
		Kind: kind, County: index.Fold(w.County), Contacts: w.Contacts, Reason: w.Reason, Until: w.LastDay, MadeAt: now.UTC(),
	}
	mac := hasher(list.Secret)
	for _, k := range keys {
		sum := mac.digest(k)
		e.Keys = append(e.Keys, generation.Digest{Parts: k.parts, SHA256: sum[:], Mark: mac.markOf(k)})
	}
	same := func(old *generation.Withholding) bool {
		equal := func(a, b generation.Digest) bool { return a.Parts == b.Parts && string(a.SHA256) == string(b.SHA256) }
		return old.County == e.County && old.Contacts == e.Contacts && slices.EqualFunc(old.Keys, e.Keys, equal)
	}
	for i := range list.Entries {
		if old := &list.Entries[i]; same(old) {
			old.Reason, old.Until, old.Complete = e.Reason, e.Until, false
			return same
		}
	}
	list.Last++
	e.Number = list.Last
	list.Entries = append(list.Entries, e)
	return same
}

// Remove removes an entry from the list. The next load that has its records brings the filings
// back.
func Remove(ctx context.Context, store generation.Store, run generation.Run, number int) (err error) {
	run.Outcome, run.Withholds = generation.OutcomeUnchanged, true
	lock, err := store.Lock(ctx, run)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	return lock.Withhold(ctx, func(l *generation.Withheld) error {
		count := len(l.Entries)
		l.Entries = slices.DeleteFunc(l.Entries, func(e generation.Withholding) bool { return e.Number == number })
		if len(l.Entries) == count {
			return fmt.Errorf("the list has no entry %d: %w", number, index.ErrNotFound)
		}
		return nil
	})
}

// Kept yields the filings of a generation that may be saved: without withheld ones, which it takes
// out of their counts. It ends with an error if filings were withheld meanwhile.
func Kept(
	ctx context.Context, store generation.Store, name string, holds *index.Counts,
) (iter.Seq2[index.Stored, error], error) {
	list, err := store.Withheld(ctx)
	day := time.Now().UTC().Format(time.DateOnly)
	s := New(&list, func(e *generation.Withholding) bool { return e.Active(day) })
	return func(yield func(index.Stored, error) bool) {
		for stored, err := range store.Stored(ctx, name) {
			if s != nil && err == nil {
				var f *index.Filing
				if f, err = stored.Filing(); err == nil && s.Verdict(f) == Whole {
					holds.Count(index.ValuesOf(f), -1)
					continue
				}
				stored.Version = s.Strip(stored.Version)
			}
			if !yield(stored, err) || err != nil {
				return
			}
		}
		now, err := store.Withheld(ctx)
		if err == nil && !slices.Equal(now.Active(day), list.Active(day)) {
			err = errors.New("filings were withheld meanwhile: save it again")
		}
		if err != nil {
			yield(index.Stored{}, err)
		}
	}, err
}
