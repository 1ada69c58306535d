package elastic

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"filings/index"
)

// identify asks for the ids of filings that are alone in their cells and have none there yet.
func (r *reader) identify(ctx context.Context, clauses []object, cells []index.Cell) error {
	alone := map[point]*index.Cell{}
	for i := range cells {
		if c := &cells[i]; c.Filings == 1 && c.ID == 0 {
			alone[point{c.Box.North, c.Box.East}] = c
		}
	}
	for some := range slices.Chunk(slices.Collect(maps.Keys(alone)), mostPoints) {
		answer, err := r.search(ctx, pointsBody(clauses, some))
		if err != nil {
			return err
		}
		if err := scanPoints(answer, func(at point, id int64) {
			if c := alone[at]; c != nil {
				c.ID = id
				delete(alone, at)
			}
		}); err != nil {
			return err
		}
	}
	if len(alone) > 0 {
		return errAnswer
	}
	return nil
}

// point is where a filing is, as loaded. A filing that is alone in its cell is alone there.
type point struct{ lat, lon float64 }

// mostPoints is how many points are asked for together. Each is two clauses of a query, which may have 1,024 at the
// least (indices.query.bool.max_clause_count).
const mostPoints = 256

func pointsBody(clauses []object, points []point) object {
	lat, lon, id := index.Latitude.String(), index.Longitude.String(), index.ID.String()
	ways := make([]object, len(points))
	for i, p := range points {
		ways[i] = object{"bool": object{"filter": []object{
			within(lat, bounds(&p.lat, &p.lat)), within(lon, bounds(&p.lon, &p.lon)),
		}}}
	}
	return filtered(object{
		"size": len(points), "track_total_hits": false, "_source": false, "docvalue_fields": []string{id, lat, lon},
	}, append(clauses[:len(clauses):len(clauses)], either(ways)))
}

func scanPoints(answer []byte, visit func(at point, id int64)) error {
	var a struct {
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
	if err := json.Unmarshal(answer, &a); err != nil {
		return fmt.Errorf("%w: %w", errAnswer, err)
	}
	for _, hit := range a.Hits.Hits {
		f := hit.Fields
		if len(f.ID) != 1 || len(f.Lat) != 1 || len(f.Lon) != 1 {
			return errAnswer
		}
		visit(point{f.Lat[0], f.Lon[0]}, f.ID[0])
	}
	return nil
}
