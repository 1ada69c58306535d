package serving

import (
	"errors"
	"log/slog"

	"filings/index"
)

// noteDamage records damage that a call of r has hit, and logs the first occurrence. The next
// request for this generation reopens its file, so a replaced file gets a new Reader.
func (e *Engine) noteDamage(r index.Reader, err error) {
	if !errors.Is(err, index.ErrDamaged) {
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
		e.log.Error("a part of a generation cannot be read",
			slog.String("generation", r.Generation()), slog.String("error", err.Error()))
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

// forgetDamage forgets the damage in the file that was replaced by r's.
func (e *Engine) forgetDamage(r index.Reader) {
	e.damages.mu.Lock()
	defer e.damages.mu.Unlock()
	if e.damages.all[r.Generation()].of != r {
		delete(e.damages.all, r.Generation())
	}
}

// outage returns err as the breaker sees it: an engine that finds damage in one generation responds, and has others.
func outage(err error) error {
	if errors.Is(err, index.ErrDamaged) {
		return nil
	}
	return err
}
