// Package comparing computes what a load changes: which filings differ from those of the generation before, and when each was
// added first (rules X16 and X19). It reads fingerprints (index.Fingerprint), which engines keep by id, and holds few of them at a
// time. It refuses to know filings: the store that keeps the changeset reads them.
package comparing

import (
	"fmt"
	"iter"
	"math"

	"filings/index"
	"filings/index/generation"
)

// Between merges the stamps of two generations, each of which come by id, and yields where these differ.
func Between(before, after iter.Seq2[index.Fingerprint, error]) iter.Seq2[generation.Difference, error] {
	return func(yield func(generation.Difference, error) bool) {
		nextOld, stop := iter.Pull2(before)
		defer stop()
		old, failed, more := nextOld()
		// through yields those of before up to an id that are not there any more, or what failed.
		through := func(id int64) bool {
			for ; more && failed == nil && old.ID < id; old, failed, more = nextOld() {
				if d, _ := generation.Differ(old, index.Fingerprint{}); !yield(d, nil) {
					return false
				}
			}
			if failed != nil {
				yield(generation.Difference{}, fmt.Errorf("reading the stamps of the generation before: %w", failed))
			}
			return failed == nil
		}
		for s, err := range after {
			if err != nil {
				yield(generation.Difference{}, fmt.Errorf("reading the stamps of the new generation: %w", err))
				return
			}
			if !through(s.ID) {
				return
			}
			was := index.Fingerprint{}
			if more && old.ID == s.ID {
				was = old
				old, failed, more = nextOld()
			}
			if d, differ := generation.Differ(was, s); differ && !yield(d, nil) {
				return
			}
		}
		through(math.MaxInt64)
	}
}
