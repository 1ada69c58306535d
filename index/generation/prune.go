package generation

import (
	"context"
	"slices"

	"filings/index"
)

// Delete implements Lock: first the catalog says that the generation is deleted, then it is.
func (k *lock) Delete(ctx context.Context, name string) (err error) {
	defer k.explain(ctx, &err, "deleting "+name)
	was := false
	err = k.change(ctx, func(c *Catalog, again bool) error {
		buried, err := c.bury(name)
		was = was && again || buried
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

// Forget implements Lock. It also forgets sealed generations that an operator deleted.
func (k *lock) Forget(ctx context.Context, keep int) (err error) {
	defer k.explain(ctx, &err, "forgetting changes")
	parts, err := k.life.storage.Parts(ctx, false)
	if err != nil {
		return err
	}
	err = k.change(ctx, func(c *Catalog, _ bool) error {
		for _, e := range slices.Clone(c.Generations) {
			if e.State == Sealed && e.Name != c.Live && !stored(parts, e.Name) {
				if _, err := c.bury(e.Name); err != nil {
					return err
				}
			}
		}
		c.forget(keep)
		return nil
	})
	if err == nil {
		_, err = k.sweep(ctx)
	}
	return err
}

// sweep deletes and returns what is stored and not wanted. What is there is listed before the catalog is read: since nothing is
// stored that the catalog did not name before, and nothing is wanted again that once was not, a load that stops in between, and
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
	unwanted = slices.DeleteFunc(parts, c.wants)
	if len(unwanted) == 0 {
		return nil, nil
	}
	return unwanted, k.life.storage.Delete(ctx, unwanted)
}
