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

// Differ returns where the fingerprints of a filing differ, of which one may be the zero Fingerprint, for no filing; false if
// they do not.
func Differ(before, after index.Fingerprint) (d Difference, differ bool) {
	d = Difference{ID: max(before.ID, after.ID), Parts: index.AllParts, Before: before.ID != 0, After: after.ID != 0}
	if d.Before && d.After {
		d.Parts = after.Parts(before)
	}
	return d, d.Parts != 0 && (d.Before || d.After)
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

// Collect takes differences, which come by id.
func Collect(differences iter.Seq2[Difference, error]) (*Differences, error) {
	d := new(Differences)
	for one, err := range differences {
		if err != nil {
			return nil, err
		}
		d.add(one)
	}
	return d, nil
}

// Note adds the filing with these fingerprints, of which one may be the zero Fingerprint, for no filing, if they differ. Its
// id is higher than those that were added before.
func (d *Differences) Note(before, after index.Fingerprint) {
	if one, differ := Differ(before, after); differ {
		d.add(one)
	}
}

func (d *Differences) add(one Difference) {
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
