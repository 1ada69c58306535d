package serving

import (
	"errors"
	"log/slog"

	"filings/index"
)

// fragile is a Reader of a file that can be damaged (generation.Damage).
type fragile interface {
	Meet(err error) (first bool)
	Met() error
}

// noteDamage keeps with r the damage that a call of it has met, and logs the first.
func (e *Engine) noteDamage(r index.Reader, err error) {
	file, ok := r.(fragile)
	if ok && errors.Is(err, index.ErrDamaged) && file.Meet(err) {
		e.log.Error("a part of a generation cannot be read",
			slog.String("generation", r.Generation()), slog.String("error", err.Error()))
	}
}

// damageOf returns the damage that calls of r have met, nil for none.
func damageOf(r index.Reader) error {
	if file, ok := r.(fragile); ok {
		return file.Met()
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
