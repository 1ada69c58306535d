package serving

import (
	"context"
	"errors"
	"fmt"
)

// made is the one call of a Reader that was made before its request was wanted, and its result.
type made struct {
	text  string
	value any
	err   error
}

// errOne ends a function that makes another call before its request is wanted.
var errOne = fmt.Errorf("it is not known yet whether the request is wanted: %w", context.Canceled)

// wanted makes a call of r, and returns its result once its request is wanted.
func wanted[T any](ctx context.Context, r *Reader, call func() (T, error)) (v T, err error) {
	if r.Wanted == nil {
		return call()
	}
	if r.begun.Swap(true) {
		return v, errOne
	}
	v, err = call()
	if refused := r.Wanted(ctx); refused != nil {
		var none T
		return none, refused
	}
	return v, err
}

// keep keeps the result of a call for the request once it is wanted, unless ctx ended, or it is another call.
func (r *Reader) keep(ctx context.Context, text string, value any, err error) {
	if r.Wanted != nil && ctx.Err() == nil && !errors.Is(err, errOne) {
		r.made = made{text, value, err}
	}
}
