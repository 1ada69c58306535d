package reindexer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"filings/index"
	"filings/index/generation"
	"filings/reindexer/sieve"
)

// readWithheld reads the list under the lock, adds the run's entry, and finds the filings that the
// live generation, `live` or "" for none, still has of its entries that are not complete.
func (r *running) readWithheld(ctx context.Context, live string) (err error) {
	var list generation.Withheld
	added := func(*generation.Withholding) bool { return false }
	if w := r.cfg.Withhold; w == nil {
		list, err = r.cfg.Store.Withheld(ctx)
	} else {
		err = r.lock.Withhold(ctx, func(l *generation.Withheld) error {
			added = w.AddTo(l, r.started)
			list = *l
			return nil
		})
	}
	if err != nil {
		return err
	}
	day, incomplete := r.started.UTC().Format(time.DateOnly), 0
	active := func(e *generation.Withholding) bool { return e.Active(day) }
	r.unfinished = func(e *generation.Withholding) bool { return active(e) && !e.Complete }
	for i := range list.Entries {
		e := &list.Entries[i]
		if active(e) {
			r.active = append(r.active, e.Number)
		}
		if r.unfinished(e) && !added(e) {
			incomplete++
		}
	}
	r.sieve, r.pending = sieve.New(&list, active), sieve.New(&list, r.unfinished)
	if s := sieve.New(&list, active); s != nil { // one of its own: it is used meanwhile
		r.reading.withholds = func(f *index.Filing) bool {
			whole := s.Verdict(f) == sieve.Whole
			if whole {
				r.withheld.Add(1)
			}
			return whole
		}
	}
	if r.cfg.Withhold != nil && incomplete == 0 {
		r.pendingFilter = r.cfg.Withhold.Where()
	}
	if r.pending == nil || live == "" || r.ignoresLive() {
		return nil
	}
	for c, err := range r.pending.Found(ctx, r.cfg.Store, live, r.pendingFilter) {
		switch {
		case err != nil && r.cfg.Update:
			return fmt.Errorf("looking for what is withheld: %w", err)
		case err != nil: // it cannot be read, and guards compare with all of it
			return nil
		case !r.cfg.Update:
			r.exempt(index.ValuesOf(&c.Filing), c.Verdict)
			r.taken[c.Filing.ID] = true
		}
		r.takes = append(r.takes, change{filing: c.Filing})
	}
	return nil
}

// exempt has the guards compare with a live generation without the withheld values of a filing:
// these are never lost.
func (r *running) exempt(h index.FilingValues, v sieve.Verdict) {
	if r.liveCounts == nil || v == sieve.Nothing {
		return
	}
	r.liveCounts.Count(h, -1)
	r.exempted[index.Fold(h.County)] = v == sieve.Whole || r.exempted[index.Fold(h.County)]
	if v == sieve.Contacts {
		h.Filled &^= sieve.ContactBits
		r.liveCounts.Count(h, 1)
	}
}

// storeTime is how long the dry run of a full load waits for the live generation, and for the list.
const storeTime = 5 * time.Second

// lookWithheld is readWithheld of a dry run. That of a full load, for which the store need not
// respond, warns, and returns false.
func (r *running) lookWithheld(ctx context.Context, live string) (read bool, err error) {
	if r.cfg.Store == nil { // of a test of sources
		return true, nil
	}
	if r.cfg.Update {
		return true, r.readWithheld(ctx, live)
	}
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	err = r.readWithheld(ctx, live)
	if errors.Is(err, index.ErrUnavailable) || ctx.Err() != nil {
		r.warn("what is withheld, and what is live, could not be read: the former counts as any other record, and "+
			"nothing is compared: %v", err)
		return false, nil
	}
	return true, err
}

// purge takes withheld filings out of all that is kept besides the live generation, and says in the
// list that nothing has them.
func (r *running) purge(ctx context.Context, live string) error {
	if r.pending == nil {
		return nil
	}
	purged, err := r.lock.Purge(ctx, live, r.holdsWithheld, r.pending.Strip)
	for _, name := range purged {
		r.cfg.Log.Info("a generation was deleted, which had filings that are withheld", "generation", name)
	}
	if err == nil {
		err = r.lock.Withhold(ctx, func(l *generation.Withheld) error {
			for i := range l.Entries {
				if e := &l.Entries[i]; r.unfinished(e) {
					e.Complete = true
					if r.cfg.Withhold != nil && e.Filings == 0 {
						e.Filings = int64(len(r.takes))
					}
				}
			}
			return nil
		})
	}
	if err != nil {
		err = fmt.Errorf("the list withholds them from each load from now on, "+
			"but not all that is kept is without them: run it again: %w", err)
	}
	if err != nil && r.cfg.Withhold == nil {
		r.cfg.Log.Warn("what is withheld is still in older generations or changes", "error", err)
		return nil
	}
	return err
}

// holdsWithheld reports whether a generation has withheld filings, or cannot be read to the end.
func (r *running) holdsWithheld(ctx context.Context, name string) (bool, error) {
	for _, err := range r.pending.Found(ctx, r.cfg.Store, name, r.pendingFilter) {
		switch {
		case ctx.Err() != nil:
			return false, ctx.Err()
		case errors.Is(err, index.ErrUnavailable) && !errors.Is(err, index.ErrDamaged):
			return false, err
		}
		return true, nil
	}
	return false, nil
}

// sift marks the withheld ones of some records, and empties contacts.
func (r *running) sift(batch []change) {
	for i := range batch {
		c := &batch[i]
		if c.deleted {
			continue
		}
		if c.withheld = r.sieve.Verdict(&c.filing); c.withheld == sieve.Contacts {
			r.contacts.Add(1)
			sieve.EmptyContacts(&c.filing)
		}
	}
}
