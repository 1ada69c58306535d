package reindexer

import (
	"iter"
	"slices"
	"time"

	"filings/index"
)

// added says when filings of the live generation were added, by id, in 16 bytes each. When one was
// that was there before it and is away is not known (rule X19).
type added struct{ ids, at []int64 }

// newAdded reads fingerprints, which come by id.
func newAdded(all iter.Seq2[index.Fingerprint, error]) (*added, error) {
	a := new(added)
	for s, err := range all {
		if err != nil {
			return nil, err
		}
		a.ids, a.at = append(a.ids, s.ID), append(a.at, s.Created)
	}
	return a, nil
}

// time returns when a filing was added; the zero time where there was none, or nothing says when.
func (a *added) time(id int64) time.Time {
	i, found := slices.BinarySearch(a.ids, id)
	if !found || a.at[i] == index.NoTime {
		return time.Time{}
	}
	return time.UnixMicro(a.at[i]).UTC()
}
