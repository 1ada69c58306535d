package reader

import (
	"context"
	"slices"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
	"filings/index/elastic/search"
)

// clauses translates w.
func (r *Reader) clauses(ctx context.Context, w index.Filter) ([]search.Object, error) {
	return search.Clauses(w, search.Known{
		Counties: func() ([]string, error) { return r.countyNames(ctx) },
		Rim:      func(p index.Region) (search.Rim, error) { return r.rim(ctx, p) },
	})
}

// Count returns how many filings w selects.
func (r *Reader) Count(ctx context.Context, w index.Filter) (n int64, err error) {
	defer r.wrap(&err, "counting filings")
	clauses, err := r.counted(ctx, w)
	if err != nil {
		return 0, err
	}
	var found struct{ Hits hits }
	if err := r.search(ctx, &found, search.Count(clauses)); err != nil {
		return 0, err
	}
	if found.Hits.Total == nil {
		return 0, client.ErrResponse
	}
	return found.Hits.Total.Value, nil
}

// counted returns the clauses that count the filings of w.
func (r *Reader) counted(ctx context.Context, w index.Filter) ([]search.Object, error) {
	if county, amount, is := search.CountyAndAmount(w); is {
		known, err := r.numberedCounties(ctx)
		if err != nil {
			return nil, err
		}
		if c, ok := search.InCounty(county, amount, known); ok {
			return []search.Object{c}, nil
		}
	}
	return r.clauses(ctx, w)
}

func (r *Reader) numberedCounties(ctx context.Context) ([]document.NumberedCounty, error) {
	return cached(ctx, r, "numbers of counties", func(ctx context.Context) ([]document.NumberedCounty, error) {
		names, err := r.countyNames(ctx)
		return document.NumberCounties(names), err
	})
}

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
