package indextest

import (
	"cmp"

	"filings/index"
)

// order compares filings as s sorts them: those without the value last in both directions, ties by recording date
// descending (missing last), then by id descending.
func order(s index.Sort, a, b *index.Filing) int {
	return cmp.Or(
		by(s, a, b),
		by(index.DefaultSort, a, b),
		cmp.Compare(b.ID, a.ID),
	)
}

// by compares filings by the sort value alone.
func by(s index.Sort, a, b *index.Filing) int {
	switch hasA, hasB := a.Has(s.By), b.Has(s.By); {
	case !hasA && !hasB:
		return 0
	case !hasA:
		return 1
	case !hasB:
		return -1
	}
	if !s.Ascending {
		a, b = b, a
	}
	switch s.By {
	case index.FilingDate:
		return cmp.Compare(a.Text(index.FilingDate), b.Text(index.FilingDate))
	case index.Owner:
		return cmp.Compare(index.Fold(a.Text(index.Owner)), index.Fold(b.Text(index.Owner)))
	case index.CreatedAt:
		return cmp.Compare(a.CreatedAt.UnixMicro(), b.CreatedAt.UnixMicro())
	}
	x, _ := a.Number(s.By)
	y, _ := b.Number(s.By)
	return cmp.Compare(x, y)
}
