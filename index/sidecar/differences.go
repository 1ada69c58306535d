package sidecar

import (
	"iter"
	"math"
	"strings"

	"filings/index"
)

// Difference says where two generations differ: in the filing with this id, which one of them may lack.
type Difference struct {
	ID            int64
	FieldGroups   index.FieldGroups // not 0
	Before, After bool              // whether the earlier and the later generation have the filing
}

// Differences are the filings that differ between two generations, by id, 16 bytes each.
type Differences struct {
	Added, Changed, Removed int64
	List                    []Difference
	Counties                map[string]CountyDifferences // as written
}

// CountyDifferences count the filings of a county that differ. Left are those that were in it and
// changed, Changed those that changed and are in it: mostly the same.
type CountyDifferences struct{ Added, Left, Changed, Removed int64 }

// in counts filings of a county in.
func (d *Differences) in(county string, n CountyDifferences) {
	if d.Counties == nil {
		d.Counties = map[string]CountyDifferences{}
	}
	sum, known := d.Counties[county]
	if !known {
		county = strings.Clone(county) // it may be a part of a longer text
	}
	d.Counties[county] = CountyDifferences{
		sum.Added + n.Added, sum.Left + n.Left, sum.Changed + n.Changed, sum.Removed + n.Removed,
	}
}

// Compare returns where two generations differ, whose fingerprints come by id.
func Compare(before, after iter.Seq2[index.Fingerprint, error]) (*Differences, error) {
	d := new(Differences)
	for of, err := range Merge(before, after) {
		if err != nil {
			return nil, err
		}
		d.Note(of[0], of[1])
	}
	return d, nil
}

// Note adds the filing with these fingerprints, of which one may be the zero Fingerprint, for no
// filing, if they differ. Its id is higher than those that were added before.
func (d *Differences) Note(before, after index.Fingerprint) {
	one := Difference{
		ID: max(before.ID, after.ID), FieldGroups: index.AllFieldGroups,
		Before: before.ID != 0, After: after.ID != 0,
	}
	if one.Before && one.After {
		one.FieldGroups = after.Digests.DifferIn(before.Digests)
	}
	if one.FieldGroups == 0 || !one.Before && !one.After {
		return
	}
	switch {
	case !one.Before:
		d.Added++
		d.in(after.Facts.County, CountyDifferences{Added: 1})
	case !one.After:
		d.Removed++
		d.in(before.Facts.County, CountyDifferences{Removed: 1})
	default:
		d.Changed++
		d.in(before.Facts.County, CountyDifferences{Left: 1})
		d.in(after.Facts.County, CountyDifferences{Changed: 1})
	}
	d.List = append(d.List, one)
}

// Merge yields what two sequences of fingerprints, which come by id, have of each filing: the zero
// Fingerprint where one of them has none. It pulls the fingerprints of few, which costs more than
// to range over those of many; nil: it ranges over those of few alone.
func Merge(many, few iter.Seq2[index.Fingerprint, error]) iter.Seq2[[2]index.Fingerprint, error] {
	return func(yield func([2]index.Fingerprint, error) bool) {
		if many == nil {
			for b, err := range few {
				if !yield([2]index.Fingerprint{{}, b}, err) {
					return
				}
			}
			return
		}
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
