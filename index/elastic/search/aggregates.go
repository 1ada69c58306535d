package search

import (
	"slices"
	"strconv"

	"filings/index"
	"filings/index/elastic/document"
)

// Count requests the exact number of filings, and nothing else.
func Count(clauses []Object) Object {
	return filtered(Object{"size": 0, "track_total_hits": true}, clauses)
}

// Aggregate requests aggregations and the number of filings.
func Aggregate(clauses []Object, aggs Object) Object {
	body := Count(clauses)
	body["aggs"] = aggs
	return body
}

// CountyAndAmount returns the folded county and the filing amounts that w selects by, and whether
// it does so by nothing else.
func CountyAndAmount(w index.Filter) (county string, amount index.Range, only bool) {
	predicates := w.Predicates()
	if len(predicates) != 2 {
		return "", index.Range{}, false
	}
	for _, p := range predicates {
		switch p := p.(type) {
		case index.AnyOf:
			if slices.Equal(p.Fields, []index.Field{index.County, index.CountyName}) && len(p.Values) == 1 {
				county = p.Values[0]
			}
		case index.Range:
			amount, only = p, p.Field == index.FilingAmount
		}
	}
	return county, amount, only && county != ""
}

// InCounty returns the one clause for filing amounts in a county, which Elasticsearch counts
// without visiting filings; false where the county is not the only one of its name and number among
// all, or a bound is none of document.CountyCents. Amounts are whole cents.
func InCounty(county string, amount index.Range, counties []string) (Object, bool) {
	number, ok := document.CountyNumber(county, counties)
	if !ok {
		return nil, false
	}
	const extreme = 1e15 // cents: before and after all amounts
	least, greatest := -extreme, +extreme
	if amount.Min != nil {
		least = document.LeastCents(*amount.Min)
	}
	if amount.Max != nil {
		greatest = document.MostCents(*amount.Max)
	}
	first, exact1 := document.CountyCents(number, least)
	last, exact2 := document.CountyCents(number, greatest)
	isExact := (exact1 || amount.Min == nil) && (exact2 || amount.Max == nil)
	return inRange(document.CountyCentsField, &first, &last), isExact
}

// TermGroups requests so many groups, as they are written. No text is empty: "" is no value.
func TermGroups(clauses []Object, dimension index.Dimension, most int) Object {
	terms := Object{"field": document.Key(dimension), "missing": "", "size": most}
	return groupsBody(clauses, Object{"terms": terms, "aggs": amountsOfGroups()})
}

func groupsBody(clauses []Object, groups Object) Object {
	return filtered(Object{"size": 0, "track_total_hits": false, "aggs": Object{"groups": groups}}, clauses)
}

// amountsOfGroups are the metrics of a group: the sum in cents, the others in dollars, as loaded.
func amountsOfGroups() Object {
	return Object{
		"amounts": Object{"stats": Object{"field": index.FilingAmount.String()}},
		"sum":     Object{"sum": Object{"field": document.CentsField}},
	}
}

// GroupKey is the key of a bucket by the positions of the dimensions; "" for no value, which is
// null in a request and a response.
type GroupKey struct {
	First  string `json:"0"`
	Second string `json:"1"`
}

// CompositeGroups requests so many groups, as they are written, after a key.
func CompositeGroups(clauses []Object, dimensions []index.Dimension, amounts bool, most int, last *GroupKey) Object {
	sources := make([]Object, len(dimensions))
	for i, d := range dimensions {
		sources[i] = Object{strconv.Itoa(i): Object{"terms": Object{"field": document.Key(d), "missing_bucket": true}}}
	}
	composite := Object{"size": most, "sources": sources}
	if last != nil {
		key := Object{}
		for i, value := range []string{last.First, last.Second}[:len(dimensions)] {
			if key[strconv.Itoa(i)] = value; value == "" {
				key[strconv.Itoa(i)] = nil
			}
		}
		composite["after"] = key
	}
	groups := Object{"composite": composite}
	if amounts {
		groups["aggs"] = amountsOfGroups()
	}
	return groupsBody(clauses, groups)
}

// ByIDs requests filings by their ids, in the order of these, with the cities that are written on
// them, and how many there are.
func ByIDs(ids []int64, columns ...string) Object {
	return Object{
		"size": len(ids), "track_total_hits": true, "query": Object{"terms": Object{index.ID.String(): ids}},
		"sort": []Object{{index.ID.String(): "asc"}}, "docvalue_fields": columns,
	}
}

// Cells requests rows, and in each row columns: no more buckets than a grid has tiles and rows.
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
	tiles := make([]Object, len(spans))
	for i, s := range spans {
		tiles[i] = Object{"key": strconv.Itoa(s.Tile), "from": s.Start, "to": s.End}
	}
	return tiles
}

// MostPoints is how many points one request has. Each is two clauses of a query, which may have
// 1,024 at the least (indices.query.bool.max_clause_count). OpenSearch counts each range twice,
// since it can look into an index or a column.
const MostPoints = 128

// Points requests the ids of filings at so many points, each of which is alone in its cell.
func Points(clauses []Object, points []index.Point) Object {
	lat, lon := index.Latitude.String(), index.Longitude.String()
	options := make([]Object, len(points))
	for i, p := range points {
		options[i] = Object{"bool": Object{"filter": []Object{
			inRange(lat, &p.Latitude, &p.Latitude), inRange(lon, &p.Longitude, &p.Longitude),
		}}}
	}
	return located(len(points), append(slices.Clip(clauses), oneOf(options))...)
}
