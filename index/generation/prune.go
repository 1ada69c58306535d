package generation

import (
	"context"
	"slices"

	"filings/index"
)

// Delete implements Lock: first the catalog says that the generation is deleted, then it is.
func (k *lock) Delete(ctx context.Context, name string) (err error) {
	defer k.asLockLost(ctx, &err, "deleting "+name)
	was := false
	err = k.change(ctx, func(c *Catalog, again bool) error {
		tombstoned, err := c.tombstone(name)
		was = was && again || tombstoned
		return err
	})
	if err != nil {
		return err
	}
	swept, err := k.sweep(ctx)
	if err == nil && !was && !stored(swept, name) {
		err = index.ErrNotFound
	}
	return err
}

// Clear implements Lock.
func (k *lock) Clear(ctx context.Context) (cleared []string, err error) {
	defer k.asLockLost(ctx, &err, "deleting what unfinished loads left behind")
	err = k.change(ctx, func(c *Catalog, _ bool) error {
		c.tombstoneAll(func(e *Entry) bool { return e.State == Building })
		return nil
	})
	if err != nil {
		return nil, err
	}
	swept, err := k.sweep(ctx)
	for _, p := range swept {
		if p.Kind == FilingsPart {
			cleared = append(cleared, p.Generation)
		}
	}
	return cleared, err
}

// Prune implements Lock.
func (k *lock) Prune(ctx context.Context, previous string, keep, changesets int) (pruned []string, err error) {
	defer k.asLockLost(ctx, &err, "pruning generations")
	parts, err := k.life.storage.Parts(ctx, false)
	if err != nil {
		return nil, err
	}
	err = k.change(ctx, func(c *Catalog, again bool) error {
		left := keep
		if previous != "" {
			left--
		}
		tombstoned := c.tombstoneAll(func(e *Entry) bool {
			switch {
			case e.State != Sealed || e.Name == c.Live:
				return false
			case !stored(parts, e.Name): // an operator deleted it
				return true
			case e.Name != previous:
				left--
			}
			return left < 0 && e.Name != previous
		})
		if c.dropChangesets(changesets); !again {
			pruned = tombstoned
		}
		return nil
	})
	if err == nil {
		_, err = k.sweep(ctx)
	}
	return pruned, err
}

// sweep deletes and returns the stored parts that the catalog does not keep. They are listed before
// the catalog is read: since nothing is stored that the catalog did not name before, and nothing is
// kept again that once was not, a load that stops in between, and
// lost the lock when it goes on, deletes nothing that another one needs.
func (k *lock) sweep(ctx context.Context) (unwanted []Part, err error) {
	parts, err := k.life.storage.Parts(ctx, false)
	if err != nil {
		return nil, err
	}
	c, _, err := k.life.read(ctx)
	if err == nil {
		err = k.holds(&c)
	}
	if err != nil {
		return nil, err
	}
	unwanted = slices.DeleteFunc(parts, c.keeps)
	if len(unwanted) == 0 {
		return nil, nil
	}
	return unwanted, k.life.storage.Delete(ctx, unwanted)
}
