package generation

import (
	"context"
	"errors"
	"fmt"
)

// Swap makes the sealed generation `to` live in one step, if `from` is live ("" for none). Else it changes nothing and
// returns ErrConflict.
func (l *Lifecycle) Swap(ctx context.Context, from, to string) error {
	return l.swap(ctx, from, to, func(*Catalog) error { return nil })
}

// SwapAndHold implements Store.
func (l *Lifecycle) SwapAndHold(ctx context.Context, from, to, reason string) error {
	return l.swap(ctx, from, to, func(c *Catalog) error {
		c.Hold = &Hold{Reason: reason, Since: l.Now().UTC(), Live: to}
		return nil
	})
}

// Hold implements Store.
func (l *Lifecycle) Hold(ctx context.Context) (*Hold, error) {
	c, _, err := l.read(ctx)
	return c.Hold, err
}

// Release implements Store.
func (l *Lifecycle) Release(ctx context.Context) (released *Hold, err error) {
	err = l.update(ctx, func(c *Catalog, again bool) error {
		if !again || c.Hold != nil {
			released = c.Hold
		}
		c.Hold = nil
		return nil
	})
	return released, err
}

// swap is Swap on a condition. That change of the catalog makes the generation live; its public
// name follows.
func (l *Lifecycle) swap(ctx context.Context, from, to string, condition func(*Catalog) error) error {
	parts, err := l.storage.Parts(ctx, false)
	if err != nil {
		return fmt.Errorf("listing what is stored: %w", err)
	}
	err = l.update(ctx, func(c *Catalog, again bool) error {
		if again && c.Live == to {
			return nil
		}
		if err := condition(c); err != nil {
			return err
		}
		if err := c.swap(from, to, parts); err != nil {
			return err
		}
		return l.reads(to)
	})
	l.LookAgain()
	if err != nil {
		return fmt.Errorf("making %s live: %w", to, err)
	}
	if err := l.publish(ctx); err != nil {
		l.Log.WarnContext(ctx, "the generation is live, and its public name does not lead to it: "+
			"the next load or rollback repairs it", "generation", to, "error", err)
	}
	return nil
}

// publish makes the public name lead to the live generation, while other processes may do the same.
func (l *Lifecycle) publish(ctx context.Context) error {
	for range publishTries {
		c, _, err := l.read(ctx)
		if err == nil {
			err = l.storage.Publish(ctx, c.Live)
		}
		if errors.Is(err, ErrStale) {
			continue
		}
		after, _, err2 := l.read(ctx)
		if err = errors.Join(err, err2); err != nil || after.Live == c.Live {
			return err
		}
	}
	return fmt.Errorf("where the public name of the live generation leads has changed %d times: %w",
		publishTries, ErrStale)
}

// publishTries is more often than anybody makes another generation live at the same moment.
const publishTries = 5
