package params

import (
	"time"

	"filings/index"
)

// RowsForOne is how many filings cost as much as one request, where they come many at a time (rules X3 and X7).
const RowsForOne = 100

// PriceOf returns what so many filings cost, in requests.
func PriceOf(rows int64) int64 { return max(1, (rows+RowsForOne-1)/RowsForOne) }

// Price returns what a request for an endpoint costs, in requests, in every tier: a page its limit, however many filings
// it has, anything else 1, and so what is refused. It is 0 for an export, whose price is found when its filings are counted.
func (t *Table) Price(on Endpoints, query string, now time.Time) int64 {
	switch on.row().price {
	case priceOne:
		return 1
	case priceByExport:
		return 0
	}
	raw, err := t.Split(on, query)
	if err != nil || on.row().paging == byOffset && !raw.given(t.names[on]["cursor"]) { // by offset a page has too few to cost more
		return 1
	}
	q, err := t.Read(raw, nil, Tiers{Fields: index.Enterprise, Filters: index.Enterprise}, now)
	if err != nil {
		return 1
	}
	return PriceOf(int64(q.Query.Limit))
}
