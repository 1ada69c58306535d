package sidecar

import (
	"iter"

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
		one.FieldGroups = after.DiffersIn(before)
	}
	if one.FieldGroups == 0 || !one.Before && !one.After {
		return
	}
	switch {
	case !one.Before:
		d.Added++
	case !one.After:
		d.Removed++
	default:
		d.Changed++
	}
	d.List = append(d.List, one)
}
