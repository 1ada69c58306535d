package serving

import (
	"context"
	"errors"
	"log/slog"

	"filings/index"
)

// damage is what a call met in the file of a generation. It is that Reader's: where a file is replaced, the engine has another
// one for it.
type damage struct {
	of  index.Reader
	met error
}

// noteDamage keeps the damage that a call of r met, and logs the first.
func (e *Engine) noteDamage(r index.Reader, err error) {
	if r == nil || !errors.Is(err, index.ErrDamaged) || e.damageOf(r) != nil {
		return
	}
	e.damage.Store(&damage{r, err})
	e.log.Error("a part of a generation cannot be read", slog.String("generation", r.Generation()), slog.String("error", err.Error()))
}

// damageOf returns the damage that calls of r have met, nil for none.
func (e *Engine) damageOf(r index.Reader) error {
	if d := e.damage.Load(); d != nil && d.of == r {
		return d.met
	}
	return nil
}

// outage returns err as the breaker sees it: an engine that finds damage in one generation responds, and has others.
func outage(err error) error {
	if errors.Is(err, index.ErrDamaged) {
		return nil
	}
	return err
}

// Usable reports whether the live generation can be used as it is: it is neither lost nor changed, and no call has met damage
// in its file. It fails where that is not known, since the engine does not respond.
func (e *Engine) Usable(ctx context.Context) (bool, error) {
	r, err := e.Live(ctx)
	switch {
	case errors.Is(err, index.ErrLost), errors.Is(err, index.ErrDamaged):
		return false, nil
	case err != nil:
		return false, err
	}
	return e.damageOf(r.inner) == nil, nil
}

func (e *Engine) clear() {
	if e.cache != nil {
		e.cache.Clear()
	}
}
