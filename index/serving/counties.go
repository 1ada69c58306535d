package serving

import (
	"context"

	"filings/index"
	"filings/index/cache"
)

// WithCounties returns w with the counties that it names as the generation has them (rule X30).
func (r *Reader) WithCounties(ctx context.Context, w index.Filter) (index.Filter, error) {
	if !w.NamesCounties() {
		return w, nil
	}
	names, err := r.CountyNames(ctx)
	if err != nil {
		return w, err
	}
	return w.WithCounties(names.Meant), nil
}

// CountyNames returns what the generation knows of the names of counties.
func (r *Reader) CountyNames(ctx context.Context) (names *index.CountyNames, err error) {
	create := func(ctx context.Context) (*index.CountyNames, int, error) {
		counties, err := r.Counties(ctx)
		written := make([]string, len(counties))
		for i, c := range counties {
			written[i] = c.County
		}
		return index.NewCountyNames(written), len(counties) * countyNamesBytes, err
	}
	if r.caches {
		names, _, err = cache.Get(ctx, r.engine.cache, r.key("county names"), create)
	} else {
		names, _, err = create(ctx)
	}
	return names, err
}

const countyNamesBytes = 400 // two entries in each of two tables, as measured with names of 15 bytes
