package search

import (
	"slices"
	"strconv"

	"filings/index"
	"filings/index/elastic/document"
)

// Cells requests rows, and in each row columns. No response has more buckets than a grid has tiles and rows.
func Cells(clauses []Object, g index.Grid) Object {
	lat, lon := index.Latitude.String(), index.Longitude.String()
	metrics := Object{
		"latitude":  Object{"stats": Object{"field": lat}},
		"longitude": Object{"stats": Object{"field": lon}},
		"id":        Object{"max": Object{"field": index.ID.String()}},
		"sum":       Object{"sum": Object{"field": document.CentsField}},
		"max":       Object{"max": Object{"field": index.FilingAmount.String()}},
	}
	columns := Object{"range": Object{"field": lon, "ranges": ranges(g.Columns)}, "aggs": metrics}
	return Aggregate(clauses, Object{"rows": Object{
		"range": Object{"field": lat, "ranges": ranges(g.Rows)},
		"aggs":  Object{"columns": columns},
	}})
}

// ranges names each span by its tile. Of a range, from is inside and to is not.
func ranges(spans []index.Span) []Object {
	all := make([]Object, len(spans))
	for i, s := range spans {
		all[i] = Object{"key": strconv.Itoa(s.Tile), "from": s.From, "to": s.To}
	}
	return all
}

// MostPoints is how many points one request has. Each is two clauses of a query, which may have
// 1,024 at the least (indices.query.bool.max_clause_count). OpenSearch counts each range twice,
// since it can look into an index or a column.
const MostPoints = 128

// Points requests the ids of the filings at so many points. A filing that is alone in its cell is alone at its point.
func Points(clauses []Object, points []index.Point) Object {
	lat, lon := index.Latitude.String(), index.Longitude.String()
	options := make([]Object, len(points))
	for i, p := range points {
		options[i] = Object{"bool": Object{"filter": []Object{
			between(lat, &p.Latitude, &p.Latitude), between(lon, &p.Longitude, &p.Longitude),
		}}}
	}
	return located(len(points), append(slices.Clip(clauses), either(options))...)
}
