package reader

import (
	"context"
	"slices"

	"filings/index"
)

// countyNames returns the folded names of all counties, each once, sorted.
func (r *Reader) countyNames(ctx context.Context) ([]string, error) {
	return cached(ctx, r, "names of counties", func(ctx context.Context) (names []string, err error) {
		all, err := r.Counties(ctx)
		for _, c := range all {
			names = append(names, index.Fold(c.County))
		}
		return slices.Compact(names), err // equal ones are neighbors
	})
}
