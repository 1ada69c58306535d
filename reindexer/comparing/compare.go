// Package comparing says what a load changes: which filings differ from those of the generation before, and when each was
// added first (rules X16 and X19). It reads stamps, which engines keep by id, and holds few of them at a time. It refuses to
// know filings: what differs in them, whoever keeps the step reads.
package comparing

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"

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

// Collect takes differences, which come by id.
func Collect(differences iter.Seq2[generation.Difference, error]) (*Differences, error) {
	d := new(Differences)
	for one, err := range differences {
		if err != nil {
			return nil, err
		}
		d.add(one)
	}
	return d, nil
}

func (d *Differences) add(one generation.Difference) {
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

// Between merges the stamps of two generations, each of which come by id, and yields where these differ.
func Between(before, after iter.Seq2[index.Stamp, error]) iter.Seq2[generation.Difference, error] {
	return func(yield func(generation.Difference, error) bool) {
		nextOld, stop := iter.Pull2(before)
		defer stop()
		old, failed, more := nextOld()
		// through yields those of before up to an id that are not there any more, or what failed.
		through := func(id int64) bool {
			for ; more && failed == nil && old.ID < id; old, failed, more = nextOld() {
				if d, _ := generation.Differ(old, index.Stamp{}); !yield(d, nil) {
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
			was := index.Stamp{}
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
