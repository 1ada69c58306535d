package handlers

import (
	"context"
	"encoding/json"
	"strings"

	"filings/index"
	"filings/index/serving"
	"filings/service/mvt"
	"filings/service/params"
)

// mostPoints is how many filings a tile shows as points; more are clusters. So that a map need not
// show points beside clusters, a tile of points has its cells, too, in a layer of their own.
const mostPoints = 500

// shown are the fields of the points of a tile: for all tiers the same.
var shown = index.SetOf(index.ID, index.Latitude, index.Longitude, index.FilingType, index.FilingAmount,
	index.FilingDate, index.County)

// Tile handles GET /v1/tiles/{generation}/{z}/{x}/{y}.mvt (rule X35). A tile without filings has no bytes.
func Tile(ctx context.Context, r *serving.Reader, q params.Request) (Result, error) {
	tile := mvt.Tile(q.Tile)
	cells, err := r.Cells(ctx, q.Query.Where, q.Grid)
	if err != nil {
		return Result{}, err
	}
	switch total := clustersOf(cells, &q).Total; {
	case total == 0:
		return Result{Data: Bytes{}}, nil
	case total > mostPoints:
		return Result{Data: Bytes(cellLayer(tile, "clusters", cells, &q))}, nil
	}
	page, err := r.Rows(ctx, index.Query{Where: q.Grid.Where(q.Query.Where), Sort: index.DefaultSort,
		Limit: mostPoints})
	if err != nil {
		return Result{}, err
	}
	fields := shown
	if q.Fields != 0 { // of a token: where they are shows the tile itself
		fields &= q.Fields | index.SetOf(index.Latitude, index.Longitude)
	}
	data, err := filingLayer(tile, page, q.Caller.Fields, fields)
	return Result{Data: Bytes(append(data, cellLayer(tile, "cells", cells, &q)...))}, err
}

func cellLayer(tile mvt.Tile, name string, cells []index.Cell, q *params.Request) []byte {
	layer := mvt.NewLayer(tile, name)
	for _, c := range cells {
		var id any
		if c.ID > 0 {
			id = c.ID
		}
		sum, most := amountsOf(c, q)
		layer.Add(c.ID, c.Latitude, c.Longitude,
			mvt.Property{Key: "count", Value: c.Filings}, mvt.Property{Key: "id", Value: id},
			mvt.Property{Key: "sum", Value: valueOf(sum)}, mvt.Property{Key: "max", Value: valueOf(most)})
	}
	return layer.Bytes()
}

func filingLayer(tile mvt.Tile, page index.Page, tier index.Tier, fields index.FieldSet) ([]byte, error) {
	layer := mvt.NewLayer(tile, "filings")
	var text []byte
	for _, record := range page.Records {
		var err error
		if text, err = record.AppendFields(text[:0], tier, fields); err != nil {
			return nil, err
		}
		var f struct {
			ID                                  int64
			GeocodedLatitude, GeocodedLongitude float64
			FilingType, FilingDate, County      *string
			FilingAmount                        *float64
		}
		if err := json.Unmarshal(text, &f); err != nil {
			return nil, err
		}
		layer.Add(f.ID, f.GeocodedLatitude, f.GeocodedLongitude,
			mvt.Property{Key: "id", Value: f.ID},
			mvt.Property{Key: "filingType", Value: valueOf(f.FilingType)},
			mvt.Property{Key: "filingAmount", Value: valueOf(f.FilingAmount)},
			mvt.Property{Key: "filingDate", Value: valueOf(f.FilingDate)},
			mvt.Property{Key: "county", Value: valueOf(f.County)})
	}
	return layer.Bytes(), nil
}

func valueOf[T any](v *T) any {
	if v == nil {
		return nil
	}
	return *v
}

// TileJSON describes tiles for clients, in the form of TileJSON 3.0.0.
type TileJSON struct {
	TileJSON string        `json:"tilejson" const:"3.0.0" help:"The version of the form."`
	Name     string        `json:"name" const:"filings" help:"What the tiles show."`
	Tiles    []string      `json:"tiles" help:"Addresses of tiles of one generation, with the filters and the token of the request."`
	MinZoom  int           `json:"minzoom" help:"The least zoom."`
	MaxZoom  int           `json:"maxzoom" help:"The greatest zoom."`
	Layers   []vectorLayer `json:"vector_layers" help:"The layers: a tile has clusters, or filings and cells."`
}

type vectorLayer struct {
	ID          string      `json:"id" help:"Name of the layer."`
	Description string      `json:"description" help:"What it shows."`
	Fields      layerFields `json:"fields"`
}

type layerFields struct {
	ID     string `json:"id" help:"Id of the filing; of a cluster where it is only one."`
	Count  string `json:"count,omitempty" help:"Filings of a cluster."`
	Sum    string `json:"sum,omitempty" help:"Sum of their amounts, dollars."`
	Max    string `json:"max,omitempty" help:"Largest of their amounts, dollars."`
	Type   string `json:"filingType,omitempty" help:"As on the filing."`
	Amount string `json:"filingAmount,omitempty" help:"As on the filing, dollars."`
	Date   string `json:"filingDate,omitempty" help:"As on the filing."`
	County string `json:"county,omitempty" help:"As on the filing."`
}

// TileSet handles GET /v1/tiles.json. It names the generation, since tiles stay as they are.
func TileSet(_ context.Context, r *serving.Reader, q params.Request) (Result, error) {
	address := q.Address + "/v1/tiles/" + index.GenerationID(r.Generation()) + "/{z}/{x}/{y}.mvt"
	query := q.Filters
	if q.Bearer != "" {
		query = strings.TrimPrefix(query+"&token="+q.Bearer, "&")
	}
	if query != "" {
		address += "?" + query
	}
	clustered := layerFields{ID: "Number", Count: "Number"}
	if q.Shows(index.FilingAmount) {
		clustered.Sum, clustered.Max = "Number", "Number"
	}
	return Result{Data: JSON{TileJSON{
		TileJSON: "3.0.0", Name: "filings", Tiles: []string{address}, MinZoom: 0, MaxZoom: params.MaxZoom,
		Layers: []vectorLayer{
			{"filings", "At most 500 filings, a point each.",
				layerFields{ID: "Number", Type: "String", Amount: "Number", Date: "String", County: "String"}},
			{"clusters", "More filings, by cells of 64 of the tile's 512 pixels.", clustered},
			{"cells", "The filings of a tile that has them as points, by such cells, too.", clustered},
		},
	}}}, nil
}
