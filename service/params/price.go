package params

import "filings/service/cursor"

// RowsForOne is how many filings cost as much as one request, where they come many at a time (rules
// X3 and X7).
const RowsForOne = 100

// PriceOf returns what so many filings cost, in requests.
func PriceOf(rows int64) int64 { return max(1, (rows+RowsForOne-1)/RowsForOne) }

// Price returns what a request for an endpoint costs, in requests, in every tier: a page its limit,
// however many filings it has, anything else 1, and so what is refused. It is 0 for an export,
// whose price is found when its filings are counted. The price is known before the key of a
// request, so no value but the limit is read: a polygon alone takes more time than a page.
func (t *Table) Price(of *Endpoint, query string) int64 {
	switch {
	case of.Shape.Has(File):
		return 0
	case !of.Shape.Has(Pagination):
		return 1
	}
	raw, err := t.Split(of, query)
	if err != nil {
		return 1
	}
	at := t.named(raw, "cursor")
	if at == "" && !of.Shape.Has(Forward) { // such a page has too few to cost more
		return 1
	}
	limit := t.named(raw, "limit")
	if held, err := cursor.Parse(at); limit == "" && err == nil {
		raw, _ = t.Split(of, held.Query)
		limit = t.named(raw, "limit")
	}
	n, _ := parseInteger(limit)
	return PriceOf(min(n, maxByCursor))
}

// named returns the text of a parameter, "" where it is absent or wrong.
func (t *Table) named(raw Raw, name string) string {
	i := t.names[raw.of.Takes][name]
	s := raw.at(i, &t.rows[i])
	if s.err != nil {
		return ""
	}
	return s.text(&t.rows[i])
}
