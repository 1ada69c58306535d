package serving

import (
	"reflect"
	"slices"

	"filings/index"
)

// kinds are the types of predicates that shapeOf tells apart; all others are one more.
var kinds = []reflect.Type{
	reflect.TypeFor[index.AnyOf](), reflect.TypeFor[index.Not](), reflect.TypeFor[index.IDs](),
	reflect.TypeFor[index.Between](), reflect.TypeFor[index.Days](), reflect.TypeFor[index.Times](),
	reflect.TypeFor[index.Present](), reflect.TypeFor[index.Box](), reflect.TypeFor[index.Contains](),
}

// shapes is how many values shapeOf has.
const shapes = 1 << 11

// shapeOf tells filters with different types of predicates apart, and pages in the default order
// from others.
func shapeOf(q index.Query) (shape int) {
	if q.Sort != index.DefaultSort {
		shape = 1 << 10
	}
	for _, p := range q.Where.Predicates() {
		shape |= 1 << (1 + slices.Index(kinds, reflect.TypeOf(p)))
	}
	return shape
}
