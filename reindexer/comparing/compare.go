// Package comparing says what a load changes: which filings differ from those of the generation before, and when each was
// added first (rules X16 and X19). It reads stamps, which engines keep by id, and holds few of them at a time. It refuses to
// know filings: what differs in them, whoever keeps the step reads.
package comparing

import (
	"encoding/binary"
	"fmt"
	"iter"

	"filings/index"
	"filings/index/generation"
)

// Differences are the filings that differ between two generations, by id. They take some three bytes each.
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

// Between merges the stamps of two generations, each of which come by id.
func Between(before, after iter.Seq2[index.Stamp, error]) (*Differences, error) {
	d := new(Differences)
	nextOld, stopOld := iter.Pull2(before)
	defer stopOld()
	nextNew, stopNew := iter.Pull2(after)
	defer stopNew()
	was, errOld, moreOld := nextOld()
	is, errNew, moreNew := nextNew()
	for moreOld || moreNew {
		switch {
		case errOld != nil:
			return nil, fmt.Errorf("reading the stamps of the generation before: %w", errOld)
		case errNew != nil:
			return nil, fmt.Errorf("reading the stamps of the new generation: %w", errNew)
		case !moreNew || moreOld && was.ID < is.ID:
			d.Removed++
			d.add(was.ID, index.AllParts, isBefore)
			was, errOld, moreOld = nextOld()
		case !moreOld || is.ID < was.ID:
			d.Added++
			d.add(is.ID, index.AllParts, isAfter)
			is, errNew, moreNew = nextNew()
		default:
			if parts := is.Parts(was); parts != 0 {
				d.Changed++
				d.add(is.ID, parts, isBefore|isAfter)
			}
			was, errOld, moreOld = nextOld()
			is, errNew, moreNew = nextNew()
		}
	}
	return d, nil
}

func (d *Differences) add(id int64, parts index.Parts, where byte) {
	d.data = append(binary.AppendUvarint(d.data, uint64(id-d.last)), byte(parts), where)
	d.last = id
}

// All yields the differences by id. It never yields an error.
func (d *Differences) All() iter.Seq2[generation.Difference, error] {
	return func(yield func(generation.Difference, error) bool) {
		id := int64(0)
		for data := d.data; len(data) > 0; {
			distance, n := binary.Uvarint(data)
			id += int64(distance)
			where := data[n+1]
			difference := generation.Difference{
				ID: id, Parts: index.Parts(data[n]), Before: where&isBefore != 0, After: where&isAfter != 0,
			}
			if !yield(difference, nil) {
				return
			}
			data = data[n+2:]
		}
	}
}
