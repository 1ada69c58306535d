package reader

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
	"filings/index/elastic/search"
)

// Stats returns stats over all filings. Owners were counted when the generation was sealed.
func (r *Reader) Stats(ctx context.Context) (_ index.Stats, err error) {
	defer r.wrap(&err, "reading statistics")
	var found struct {
		Hits         hits
		Aggregations struct {
			Count, Sum, Min, Max value
			Kinds                struct{ Buckets map[string]bucket }
			Added                struct {
				Count    int64
				Min, Max float64 // microseconds: exact up to the year 2255
			}
		}
	}
	if err := r.searchInto(ctx, &found, search.Stats()); err != nil {
		return index.Stats{}, err
	}
	if found.Hits.Total == nil {
		return index.Stats{}, client.ErrResponse
	}
	owners, err := r.CountOwners(ctx)
	if err != nil {
		return index.Stats{}, err
	}
	a, kinds := found.Aggregations, found.Aggregations.Kinds.Buckets
	st := index.Stats{
		Filings: found.Hits.Total.Value, Owners: owners,
		Amounts: int64(a.Count.Value), SumCents: a.Sum.Value, MinAmount: a.Min.Value, MaxAmount: a.Max.Value,
		Trusts: kinds["trust"].Filings, Estates: kinds["estate"].Filings, TrustsOrEstates: kinds["either"].Filings,
		Added: a.Added.Count,
	}
	if st.Added > 0 {
		st.FirstAdded, st.LastAdded = time.UnixMicro(int64(a.Added.Min)).UTC(), time.UnixMicro(int64(a.Added.Max)).UTC()
	}
	return st, nil
}

// meta returns what the generation's mapping says of it: nothing before it is sealed.
func (r *Reader) meta(ctx context.Context) (document.Meta, error) {
	meta, err := cached(ctx, r, "meta", func(ctx context.Context) (document.Meta, error) {
		response, err := r.read(ctx, esapi.IndicesGetMappingRequest{
			Index: []string{r.generation}, FilterPath: []string{"*.mappings._meta"},
		})
		if err != nil {
			return document.Meta{}, err
		}
		var all map[string]struct {
			Mappings struct {
				Meta document.Meta `json:"_meta"`
			}
		}
		err = client.Decode(response, &all)
		meta := all[r.generation].Mappings.Meta
		if err == nil && !meta.IsOf(r.generation) {
			return document.Meta{}, errUnsealed // so that it is not kept
		}
		return meta, err
	})
	if errors.Is(err, errUnsealed) {
		err = nil
	}
	return meta, err
}

var errUnsealed = errors.New("the generation is not sealed")

// CountOwners returns how many owners differ in more than case: what the generation's meta says of it, or, before it is sealed, as
// many as are counted by walking over all of them.
func (r *Reader) CountOwners(ctx context.Context) (owners int64, err error) {
	meta, err := r.meta(ctx)
	if err != nil || meta.Sealed {
		return meta.Owners, err
	}
	_, err = r.each(ctx, search.Terms{Field: document.Derived(index.Owner)}, func(bucket) error {
		owners++
		return nil
	})
	return owners, err
}

// Counties returns stats of each county.
func (r *Reader) Counties(ctx context.Context) (_ []index.CountyStats, err error) {
	defer r.wrap(&err, "reading counties")
	all, err := r.allCounties(ctx)
	return slices.Clone(all), err
}

// allCounties is Counties, not to be changed. Where there are many they were kept when the generation was sealed: counting
// 65,000 of them takes seconds.
func (r *Reader) allCounties(ctx context.Context) ([]index.CountyStats, error) {
	return cached(ctx, r, "all counties", func(ctx context.Context) ([]index.CountyStats, error) {
		meta, err := r.meta(ctx)
		if err != nil {
			return nil, err
		}
		all, err := r.keptCounties(ctx, meta.Counties)
		if all == nil && err == nil {
			all, err = r.countCounties(ctx)
		}
		return all, err
	})
}

// keptCounties reads so many chunks about the counties. It returns nil if one of them is not there: an operator has
// deleted their index, which only makes counties slow.
func (r *Reader) keptCounties(ctx context.Context, chunks int) (all []index.CountyStats, err error) {
	for chunk := range chunks {
		data, err := r.chunks(ctx, document.CountiesSection, []int{chunk})
		if errors.Is(err, index.ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		part, err := document.Counties(data[0])
		if err != nil {
			return nil, fmt.Errorf("%w: %w", client.ErrResponse, err)
		}
		all = append(all, part...)
	}
	return all, nil
}

// countCounties counts the filings by county.
func (r *Reader) countCounties(ctx context.Context) (all []index.CountyStats, err error) {
	_, err = r.each(ctx, search.Counties(), func(b bucket) error {
		c := index.CountyStats{
			Filings: b.Filings,
			Amounts: int64(b.Count.Value), SumCents: b.Sum.Value, MinAmount: b.Min.Value, MaxAmount: b.Max.Value,
			WithCoordinates: int64(b.Points.Value),
			FirstFilingDate: document.Date(b.First.Value), LastFilingDate: document.Date(b.Last.Value),
		}
		if b.Added.Value != nil {
			c.LastAdded = time.UnixMicro(int64(*b.Added.Value)).UTC()
		}
		all = append(all, c)
		return client.Decode(b.Key, &all[len(all)-1].County)
	})
	slices.SortFunc(all, func(a, b index.CountyStats) int { return index.CompareCounties(a.County, b.County) })
	return all, err
}

// countyNames returns the folded names of all counties, each once, sorted.
func (r *Reader) countyNames(ctx context.Context) ([]string, error) {
	return cached(ctx, r, "names of counties", func(ctx context.Context) (names []string, err error) {
		all, err := r.allCounties(ctx)
		for _, c := range all {
			names = append(names, index.Fold(c.County))
		}
		return slices.Compact(names), err // equal ones are neighbors
	})
}
