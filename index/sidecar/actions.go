package sidecar

import (
	"cmp"
	"context"
	"encoding/binary"
	"iter"
	"strings"

	"filings/index"
	"filings/index/sorter"
	"filings/index/wire"
)

// sortBuffer is how much of the fingerprints of a load is in memory.
const sortBuffer = 2 << 20

// Actions collects a load's actions on filings, in any order. A file without a name, in the folder
// for temporary files, has all that its memory has no room for.
type Actions struct {
	sorter  *sorter.Sorter
	actions uint64
	value   []byte // of the last action
	err     error  // the first
}

// NewActions returns Actions of nothing, which have to be closed.
func NewActions() *Actions { return &Actions{sorter: sorter.New("", sortBuffer)} }

// Put says that a filing was put. The last action of an id counts.
func (c *Actions) Put(s index.Fingerprint) {
	value := c.value[:0]
	for _, digest := range s.Digests {
		value = binary.LittleEndian.AppendUint64(value, digest)
	}
	c.value = appendFacts(binary.LittleEndian.AppendUint64(value, uint64(s.Created)), &s.Facts)
	c.add(s.ID, c.value)
}

// Remove says that a filing was removed.
func (c *Actions) Remove(id int64) { c.add(id, nil) }

func (c *Actions) add(id int64, value []byte) {
	if c.err != nil {
		return
	}
	c.actions++
	var key [16]byte
	binary.BigEndian.PutUint64(key[:], uint64(id)) // ids are positive
	binary.BigEndian.PutUint64(key[8:], c.actions)
	c.err = c.sorter.Add(key[:], value)
}

// Apply yields what the actions make of old fingerprints, which come by id. It calls note, unless
// that is nil, with the old and the updated fingerprint of each filing that was put or removed; the
// zero Fingerprint stands for no filing.
func (c *Actions) Apply(
	ctx context.Context, old iter.Seq2[index.Fingerprint, error], note func(old, updated index.Fingerprint),
) iter.Seq2[index.Fingerprint, error] {
	return func(yield func(index.Fingerprint, error) bool) {
		for pair, err := range Merge(old, c.Last(ctx)) { // those of an update are few
			former, latest := pair[0], pair[0]
			if action := pair[1]; action.ID != 0 {
				if latest = action; Removes(action) {
					latest = index.Fingerprint{}
				}
				if note != nil {
					note(former, latest)
				}
			}
			if (latest.ID != 0 || err != nil) && !yield(latest, err) || err != nil {
				return
			}
		}
	}
}

// Visit visits the actions by the ids of their filings, and those of one filing in their order, in
// which all are numbered from 1.
func (c *Actions) Visit(ctx context.Context, visit func(id int64, action uint64) error) error {
	for item, err := range c.sorter.Items(ctx) {
		if err = cmp.Or(c.err, err); err == nil {
			err = visit(int64(binary.BigEndian.Uint64(item.Key)), binary.BigEndian.Uint64(item.Key[8:]))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Removes reports whether a fingerprint is that of a filing that was removed.
func Removes(s index.Fingerprint) bool { return s == removed(s.ID) }

func removed(id int64) index.Fingerprint { return index.Fingerprint{ID: id} }

// Last yields the fingerprint of the last action of each id, by id; of a removed one the id alone.
func (c *Actions) Last(ctx context.Context) iter.Seq2[index.Fingerprint, error] {
	return func(yield func(index.Fingerprint, error) bool) {
		var s index.Fingerprint
		for item, err := range c.sorter.Items(ctx) {
			if err = cmp.Or(c.err, err); err != nil {
				yield(index.Fingerprint{}, err)
				return
			}
			id := int64(binary.BigEndian.Uint64(item.Key))
			if s.ID != 0 && s.ID != id && !yield(s, nil) {
				return
			}
			if s = removed(id); len(item.Value) == 0 {
				continue
			}
			r := wire.Reader{Rest: item.Value}
			for i := range s.Digests {
				s.Digests[i] = r.Word()
			}
			s.Created = int64(r.Word())
			s.Facts = readFacts(&r, string(r.Rest))
		}
		if s.ID != 0 {
			yield(s, nil)
		}
	}
}

// Close gives up memory and file. It may be called again.
func (c *Actions) Close() error { return c.sorter.Close() }

// Difference is a filing in which two generations differ. One of them may lack it.
type Difference struct {
	ID             int64
	FieldGroups    index.FieldGroups // not 0
	Earlier, Later bool              // whether the earlier and the later generation have the filing
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

// count counts filings of a county in.
func (d *Differences) count(county string, n CountyDifferences) {
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
func Compare(earlier, later iter.Seq2[index.Fingerprint, error]) (*Differences, error) {
	d := new(Differences)
	for pair, err := range Merge(earlier, later) {
		if err != nil {
			return nil, err
		}
		d.Note(pair[0], pair[1])
	}
	return d, nil
}

// Note adds the filing with these fingerprints, of which one may be the zero Fingerprint, for no
// filing, if they differ. Its id is higher than those that were added before.
func (d *Differences) Note(earlier, later index.Fingerprint) {
	difference := Difference{
		ID: max(earlier.ID, later.ID), FieldGroups: index.AllFieldGroups,
		Earlier: earlier.ID != 0, Later: later.ID != 0,
	}
	if difference.Earlier && difference.Later {
		difference.FieldGroups = later.Digests.DifferIn(earlier.Digests)
	}
	if difference.FieldGroups == 0 || !difference.Earlier && !difference.Later {
		return
	}
	switch {
	case !difference.Earlier:
		d.Added++
		d.count(later.Facts.County, CountyDifferences{Added: 1})
	case !difference.Later:
		d.Removed++
		d.count(earlier.Facts.County, CountyDifferences{Removed: 1})
	default:
		d.Changed++
		d.count(earlier.Facts.County, CountyDifferences{Left: 1})
		d.count(later.Facts.County, CountyDifferences{Changed: 1})
	}
	d.List = append(d.List, difference)
}

// Merge yields each filing's fingerprints in two sequences, which come by id, as sorter.Pairs does.
func Merge(many, few iter.Seq2[index.Fingerprint, error]) iter.Seq2[[2]index.Fingerprint, error] {
	return sorter.Pairs(many, few, func(a, b index.Fingerprint) int { return cmp.Compare(a.ID, b.ID) })
}
