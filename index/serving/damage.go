package serving

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"

	"filings/index"
)

// damages is what calls met in the files of generations, by the names of these.
type damages struct {
	mu  sync.Mutex
	all map[string]damage
}

// damage is what a call met in the file of a generation. It is that Reader's: where a file is replaced, the engine has another
// one for it.
type damage struct {
	of  index.Reader
	met error
}

// noteDamage keeps the damage that a call of r met, and logs the first. Who pins r's generation next opens it anew, and gets
// another Reader if the file was replaced.
func (e *Engine) noteDamage(r index.Reader, err error) {
	if r == nil || !errors.Is(err, index.ErrDamaged) {
		return
	}
	e.generations.letGo(r)
	e.damages.mu.Lock()
	known := e.damages.all[r.Generation()].of == r
	if !known {
		e.damages.all[r.Generation()] = damage{r, err}
	}
	e.damages.mu.Unlock()
	if !known {
		e.log.Error("a part of a generation cannot be read", slog.String("generation", r.Generation()), slog.String("error", err.Error()))
	}
}

// damageOf returns the damage that calls of r have met, nil for none.
func (e *Engine) damageOf(r index.Reader) error {
	e.damages.mu.Lock()
	defer e.damages.mu.Unlock()
	if d := e.damages.all[r.Generation()]; d.of == r {
		return d.met
	}
	return nil
}

// forgetDamage forgets what was met in the file that was replaced by r's.
func (e *Engine) forgetDamage(r index.Reader) {
	e.damages.mu.Lock()
	defer e.damages.mu.Unlock()
	if e.damages.all[r.Generation()].of != r {
		delete(e.damages.all, r.Generation())
	}
}

// Damaged returns how many generations besides the live one are kept in whose files calls have met damage.
func (e *Engine) Damaged(ctx context.Context) (n int, err error) {
	live, err := e.inner.Live(ctx)
	if err != nil && !errors.Is(err, index.ErrLost) {
		return 0, err
	}
	k, err := e.look(ctx, 0)
	if err != nil {
		return 0, err
	}
	e.damages.mu.Lock()
	defer e.damages.mu.Unlock()
	for name := range e.damages.all {
		isKept := slices.ContainsFunc(k.kept, func(g index.Generation) bool { return g.Name == name })
		switch {
		case live != nil && live.Generation() == name:
		case isKept:
			n++
		default: // its file may be closed
			delete(e.damages.all, name)
		}
	}
	return n, nil
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
