package params

// RowsForOne is how many filings cost as much as one request, where they come many at a time (rules
// X3 and X7).
const RowsForOne = 100

// PriceOf returns the price of so many filings, in requests.
func PriceOf(rows int64) int64 { return max(1, (rows+RowsForOne-1)/RowsForOne) }

// Price returns the price of a request, in requests, in every tier: a page its limit, however many
// filings it has, anything else 1. It is 0 for a file, whose price is found when its filings are
// counted. The price is known before the key of a request, so no value but the limit is read: a
// polygon alone takes more time than a page.
func (r *Raw) Price() int64 {
	switch {
	case r.endpoint.Shape.Has(File):
		return 0
	case !r.endpoint.Shape.Has(Pagination):
		return 1
	}
	cursor := r.textOf("cursor")
	if cursor == "" && !r.endpoint.Shape.Has(Forward) { // such a page has too few to cost more
		return 1
	}
	limit := r.textOf("limit")
	if limit == "" {
		if held := r.continued(cursor).held; held != nil {
			limit = held.textOf("limit")
		}
	}
	n, _ := parseInteger(limit)
	return PriceOf(min(n, maxByCursor))
}

// textOf returns the text of a parameter that the endpoint takes, "" where it is absent or wrong.
func (r *Raw) textOf(name string) string {
	p, s := r.named(name)
	if text, err := s.text(p); err == nil {
		return text
	}
	return ""
}
