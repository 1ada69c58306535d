package reader

import (
	"context"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/search"
)

// rim decides on the filings near the rim of a region, once.
func (r *Reader) rim(ctx context.Context, p index.Region) (search.Rim, error) {
	return cached(ctx, r, p.String(), func(ctx context.Context) (rim search.Rim, err error) {
		for last, found := int64(0), search.MostRim; found == search.MostRim; {
			filings, err := r.located(ctx, search.RimOf(p, last))
			if err != nil {
				return rim, err
			}
			for _, f := range filings {
				if last = f.id; p.Has(f.point) {
					rim.Inner = append(rim.Inner, f.id)
				} else {
					rim.Outer = append(rim.Outer, f.id)
				}
			}
			found = len(filings)
		}
		return rim, nil
	})
}

// located is a filing's id, and where it is.
type located struct {
	id    int64
	point index.Point
}

// located returns the filings that a search finds, which requests no more of them.
func (r *Reader) located(ctx context.Context, body search.Object) ([]located, error) {
	var found struct {
		Hits struct {
			Hits []struct {
				Fields struct {
					ID  []int64   `json:"id"`
					Lat []float64 `json:"geocodedLatitude"`
					Lon []float64 `json:"geocodedLongitude"`
				}
			}
		}
	}
	if err := r.search(ctx, &found, body); err != nil {
		return nil, err
	}
	filings := make([]located, len(found.Hits.Hits))
	for i, hit := range found.Hits.Hits {
		f := hit.Fields
		if len(f.ID) != 1 || len(f.Lat) != 1 || len(f.Lon) != 1 {
			return nil, client.ErrResponse
		}
		filings[i] = located{f.ID[0], index.Point{Latitude: f.Lat[0], Longitude: f.Lon[0]}}
	}
	return filings, nil
}
