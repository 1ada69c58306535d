package sidecar

import (
	"iter"
	"math"

	"filings/index"
)

// Merge yields what two sequences of fingerprints, which come by id, have of each filing: the zero
// Fingerprint where one of them has none. It pulls the fingerprints of few, which costs more than
// to range over those of many.
func Merge(many, few iter.Seq2[index.Fingerprint, error]) iter.Seq2[[2]index.Fingerprint, error] {
	return func(yield func([2]index.Fingerprint, error) bool) {
		next, stop := iter.Pull2(few)
		defer stop()
		b, failed, more := next()
		// alone yields the fingerprints of few up to an id, which many does not have, or what failed.
		alone := func(last int64) bool {
			for ; more && failed == nil && b.ID <= last; b, failed, more = next() {
				if !yield([2]index.Fingerprint{{}, b}, nil) {
					return false
				}
			}
			if failed != nil {
				yield([2]index.Fingerprint{}, failed)
			}
			return failed == nil
		}
		for a, err := range many {
			if err != nil {
				yield([2]index.Fingerprint{}, err)
				return
			}
			if !alone(a.ID - 1) {
				return
			}
			pair := [2]index.Fingerprint{a}
			if more && b.ID == a.ID {
				pair[1] = b
				b, failed, more = next()
			}
			if !yield(pair, nil) {
				return
			}
		}
		alone(math.MaxInt64)
	}
}
