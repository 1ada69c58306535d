package serving

import "filings/index"

// shapes is how many values shapeOf has.
const shapes = 1 << 11

// shapeOf tells filters with different types of predicates apart, and pages in the default order from others.
func shapeOf(q index.Query) (shape int) {
	if q.Sort != index.DefaultSort {
		shape = 1 << 10
	}
	for _, p := range q.Where.Predicates() {
		switch p.(type) {
		case index.AnyOf:
			shape |= 1 << 0
		case index.NoneOf:
			shape |= 1 << 1
		case index.IDs:
			shape |= 1 << 2
		case index.Between:
			shape |= 1 << 3
		case index.Days:
			shape |= 1 << 4
		case index.Times:
			shape |= 1 << 5
		case index.Present:
			shape |= 1 << 6
		case index.Box:
			shape |= 1 << 7
		case index.Contains:
			shape |= 1 << 8
		default:
			shape |= 1 << 9
		}
	}
	return shape
}
