package reader

import (
	"context"
	"maps"
	"slices"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/search"
)

// Cells returns the cells of g. Tiles are ranges of the two coordinates as they were loaded: exact,
// unlike geotile_grid over the geo_point, which is rounded.
func (r *Reader) Cells(ctx context.Context, w index.Filter, g index.Grid) (cells []index.Cell, err error) {
	defer r.wrap(&err, "reading cells")
	clauses, err := r.clauses(ctx, g.Where(w))
	if err != nil {
		return nil, err
	}
	var found cellRows
	if err := r.search(ctx, &found, search.Cells(clauses, g)); err != nil {
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

// cellBucket sums up the filings of a tile.
type cellBucket struct {
	Column              int   `json:"key,string"`
	Count               int64 `json:"doc_count"`
	Latitude, Longitude coordinates
	ID                  value
	Sum, Max            value // of the amounts: in cents, and in dollars
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
		SumCents: b.Sum.Value, MaxAmount: b.Max.Value,
	}
	if b.Count == 1 && b.ID.Value < exactInDouble { // else identify requests it
		c.ID = int64(b.ID.Value)
	}
	return c
}

// cellRows is the response to search.Cells.
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

// cells returns the cells of a response. Their counts add up: no filing is between tiles.
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
func (r *Reader) identify(ctx context.Context, clauses []search.Object, cells []index.Cell) error {
	alone := map[index.Point]*index.Cell{}
	for i := range cells {
		if c := &cells[i]; c.Filings == 1 && c.ID == 0 {
			alone[index.Point{Latitude: c.Box.North, Longitude: c.Box.East}] = c
		}
	}
	for points := range slices.Chunk(slices.Collect(maps.Keys(alone)), search.MostPoints) {
		found, err := r.located(ctx, search.Points(clauses, points))
		if err != nil {
			return err
		}
		for _, f := range found {
			if c := alone[f.point]; c != nil {
				c.ID = f.id
				delete(alone, f.point)
			}
		}
	}
	if len(alone) > 0 {
		return client.ErrResponse
	}
	return nil
}
