package search

import (
	"slices"

	"filings/index"
	"filings/index/elastic/document"
)

// key is a field to sort by.
type key struct {
	field     string
	ascending bool
}

// laterLimit names the limit of a range of values after one of k.
func (k key) laterLimit() string {
	if k.ascending {
		return "gt"
	}
	return "lt"
}

// Order is a whole order: no two filings are equal in it.
type Order []key

// OrderOf returns the order that s names: ties by filing date, then by id, both descending.
func OrderOf(s index.Sort) Order {
	date := key{field: document.DayField}
	id := key{field: index.ID.String()}
	switch s.By {
	case index.FilingDate:
		date.ascending = s.Ascending
		return Order{date, id}
	case index.Owner, index.CreatedAt:
		return Order{{document.Derived(s.By), s.Ascending}, date, id}
	}
	return Order{{s.By.String(), s.Ascending}, date, id}
}

// rest returns the order of filings that are equal in o's first key.
func (o Order) rest() Order {
	if o[0].field == document.DayField {
		return o // the index is sorted by day and id: more is less here
	}
	return o[1:]
}

// isIndexOrder reports whether o is the order of the index, in which Elasticsearch finds a page without looking at the
// filings after it.
func (o Order) isIndexOrder() bool { return slices.Equal(o, OrderOf(index.DefaultSort)) }

// body returns the sort of a request. Missing values come last, or first where the order is backwards.
func (o Order) body(backwards bool) []Object {
	missing := "_last"
	if backwards {
		missing = "_first"
	}
	keys := make([]Object, len(o))
	for i, k := range o {
		keys[i] = Object{k.field: Object{"order": direction(k.ascending != backwards), "missing": missing}}
	}
	return keys
}
