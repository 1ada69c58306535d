package params

import (
	"time"

	"filings/index"
)

// builder builds a Request from values, row by row.
type builder struct {
	request Request
	now     time.Time
	active  []string // folded foreclosure statuses that count as active

	predicates []index.Predicate
	equal      []index.AnyOf
	ranges     []bounds
	days       index.Days
	added      index.Times
	start, end string // date_start and date_end
	box        box
	center     *index.Point // of a circle
	radius     *index.Decimal
	corners    []index.Corner
	zoom       int    // of a map
	groupOrder string // sort_order of groups and owners
}

// box has the edges of a box; nil for one that was not given.
type box struct{ north, south, east, west *index.Decimal }

// bounds is a range of a number, with the names of the parameters that gave its ends.
type bounds struct {
	index.Range
	minName, maxName string
	min, max         index.Decimal
}
