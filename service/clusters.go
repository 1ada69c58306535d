package service

import (
	"bytes"
	"context"

	"github.com/gofiber/fiber/v2"

	"filings/index"
	"filings/index/serving"
)

// finerTiles is how much finer than the tiles of the client's map cells are: 64 of its pixels wide instead of 256, so
// that the markers of two cells, each at its centroid, mostly do not cover each other.
const finerTiles = 2

// mapClusters answers GET /v1/filings/clusters: the filings in a box of a map, added up by tiles. It is no page: its cells
// are all there is, and their counts add up to the total of the list with the same filters.
func (s *Service) mapClusters(k *call, q question) error {
	g := index.NewGrid(q.box, q.zoom+finerTiles)
	a := answer{endpoint: "/v1/filings/clusters", canonical: g.Text(q.query.Where)}
	k.http.Vary(fiber.HeaderAccept)
	geo := wantsGeoJSON(accepts(k.http))
	if geo {
		a.canonical, a.mediaType = a.canonical+" as "+geoJSON, geoJSON
	}
	a.body = func(ctx context.Context, r *serving.Reader, dst []byte) ([]byte, error) {
		cells, err := r.Cells(ctx, q.query.Where, g)
		if err != nil {
			return nil, err
		}
		if geo {
			return appendFeatures(dst, cells), nil
		}
		return k.appendClusters(dst, g.Precision, cells), nil
	}
	return s.send(k, a)
}

// clusters is what the answer has as data. The OpenAPI document has its fields from here, and those of features.
type clusters struct {
	Cells     []cluster `json:"cells" help:"By rows from the north, in a row from the west."`
	Total     int64     `json:"total" help:"Sum of the counts: the list's total for the same filters and box."`
	Precision int       `json:"precision" help:"Cells are tiles of which 2 to the power of this make up the world's width: zoom + 2, or less."`
}

// cluster is a cell of the answer. Its box is written as GeoJSON does: names for its edges would make the largest answer
// a tenth larger, compressed.
type cluster struct {
	Count     int64   `json:"count" help:"Filings in the cell."`
	Latitude  float64 `json:"latitude" help:"Mean latitude of the cell's filings, to six decimals."`
	Longitude float64 `json:"longitude" help:"Mean longitude of the cell's filings, to six decimals."`
	BBox      bbox    `json:"bbox" help:"Smallest box around the cell's filings: west, south, east, north."`
	ID        int64   `json:"id,omitempty" help:"Id of the filing, where the cell has only one."`
}

// bbox is the edges of a box in the order of RFC 7946: west, south, east, north.
type bbox [4]float64

func bboxOf(b index.Box) bbox { return bbox{b.West, b.South, b.East, b.North} }

// appendClusters appends cells in the full envelope.
func (k *call) appendClusters(dst []byte, precision int, cells []index.Cell) []byte {
	data := clusters{Cells: make([]cluster, len(cells)), Precision: precision}
	for i, c := range cells {
		data.Total += c.Filings
		data.Cells[i] = cluster{c.Filings, c.Latitude, c.Longitude, bboxOf(c.Box), c.ID}
	}
	dst = appendJSON(append(dst, `{"success":true,"data":`...), data)
	return append(k.appendMeta(dst), '}')
}

// geoJSON is the other form of clusters (RFC 7946).
const geoJSON = "application/geo+json"

type featureCollection struct {
	Type     string    `json:"type" help:"FeatureCollection."`
	Features []feature `json:"features" help:"The cells."`
}

// feature is a cell in GeoJSON, where longitudes come first.
type feature struct {
	Type       string            `json:"type" help:"Feature."`
	BBox       bbox              `json:"bbox" help:"Smallest box around the cell's filings: west, south, east, north."`
	Geometry   point             `json:"geometry"`
	Properties featureProperties `json:"properties"`
}

type point struct {
	Type        string     `json:"type" help:"Point."`
	Coordinates [2]float64 `json:"coordinates" help:"Mean longitude and latitude of the cell's filings, to six decimals."`
}

type featureProperties struct {
	Count int64 `json:"count" help:"Filings in the cell."`
	ID    int64 `json:"id,omitempty" help:"Id of the filing, where the cell has only one."`
}

// appendFeatures appends cells as a FeatureCollection.
func appendFeatures(dst []byte, cells []index.Cell) []byte {
	all := featureCollection{"FeatureCollection", make([]feature, len(cells))}
	for i, c := range cells {
		all.Features[i] = feature{"Feature", bboxOf(c.Box), point{"Point", [2]float64{c.Longitude, c.Latitude}}, featureProperties{c.Filings, c.ID}}
	}
	return appendJSON(dst, all)
}

// accepts returns the Accept of a request, all of its lines.
func accepts(c *fiber.Ctx) string {
	return string(bytes.Join(c.Request().Header.PeekAll(fiber.HeaderAccept), []byte(",")))
}

// wantsGeoJSON reports whether an Accept prefers GeoJSON to JSON. Where it likes both alike it is JSON, unless GeoJSON is
// named and JSON is not. Who wants neither gets JSON, as everywhere here.
func wantsGeoJSON(accept string) bool {
	quality := qualities(accept)
	of := func(mediaType string) (q float64, named bool) {
		if q, named = quality[mediaType]; named {
			return q, true
		}
		if q, ok := quality["application/*"]; ok {
			return q, false
		}
		return quality["*/*"], false
	}
	geo, geoNamed := of(geoJSON)
	plain, plainNamed := of("application/json")
	return geo > plain || geo == plain && geo > 0 && geoNamed && !plainNamed
}
