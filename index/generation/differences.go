package generation

import (
	"encoding/binary"
	"iter"

	"filings/index"
)

// Difference says where two generations differ: in the filing with this id, which one of them may lack.
type Difference struct {
	ID            int64
	Parts         index.Parts // not 0
	Before, After bool        // whether the earlier and the later generation have the filing
}

// Differences are the filings that differ between two generations, by id, in memory. They take some three bytes each.
type Differences struct {
	Added, Changed, Removed int64

	last int64
	data []byte // of each: the distance of its id from the one before, its parts, and where it is
}

// Where a filing is.
const (
	isBefore = 1 << iota
	isAfter
)

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

// Note adds the filing with these fingerprints, of which one may be the zero Fingerprint, for no filing, if they differ. Its
// id is higher than those that were added before.
func (d *Differences) Note(before, after index.Fingerprint) {
	one := Difference{ID: max(before.ID, after.ID), Parts: index.AllParts, Before: before.ID != 0, After: after.ID != 0}
	if one.Before && one.After {
		one.Parts = after.Parts(before)
	}
	if one.Parts == 0 || !one.Before && !one.After {
		return
	}
	where := byte(isBefore | isAfter)
	switch {
	case !one.Before:
		d.Added++
		where = isAfter
	case !one.After:
		d.Removed++
		where = isBefore
	default:
		d.Changed++
	}
	d.data = append(binary.AppendUvarint(d.data, uint64(one.ID-d.last)), byte(one.Parts), where)
	d.last = one.ID
}

// All yields the differences by id. It never yields an error.
func (d *Differences) All() iter.Seq2[Difference, error] {
	return func(yield func(Difference, error) bool) {
		id := int64(0)
		for data := d.data; len(data) > 0; {
			distance, n := binary.Uvarint(data)
			id += int64(distance)
			where := data[n+1]
			one := Difference{ID: id, Parts: index.Parts(data[n]), Before: where&isBefore != 0, After: where&isAfter != 0}
			if !yield(one, nil) {
				return
			}
			data = data[n+2:]
		}
	}
}
