package elastic

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"filings/index"
)

// Cells returns the cells of g. Tiles are ranges of the two coordinates as they were loaded: exact, unlike geotile_grid
// over the geo_point, which is rounded.
func (r *reader) Cells(ctx context.Context, w index.Filter, g index.Grid) ([]index.Cell, error) {
	cells, err := r.cells(ctx, w, g)
	if err != nil {
		return nil, fmt.Errorf("reading cells of %s: %w", r.generation, err)
	}
	return cells, nil
}

func (r *reader) cells(ctx context.Context, w index.Filter, g index.Grid) ([]index.Cell, error) {
	clauses, err := r.clauses(ctx, g.Where(w))
	if err != nil {
		return nil, err
	}
	answer, err := r.search(ctx, cellsBody(clauses, g))
	if err != nil {
		return nil, err
	}
	cells, err := scanCells(answer)
	if err != nil {
		return nil, err
	}
	if err := r.identify(ctx, clauses, cells); err != nil {
		return nil, err
	}
	slices.SortFunc(cells, index.CompareCells)
	return cells, nil
}

// cellsBody asks for rows, and in each row for columns. No answer has more buckets than a grid has tiles and rows.
func cellsBody(clauses []object, g index.Grid) object {
	lat, lon := index.Latitude.String(), index.Longitude.String()
	figures := object{
		"latitude":  object{"stats": object{"field": lat}},
		"longitude": object{"stats": object{"field": lon}},
		"id":        object{"max": object{"field": index.ID.String()}},
	}
	columns := object{"range": object{"field": lon, "ranges": ranges(g.Columns)}, "aggs": figures}
	body := countBody(clauses)
	body["aggs"] = object{"rows": object{
		"range": object{"field": lat, "ranges": ranges(g.Rows)},
		"aggs":  object{"columns": columns},
	}}
	return body
}

// ranges names each span by its tile. Of a range, from is inside and to is not.
func ranges(spans []index.Span) []object {
	all := make([]object, len(spans))
	for i, s := range spans {
		all[i] = object{"key": strconv.Itoa(s.Tile), "from": s.From, "to": s.To}
	}
	return all
}

// cellBucket is what the filings of a tile say.
type cellBucket struct {
	Column              int   `json:"key,string"`
	Count               int64 `json:"doc_count"`
	Latitude, Longitude coordinates
	ID                  value
}

// coordinates are figures of latitudes or of longitudes; 0 over no values.
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
		c.ID = exactID(b.ID.or0())
	}
	return c
}

// exactID returns an id that Elasticsearch tells as a float64: 0 from 2^53 on, where that is not exact.
func exactID(id float64) int64 {
	if id >= 1<<53 {
		return 0
	}
	return int64(id)
}

// scanCells reads the cells of an answer. Their counts must add up to that of the filings: no filing is between tiles.
func scanCells(answer []byte) ([]index.Cell, error) {
	var a struct {
		Hits struct{ Total struct{ Value int64 } }
		Aggs struct {
			Rows struct {
				Buckets []struct {
					Row     int `json:"key,string"`
					Columns struct{ Buckets []cellBucket }
				}
			}
		} `json:"aggregations"`
	}
	a.Hits.Total.Value = -1 // none is told
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, fmt.Errorf("%w: %w", errAnswer, err)
	}
	var cells []index.Cell
	counted := int64(0)
	for _, row := range a.Aggs.Rows.Buckets {
		for _, b := range row.Columns.Buckets {
			if b.Count > 0 {
				cells, counted = append(cells, b.cell(row.Row)), counted+b.Count
			}
		}
	}
	if counted != a.Hits.Total.Value {
		return nil, errAnswer
	}
	return cells, nil
}
