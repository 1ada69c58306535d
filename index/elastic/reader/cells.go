package reader

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"filings/index"
	"filings/index/elastic/client"
)

// Cells returns the cells of g. Tiles are ranges of the two coordinates as they were loaded: exact, unlike geotile_grid
// over the geo_point, which is rounded.
func (r *Reader) Cells(ctx context.Context, w index.Filter, g index.Grid) (cells []index.Cell, err error) {
	defer r.wrap(&err, "reading cells")
	clauses, err := r.clauses(ctx, g.Where(w))
	if err != nil {
		return nil, err
	}
	var found cellRows
	if err := r.searchInto(ctx, &found, cellsBody(clauses, g)); err != nil {
		return nil, err
	}
	if cells, err = found.cells(); err != nil {
		return nil, err
	}
	if err := r.identify(ctx, clauses, cells); err != nil {
		return nil, err
	}
	slices.SortFunc(cells, index.CompareCells)
	return cells, nil
}

// cellsBody requests rows, and in each row columns. No response has more buckets than a grid has tiles and rows.
func cellsBody(clauses []object, g index.Grid) object {
	lat, lon := index.Latitude.String(), index.Longitude.String()
	metrics := object{
		"latitude":  object{"stats": object{"field": lat}},
		"longitude": object{"stats": object{"field": lon}},
		"id":        object{"max": object{"field": index.ID.String()}},
	}
	columns := object{"range": object{"field": lon, "ranges": ranges(g.Columns)}, "aggs": metrics}
	return aggregate(clauses, object{"rows": object{
		"range": object{"field": lat, "ranges": ranges(g.Rows)},
		"aggs":  object{"columns": columns},
	}})
}

// ranges names each span by its tile. Of a range, from is inside and to is not.
func ranges(spans []index.Span) []object {
	all := make([]object, len(spans))
	for i, s := range spans {
		all[i] = object{"key": strconv.Itoa(s.Tile), "from": s.From, "to": s.To}
	}
	return all
}

// cellBucket sums up the filings of a tile.
type cellBucket struct {
	Column              int   `json:"key,string"`
	Count               int64 `json:"doc_count"`
	Latitude, Longitude coordinates
	ID                  value
}

// coordinates are stats of latitudes or of longitudes; 0 over no values.
type coordinates struct{ Min, Max, Sum float64 }

func (b cellBucket) cell(row int) index.Cell {
	c := index.Cell{
		Column: b.Column, Row: row, Filings: b.Count,
		Latitude:  index.RoundDegrees(b.Latitude.Sum / float64(b.Count)),
		Longitude: index.RoundDegrees(b.Longitude.Sum / float64(b.Count)),
		Box: index.Box{
			North: b.Latitude.Max, South: b.Latitude.Min, East: b.Longitude.Max, West: b.Longitude.Min,
		},
	}
	if b.Count == 1 {
		c.ID = exactID(b.ID.Value)
	}
	return c
}

// exactID returns an id that Elasticsearch returns as a float64: 0 from 2^53 on, where that is not exact.
func exactID(id float64) int64 {
	if id >= 1<<53 {
		return 0
	}
	return int64(id)
}

// cellRows is the response to cellsBody.
type cellRows struct {
	Hits         hits
	Aggregations struct {
		Rows struct {
			Buckets []struct {
				Row     int `json:"key,string"`
				Columns struct{ Buckets []cellBucket }
			}
		}
	}
}

// cells returns the cells of a response. Their counts must add up to that of the filings: no filing is between tiles.
func (found *cellRows) cells() ([]index.Cell, error) {
	var cells []index.Cell
	counted := int64(0)
	for _, row := range found.Aggregations.Rows.Buckets {
		for _, b := range row.Columns.Buckets {
			if b.Count > 0 {
				cells, counted = append(cells, b.cell(row.Row)), counted+b.Count
			}
		}
	}
	if found.Hits.Total == nil || counted != found.Hits.Total.Value {
		return nil, client.ErrResponse
	}
	return cells, nil
}

// identify requests the ids of filings that are alone in their cells and have none there yet.
func (r *Reader) identify(ctx context.Context, clauses []object, cells []index.Cell) error {
	alone := map[point]*index.Cell{}
	for i := range cells {
		if c := &cells[i]; c.Filings == 1 && c.ID == 0 {
			alone[point{c.Box.North, c.Box.East}] = c
		}
	}
	for some := range slices.Chunk(slices.Collect(maps.Keys(alone)), mostPoints) {
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
		if err := r.searchInto(ctx, &found, pointsBody(clauses, some)); err != nil {
			return err
		}
		for _, hit := range found.Hits.Hits {
			f := hit.Fields
			if len(f.ID) != 1 || len(f.Lat) != 1 || len(f.Lon) != 1 {
				return client.ErrResponse
			}
			at := point{f.Lat[0], f.Lon[0]}
			if c := alone[at]; c != nil {
				c.ID = f.ID[0]
				delete(alone, at)
			}
		}
	}
	if len(alone) > 0 {
		return client.ErrResponse
	}
	return nil
}

// point is where a filing is, as loaded. A filing that is alone in its cell is alone there.
type point struct{ lat, lon float64 }

// mostPoints is how many points one request has. Each is two clauses of a query, which may have 1,024 at the
// least (indices.query.bool.max_clause_count).
const mostPoints = 256

func pointsBody(clauses []object, points []point) object {
	lat, lon, id := index.Latitude.String(), index.Longitude.String(), index.ID.String()
	options := make([]object, len(points))
	for i, p := range points {
		options[i] = object{"bool": object{"filter": []object{
			within(lat, bounds(&p.lat, &p.lat)), within(lon, bounds(&p.lon, &p.lon)),
		}}}
	}
	return filtered(object{
		"size": len(points), "track_total_hits": false, "_source": false, "docvalue_fields": []string{id, lat, lon},
	}, append(slices.Clip(clauses), either(options)))
}
