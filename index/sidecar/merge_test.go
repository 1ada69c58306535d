package sidecar_test

import (
	"errors"
	"iter"
	"math"
	"slices"
	"testing"

	"filings/index"
	"filings/index/sidecar"
)

// fingerprintsOf yields fingerprints with these ids, and then err unless that is nil.
func fingerprintsOf(err error, ids ...int64) iter.Seq2[index.Fingerprint, error] {
	return func(yield func(index.Fingerprint, error) bool) {
		for _, id := range ids {
			if !yield(index.Fingerprint{ID: id}, nil) {
				return
			}
		}
		if err != nil {
			yield(index.Fingerprint{}, err)
		}
	}
}

// TestMerge: each filing of the two comes once, the one with the highest id too; an error comes after what was before it.
func TestMerge(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, test := range []struct {
		name      string
		many, few iter.Seq2[index.Fingerprint, error]
		want      [][2]int64
		fails     bool
	}{
		{"nothing", fingerprintsOf(nil), fingerprintsOf(nil), nil, false},
		{"many alone", fingerprintsOf(nil, 1, math.MaxInt64), fingerprintsOf(nil), [][2]int64{{1, 0}, {math.MaxInt64, 0}}, false},
		{"few alone", fingerprintsOf(nil), fingerprintsOf(nil, 1, math.MaxInt64), [][2]int64{{0, 1}, {0, math.MaxInt64}}, false},
		{"both", fingerprintsOf(nil, 2, 3, 5), fingerprintsOf(nil, 1, 3, 4, 6), [][2]int64{{0, 1}, {2, 0}, {3, 3}, {0, 4}, {5, 0}, {0, 6}}, false},
		{"the highest in both", fingerprintsOf(nil, math.MaxInt64), fingerprintsOf(nil, math.MaxInt64), [][2]int64{{math.MaxInt64, math.MaxInt64}}, false},
		{"many fail", fingerprintsOf(broken, 1), fingerprintsOf(nil, 1, 2), [][2]int64{{1, 1}}, true},
		{"few fail", fingerprintsOf(nil, 1, 2), fingerprintsOf(broken, 1), [][2]int64{{1, 1}}, true},
		{"few fail at once", fingerprintsOf(nil), fingerprintsOf(broken), nil, true},
	} {
		var got [][2]int64
		var failed error
		for of, err := range sidecar.Merge(test.many, test.few) {
			if failed = err; err == nil {
				got = append(got, [2]int64{of[0].ID, of[1].ID})
			}
		}
		if !slices.Equal(got, test.want) || errors.Is(failed, broken) != test.fails {
			t.Errorf("%s: %v, %v, want %v", test.name, got, failed, test.want)
		}
		for range sidecar.Merge(test.many, test.few) {
			break // ends there
		}
	}
}
