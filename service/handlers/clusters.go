package handlers

import (
	"context"
	"math"

	"filings/index"
	"filings/index/serving"
	"filings/service/params"
)

// MapClusters handles GET /v1/filings/clusters: the filings in a box of a map, added up by tiles.
// It is no page: its cells are all there is, and their counts add up to the total of the list with
// the same filters.
func MapClusters(ctx context.Context, r *serving.Reader, q params.Request) (Result, error) {
	cells, err := r.Cells(ctx, q.Query.Where, q.Grid)
	return Result{Data: mapped(cells, &q)}, err
}

func mapped(cells []index.Cell, q *params.Request) Data {
	if q.GeoJSON {
		return JSON{featuresOf(cells, q)}
	}
	return JSON{clustersOf(cells, q)}
}

// amountsOf returns the sum and the largest of a cell's amounts; nil where q is of a token that does not show them.
func amountsOf(c index.Cell, q *params.Request) (sum, most *float64) {
	if !q.Shows(index.FilingAmount) {
		return nil, nil
	}
	dollars := index.Dollars(c.SumCents)
	return &dollars, &c.MaxAmount
}

// Clusters is the data of a response. The OpenAPI document has its fields from here, and those of features.
type Clusters struct {
	Cells     []cluster `json:"cells" help:"By rows from the north, in a row from the west."`
	Total     int64     `json:"total" help:"Sum of the counts: the list's total for the same filters and box."`
	Precision int       `json:"precision" help:"Cells are tiles of which 2 to the power of this make up the world's width: zoom + 2, or less."`
}

// cluster is a cell of a response. Its box is written as GeoJSON does: names for its edges would
// make the largest response a tenth larger, compressed.
type cluster struct {
	Count     int64    `json:"count" help:"Filings in the cell."`
	Sum       *float64 `json:"sum" help:"Sum of their amounts, dollars; null with a token that does not show amounts."`
	Max       *float64 `json:"max" help:"Largest of their amounts, dollars; 0 where no filing has one."`
	Latitude  float64  `json:"latitude" help:"Mean latitude of the cell's filings, to six decimals."`
	Longitude float64  `json:"longitude" help:"Mean longitude of the cell's filings, to six decimals."`
	BBox      bbox     `json:"bbox" help:"Smallest box around the cell's filings: west, south, east, north, rounded outwards to six decimals."`
	ID        int64    `json:"id,omitempty" help:"Id of the filing, where the cell has only one."`
}

// bbox is the edges of a box in the order of RFC 7946: west, south, east, north.
type bbox [4]float64

// bboxOf returns the edges of b with six decimals, as the centroid has them (0.1 m). Some sources
// write fifteen: with these the largest response would be half as large again, compressed.
func bboxOf(b index.Box) bbox {
	return bbox{outwards(b.West, -1), outwards(b.South, -1), outwards(b.East, 1), outwards(b.North, 1)}
}

// outwards rounds v to six decimals in a direction, 1 or -1, so that inner points stay inside.
func outwards(v, direction float64) float64 {
	const steps = 1e6
	n := math.Round(v * steps)
	if n/steps*direction < v*direction {
		n += direction
	}
	return n/steps + 0 // never -0
}

// ExampleClusters returns the data of an invented response, in GeoJSON or not.
func ExampleClusters(geoJSON bool) Data {
	box := index.Box{South: 28.4, West: -81.5, North: 28.6, East: -81.3}
	cells := []index.Cell{{Filings: 3, Latitude: 28.5, Longitude: -81.4, Box: box, SumCents: 1250000, MaxAmount: 9500}}
	return mapped(cells, &params.Request{Grid: index.Grid{Precision: 12}, GeoJSON: geoJSON})
}

func clustersOf(cells []index.Cell, q *params.Request) Clusters {
	data := Clusters{Cells: make([]cluster, len(cells)), Precision: q.Grid.Precision}
	for i, c := range cells {
		sum, most := amountsOf(c, q)
		data.Total += c.Filings
		data.Cells[i] = cluster{c.Filings, sum, most, c.Latitude, c.Longitude, bboxOf(c.Box), c.ID}
	}
	return data
}

type FeatureCollection struct {
	Type     string    `json:"type" const:"FeatureCollection" help:"What it is in GeoJSON."`
	Features []feature `json:"features" help:"The cells."`
}

// feature is a cell in GeoJSON, where longitudes come first.
type feature struct {
	Type       string            `json:"type" const:"Feature" help:"What it is in GeoJSON."`
	BBox       bbox              `json:"bbox" help:"Smallest box around the cell's filings: west, south, east, north, rounded outwards to six decimals."`
	Geometry   point             `json:"geometry"`
	Properties featureProperties `json:"properties"`
}

type point struct {
	Type        string     `json:"type" const:"Point" help:"What it is in GeoJSON."`
	Coordinates [2]float64 `json:"coordinates" help:"Mean longitude and latitude of the cell's filings, to six decimals."`
}

type featureProperties struct {
	Count int64    `json:"count" help:"Filings in the cell."`
	Sum   *float64 `json:"sum" help:"Sum of their amounts, dollars; null with a token that does not show amounts."`
	Max   *float64 `json:"max" help:"Largest of their amounts, dollars; 0 where no filing has one."`
	ID    int64    `json:"id,omitempty" help:"Id of the filing, where the cell has only one."`
}

func featuresOf(cells []index.Cell, q *params.Request) FeatureCollection {
	collection := FeatureCollection{"FeatureCollection", make([]feature, len(cells))}
	for i, c := range cells {
		sum, most := amountsOf(c, q)
		center := point{"Point", [2]float64{c.Longitude, c.Latitude}}
		collection.Features[i] = feature{"Feature", bboxOf(c.Box), center, featureProperties{c.Filings, sum, most, c.ID}}
	}
	return collection
}
